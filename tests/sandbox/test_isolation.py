"""What every back end that isolates keeps from a command, and which tool chains still work there."""

import os
import shutil
import textwrap
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits, Mount
from repairlab.sandbox.breakout import TRIALS, try_to_break_out
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox


@pytest.fixture(params=["bubblewrap", "landlock"])
def isolating(request: pytest.FixtureRequest) -> Sandbox:
    found: Sandbox = request.getfixturevalue(request.param)
    return found


def python(sandbox: Sandbox, tree: Path, code: str, *, writable: bool = False) -> Execution:
    return sandbox.run(Command(argv=("python3", "-c", textwrap.dedent(code)), writable=writable), tree)


def shell(sandbox: Sandbox, tree: Path, script: str, *, writable: bool = False, memory_mb: int = 512) -> Execution:
    limits = Limits(cpu_s=60, wall_s=120, memory_mb=memory_mb)
    return sandbox.run(Command(argv=("sh", "-c", script), writable=writable, address_space=False, limits=limits), tree)


@pytest.mark.parametrize("name", ["bubblewrap", "landlock", pytest.param("podman", marks=pytest.mark.container)])
def test_nothing_breaks_out(name: str, request: pytest.FixtureRequest, cache: Path) -> None:
    sandbox: Sandbox = request.getfixturevalue(name)
    assert [(trial.name, trial.broken) for trial in try_to_break_out(sandbox, cache)] == [(trial, "") for trial in TRIALS]


def test_the_self_test_notices_what_gets_through(process: ProcessSandbox, cache: Path) -> None:
    broken = {trial.name: trial.broken for trial in try_to_break_out(process, cache) if trial.broken}
    assert "secrets/file" in broken["files of the host hidden"]
    assert "its tree" in broken["host cannot be written to"]
    assert broken["no network"] == "TCP, a packet came through"
    assert "an abstract socket" in broken["sockets of the host closed"]
    assert ("signals" in broken.get("processes of the host out of reach", "")) == (os.geteuid() != 0)


def test_the_command_is_no_root_and_has_no_rights(isolating: Sandbox, tree: Path) -> None:
    seen = shell(isolating, tree, "id -u; id -g; id -G; grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status")
    uid, gid, groups, *status = seen.stdout.decode().splitlines()
    assert int(uid) != 0
    assert int(gid) != 0
    assert groups == gid
    values = dict(line.split(":\t") for line in status)
    assert values.pop("NoNewPrivs") == "1"
    assert values.pop("Seccomp") == "2"
    if os.geteuid() != 0:
        values.pop("CapBnd")  # which only root can give up, and NoNewPrivs makes empty
    assert {int(value, 16) for value in values.values()} == {0}


def test_a_read_only_tree_stays_as_it_is(isolating: Sandbox, tree: Path) -> None:
    (tree / "file").write_text("old")
    (tree / "file").chmod(0o666)
    tree.chmod(0o777)
    seen = shell(isolating, tree, "cat file; echo new > file; rm file; touch other; chmod 600 file")
    assert not seen.succeeded
    assert seen.stdout == b"old"
    assert [path.name for path in tree.iterdir()] == ["file"]
    assert (tree / "file").read_text() == "old"


def test_a_folder_closed_to_others_can_be_the_tree(isolating: Sandbox, tmp_path: Path) -> None:
    closed = tmp_path / "closed" / "tree"
    closed.mkdir(parents=True)
    closed.chmod(0o700)
    closed.parent.chmod(0o700)
    (closed / "file").write_text("read")
    assert shell(isolating, closed, "cat file").stdout == b"read"
    assert shell(isolating, closed, "echo new > file && cat file", writable=True).stdout == b"new\n"


