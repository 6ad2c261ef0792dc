"""Isolation: what a command under bubblewrap cannot see or do, and which tool chains still work there."""

import os
import shutil
import socket
import textwrap
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits, Mount
from repairlab.sandbox.bubblewrap import BubblewrapSandbox


def python(sandbox: BubblewrapSandbox, tree: Path, code: str, *, writable: bool = False) -> Execution:
    return sandbox.run(Command(argv=("python3", "-c", textwrap.dedent(code)), writable=writable), tree)


def shell(sandbox: BubblewrapSandbox, tree: Path, script: str, *, writable: bool = False, memory_mb: int = 512) -> Execution:
    limits = Limits(cpu_s=60, wall_s=120, memory_mb=memory_mb)
    return sandbox.run(Command(argv=("sh", "-c", script), writable=writable, address_space=False, limits=limits), tree)


def test_the_command_is_no_root_and_has_no_rights(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    seen = shell(bubblewrap, tree, "id -u; id -g; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    uid, gid, groups, *status = seen.stdout.decode().splitlines()
    assert int(uid) != 0
    assert int(gid) != 0
    assert groups == gid
    values = dict(line.split(":\t") for line in status)
    assert values.pop("NoNewPrivs") == "1"
    assert values.pop("Seccomp") == "2"
    assert {int(value, 16) for value in values.values()} == {0}


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


def test_a_read_only_tree_stays_as_it_is(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "file").write_text("old")
    (tree / "file").chmod(0o666)
    tree.chmod(0o777)
    seen = shell(bubblewrap, tree, "cat file; echo new > file; rm file; touch other; chmod 600 file")
    assert not seen.succeeded
    assert seen.stdout == b"old"
    assert [path.name for path in tree.iterdir()] == ["file"]
    assert (tree / "file").read_text() == "old"


def test_a_folder_closed_to_others_can_be_the_tree(bubblewrap: BubblewrapSandbox, tmp_path: Path) -> None:
    closed = tmp_path / "closed" / "tree"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    closed.parent.chmod(0o700)
    (closed / "file").write_text("read")
    assert shell(bubblewrap, closed, "cat file").stdout == b"read"
    assert shell(bubblewrap, closed, "echo new > file && cat file", writable=True).stdout == b"new\n"


def test_links_that_leave_the_tree_lead_nowhere(bubblewrap: BubblewrapSandbox, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tree / "file").symlink_to(tmp_path / "secret")
    (tree / "folder").symlink_to(tmp_path)
    assert shell(bubblewrap, tree, "cat file folder/secret").stdout == b""
    assert bubblewrap.run(Command(argv=("ls",), cwd="folder"), tree).exit_code == 127


@pytest.mark.parametrize(
    "attempt",
    [
        "libc.unshare(0x10000000)",  # user namespace
        "libc.unshare(0x00020000)",  # mount namespace
        "libc.mount(b'none', b'/tmp', b'tmpfs', 0, None)",
        "libc.umount2(b'/work', 2)",
        "libc.chroot(b'/tmp')",
        "libc.ptrace(16, 1, 0, 0)",  # attach to process 1
        "libc.ptrace(0, 0, 0, 0)",  # be traced
        "libc.shmget(0, 4096, 0o1666)",
        "libc.msgget(0, 0o1666)",
        "libc.semget(0, 1, 0o1666)",
        "libc.syscall(250 if x86 else 219, 0, -3, 1)",  # keyctl
        "libc.syscall(321 if x86 else 280, 0, 0, 0)",  # bpf
        "libc.syscall(298 if x86 else 241, 0, 0, -1, -1, 0)",  # perf_event_open
        "libc.syscall(323 if x86 else 282, 0)",  # userfaultfd
        "libc.syscall(425, 8, 0)",  # io_uring_setup
        "libc.syscall(56 if x86 else 220, 0x10000000 | 17, 0, 0, 0, 0)",  # clone into a user namespace
        "libc.syscall(435, 0, 0)",  # clone3
        "libc.setuid(0)",
        "libc.sethostname(b'x', 1)",
    ],
)
def test_a_dangerous_system_call_is_refused(bubblewrap: BubblewrapSandbox, tree: Path, attempt: str) -> None:
    code = f"""
        import ctypes, platform
        libc = ctypes.CDLL(None, use_errno=True)
        x86 = platform.machine() == "x86_64"
        print({attempt}, ctypes.get_errno())
    """
    seen = python(bubblewrap, tree, code)
    assert seen.stdout.split()[0] == b"-1"
    assert seen.stdout.split()[1] in (b"1", b"22", b"38")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="32-bit calls of x86")
def test_system_calls_of_another_architecture_kill(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "old.c").write_text('int main(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return 0; }')
    assert shell(bubblewrap, tree, "cc -o old old.c", writable=True).succeeded
    seen = bubblewrap.run(Command(argv=("./old",)), tree)
    assert seen.ending is Ending.SIGNALLED


def test_mounts_are_read_only_and_may_lie_anywhere(bubblewrap: BubblewrapSandbox, tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mounted folder"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "file").write_text("mounted")
    command = Command(
        argv=("sh", "-c", f"cat '{folder}/file'; echo > '{folder}/new'"), mounts=(Mount(path=str(folder)), Mount(path="/usr/bin"))
    )
    seen = bubblewrap.run(command, tree)
    assert (seen.stdout, seen.exit_code) == (b"mounted", 2)


def test_a_mount_that_does_not_exist_is_our_failure(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    with pytest.raises(HarnessError, match="/nowhere/to/be/found"):
        bubblewrap.run(Command(argv=("true",), mounts=(Mount(path="/nowhere/to/be/found"),)), tree)


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


# Tool chains


def test_a_sanitised_program_reports_its_errors_and_leaks(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "bad.c").write_text(
        "#include <stdlib.h>\nint main(int n, char **a) { (void)a; char *p = malloc(10); p[n > 1 ? 10 : 0] = 1; p = 0; return 0; }"
    )
    built = shell(bubblewrap, tree, "cc -g -O0 -fsanitize=address,undefined -o bad bad.c", writable=True, memory_mb=1024)
    if not built.succeeded:
        pytest.skip("no sanitizers here")
    assert b"detected memory leaks" in shell(bubblewrap, tree, "./bad").stderr
    assert b"heap-buffer-overflow" in shell(bubblewrap, tree, "./bad x").stderr
    assert shell(bubblewrap, tree, "ASAN_OPTIONS=detect_leaks=0 ./bad").succeeded


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_cplusplus_threads_and_exceptions_work(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "main.cpp").write_text(
        "#include <iostream>\n#include <thread>\n#include <stdexcept>\n"
        'void run() { try { throw std::runtime_error("thrown"); } catch (std::exception &e) { std::cout << e.what(); } }'
        "int main() { std::thread t(run); t.join(); }"
    )
    assert shell(bubblewrap, tree, "g++ -pthread -o main main.cpp", writable=True).succeeded
    assert bubblewrap.run(Command(argv=("./main",), limits=Limits(memory_mb=64)), tree).stdout == b"thrown"


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler")
def test_java_compiles_and_runs(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "Main.java").write_text(
        "public class Main { public static void main(String[] a) throws Exception {"
        ' Thread t = new Thread(() -> System.out.println("from a thread")); t.start(); t.join(); } }'
    )
    assert shell(bubblewrap, tree, "javac Main.java", writable=True).succeeded
    assert shell(bubblewrap, tree, "java -Xmx64m -cp . Main").stdout == b"from a thread\n"


def test_processes_of_python_work(bubblewrap: BubblewrapSandbox, tree: Path) -> None:
    (tree / "pool.py").write_text(
        "import multiprocessing\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.Pool(2) as pool: print(pool.map(abs, [-1, -2]))\n"
    )
    assert bubblewrap.run(Command(argv=("python3", "pool.py")), tree).stdout == b"[1, 2]\n"
