"""Layers of container images: each is unpacked once, and nothing is written outside its folder.

Archives come from strangers. Every name is followed folder by folder without following links, so no link of an archive leads a
later entry out. Owners, set-user rights and devices are not kept. Files become read-only and readable for all, because commands
run as an ordinary user over an image that they may not change.
"""

import contextlib
import gzip
import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from repairlab.core.amounts import count
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import record

INDEX = "index.json.gz"
WHITEOUT, OPAQUE = ".wh.", ".wh..wh..opq"
_HEADERS = 1 << 20
"""Bytes that an archive may spend on names and attributes before a file begins."""
_BLOCK = 1 << 20
_LONGEST_NAME, _DEEPEST = 2048, 128
_BAD_ARCHIVE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile, ValueError, OverflowError, RecursionError)


@record
class LayerLimits:
    """What one layer may come to; one that is larger is refused."""

    max_bytes: int = 32 << 30
    max_entries: int = 2_000_000
    free_bytes: int = 512 << 20
    """What unpacking leaves free on the disk."""


class LayerEntry(NamedTuple):
    """A folder, file, link, or hard link to a file of a layer below."""

    kind: str
    """d, f, l or h."""
    path: str
    target: str = ""
    """Where a link leads; the SHA-256 of a file."""
    size: int = 0


@record
class ImageLayer:
    """What a layer adds to the layers below, and what it takes away."""

    entries: tuple[LayerEntry, ...]
    removed: tuple[str, ...] = ()
    opaque: tuple[str, ...] = ()
    """Folders that hide what lower layers have in them."""
    notes: tuple[str, ...] = ()
    """What was left out."""

    @property
    def n_bytes(self) -> int:
        """The bytes of all its files."""
        return sum(entry.size for entry in self.entries)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(archive: Path, diff_id: str, to: Path, limits: LayerLimits) -> ImageLayer:
    """Unpack an archive, compressed or not, to a new folder; `diff_id` is the SHA-256 of what it unpacks to."""
    (to / "tree").mkdir(parents=True)
    try:
        with _opened(archive) as raw, _Folder(to / "tree") as folder:
            stream = _BoundedStream(raw, limits.max_bytes)
            layer = _Unpacker(folder, stream, limits).read()
            if (found := stream.finish()) != diff_id:
                raise UserError(f"unpacks to sha256:{found}, and the image says sha256:{diff_id}")
    except UserError as error:
        raise UserError(f"layer {diff_id[:12]} is refused: {error}") from None
    except _BAD_ARCHIVE as error:
        raise UserError(f"layer {diff_id[:12]} is refused: its archive cannot be read: {error}") from None
    except OSError as error:
        raise HarnessError(f"layer {diff_id[:12]} cannot be unpacked: {error.strerror}: {error.filename or to}") from None
    lines = [layer.removed, layer.opaque, layer.notes, *layer.entries]
    with gzip.open(to / INDEX, "wt", compresslevel=3, encoding="ascii") as index:
        index.writelines(json.dumps(line) + "\n" for line in lines)
    return layer


def read_layer(folder: Path) -> ImageLayer:
    """Return what was unpacked to a folder."""
    try:
        with gzip.open(folder / INDEX, "rt", encoding="ascii") as index:
            removed, opaque, notes, *entries = (json.loads(line) for line in index)
        return ImageLayer(
            entries=tuple(LayerEntry(*entry) for entry in entries), removed=tuple(removed), opaque=tuple(opaque), notes=tuple(notes)
        )
    except (OSError, EOFError, zlib.error, ValueError, TypeError):
        raise UserError(f"layer {folder.name[:12]} is damaged: {INDEX} cannot be read") from None


