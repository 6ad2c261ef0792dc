"""Container images as folders: fetched by digest, unpacked once per layer, shared between images, without a daemon or root.

`layers/` holds unpacked layers by the digest of their content, `roots/` the folders that bugs see, made of hard links to layers,
and `images/` what manifests say. `blobs/` and `pulls/` hold what an unfinished pull fetched. A folder gets its name when it is
complete.
"""

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from repairlab.core.amounts import count
from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.sandbox.fetching import Blob, ImageContents, copy_blobs, parse_contents, read_contents
from repairlab.sandbox.layers import LayerLimits, digest_of, read_layer, unpack
from repairlab.sandbox.roots import damage_of, link_root, overlay

_GROWTH = 3
"""How many times larger an unpacked layer is taken to be than its archive, to tell a full disk before."""
_SHORTEST = 6
"""Letters of a digest that name an image."""


@record
class Image:
    """An image that is here."""

    references: tuple[str, ...]
    """Names that it was pulled by."""
    contents: ImageContents

    @property
    def digest(self) -> str:
        """The SHA-256 of its manifest."""
        return self.contents.digest


@record
class DiskUse:
    """What images take."""

    real: int
    """Bytes on the disk, each file once."""
    summed: int
    """Bytes if no image shared a layer."""
    by_image: tuple[tuple[str, int], ...]
    """Bytes of each image alone, by digest."""


