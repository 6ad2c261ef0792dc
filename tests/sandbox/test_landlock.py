"""What is particular to the back end without namespaces."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution, Limits, Mount
from repairlab.sandbox.process import ProcessSandbox, open_landlock
from repairlab.sandbox.sandbox import Runner


def python(sandbox: Runner, tree: Path, code: str, *, writable: bool = False) -> Execution:
    return sandbox.run(Command(argv=("python3", "-c", code), writable=writable), tree)


def shell(sandbox: Runner, tree: Path, script: str, *, writable: bool = False) -> Execution:
    return sandbox.run(Command(argv=("sh", "-c", script), writable=writable, limits=Limits(cpu_s=60)), tree)


def test_only_the_tool_chain_and_its_own_folders_can_be_read(landlock: ProcessSandbox, tree: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    for path in (
        secret,
        tmp_path,
        Path(__file__),
        "/",
        "/etc",
        "/etc/passwd",
        "/tmp",
        "/var",
        "/root",
        "/home",
        "/sys",
        "/run",
        "/dev",
    ):
        assert shell(landlock, tree, f"ls '{path}' && cat '{path}'").exit_code != 0, path
    assert shell(landlock, tree, 'ls /usr/bin . "$HOME" "$TMPDIR" && cat /proc/self/maps && cat /dev/null').succeeded


def test_only_its_own_folders_can_be_written_to(landlock: ProcessSandbox, tree: Path) -> None:
    script = 'for place in / /tmp /var/tmp /dev/shm /run . "$HOME" "$TMPDIR"; do echo > $place/x && echo $place; done'
    for writable, expected in ((False, 2), (True, 3)):
        assert len(shell(landlock, tree, script, writable=writable).stdout.split()) == expected


def test_a_read_only_tree_keeps_its_modes_and_times_although_it_is_the_commands_own(landlock: ProcessSandbox, tree: Path) -> None:
    code = """
import os
attempts = [
    lambda: os.chmod("file", 0o755), lambda: os.utime("file", (1, 1)), lambda: os.truncate("file", 0),
    lambda: os.rename("file", "x"),
    lambda: os.open("file", os.O_RDONLY | os.O_TRUNC), lambda: os.setxattr("file", "user.a", b"b"), lambda: os.link("file", "x"),
    lambda: os.chown("file", -1, os.getgid()), lambda: os.fchmod(os.open("file", os.O_RDONLY), 0),
    lambda: os.utime(os.open("file", os.O_RDONLY), (1, 1)),
]
for attempt in attempts:
    try: attempt()
    except OSError: print("refused")
"""
    with landlock.slot(tree) as slot:
        assert shell(slot, tree, "echo content > file", writable=True).succeeded
        before = (tree / "file").stat()
        assert python(slot, tree, code).stdout == b"refused\n" * 10
        after = (tree / "file").stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_ctime_ns, after.st_size) == (
        before.st_mode,
        before.st_mtime_ns,
        before.st_ctime_ns,
        before.st_size,
    )


def test_there_are_no_sockets_but_pairs(landlock: ProcessSandbox, tree: Path) -> None:
    code = """
import socket
for family, kind in ((2, 1), (2, 2), (10, 1), (1, 1), (1, 2), (16, 3), (40, 1)):
    try: socket.socket(family, kind)
    except OSError: print("refused")
try: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
except OSError: print("refused")
a, b = socket.socketpair()
a.send(b"pair")
print(b.recv(9))
"""
    assert python(landlock, tree, code).stdout == b"refused\n" * 8 + b"b'pair'\n"


def test_an_ordinary_build_works(landlock: ProcessSandbox, tree: Path) -> None:
    (tree / "main.c").write_text('#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n')
    (tree / "Makefile").write_text("all: main\n\tinstall -d out && install -m 755 main out && cp -p main.c out && touch out/main\n")
    assert shell(landlock, tree, "make CC=cc && mv out/main final", writable=True).succeeded
    assert shell(landlock, tree, "./final").stdout == b"built\n"


def test_java_says_nothing_of_where_it_keeps_temporary_files(landlock: ProcessSandbox, tree: Path) -> None:
    tree.joinpath("Main.java").write_text(
        'class Main { public static void main(String[] a) { System.out.print(System.getProperty("java.io.tmpdir")); } }'
    )
    done = landlock.run(Command(argv=("java", "Main.java"), address_space=False, limits=Limits(cpu_s=60, memory_mb=1024)), tree)
    assert done.stdout.endswith(b"/tmp") and done.stdout != b"/tmp"
    assert done.stderr == b""
    started = shell(landlock, tree, 'test "$JDK_JAVA_OPTIONS" = "-Djava.io.tmpdir=$TMPDIR"')
    assert started.succeeded


def test_the_cache_is_hidden_below_a_mount_but_what_lies_beside_it_is_not(landlock: ProcessSandbox, tree: Path) -> None:
    assert landlock.name == "landlock"
    outer = Path(tempfile.mkdtemp(prefix="outer-"))
    try:
        outer.chmod(0o755)
        (outer / "cache").mkdir()
        (outer / "cache" / "hidden").write_text("hidden")
        (outer / "folder").mkdir()
        (outer / "folder" / "beside").write_text("beside")
        sandbox = open_landlock(outer / "cache")
        command = Command(
            argv=("sh", "-c", f"cat {outer}/folder/beside {outer}/cache/hidden; ls {outer}"), mounts=(Mount(path=str(outer)),)
        )
        seen = sandbox.run(command, tree)
    finally:
        shutil.rmtree(outer)
    assert seen.stdout == b"besidecache\nfolder\n"


def test_an_ordinary_user_cannot_be_shut_out_of_his_files(landlock: ProcessSandbox, tree: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("commands of root have a user of their own")
    seen = shell(
        landlock,
        tree,
        "touch file; for mode in 644 755 664 000 400 777 4755; do chmod $mode file; stat -c %a file; done",
        writable=True,
    )
    assert seen.stdout.split() == [b"644", b"755", b"664", b"664", b"664", b"664", b"664"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
def test_a_tree_that_the_unprivileged_user_cannot_reach_is_our_failure(
    landlock: ProcessSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    (closed / "tree").mkdir(parents=True)
    closed.chmod(0o700)
    assert shell(landlock, closed / "tree", "id -u").stdout != b"0\n"  # a temporary folder of ours is opened
    closed.chmod(0o700)
    elsewhere = tempfile.mkdtemp(prefix="elsewhere-")
    monkeypatch.setattr(tempfile, "tempdir", elsewhere)
    os.chmod(elsewhere, 0o755)  # noqa: PTH101  # a string
    with pytest.raises(HarnessError, match=r"closed is closed to others.*REPAIRLAB_CACHE"):
        shell(landlock, closed / "tree", "true")
    os.rmdir(elsewhere)  # noqa: PTH106  # a string
    assert closed.stat().st_mode & 0o777 == 0o700