@contextlib.contextmanager
def _opened(archive: Path) -> Iterator[IO[bytes]]:
    """Open an archive as a stream of what it unpacks to."""
    with archive.open("rb") as file:
        start = file.read(4)
        file.seek(0)
        if start[:2] == b"\x1f\x8b":
            with gzip.open(file) as unpacked:
                yield unpacked  # type: ignore[misc]  # it reads as any file does
        elif start == b"\x28\xb5\x2f\xfd":
            if shutil.which("zstd") is None:
                raise UserError("it is compressed by zstd; install it: apt install zstd")
            os.lseek(file.fileno(), 0, os.SEEK_SET)  # more was read ahead
            with subprocess.Popen(["zstd", "-dcq"], stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as program:
                try:
                    assert program.stdout is not None
                    yield program.stdout
                finally:
                    program.kill()
        else:
            yield file


class _BoundedStream:
    """What an archive unpacks to, counted and hashed; it ends a reader that wants more than it was allowed."""

    def __init__(self, raw: IO[bytes], most: int) -> None:
        self._raw, self._left = raw, most
        self._hash = hashlib.sha256()
        self._allowed = 0

    def allow(self, n_bytes: int) -> None:
        """Let the reader have this much, and the headers of the next file."""
        self._allowed = n_bytes + _HEADERS

    def read(self, size: int) -> bytes:
        data = self._raw.read(size)
        self._left -= len(data)
        self._allowed -= len(data)
        if self._left < 0:
            raise UserError("it unpacks to more than a layer may come to")
        if self._allowed < 0:
            raise UserError(f"it has more than {_HEADERS >> 20} MB of names and attributes before one file")
        self._hash.update(data)
        return data

    def finish(self) -> str:
        """Read to the end, and return the SHA-256 of it all."""
        self.allow(self._left)
        while self.read(_BLOCK):
            pass
        return self._hash.hexdigest()


class _Folder:
    """A folder whose parts are opened one by one, no link followed."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self._at: tuple[str, ...] = ()
        self._fds: list[int] = []

    def __enter__(self) -> "_Folder":
        self._fds = [os.open(self.top, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)]
        return self

    def __exit__(self, *_: object) -> None:
        for number in self._fds:
            os.close(number)

    def open(self, parts: tuple[str, ...]) -> int:
        """Return a folder's descriptor, which stays good until the next call."""
        common = next(
            (n for n, pair in enumerate(zip(parts, self._at, strict=False)) if pair[0] != pair[1]), min(len(parts), len(self._at))
        )
        while len(self._fds) > common + 1:
            os.close(self._fds.pop())
        for part in parts[common:]:
            self._fds.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._fds[-1]))
        self._at = parts
        return self._fds[-1]


