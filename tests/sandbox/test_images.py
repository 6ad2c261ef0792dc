"""The store of images: pulls from files and from a real registry, sharing, damage, and what is left when a pull is cut short."""

import gzip
import hashlib
import io
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys
import tarfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import HarnessError, UserError
from repairlab.sandbox.images import ImageStore
from repairlab.sandbox.layers import LayerLimits

needs_skopeo = pytest.mark.skipif(shutil.which("skopeo") is None, reason="skopeo is not installed")
needs_registry = pytest.mark.skipif(shutil.which("docker-registry") is None, reason="docker-registry is not installed")
MACHINE = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())


def layer(**files: str | bytes) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name.replace("__", "/"))
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content if isinstance(content, bytes) else content.encode()))
    return made.getvalue()


def oci_layout(folder: Path, *layers: bytes, machine: str = MACHINE) -> Path:
    """Write an image as an OCI layout."""
    blobs = folder / "blobs/sha256"
    blobs.mkdir(parents=True)

    def put(content: bytes, kind: str) -> dict[str, object]:
        digest = hashlib.sha256(content).hexdigest()
        (blobs / digest).write_bytes(content)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    diff_ids = [f"sha256:{hashlib.sha256(content).hexdigest()}" for content in layers]
    config = {
        "os": "linux",
        "architecture": machine,
        "rootfs": {"type": "layers", "diff_ids": diff_ids},
        "config": {"Env": ["PATH=/opt/bin:/usr/bin", "A=b=c"], "WorkingDir": "/testbed"},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": put(json.dumps(config).encode(), "config.v1+json"),
        "layers": [put(gzip.compress(content, mtime=0), "layer.v1.tar+gzip") for content in layers],
    }
    index = {"schemaVersion": 2, "manifests": [put(json.dumps(manifest).encode(), "manifest.v1+json")]}
    (folder / "index.json").write_text(json.dumps(index))
    (folder / "oci-layout").write_text('{"imageLayoutVersion": "1.0.0"}')
    return folder


BASE = layer(etc__os="old", bin__tool=b"\x7fELF" + os.urandom(300_000))


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ImageStore:
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    return ImageStore(tmp_path / "cache", LayerLimits(free_bytes=0))


@needs_skopeo
def test_images_of_files_share_their_layers(store: ImageStore, tmp_path: Path) -> None:
    said: list[str] = []
    one = store.pull(str(oci_layout(tmp_path / "one", BASE, layer(etc__os="one"))), said.append)
    two = store.pull(str(oci_layout(tmp_path / "two", BASE, layer(etc__os="two"))), said.append)
    assert [text for text in said if "here already" in text] == ["2 layers, 0 here already", "2 layers, 1 here already"]
    assert dict(one.contents.env) == {"PATH": "/opt/bin:/usr/bin", "A": "b=c"} and one.contents.workdir == "/testbed"
    assert [(store.root(image) / "etc/os").read_text() for image in (one, two)] == ["one", "two"]
    assert (store.root(one) / "bin/tool").samefile(store.root(two) / "bin/tool")
    use = store.disk_use()
    assert use.real < use.summed - 250_000 and len(use.by_image) == 2
    assert store.images() == [one, two] and store.find(one.digest[:8]) == store.find(f"x@sha256:{one.digest}") == one
    assert list((tmp_path / "cache/images/blobs/sha256").iterdir()) == list((tmp_path / "cache/images/pulls").iterdir()) == []
    assert store.verify(one) == store.verify(two) == []
    assert store.remove(one) < 100_000 < store.remove(two) and store.images() == []


@needs_skopeo
def test_an_archive_by_docker_save_is_an_image(store: ImageStore, tmp_path: Path) -> None:
    layout = oci_layout(tmp_path / "one", BASE, layer(etc__os="one"))
    archive = tmp_path / "saved.tar"
    subprocess.run(["skopeo", "copy", "-q", f"oci:{layout}", f"docker-archive:{archive}:one:latest"], check=True)
    saved, original = store.pull(str(archive)), store.pull(str(layout))
    assert saved.contents.diff_ids == original.contents.diff_ids and store.root(saved) == store.root(original)
    subprocess.run(["skopeo", "copy", "-q", f"oci:{layout}", f"dir:{tmp_path / 'folder'}"], check=True)
    assert store.pull(str(tmp_path / "folder")).digest == original.digest
    assert store.find(str(tmp_path / "folder")).references == tuple(sorted([str(layout), str(tmp_path / "folder")]))


