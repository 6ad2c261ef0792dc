"""Wheels that tests write: of packages made up for them, and of those that are installed beside repairlab."""

import base64
import hashlib
import io
import json
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path


def write_wheel(
    folder: Path, name: str, files: dict[str, str], *, version: str = "1.0", requires: tuple[str, ...] = (), entry_points: str = ""
) -> None:
    """Write a wheel of a package that does not exist elsewhere."""
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {line}\n" for line in requires)
    head = {f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"}
    if entry_points:
        head[f"{info}/entry_points.txt"] = entry_points
    _write(folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl", info, {**files, **head})


def write_source_that_does_not_build(
    folder: Path, name: str, *, instead: str = "raise SystemExit('no compiler')", builder: str = ""
) -> None:
    """Write a source distribution whose metadata can be read, and from which no wheel can be made."""
    needs = f"['{builder}']" if builder else "[]"
    files = {
        "PKG-INFO": f"Metadata-Version: 2.2\nName: {name}\nVersion: 1.0\n",
        "pyproject.toml": f'[build-system]\nrequires = {needs}\nbuild-backend = "broken"\nbackend-path = ["."]\n',
        "broken.py": f"def build_wheel(*arguments, **options):\n    {instead}\n",
    }
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(folder / f"{name}-1.0.tar.gz", "w:gz") as archive:
        for path, text in files.items():
            entry = tarfile.TarInfo(f"{name}-1.0/{path}")
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


@contextmanager
def served(folder: Path, dates: Mapping[str, str]) -> Iterator[str]:
    """Give the address of an index of the wheels in a folder, published at these dates by package."""

    class Index(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.strip("/")
            package = name.partition("-")[0] if name.endswith(".whl") else name.replace("-", "_")
            wheels = [
                {
                    "filename": path.name,
                    "url": f"/{path.name}",
                    "hashes": {"sha256": hashlib.sha256(path.read_bytes()).hexdigest()},
                    "upload-time": f"{dates[package]}T00:00:00Z",
                }
                for path in sorted(folder.glob(f"{package}-*.whl"))
            ]
            listing = json.dumps({"meta": {"api-version": "1.1"}, "name": name, "versions": [], "files": wheels})
            found = (folder / name).read_bytes() if name.endswith(".whl") else listing.encode()
            self.send_response(200 if wheels else 404)
            self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
            self.end_headers()
            self.wfile.write(found)

        def do_HEAD(self) -> None:
            self.send_error(405)  # so that parts of files are not asked for

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Index)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def write_wheels_of_pytest(folder: Path) -> None:
    """Write wheels of the pytest that runs this, and of all that it needs."""
    for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments"):
        found = metadata.distribution(name)
        info = f"{name}-{found.version}.dist-info"
        kept = [
            path for path in found.files or () if path.suffix == ".py" or path.name in ("METADATA", "entry_points.txt", "py.typed")
        ]
        files = {f"{info}/{path.name}" if ".dist-info" in str(path) else str(path): path.read_text() for path in kept}
        _write(folder / f"{name}-{found.version}-py3-none-any.whl", info, files)


def _write(path: Path, info: str, files: dict[str, str]) -> None:
    files = {**files, f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    rows = [f"{name},sha256={_hash(text.encode())},{len(text.encode())}" for name, text in files.items()]
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in {**files, f"{info}/RECORD": "\n".join([*rows, f"{info}/RECORD,,"]) + "\n"}.items():
            archive.writestr(name, text)


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
