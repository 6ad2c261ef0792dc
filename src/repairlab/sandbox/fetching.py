"""Fetch images with skopeo: it speaks to registries, logs in, and reads images in files of several layouts."""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.foreign import as_type, parse_json
from repairlab.core.record import record

_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_LOOPBACK = re.compile(r"docker://(localhost|127\.[\d.]+|\[::1\])(:\d+)?/")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
TRANSPORTS = ("docker://", "oci:", "oci-archive:", "docker-archive:", "dir:")


@record
class Blob:
    """A file of an image: its SHA-256 and its size."""

    digest: str
    size: int


@record
class ImageContents:
    """What the manifest and the configuration of an image say."""

    digest: str
    """The SHA-256 of the manifest, which pins the image."""
    config: Blob
    layers: tuple[Blob, ...]
    """The archives, the lowest first."""
    diff_ids: tuple[str, ...]
    """The SHA-256 of what each unpacks to."""
    env: tuple[tuple[str, str], ...] = ()
    workdir: str = "/"


def source_of(text: str) -> str:
    """Return where an image is, as skopeo names it: a file or folder by its content, all else in a registry."""
    if text.startswith(TRANSPORTS):
        return text
    path = Path(text)
    if path.is_dir():
        if (path / "oci-layout").is_file():
            return f"oci:{path}"
        if (path / "version").is_file() and (path / "manifest.json").is_file():
            return f"dir:{path}"
        raise UserError(f"{text} holds no image: there is neither oci-layout (an OCI layout) nor version (a folder of skopeo)")
    if path.is_file():
        try:
            with tarfile.open(path) as archive:
                names = set(archive.getnames())
        except (tarfile.TarError, OSError, EOFError) as error:
            raise UserError(f"{text} is no archive of an image: {error}") from None
        if "oci-layout" in names:
            return f"oci-archive:{path}"
        if "manifest.json" in names:
            return f"docker-archive:{path}"
        raise UserError(f"{text} is no archive of an image: it holds neither oci-layout nor manifest.json, as docker save writes")
    if text.startswith(("/", "./", "../")):
        raise UserError(f"{text} is missing; name an image in a registry, an OCI layout or a docker save archive")
    return f"docker://{text}"


def read_contents(reference: str) -> tuple[str, ImageContents, bytes, bytes]:
    """Return the source of this machine's form of an image, what it holds, its manifest and its configuration as they are."""
    name, _, digest = reference.rpartition("@") if _DIGEST.search(reference.rpartition("@")[2]) else (reference, "", "")
    source, wanted = source_of(name), f"sha256:{_digest(digest)}" if digest else None
    if wanted and source.startswith("docker://"):
        source = f"{_without_tag(source)}@{wanted}"
    raw = _inspect(source)
    _check(raw, wanted, "the manifest")
    manifest = _object(raw)
    if isinstance(manifest.get("manifests"), list):
        digest = _form_for_this_machine(manifest["manifests"], source)
        if not source.startswith("docker://"):
            raise UserError(f"{source} holds several images; copy the one for this machine out of it with: skopeo copy")
        source = f"{_without_tag(source)}@{digest}"
        raw = _inspect(source)
        _check(raw, digest, "the manifest")
        manifest = _object(raw)
    config = _inspect(source, "--config")
    return source, _contents(manifest, raw, config), raw, config


def parse_contents(manifest: bytes, config: bytes) -> ImageContents:
    """Return what a manifest and a configuration say; a UserError where they do not go together."""
    return _contents(_object(manifest), manifest, config)


def copy_blobs(source: str, layout: Path, blobs: Path) -> str:
    """Copy the files of an image to a folder of such files; those that are there already are not fetched again.

    Returns the digest of the manifest that skopeo wrote beside them.
    """
    layout.mkdir(parents=True, exist_ok=True)
    options = ["--dest-shared-blob-dir", str(blobs), "--dest-oci-accept-uncompressed-layers", *_plain_http(source, "--src-")]
    _skopeo("copy", "--quiet", *options, source, f"oci:{layout}:image")
    return _digest(_object((layout / "index.json").read_bytes())["manifests"][0]["digest"])