@needs_skopeo
def test_damage_is_refused_found_and_repaired(store: ImageStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = oci_layout(tmp_path / "one", BASE, layer(etc__os="one"))
    wrong = oci_layout(tmp_path / "wrong", BASE)
    blob = max((wrong / "blobs/sha256").iterdir(), key=lambda path: path.stat().st_size)
    blob.write_bytes(blob.read_bytes()[:-1] + b"x")
    with pytest.raises(UserError, match=r"refused|igest"):
        store.pull(str(wrong))
    image = store.pull(str(layout))
    assert run(["environment", "verify"]) == 0 and "1 image verified, 0 damaged" in capsys.readouterr().out
    file = store.root(image) / "etc/os"
    file.chmod(0o644)
    file.write_text("two")
    assert run(["environment", "verify", image.digest[:12]]) == 1
    said = capsys.readouterr()
    assert "'etc/os' has another content" in said.err and "1 damaged" in said.out
    assert run(["environment", "remove", str(layout)]) == run(["environment", "pull", str(layout)]) == 0
    assert run(["environment", "verify"]) == 0


@needs_skopeo
def test_what_a_pull_needs_is_told(store: ImageStore, tmp_path: Path) -> None:
    layout = oci_layout(tmp_path / "one", BASE)
    with pytest.raises(UserError, match=r"the image's 0 MB of archives may need \d+ MB\. Free some"):
        ImageStore(tmp_path / "cache", LayerLimits(free_bytes=1 << 60)).pull(str(layout))
    with pytest.raises(UserError, match="the image is for linux/s390x, this machine is linux/"):
        store.pull(str(oci_layout(tmp_path / "other", BASE, machine="s390x")))
    with pytest.raises(UserError, match=r"the manifest is refused: it has the digest sha256:.* and sha256:0000"):
        store.pull(f"dir:{_as_folder(layout, tmp_path / 'folder')}@sha256:{'0' * 64}")
    for name, message in {"./nowhere": "is missing", str(tmp_path): "holds no image", __file__: "no archive of an image"}.items():
        with pytest.raises(UserError, match=message):
            store.pull(name)
    with pytest.raises(UserError, match=r"skopeo cannot inspect docker://127\.0\.0\.1:1/x:1: "):
        store.pull("127.0.0.1:1/x:1")
    with pytest.raises(UserError, match="unknown image 'one'"):
        store.find("one")


def test_a_machine_without_skopeo_is_told_how_to_get_it(store: ImageStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HarnessError, match="apt install skopeo"):
        store.pull("debian:12")


@needs_skopeo
def test_verbs_speak_of_images(store: ImageStore, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    layout = str(oci_layout(tmp_path / "one", BASE))
    assert run(["environment", "pull", layout, "--json"]) == run(["environment", "list", "--json"]) == 0
    pulled, listed = map(json.loads, capsys.readouterr().out.replace("}\n{", "}\n\0{").split("\0"))
    assert listed["images"][0].items() >= pulled.items() and listed["bytes"] > 300_000
    (tmp_path / "cache/images/blobs/sha256" / ("0" * 64)).write_bytes(bytes(5_000_000))
    assert run(["environment", "list"]) == run(["environment", "prune"]) == 0
    said = capsys.readouterr().out
    assert "1 image: " in said and "5.0 MB freed" in said
    assert run(["environment", "remove", "nothing"]) == 2


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[str]:
    """Run a registry on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    settings = tmp_path / "registry.yml"
    folder = tmp_path / "registry"
    settings.write_text(f'version: 0.1\nstorage: {{filesystem: {{rootdirectory: "{folder}"}}}}\nhttp: {{addr: "{place}"}}\n')
    with (
        (tmp_path / "registry.log").open("wb") as log,
        subprocess.Popen(["docker-registry", "serve", str(settings)], stdout=log, stderr=log) as program,
    ):
        try:
            for _ in range(600):
                with socket.socket() as asked:
                    if asked.connect_ex(("127.0.0.1", int(place.rpartition(":")[2]))) == 0:
                        break
                time.sleep(0.05)
            yield place
        finally:
            program.kill()


def push(layout: Path, to: str) -> None:
    subprocess.run(["skopeo", "copy", "-q", "--dest-tls-verify=false", f"oci:{layout}", f"docker://{to}"], check=True)


@needs_skopeo
@needs_registry
def test_a_registry_is_asked_for_missing_layers_only(store: ImageStore, registry: str, tmp_path: Path) -> None:
    for name in ("one", "two"):
        push(oci_layout(tmp_path / name, BASE, layer(etc__os=name)), f"{registry}/{name}:1")
    one = store.pull(f"{registry}/one:1")
    fetched = (tmp_path / "registry.log").stat().st_size
    two = store.pull(f"{registry}/two@sha256:{hashlib.sha256(_manifest(tmp_path / 'two')).hexdigest()}")
    asked = (tmp_path / "registry.log").read_bytes()[fetched:].decode()
    base = one.contents.layers[0].digest
    assert two.contents.layers[0].digest == base
    assert base not in asked and two.contents.layers[1].digest in asked
    push(tmp_path / "two", f"{registry}/one:1")
    assert (
        store.pull(f"{registry}/one:1") == store.find(two.digest) and f"{registry}/one:1" not in store.find(one.digest).references
    )
    stored = tmp_path / f"registry/docker/registry/v2/blobs/sha256/{base[:2]}/{base}/data"
    stored.write_bytes(stored.read_bytes()[:-1] + b"x")
    for image in store.images():
        store.remove(image)
    with pytest.raises(UserError, match="igest"):
        store.pull(f"{registry}/one:1")
    assert store.images() == []


@needs_skopeo
@needs_registry
def test_an_image_for_several_machines_is_taken_for_this_one(store: ImageStore, registry: str, tmp_path: Path) -> None:
    ours, other = oci_layout(tmp_path / "ours", BASE), oci_layout(tmp_path / "other", layer(a="b"), machine="s390x")
    forms = []
    for layout, machine in ((other, "s390x"), (ours, MACHINE)):
        push(layout, f"{registry}/many:{machine}")
        found = json.loads((layout / "index.json").read_text())["manifests"][0]
        forms.append(found | {"platform": {"os": "linux", "architecture": machine}})
    kind = "application/vnd.oci.image.index.v1+json"
    for tag, manifests in {"all": forms, "others": forms[:1]}.items():
        index = json.dumps({"schemaVersion": 2, "mediaType": kind, "manifests": manifests}).encode()
        address = f"http://{registry}/v2/many/manifests/{tag}"
        urllib.request.urlopen(
            urllib.request.Request(address, data=index, method="PUT", headers={"Content-Type": kind})  # on loopback
        ).close()
    image = store.pull(f"{registry}/many:all")
    assert image.digest == hashlib.sha256(_manifest(ours)).hexdigest() and store.verify(image) == []
    with pytest.raises(UserError, match=f"has no image for linux/{MACHINE}; it has: linux/s390x"):
        store.pull(f"{registry}/many:others")


@needs_skopeo
@needs_registry
@pytest.mark.slow
def test_a_killed_pull_goes_on_where_it_stopped(store: ImageStore, registry: str, tmp_path: Path) -> None:
    layers = [layer(**{f"data__{number}": os.urandom(24 << 20)}) for number in range(6)]
    push(oci_layout(tmp_path / "big", *layers), f"{registry}/big:1")
    blobs, unpacked = tmp_path / "cache/images/blobs/sha256", tmp_path / "cache/images/layers"

    def progress() -> int:
        return len([*unpacked.glob("[0-9a-f]*"), *blobs.glob("*")])

    command = [sys.executable, "-m", "repairlab", "environment", "pull", f"{registry}/big:1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as program:
        while progress() < 2 and program.poll() is None:
            time.sleep(0.01)
        os.killpg(program.pid, signal.SIGKILL)
    if program.returncode == 0:
        pytest.skip("the pull was faster than the kill")
    assert store.images() == []
    logged = (tmp_path / "registry.log").stat().st_size
    here = {path.name for path in blobs.glob("*")}
    image = store.pull(f"{registry}/big:1")
    asked = (tmp_path / "registry.log").read_bytes()[logged:].decode()
    assert [digest for digest in here if digest in asked and digest != image.contents.config.digest] == []
    assert store.verify(image) == []


def _as_folder(layout: Path, to: Path) -> Path:
    subprocess.run(["skopeo", "copy", "-q", f"oci:{layout}", f"dir:{to}"], check=True)
    return to


def _manifest(layout: Path) -> bytes:
    digest: str = json.loads((layout / "index.json").read_text())["manifests"][0]["digest"]
    return (layout / "blobs/sha256" / digest.removeprefix("sha256:")).read_bytes()
