"""Isolation: what a command under bubblewrap cannot see or do, and which tool chains still work there."""

import os
import socket
import textwrap
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution, Limits
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from tests.sandbox.conftest import form


def python(sandbox: BubblewrapSandbox, tree: Path, code: str, *, writable: bool = False) -> Execution:
    return sandbox.run(Command(argv=("python3", "-c", textwrap.dedent(code)), writable=writable), tree)


def shell(sandbox: BubblewrapSandbox, tree: Path, script: str, *, writable: bool = False, memory_mb: int = 512) -> Execution:
    limits = Limits(cpu_s=60, wall_s=120, memory_mb=memory_mb)
    return sandbox.run(Command(argv=("sh", "-c", script), writable=writable, address_space=False, limits=limits), tree)


def test_files_of_the_host_are_not_there(bubblewrap: BubblewrapSandbox, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    for path in (tmp_path / "secret", Path(__file__), "/etc/shadow", "/etc/hostname", "/var", "/root", "/sys", "/boot", "/run"):
        assert shell(bubblewrap, tree, f"ls '{path}'").exit_code == 2, path
    assert shell(bubblewrap, tree, "ls /home/user /tmp /dev/shm | grep -v :").stdout.split() == []
    assert shell(bubblewrap, tree, "ls /").stdout.split()[:3] == [b"bin", b"dev", b"etc"]
    assert shell(bubblewrap, tree, "cat /etc/passwd").stdout.count(b"\n") == 1


def test_processes_of_the_host_are_not_there(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    seen = python(bubblewrap, tree, "import os; print(len([name for name in os.listdir('/proc') if name.isdigit()]), os.getppid())")
    assert seen.stdout == b"2 1\n"


def test_there_is_no_network_but_a_private_loopback(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        code = f"""
            import socket
            for address in (("127.0.0.1", {server.getsockname()[1]}), ("192.0.2.1", 80)):
                try: socket.create_connection(address, timeout=5)
                except OSError as error: print(type(error).__name__, error.errno)
            with socket.create_server(("127.0.0.1", 0)) as own, socket.create_connection(own.getsockname()): print("loopback")
            try: socket.socket(40, socket.SOCK_STREAM)
            except OSError: print("no vsock")
        """
        seen = python(bubblewrap, tree, code)
    assert seen.stdout == b"ConnectionRefusedError 111\nOSError 101\nloopback\nno vsock\n"


def test_nothing_can_be_written_outside_the_private_folders(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    places = "/ /usr /usr/bin /etc /dev /proc /proc/sys/kernel /home /work /dev/pts"
    seen = shell(
        bubblewrap, tree, f"for place in {places}; do echo > $place/x && echo $place; done; find / -xdev -type d -writable"
    )
    assert set(seen.stdout.split()) <= {b"/tmp", b"/home/user"}
    seen = shell(
        bubblewrap, tree, "for place in /work /tmp /home/user /dev/shm; do echo > $place/x && echo $place; done", writable=True
    )
    assert seen.stdout.split() == [b"/work", b"/tmp", b"/home/user", b"/dev/shm"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
def test_both_forms_work_for_root(cache: Path, tree: Path) -> None:
    sandbox = BubblewrapSandbox(cache, user_namespace=True)
    try:
        sandbox.probe()
    except HarnessError as error:
        pytest.skip(f"no user namespaces: {error}")
    seen = shell(sandbox, tree, "id -u; echo x > new", writable=True)
    assert (seen.succeeded, seen.stdout) == (True, b"1000\n")
    assert (tree / "new").stat().st_uid == 0


def test_processes_of_python_work(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "pool.py").write_text(
        "import multiprocessing\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))\n"
    )
    assert bubblewrap.run(Command(argv=("python3", "pool.py")), tree).stdout == b"[1, 2]\n"


@pytest.mark.parametrize("name", ["bubblewrap", "user namespace", "without layers"])
def test_nothing_that_lasts_is_mounted_writable(name: str, request: pytest.FixtureRequest, tree: Path) -> None:
    found = form(name, request)
    for private in (False, True):
        mounts = found.run(Command(argv=("cat", "/proc/self/mounts"), private=private), tree).stdout.decode().splitlines()
        writable = {fields[1] for fields in map(str.split, mounts) if "rw" in fields[3].split(",")}
        devices = {path for path in writable if path.startswith("/dev/") and path not in ("/dev/shm", "/dev/pts")}
        assert writable - devices - {"/work"} == {"/tmp", "/home/user", "/dev/shm"}
        assert ("/work" in writable) == private
        assert devices <= {f"/dev/{name}" for name in ("null", "zero", "full", "random", "urandom", "tty", "console")}