class ImageStore:
    """The images of a cache folder."""

    def __init__(self, cache: Path, limits: LayerLimits | None = None) -> None:
        self._folder = cache / "images"
        self._limits = limits or LayerLimits()
        self._images, self._layers, self._roots = (self._folder / name for name in ("images", "layers", "roots"))
        self._blobs, self._pulls = self._folder / "blobs", self._folder / "pulls"

    def pull(self, reference: str, notify: Callable[[str], None] = lambda _: None) -> Image:
        """Fetch an image and unpack it, going on where an interrupted pull stopped."""
        with self._changing():
            source, contents, manifest, config = read_contents(reference)
            self._unpack(source, contents, notify)
            self._link_root(contents)
            home = self._images / contents.digest
            home.mkdir(exist_ok=True)
            (home / "config.json").write_bytes(config)
            (home / "manifest.json").write_bytes(manifest)
            names = {*(self._read(contents.digest).references if (home / "references.json").is_file() else ()), reference}
            write_aside(home / "references.json", json.dumps(sorted(names)))
            for other in self.images():  # a tag names the image that was pulled last
                if other.digest != contents.digest and reference in other.references:
                    kept = sorted({*other.references} - {reference})
                    write_aside(self._images / other.digest / "references.json", json.dumps(kept))
            return self._read(contents.digest)

    def images(self) -> list[Image]:
        """Return all images, by name."""
        found = [self._read(home.name) for home in self._images.glob("*") if (home / "references.json").is_file()]
        return sorted(found, key=lambda image: (image.references, image.digest))

    def find(self, name: str) -> Image:
        """Return the image of a reference or a digest, which may be short."""
        images = self.images()
        digest = name.rpartition("@")[2].removeprefix("sha256:")
        for image in images:
            if name in image.references or (len(digest) >= _SHORTEST and image.digest.startswith(digest)):
                return image
        known = [reference for image in images for reference in image.references or (image.digest[:12],)]
        raise unknown("image", name, known, listing="repairlab environment list")

    def root(self, image: Image) -> Path:
        """Return the folder with the files of an image, for reading alone."""
        return self._roots / _root_name(image.contents)

    def verify(self, image: Image) -> list[str]:
        """Return how an image differs from its digests."""
        home, seen = self._images / image.digest, dict[tuple[int, int], str]()
        found = []
        if digest_of(home / "manifest.json") != image.digest:
            found.append("the manifest has another digest")
        try:
            parse_contents((home / "manifest.json").read_bytes(), (home / "config.json").read_bytes())
            layers = [read_layer(self._layers / name) for name in image.contents.diff_ids]
        except UserError as error:
            return [*found, str(error)]
        for name, layer in zip(image.contents.diff_ids, layers, strict=True):
            alone = dataclasses.replace(
                layer, entries=tuple(entry for entry in layer.entries if entry.kind != "h"), opaque=(), removed=()
            )
            found += [f"layer {name[:12]}: {text}" for text in damage_of(overlay([alone]), self._layers / name / "tree", seen)]
        if not found:
            found += [f"root: {text}" for text in damage_of(overlay(layers), self.root(image), seen)]
        return found

    def remove(self, image: Image) -> int:
        """Remove an image and what no other uses; return the bytes that this frees."""
        with self._changing():
            before = self.disk_use().real
            shutil.rmtree(self._images / image.digest)
            self._sweep()
            return before - self.disk_use().real

    def prune(self) -> int:
        """Remove what no image uses and what unfinished pulls left; return the bytes that this frees."""
        with self._changing():
            before = self.disk_use().real
            for folder in (self._blobs, self._pulls):
                shutil.rmtree(folder, ignore_errors=True)
            self._sweep()
            return before - self.disk_use().real

    def disk_use(self) -> DiskUse:
        """Measure what images take."""
        layers = {home.name: _disk_bytes([home]) for home in self._layers.glob("*")}
        by_image = [
            (
                image.digest,
                sum(layers.get(name, 0) for name in image.contents.diff_ids) + _disk_bytes([self._images / image.digest]),
            )
            for image in self.images()
        ]
        return DiskUse(real=_disk_bytes([self._folder]), summed=sum(size for _, size in by_image), by_image=tuple(by_image))

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        """Hold the store for oneself; half-made folders of killed processes are removed first."""
        try:
            for folder in (self._images, self._layers, self._roots, self._blobs / "sha256"):
                folder.mkdir(parents=True, exist_ok=True)
            lock = os.open(self._folder / "lock", os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise UserError(f"cannot keep images in {self._folder}: {error.strerror}; choose a folder: REPAIRLAB_CACHE") from None
        try:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"another process changes the images in {self._folder}; wait for its end") from None
            for folder in (self._layers, self._roots):
                for left in folder.glob(".new-*"):
                    shutil.rmtree(left)
            yield
        finally:
            os.close(lock)

    def _unpack(self, source: str, contents: ImageContents, notify: Callable[[str], None]) -> None:
        """Fetch and unpack the layers that are not here."""
        archives = dict(zip(contents.diff_ids, contents.layers, strict=True))
        missing = {name: blob for name, blob in archives.items() if not (self._layers / name).is_dir()}
        notify(f"{count(len(archives), 'layer')}, {len(archives) - len(missing)} here already")
        if not missing:
            return
        self._need_room(missing.values())
        layout, blobs = self._pulls / contents.digest, self._blobs / "sha256"
        with self._standing_in(contents, {blob.digest for blob in missing.values()}):
            written = copy_blobs(source, layout, self._blobs)
        for number, (name, blob) in enumerate(missing.items(), start=1):
            archive, aside = blobs / blob.digest, self._layers / f".new-{name}"
            if not archive.is_file() or (found := digest_of(archive)) != blob.digest:
                said = f"it has the digest sha256:{found}" if archive.is_file() else "it was not fetched"
                archive.unlink(missing_ok=True)
                raise UserError(f"layer sha256:{blob.digest} is refused: {said}. Pull again to fetch it anew")
            try:
                layer = unpack(archive, name, aside, self._limits)
                aside.rename(self._layers / name)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
            archive.unlink()
            noted = f" ({', '.join(layer.notes)})" if layer.notes else ""
            notify(f"layer {number} of {len(missing)} unpacked: {name[:12]}, {layer.n_bytes >> 20} MB{noted}")
        for digest in (contents.config.digest, written):
            (blobs / digest).unlink(missing_ok=True)
        shutil.rmtree(layout)

    @contextlib.contextmanager
    def _standing_in(self, contents: ImageContents, missing: set[str]) -> Iterator[None]:
        """Stand empty files in for archives of layers that are unpacked: skopeo takes those as fetched."""
        places = {self._blobs / "sha256" / blob.digest: blob.size for blob in contents.layers if blob.digest not in missing}
        for path in (self._blobs / "sha256").glob("*"):
            if path.stat().st_mtime == 0:  # of a killed process
                path.unlink()
        try:
            for path, size in places.items():
                with path.open("wb") as file:
                    file.truncate(size)
                os.utime(path, (0, 0))
            yield
        finally:
            for path in places:
                path.unlink(missing_ok=True)

    def _need_room(self, blobs: Iterable[Blob]) -> None:
        """Refuse to begin what the disk has no room for."""
        size = sum(blob.size for blob in blobs)
        fetched = sum(path.stat().st_blocks * 512 for path in (self._blobs / "sha256").glob("*"))
        needed = size * (1 + _GROWTH) - fetched + self._limits.free_bytes
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise UserError(
                f"the disk of {self._folder} has {free >> 20} MB free, and the image's {size >> 20} MB of archives may need "
                f"{needed >> 20} MB. Free some (repairlab environment prune), or choose another folder: REPAIRLAB_CACHE"
            )

    def _link_root(self, contents: ImageContents) -> None:
        root = self._roots / _root_name(contents)
        if root.is_dir():
            return
        aside = self._roots / f".new-{root.name}"
        folders = [self._layers / name for name in contents.diff_ids]
        try:
            link_root([read_layer(folder) for folder in folders], folders, aside)
            aside.rename(root)
        except OSError as error:
            raise HarnessError(f"the image's files cannot be put together: {error.strerror}: {error.filename}") from None
        finally:
            shutil.rmtree(aside, ignore_errors=True)

    def _read(self, digest: str) -> Image:
        home = self._images / digest
        contents = parse_contents((home / "manifest.json").read_bytes(), (home / "config.json").read_bytes())
        return Image(references=tuple(json.loads((home / "references.json").read_bytes())), contents=contents)

    def _sweep(self) -> None:
        """Remove layers and roots that no image uses."""
        images = self.images()
        used = {name for image in images for name in image.contents.diff_ids} | {_root_name(image.contents) for image in images}
        for folder in (*self._layers.glob("*"), *self._roots.glob("*")):
            if folder.name not in used:
                shutil.rmtree(folder)


def _root_name(contents: ImageContents) -> str:
    """Return the name of an image's root: images of the same layers share it."""
    return hashlib.sha256("\n".join(contents.diff_ids).encode()).hexdigest()


def _disk_bytes(folders: Iterable[Path]) -> int:
    """Return what folders take on the disk, a file with several names counted once."""
    seen, total = set[int](), 0
    for top in folders:
        for folder, _, files in os.walk(top):
            for path in (folder, *(f"{folder}/{name}" for name in files)):
                with contextlib.suppress(FileNotFoundError):
                    status = os.lstat(path)
                    if status.st_ino not in seen:
                        seen.add(status.st_ino)
                        total += status.st_blocks * 512
    return total