class _Unpacker:
    """Reads one archive into one folder."""

    def __init__(self, folder: _Folder, stream: _BoundedStream, limits: LayerLimits) -> None:
        self._folder, self._stream, self._limits = folder, stream, limits
        self._entries: dict[str, LayerEntry] = {}
        self._removed: list[str] = []
        self._opaque: list[str] = []
        self._left_out: Counter[str] = Counter()
        self._bytes = self._unchecked = 0

    def read(self) -> ImageLayer:
        """Read all entries."""
        self._stream.allow(0)
        n_entries = 0
        with tarfile.open(fileobj=self._stream, mode="r|", errors="surrogateescape") as archive:  # type: ignore[call-overload]  # `read` is all it calls
            for member in archive:
                n_entries += 1
                if max(n_entries, len(self._entries)) > self._limits.max_entries:
                    raise UserError(f"it has more than {self._limits.max_entries} entries")
                self._bytes += member.size
                if member.size < 0 or self._bytes > self._limits.max_bytes:
                    raise UserError(f"its files come to more than {self._limits.max_bytes} bytes")
                self._stream.allow(member.size)
                self._take(archive, member, parts_of(member.name))
                archive.members = []  # it would keep every header
        notes = tuple(f"{count(n, kind)} left out" for kind, n in sorted(self._left_out.items()))
        return ImageLayer(
            entries=tuple(self._entries.values()), removed=tuple(self._removed), opaque=tuple(self._opaque), notes=notes
        )

    def _take(self, archive: tarfile.TarFile, member: tarfile.TarInfo, parts: tuple[str, ...]) -> None:
        if not parts:
            if not member.isdir():
                raise UserError("an entry without a name is no folder")
            return
        *parents, name = parts
        path, above = "/".join(parts), tuple(parents)
        if name.startswith(WHITEOUT):
            self._take_whiteout(above, name)
            return
        if member.isdir():
            self._make(parts)
            return
        if not (member.isreg() or member.issym() or member.islnk()):
            if not (member.ischr() or member.isblk() or member.isfifo()):
                raise UserError(f"{path!r} is of unknown kind {member.type!r}")
            self._left_out["FIFO" if member.isfifo() else "device"] += 1
            return
        self._make(above)
        here = self._folder.open(above)
        if old := self._entries.pop(path, None):
            if old.kind == "d":
                raise UserError(f"{path!r} is a folder and a file")
            if old.kind != "h":
                os.unlink(name, dir_fd=here)
        if member.isreg():
            self._entries[path] = self._write(archive, member, path, here)
        elif member.issym():
            os.symlink(_link_text(member.linkname, path), name, dir_fd=here)
            self._entries[path] = LayerEntry("l", path, member.linkname)
        else:
            self._entries[path] = self._link(path, "/".join(parts_of(member.linkname)), here)

    def _take_whiteout(self, above: tuple[str, ...], name: str) -> None:
        if name == OPAQUE:
            self._opaque.append("/".join(above))
        elif name.startswith(WHITEOUT * 2):
            self._left_out["entry of another file system"] += 1
        elif name[len(WHITEOUT) :] in ("", ".", ".."):
            raise UserError(f"{name!r} removes no file")
        else:
            self._removed.append("/".join((*above, name[len(WHITEOUT) :])))

    def _make(self, parts: tuple[str, ...]) -> None:
        """Make a folder and those above it where they are missing."""
        for n in range(1, len(parts) + 1):
            path = "/".join(parts[:n])
            old = self._entries.get(path)
            if old is None:
                os.mkdir(parts[n - 1], 0o755, dir_fd=self._folder.open(parts[: n - 1]))  # below a descriptor
                os.chmod(parts[n - 1], 0o755, dir_fd=self._folder.open(parts[: n - 1]))  # whichever the umask
                self._entries[path] = LayerEntry("d", path)
            elif old.kind != "d":
                raise UserError(f"{'/'.join(parts)!r} passes through {path!r}, which is no folder")

    def _write(self, archive: tarfile.TarFile, member: tarfile.TarInfo, path: str, here: int) -> LayerEntry:
        content = archive.extractfile(member)
        assert content is not None
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        number = os.open(path.rpartition("/")[2], flags, 0o600, dir_fd=here)
        hashed, n_left = hashlib.sha256(), member.size
        with os.fdopen(number, "wb", buffering=0) as file:
            while n_left and (block := content.read(min(_BLOCK, n_left))):
                n_left -= len(block)
                hashed.update(block)
                self._need_room(number, len(block))
                if block.count(0) == len(block):
                    file.seek(len(block), os.SEEK_CUR)  # a hole
                else:
                    file.write(block)
            if n_left:
                raise UserError(f"{path!r} ends too early")
            file.truncate(member.size)
            os.fchmod(number, 0o555 if member.mode & 0o111 else 0o444)
            mtime = min(max(int(member.mtime), 0), 1 << 32)
            os.utime(number, (mtime, mtime))  # compiled Python files name the time of their source
        return LayerEntry("f", path, hashed.hexdigest(), member.size)

    def _need_room(self, number: int, n_bytes: int) -> None:
        self._unchecked += n_bytes
        if self._unchecked > 64 * _BLOCK:
            self._unchecked = 0
            if os.fstatvfs(number).f_bavail * os.fstatvfs(number).f_frsize < self._limits.free_bytes:
                raise HarnessError(f"the disk is nearly full: fewer than {self._limits.free_bytes >> 20} MB are free")

    def _link(self, path: str, target: str, here: int) -> LayerEntry:
        """Make a hard link to what this layer has, or note one to what a lower layer has."""
        known = self._entries.get(target)
        name = path.rpartition("/")[2]
        if target in ("", path) or (known is not None and known.kind == "d"):
            raise UserError(f"{path!r} is a hard link to {target!r}, which is no file")
        if known is None or known.kind == "h":
            return LayerEntry("h", path, known.target if known else target)
        if known.kind == "l":
            os.symlink(known.target, name, dir_fd=here)
            return known._replace(path=path)
        parts = target.split("/")
        with _Folder(self._folder.top) as other:
            os.link(parts[-1], name, src_dir_fd=other.open(tuple(parts[:-1])), dst_dir_fd=here, follow_symlinks=False)
        return known._replace(path=path)


def parts_of(name: str) -> tuple[str, ...]:
    """Return the parts of a name in an archive, below its top; a UserError for one that leads elsewhere.

    >>> parts_of("./usr//bin/env"), parts_of("./")
    (('usr', 'bin', 'env'), ())
    """
    if name.startswith("/") or "\0" in name:
        raise UserError(f"{name!r} is no relative name")
    parts = tuple(part for part in name.split("/") if part not in ("", "."))
    if ".." in parts:
        raise UserError(f"{name!r} leads out of the image")
    if len(os.fsencode(name)) > _LONGEST_NAME or len(parts) > _DEEPEST or any(len(os.fsencode(part)) > 255 for part in parts):
        raise UserError(f"{name[:60]!r}… is too long or too deep")
    return parts


def _link_text(text: str, path: str) -> str:
    """Check where a symbolic link leads: anywhere, as only commands inside the image follow it."""
    if not text or "\0" in text or len(os.fsencode(text)) > _LONGEST_NAME:
        raise UserError(f"{path!r} is a link that leads nowhere")
    return text