def test_links_that_leave_the_tree_lead_nowhere(isolating: Sandbox, tree: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tree / "file").symlink_to(tmp_path / "secret")
    (tree / "folder").symlink_to(tmp_path)
    assert shell(isolating, tree, "cat file folder/secret").stdout == b""
    listed = isolating.run(Command(argv=("ls",), cwd="folder"), tree)
    assert (listed.succeeded, listed.stdout) == (False, b"")


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
def test_a_dangerous_system_call_is_refused(isolating: Sandbox, tree: Path, attempt: str) -> None:
    code = f"""
        import ctypes, platform
        libc = ctypes.CDLL(None, use_errno=True)
        x86 = platform.machine() == "x86_64"
        print({attempt}, ctypes.get_errno())
    """
    seen = python(isolating, tree, code)
    assert seen.stdout.split()[0] == b"-1"
    assert seen.stdout.split()[1] in (b"1", b"22", b"38")


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="32-bit calls of x86")
def test_system_calls_of_another_architecture_kill(isolating: Sandbox, tree: Path) -> None:
    (tree / "old.c").write_text('int main(void) { int r; __asm__ volatile("int $0x80" : "=a"(r) : "a"(20)); return 0; }')
    assert shell(isolating, tree, "cc -o old old.c", writable=True).succeeded
    seen = isolating.run(Command(argv=("./old",)), tree)
    assert seen.ending is Ending.SIGNALLED


def test_mounts_are_read_only_and_may_lie_anywhere(isolating: Sandbox, tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mounted folder"
    folder.mkdir()
    folder.chmod(0o777)
    (folder / "file").write_text("mounted")
    command = Command(
        argv=("sh", "-c", f"cat '{folder}/file'; echo > '{folder}/new'"), mounts=(Mount(path=str(folder)), Mount(path="/usr/bin"))
    )
    seen = isolating.run(command, tree)
    assert (seen.stdout, seen.exit_code) == (b"mounted", 2)


def test_a_mount_that_does_not_exist_is_our_failure(isolating: Sandbox, tree: Path) -> None:
    with pytest.raises(HarnessError, match="/nowhere/to/be/found"):
        isolating.run(Command(argv=("true",), mounts=(Mount(path="/nowhere/to/be/found"),)), tree)


def test_a_sanitised_program_reports_its_errors_and_leaks(isolating: Sandbox, tree: Path) -> None:
    (tree / "bad.c").write_text(
        "#include <stdlib.h>\nint main(int n, char **a) { (void)a; char *p = malloc(10); p[n > 1 ? 10 : 0] = 1; p = 0; return 0; }"
    )
    built = shell(isolating, tree, "cc -g -O0 -fsanitize=address,undefined -o bad bad.c", writable=True, memory_mb=1024)
    if not built.succeeded:
        pytest.skip("no sanitizers here")
    assert b"detected memory leaks" in shell(isolating, tree, "./bad").stderr
    assert b"heap-buffer-overflow" in shell(isolating, tree, "./bad x").stderr
    assert shell(isolating, tree, "ASAN_OPTIONS=detect_leaks=0 ./bad").succeeded


@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler")
def test_cplusplus_threads_and_exceptions_work(isolating: Sandbox, tree: Path) -> None:
    (tree / "main.cpp").write_text(
        "#include <iostream>\n#include <thread>\n#include <stdexcept>\n"
        'void run() { try { throw std::runtime_error("thrown"); } catch (std::exception &e) { std::cout << e.what(); } }'
        "int main() { std::thread t(run); t.join(); }"
    )
    assert shell(isolating, tree, "g++ -pthread -o main main.cpp", writable=True).succeeded
    assert isolating.run(Command(argv=("./main",), limits=Limits(memory_mb=64)), tree).stdout == b"thrown"


@pytest.mark.skipif(shutil.which("javac") is None, reason="no Java compiler")
def test_java_compiles_and_runs(isolating: Sandbox, tree: Path) -> None:
    (tree / "Main.java").write_text(
        "public class Main { public static void main(String[] a) throws Exception {"
        ' java.io.File.createTempFile("abc", null).deleteOnExit();'
        ' Thread t = new Thread(() -> System.out.println("from a thread")); t.start(); t.join(); } }'
    )
    assert shell(isolating, tree, "javac Main.java", writable=True).succeeded
    assert shell(isolating, tree, "java -Xmx64m -cp . Main").stdout == b"from a thread\n"
