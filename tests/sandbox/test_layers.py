"""Layers of images: what is unpacked, and that no archive writes outside its folder."""

import gzip
import hashlib
import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.errors import HarnessError, UserError
from repairlab.sandbox.layers import ImageLayer, LayerLimits, read_layer, unpack
from repairlab.sandbox.roots import damage_of, leaves, link_root, overlay

LIMITS = LayerLimits(max_bytes=8 << 20, max_entries=500, free_bytes=0)


def entry(name: str, content: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    info = tarfile.TarInfo(name)
    info.size, info.mode = len(content), 0o644
    for key, value in fields.items():
        setattr(info, key, value)
    return info, content


def folder(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.DIRTYPE, mode=0o755)


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.SYMTYPE, linkname=target)


def hard(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    return entry(name, type=tarfile.LNKTYPE, linkname=target)


def tar(*entries: tuple[tarfile.TarInfo, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for info, content in entries:
            archive.addfile(info, io.BytesIO(content))
    return made.getvalue()


def raw_header(name: bytes, kind: bytes, size: bytes) -> bytes:
    """Make a header as no library writes it."""
    head = bytearray(tarfile.TarInfo("x").tobuf(tarfile.USTAR_FORMAT))
    head[0:100], head[124:136], head[156:157], head[148:156] = name.ljust(100, b"\0"), size, kind, b" " * 8
    head[148:156] = b"%06o\0 " % sum(head)
    return bytes(head)


def unpacked(content: bytes, to: Path, *, packed: bool = False, limits: LayerLimits = LIMITS) -> ImageLayer:
    archive = to.parent / f"{to.name}.tar"
    archive.write_bytes(gzip.compress(content) if packed else content)
    return unpack(archive, hashlib.sha256(content).hexdigest(), to, limits)


def state(top: Path) -> dict[str, object]:
    """Return all that is below a folder but the store."""
    found: dict[str, object] = {}
    for here, folders, files in os.walk(top):
        folders[:] = [name for name in folders if name != "store"]
        for name in (*folders, *files):
            path = Path(here, name)
            status = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            found[str(path)] = (status.st_mode, status.st_nlink, content)
    return found


def test_a_layer_has_files_folders_and_links(tmp_path: Path) -> None:
    content = tar(
        folder("./usr"),
        entry("./usr/run", b"#!/bin/sh\n", mode=0o4755),
        entry("usr/deep/er/data", b"data", mode=0o600, mtime=1234567890),
        link("bin", "usr/bin"),
        link("usr/out", "../../../../etc/passwd"),
        hard("usr/same", "usr/run"),
        entry("dev/null", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
        entry("run/pipe", type=tarfile.FIFOTYPE),
    )
    layer = unpacked(content, tmp_path / "one", packed=True)
    tree = tmp_path / "one/tree"
    assert layer == read_layer(tmp_path / "one") and layer.n_bytes == 24
    assert layer.notes == ("1 FIFO left out", "1 device left out")
    assert (tree / "usr/run").stat().st_mode & 0o7777 == 0o555 and (tree / "usr/deep/er/data").stat().st_mode & 0o7777 == 0o444
    assert (tree / "usr/run").samefile(tree / "usr/same") and (tree / "usr/deep/er/data").stat().st_mtime == 1234567890
    assert (tree / "usr/out").readlink() == Path("../../../../etc/passwd")
    assert list(damage_of(overlay([layer]), tree, {})) == []


def test_a_layer_compressed_by_zstd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = tar(entry("a", os.urandom(100_000)))
    packed = tmp_path / "a.tar.zst"
    if shutil.which("zstd") is None:
        packed.write_bytes(b"\x28\xb5\x2f\xfd")
    else:
        packed.write_bytes(subprocess.run(["zstd", "-c"], input=content, capture_output=True, check=True).stdout)
        assert unpack(packed, hashlib.sha256(content).hexdigest(), tmp_path / "one", LIMITS).n_bytes == 100_000
        broken = tmp_path / "broken"
        broken.write_bytes(packed.read_bytes()[:-50_000])
        with pytest.raises(UserError, match="is refused"):
            unpack(broken, hashlib.sha256(content).hexdigest(), tmp_path / "two", LIMITS)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="apt install zstd"):
        unpack(packed, "0" * 64, tmp_path / "three", LIMITS)


def test_damage_is_found(tmp_path: Path) -> None:
    layer = unpacked(tar(entry("a", b"a"), entry("b", b"b"), link("c", "a"), folder("d")), tmp_path / "one")
    tree = tmp_path / "one/tree"
    for name in ("a", "c"):
        (tree / name).unlink()
    (tree / "a").write_bytes(b"x")
    (tree / "c").symlink_to("b")
    (tree / "d/new").write_bytes(b"")
    (tree / "b").unlink()
    found = list(damage_of(overlay([layer]), tree, {}))
    assert found == ["'a' has another content", "'b' is missing or of another kind", "'c' leads elsewhere", "'d/new' was added"]
    (tmp_path / "one/index.json.gz").write_bytes(b"\x1f\x8bno")
    with pytest.raises(UserError, match="is damaged"):
        read_layer(tmp_path / "one")


def test_layers_add_replace_and_remove(tmp_path: Path) -> None:
    contents = [
        tar(entry("etc/a", b"1"), entry("etc/b", b"1"), entry("opt/x/old", b"1"), link("lib", "usr/lib"), entry("usr/lib/l", b"1")),
        tar(entry("etc/.wh.a"), entry("opt/x/.wh..wh..opq"), entry("opt/x/new", b"2"), entry("etc/b", b"2")),
        tar(
            entry("opt/.wh.x"), entry("etc/a/now/folder", b"3"), hard("moved", "etc/b"), entry("etc/.wh.b"), entry("lib/real", b"3")
        ),
    ]
    layers = [unpacked(content, tmp_path / str(number)) for number, content in enumerate(contents)]
    link_root(layers, [tmp_path / str(number) for number in range(3)], tmp_path / "root")
    found = {path: entry and entry.kind for path, _, entry in leaves(overlay(layers))}
    files = {"etc/a/now/folder", "moved", "lib/real", "usr/lib/l"}
    assert {path for path, kind in found.items() if kind} == files and "opt/x" not in found
    assert (tmp_path / "root/moved").read_bytes() == b"2" and (tmp_path / "root/moved").samefile(tmp_path / "1/tree/etc/b")
    assert list(damage_of(overlay(layers), tmp_path / "root", {})) == []


def test_a_sparse_file_stays_sparse(tmp_path: Path) -> None:
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(6 << 20)
        file.seek(3 << 20)
        file.write(b"here")
    subprocess.run(["tar", "--sparse", "-cf", "sparse.tar", "sparse"], cwd=tmp_path, check=True)
    content = (tmp_path / "sparse.tar").read_bytes()
    assert len(content) < 1 << 20
    unpacked(content, tmp_path / "one")
    made = tmp_path / "one/tree/sparse"
    assert made.read_bytes() == (tmp_path / "sparse").read_bytes() and made.stat().st_blocks * 512 < 3 << 20


UP = "../" * 12
HOSTILE: dict[str, Callable[[str], bytes]] = {
    "a name that leads up": lambda out: tar(entry("../outside", b"x")),
    "a name that leads up within": lambda out: tar(folder("a"), entry("a/../../outside", b"x")),
    "an absolute name": lambda out: tar(entry(f"{out}/outside", b"x")),
    "an absolute folder": lambda out: tar(folder(f"{out}/new")),
    "a folder that leads up": lambda out: tar(folder("../new")),
    "a file through a link": lambda out: tar(link("a", out), entry("a/outside", b"x")),
    "a file through a relative link": lambda out: tar(link("a", f"{UP}{out}"), entry("a/outside", b"x")),
    "a folder through a link": lambda out: tar(link("a", out), folder("a/new")),
    "a link through a link": lambda out: tar(link("a", out), link("a/new", "x")),
    "a hard link through a link": lambda out: tar(entry("f"), link("a", out), hard("a/new", "f")),
    "two links that lead out together": lambda out: tar(folder("d"), link("d/a", ".."), link("b", "d/a/../.."), entry("b/x", b"x")),
    "a hard link to an absolute name": lambda out: tar(hard("a", f"{out}/victim")),
    "a hard link that leads up": lambda out: tar(hard("a", f"{UP}{out}/victim")),
    "a hard link through a link to a file outside": lambda out: tar(link("a", out), hard("b", "a/victim")),
    "a hard link to itself": lambda out: tar(hard("a", "a")),
    "a hard link to a folder": lambda out: tar(folder("a"), hard("b", "a")),
    "a folder that becomes a link": lambda out: tar(folder("a"), link("a", out), entry("a/outside", b"x")),
    "a file that becomes a folder": lambda out: tar(entry("a", b"x"), entry("a/b", b"x")),
    "a whiteout that leads up": lambda out: tar(folder("a"), entry("a/.wh...")),
    "a whiteout of nothing": lambda out: tar(entry(".wh.")),
    "a whiteout above": lambda out: tar(entry("../.wh.victim")),
    "an opaque folder above": lambda out: tar(entry("../.wh..wh..opq")),
    "too many entries": lambda out: tar(*(entry(f"f{n}") for n in range(501))),
    "too many folders by one name": lambda out: tar(*(entry("/".join([str(n)] * 100)) for n in range(8))),
    "too many bytes": lambda out: tar(entry("zeros", bytes(9 << 20))),
    "a size that is a lie": lambda out: raw_header(b"big", b"0", b"%011o\0" % (1 << 30)) + bytes(1024),
    "a size below zero": lambda out: raw_header(b"big", b"0", b"\xff" * 12) + bytes(1024),
    "attributes without end": lambda out: raw_header(b"x", b"x", b"%011o\0" % (4 << 20)) + bytes(4 << 20),
    "a name without end": lambda out: raw_header(b"x", b"L", b"%011o\0" % (4 << 20)) + b"n" * (4 << 20),
    "long names of long names": lambda out: (raw_header(b"x", b"L", b"%011o\0" % 2) + b"a\0".ljust(512, b"\0")) * 1000,
    "a name too long": lambda out: tar(entry("n" * 300)),
    "a path too deep": lambda out: tar(entry("/".join("d" * 200))),
    "a link to nothing": lambda out: tar(link("a", "")),
    "an attribute with a zero byte": lambda out: tar(entry("a", pax_headers={"path": "a\0/../../outside"})),
    "an unknown kind": lambda out: tar(entry("a", type=b"Z")),
    "a sparse file without end": lambda out: tar(
        entry("a", pax_headers={"GNU.sparse.major": "0", "GNU.sparse.size": str(1 << 50), "GNU.sparse.map": "0,1"})
    ),
    "a broken sparse map": lambda out: tar(entry("a", pax_headers={"GNU.sparse.map": "0,x", "GNU.sparse.size": "5"})),
    "no archive": lambda out: b"PK\3\4" + bytes(range(256)) * 8,
    "an archive that breaks off": lambda out: tar(entry("a", b"x" * 4000))[:2000],
}


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "outside"
    place.mkdir()
    (place / "victim").write_bytes(b"as it was")
    before = state(tmp_path)
    yield place
    assert {key: value for key, value in state(tmp_path).items() if not key.endswith(".tar")} == before


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_and_writes_nothing_outside(name: str, tmp_path: Path, outside: Path) -> None:
    (tmp_path / "store").mkdir()
    with pytest.raises(UserError, match=r"layer .* is refused: |which no layer has as a file"):
        overlay([unpacked(HOSTILE[name](str(outside)), tmp_path / "store/one")])


@pytest.mark.parametrize(
    "packed", [gzip.compress(b"")[:6], gzip.compress(bytes(512))[:-6], b"\x1f\x8b" + bytes(40)], ids=["start", "end", "zeros"]
)
def test_a_broken_packed_archive_is_refused(packed: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(packed)
    with pytest.raises(UserError, match="is refused"):
        unpack(tmp_path / "a.tar", "0" * 64, tmp_path / "one", LIMITS)


def test_a_bomb_is_stopped_at_its_limit(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"more than a layer may come to|come to more than"):
        unpacked(tar(*(entry(str(n), bytes(1 << 20)) for n in range(9))), tmp_path / "one", packed=True)
    with pytest.raises(UserError, match="more than a layer may come to"):
        unpacked(tar() + bytes(9 << 20), tmp_path / "two", packed=True)
    full = LayerLimits(max_bytes=1 << 40, free_bytes=1 << 60)
    with pytest.raises(HarnessError, match="the disk is nearly full"):
        unpacked(tar(entry("zeros", bytes(65 << 20))), tmp_path / "three", packed=True, limits=full)


def test_another_content_than_promised_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar(entry("a")))
    with pytest.raises(UserError, match="the image says sha256:0000"):
        unpack(tmp_path / "a.tar", "0" * 64, tmp_path / "one", LIMITS)


NAMES = st.sampled_from(
    ["a", "b", "a/b", "b/a", "..", "../x", "a/../../x", "/x", "./a", "a/b/c", ".wh.a", "a/.wh..wh..opq", "", "OUT"]
)
KINDS = st.sampled_from([tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE])


@given(st.lists(st.tuples(NAMES, KINDS, NAMES), max_size=8))
@settings(max_examples=60, deadline=None)
def test_no_archive_writes_outside_its_folder(
    tmp_path_factory: pytest.TempPathFactory, entries: list[tuple[str, bytes, str]]
) -> None:
    top = tmp_path_factory.mktemp("layers")
    outside = top / "outside"
    (top / "store").mkdir()
    outside.mkdir()
    (outside / "victim").write_bytes(b"as it was")
    before = state(top)
    content = tar(
        *(
            entry(name.replace("OUT", str(outside)), type=kind, linkname=target.replace("OUT", str(outside)))
            for name, kind, target in entries
        )
    )
    try:
        layer = unpacked(content, top / "store/one")
        merged = overlay([layer])
        link_root([layer], [top / "store/one"], top / "store/root")
        assert list(damage_of(merged, top / "store/root", {})) == []
    except UserError as error:
        assert "refused" in str(error) or "no layer has" in str(error)
    finally:
        assert state(top) == before
        shutil.rmtree(top)