def _contents(manifest: dict[str, Any], raw: bytes, config: bytes) -> ImageContents:
    blob = _blob(manifest.get("config"))
    _check(config, blob.digest, "the configuration")
    data = _object(config)
    layers = tuple(_blob(item) for item in as_type(manifest.get("layers"), list, "manifest", "layers"))
    rootfs = as_type(data.get("rootfs"), dict, "configuration", "rootfs")
    diff_ids = tuple(_digest(item) for item in as_type(rootfs.get("diff_ids"), list, "configuration", "diff_ids"))
    if len(layers) != len(diff_ids) or not layers:
        raise UserError(f"the manifest has {len(layers)} layers, and the configuration {len(diff_ids)}")
    wanted = _MACHINES.get(platform.machine(), platform.machine())
    if (data.get("os"), data.get("architecture")) != ("linux", wanted):
        raise UserError(f"the image is for {data.get('os')}/{data.get('architecture')}, this machine is linux/{wanted}")
    settings = as_type(data.get("config") or {}, dict, "configuration", "config")
    pairs = [as_type(item, str).partition("=") for item in as_type(settings.get("Env") or [], list, "configuration", "Env")]
    return ImageContents(
        digest=hashlib.sha256(raw).hexdigest(),
        config=blob,
        layers=layers,
        diff_ids=diff_ids,
        env=tuple((name, value) for name, _, value in pairs),
        workdir=as_type(settings.get("WorkingDir") or "/", str, "configuration", "WorkingDir"),
    )


def _form_for_this_machine(manifests: list[Any], source: str) -> str:
    wanted = _MACHINES.get(platform.machine(), platform.machine())
    platforms: dict[str, dict[str, Any]] = {}
    for item in manifests:
        found = as_type(as_type(item, dict).get("platform") or {}, dict)
        platforms.setdefault(f"{found.get('os')}/{found.get('architecture')}", item)
    if f"linux/{wanted}" not in platforms:
        raise UserError(f"{source} has no image for linux/{wanted}; it has: {', '.join(platforms)}")
    return f"sha256:{_digest(platforms[f'linux/{wanted}'].get('digest'))}"


def _without_tag(source: str) -> str:
    name = source.partition("@")[0]
    head, _, last = name.rpartition("/")
    return f"{head}/{last.partition(':')[0]}"


def _blob(data: Any) -> Blob:
    found = as_type(data, dict, "manifest", "a layer or configuration")
    return Blob(digest=_digest(found.get("digest")), size=as_type(found.get("size"), int, "manifest", "size"))


def _digest(text: object) -> str:
    if not isinstance(text, str) or not _DIGEST.fullmatch(text):
        raise UserError(f"{text!r} is no SHA-256 digest")
    return text.removeprefix("sha256:")


def _check(content: bytes, digest: str | None, what: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if digest and found != digest.removeprefix("sha256:"):
        raise UserError(f"{what} is refused: it has the digest sha256:{found}, and {digest} was asked for")


def _object(content: bytes) -> dict[str, Any]:
    return as_type(parse_json(content), dict, "image", "a manifest or configuration")


def _inspect(source: str, *more: str) -> bytes:
    return _skopeo("inspect", "--raw", *more, *_plain_http(source, "--"), source)


def _plain_http(source: str, prefix: str) -> list[str]:
    """Let skopeo speak HTTP without TLS to a registry on this machine."""
    return [f"{prefix}tls-verify=false"] if _LOOPBACK.match(source) else []


def _logins() -> dict[str, str]:
    """Point skopeo to a folder for logins where its usual one is closed, as it is to users without a session."""
    usual = Path("/run/containers")
    return {"XDG_RUNTIME_DIR": str(Path.home())} if usual.exists() and not os.access(usual, os.X_OK) else {}


def _skopeo(verb: str, *arguments: str) -> bytes:
    program = shutil.which("skopeo")
    if program is None:
        raise HarnessError("images are fetched by skopeo, which is not installed. Install it: apt install skopeo")
    # Digests are checked here: a policy of signatures is not needed, and /etc/containers may be missing.
    argv = [program, "--insecure-policy", verb, *arguments]
    done = subprocess.run(argv, capture_output=True, check=False, env={**_logins(), **os.environ})
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines() or ["it says nothing"]
        text = re.sub(r'^time=\S+ level=\S+ msg="?|"$', "", said[-1])
        raise UserError(f"skopeo cannot {verb} {arguments[-1] if verb == 'inspect' else arguments[-2]}: {text}")
    return done.stdout
