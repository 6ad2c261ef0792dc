"""Many commands in one lasting place: nothing is left over from one to the next, and programs that fork are forked soundly."""

import os
import shutil
import signal
import subprocess
import textwrap
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.sandbox.sandbox import Runner, Sandbox
from tests.sandbox.conftest import SERVER


@pytest.fixture
def slot(sandbox: Sandbox, tree: Path) -> Iterator[Runner]:
    with sandbox.slot(tree) as opened:
        yield opened


@pytest.fixture
def forking(slot: Runner, tree: Path) -> Runner:
    """A slot over a tree with a fork server in it."""
    (tree / "server.py").write_text(SERVER)
    return slot


def shell(slot: Runner, tree: Path, script: str, *, writable: bool = False, limits: Limits | None = None) -> Execution:
    return slot.run(Command(argv=("sh", "-c", script), writable=writable, limits=limits or Limits()), tree)


def python(slot: Runner, tree: Path, code: str, *, writable: bool = False) -> Execution:
    return slot.run(Command(argv=("python3", "-c", textwrap.dedent(code)), writable=writable), tree)


def fork(slot: Runner, tree: Path, code: str, *, limits: Limits | None = None, runs: str = "1000") -> Execution:
    command = Command(
        argv=("python3", "-S", "server.py"),
        stdin=textwrap.dedent(code).encode(),
        env=(("RUNS", runs),),
        forks=True,
        limits=limits or Limits(),
    )
    return slot.run(command, tree)


# Nothing is left over


@pytest.mark.parametrize("writable", [False, True])
def test_private_files_are_gone(slot: Runner, tree: Path, writable: bool) -> None:
    script = """
        find "$HOME" "$TMPDIR" -mindepth 1
        mkdir -p "$HOME/a/b/c" "$TMPDIR/.hidden"; echo x > "$HOME/a/b/c/d"; mkfifo "$TMPDIR/pipe"; ln -s / "$TMPDIR/link"
        chmod 000 "$HOME/a/b" "$HOME/a" 2> /dev/null
        echo done
    """
    if writable:
        script = f"umask; {script}; umask 000"
    assert len({shell(slot, tree, script, writable=writable).stdout for _ in range(3)}) == 1


def test_private_memory_files_are_gone(slot: Runner, tree: Path, sandbox: Sandbox) -> None:
    if sandbox.name == "process":
        pytest.skip("writes to the host's")
    script = "test -e /dev/shm/left-over && echo found; echo x > /dev/shm/left-over || true"
    for _ in range(2):
        assert shell(slot, tree, script).stdout == b""


def test_processes_are_gone(slot: Runner, tree: Path) -> None:
    mark = f"left-over-{os.getpid()}"
    assert shell(slot, tree, f"(setsid sh -c 'trap \"\" TERM HUP; sleep 600; : {mark}' &) > /dev/null 2>&1; echo started").succeeded
    assert subprocess.run(["pgrep", "-f", mark], capture_output=True, check=False).stdout == b""


def test_state_of_the_process_is_new(slot: Runner, tree: Path) -> None:
    code = """
        import os, resource, signal
        print(os.umask(0), os.getpriority(0, 0), sorted(os.environ), signal.getsignal(signal.SIGTERM), os.getcwd())
        print([resource.getrlimit(number) for number in range(16)], os.sched_getaffinity(0), os.getgroups())
        os.umask(0o777), os.nice(5), signal.signal(signal.SIGTERM, signal.SIG_IGN), os.environ.update(LEFT="x")
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    """
    first, second = (python(slot, tree, code) for _ in range(2))
    assert first.succeeded
    assert first.stdout == second.stdout


def test_shared_memory_and_queues_cannot_be_left(slot: Runner, tree: Path) -> None:
    code = """
        import ctypes
        libc = ctypes.CDLL(None)
        print(libc.shmget(7, 4096, 0o1666), libc.msgget(7, 0o1666), libc.semget(7, 1, 0o1666))
        print(libc.mq_open(b"/left-over", 0o102, 0o666, None))
    """
    assert python(slot, tree, code).stdout == b"-1 -1 -1\n-1\n"


def test_counters_of_the_network_say_nothing_of_the_command_before(slot: Runner, tree: Path, sandbox: Sandbox) -> None:
    code = """
        import pathlib, socket
        for name in ("snmp", "dev"):
            try: print(pathlib.Path("/proc/net", name).read_text())
            except OSError: print("closed")
        try:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
                for n in range(5): one.sendto(b"x" * n, ("127.0.0.1", 9))
                one.connect(("192.0.2.1", 9))
        except OSError: pass
    """
    if not sandbox.name.startswith(("landlock", "process")):  # these have the network of the machine
        assert python(slot, tree, code).stdout == python(slot, tree, code).stdout


def test_a_port_can_be_used_again_at_once(slot: Runner, tree: Path, sandbox: Sandbox) -> None:
    if sandbox.name in ("landlock", "process"):
        pytest.skip("without a network of its own")
    code = """
        import socket
        with socket.socket() as server:
            server.bind(("127.0.0.1", 8765))
            server.listen()
            with socket.create_connection(("127.0.0.1", 8765)) as client, server.accept()[0] as other:
                other.shutdown(socket.SHUT_RDWR)  # which leaves the port waiting
                client.recv(1)
        print("served")
    """
    assert [python(slot, tree, code).stdout for _ in range(3)] == [b"served\n"] * 3


def test_limits_of_one_command_do_not_hold_for_the_next(slot: Runner, tree: Path) -> None:
    assert shell(slot, tree, "while :; do :; done", limits=Limits(cpu_s=0.2)).ending is Ending.CPU_LIMIT
    assert shell(slot, tree, "yes", limits=Limits(output_mb=0.1)).ending is Ending.OUTPUT_LIMIT
    assert shell(slot, tree, "sleep 60", limits=Limits(wall_s=0.2)).ending is Ending.WALL_LIMIT
    seen = shell(slot, tree, "head -c 1000000 /dev/zero | wc -c; sleep 0.3")
    assert (seen.stdout, seen.ending) == (b"1000000\n", Ending.EXITED)


def test_the_tree_stays_and_is_writable_for_those_who_may(slot: Runner, tree: Path) -> None:
    assert shell(slot, tree, "echo one > file", writable=True).succeeded
    (tree / "ours").write_text("ours")
    assert shell(slot, tree, "cat file ours").stdout == b"one\nours"
    assert shell(slot, tree, "echo two >> file; cat file; rm ours", writable=True).stdout == b"one\ntwo\n"
    assert sorted(path.name for path in tree.iterdir()) == ["file"]


def test_another_tree_is_refused(slot: Runner, tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match="this slot is for"):
        shell(slot, tmp_path, "true")


# Fork servers


def test_every_run_is_a_fork_of_the_same_server(forking: Runner, tree: Path) -> None:
    code = """
        import os
        print(started, os.getppid() == started, "left" in globals(), sorted(map(int, os.listdir("/proc/self/fd")))[:4])
        left = 1
        os.write(2, b"error"), os.write(3, b"report")
    """
    first, second = fork(forking, tree, code), fork(forking, tree, code)
    assert (first.stdout, first.stderr, first.report) == (second.stdout, second.stderr, second.report)
    assert first.stdout.split(b" ", 1)[1] == b"True False [0, 1, 2, 3]\n"
    assert (first.stderr, first.report, first.exit_code) == (b"error", b"report", 0)


def test_outside_a_slot_the_same_command_is_simply_run(sandbox: Sandbox, tree: Path) -> None:
    (tree / "server.py").write_text(SERVER)
    assert fork(sandbox, tree, "import os; print(started == os.getpid())").stdout == b"True\n"


def test_a_program_that_cannot_wait_is_simply_run(slot: Runner, tree: Path) -> None:
    command = Command(argv=("sh", "-c", "cat; exit 3"), stdin=b"input", forks=True)
    for _ in range(2):
        seen = slot.run(command, tree)
        assert (seen.stdout, seen.exit_code) == (b"input", 3)


def test_limits_hold_for_each_fork(forking: Runner, tree: Path) -> None:
    limits = Limits(cpu_s=0.4, memory_mb=150, output_mb=0.5, disk_mb=20)
    endings = {
        "while True: pass": Ending.CPU_LIMIT,
        "x = [bytes(10**6) * 1 for _ in range(10)]; y = [b'x' * 10**7 for _ in range(16)]": Ending.MEMORY_LIMIT,
        "while True: print('x' * 1000)": Ending.OUTPUT_LIMIT,
        "import os; os.kill(os.getpid(), 11)": Ending.SIGNALLED,
        "import os; os._exit(7)": Ending.EXITED,
        "import os\nfor _ in range(3): os.fork()\nwhile True: pass": Ending.CPU_LIMIT,
    }
    for code, ending in endings.items():
        seen = fork(forking, tree, code, limits=limits)
        assert seen.ending is ending or (ending is Ending.MEMORY_LIMIT and b"MemoryError" in seen.stderr), code
        plain = fork(forking, tree, "print('fine')", limits=limits)
        assert (plain.stdout, plain.ending) == (b"fine\n", Ending.EXITED)
        assert plain.cpu_s < 0.3


def test_a_sleeping_fork_meets_the_wall_limit(forking: Runner, tree: Path) -> None:
    limits = Limits(wall_s=0.5)
    assert fork(forking, tree, "import time; time.sleep(60)", limits=limits).ending is Ending.WALL_LIMIT
    assert fork(forking, tree, "print('fine')", limits=limits).stdout == b"fine\n"


def test_usage_is_that_of_the_fork_alone(forking: Runner, tree: Path) -> None:
    small = fork(forking, tree, "pass")
    burnt = fork(forking, tree, "import time\nwhile time.process_time() < 0.3: pass")
    large = fork(forking, tree, "held = b'x' * 100_000_000")
    again = fork(forking, tree, "pass")
    assert 0.25 < burnt.cpu_s < 0.8
    assert small.cpu_s < 0.2 > again.cpu_s
    assert 90 < large.peak_mb - again.peak_mb < 120


def test_the_wall_limit_holds_when_everything_stands_still(forking: Runner, tree: Path) -> None:
    limits = Limits(wall_s=1)
    code = """
        import os, signal
        for _ in range(3):
            if os.fork() == 0: os.setsid()
        os.kill(0, signal.SIGSTOP)
    """
    assert fork(forking, tree, code, limits=limits).ending is Ending.WALL_LIMIT
    stopping = Command(argv=("python3", "-c", textwrap.dedent(code)), limits=limits)
    assert forking.run(stopping, tree).ending is Ending.WALL_LIMIT


def test_the_wall_limit_holds_when_the_fork_server_stands_still(forking: Runner, tree: Path) -> None:
    name = f"server-{os.getpid()}.py"
    shutil.copy(tree / "server.py", tree / name)
    command = Command(argv=("python3", "-S", name), stdin=b"import time; time.sleep(1)", forks=True, limits=Limits(wall_s=2))
    assert forking.run(command, tree).succeeded
    server, *_ = sorted(map(int, subprocess.run(["pgrep", "-f", name], capture_output=True, check=False).stdout.split()))
    stop = threading.Timer(0.5, os.kill, (server, signal.SIGSTOP))
    stop.start()
    assert forking.run(command, tree).ending is Ending.WALL_LIMIT
    stop.join()
    assert forking.run(command, tree).succeeded


@pytest.mark.parametrize(
    "attempt",
    [
        "os.kill(os.getppid(), signal.SIGKILL)",
        "os.kill(os.getppid(), signal.SIGSTOP)",
        "os.kill(-1, signal.SIGKILL)",
        "os.kill(-os.getppid(), signal.SIGKILL)",
        "signal.pidfd_send_signal(os.pidfd_open(os.getppid()), signal.SIGKILL)",
        "signal.pidfd_send_signal(os.open(f'/proc/{os.getppid()}', os.O_RDONLY), signal.SIGKILL)",
        "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, os.getppid())",
        "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, -os.getppid())",
        "fcntl.fcntl(os.pipe()[0], 15, struct.pack('ii', 1, os.getppid()))",  # F_SETOWN_EX
        "fcntl.ioctl(os.pipe()[0], 0x8901, struct.pack('i', os.getppid()))",  # FIOSETOWN
        "fcntl.ioctl(socket.socketpair()[0], 0x8902, struct.pack('i', os.getppid()))",  # SIOCSPGRP
        "trace()",
        "open(f'/proc/{os.getppid()}/mem', 'r+b')",
        "open(f'/proc/{os.getppid()}/environ', 'rb').read()",
        "os.listdir(f'/proc/{os.getppid()}/fd')",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)",
        "os.sched_setaffinity(os.getppid(), {0})",
        "os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0))",
        "resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0))",
    ],
)
def test_a_fork_cannot_harm_its_server(forking: Runner, tree: Path, attempt: str) -> None:
    code = f"""
        import ctypes, fcntl, os, resource, signal, socket, struct
        def trace():
            if ctypes.CDLL(None).ptrace(16, os.getppid(), 0, 0): raise OSError
        try: {attempt}
        except OSError: print("refused")
    """
    pid = fork(forking, tree, "print(started)").stdout
    assert fork(forking, tree, code).stdout == b"refused\n"
    assert fork(forking, tree, "print(started)").stdout == pid


def test_a_fork_bomb_does_not_reach_the_server(forking: Runner, tree: Path) -> None:
    code = """
        import os, time
        for _ in range(200):
            if os.fork() == 0: time.sleep(60); os._exit(0)
    """
    pid = fork(forking, tree, "print(started)", limits=Limits(processes=16)).stdout
    bomb = fork(forking, tree, code, limits=Limits(processes=16))
    assert bomb.ending is Ending.SIGNALLED or b"BlockingIOError" in bomb.stderr
    assert fork(forking, tree, "print(started)", limits=Limits(processes=16)).stdout == pid


def test_a_daemon_of_a_fork_is_killed_and_the_server_is_not(forking: Runner, tree: Path) -> None:
    code = """
        import os, time
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: time.sleep(600)
            os._exit(0)
        os.wait()
        print(started)
    """
    assert len({fork(forking, tree, code).stdout for _ in range(3)}) == 1


def test_a_server_that_ends_is_our_failure_and_the_next_one_works(forking: Runner, tree: Path) -> None:
    assert fork(forking, tree, "print(1)", runs="1").stdout == b"1\n"
    name = f"ending-{os.getpid()}.py"
    shutil.copy(tree / "server.py", tree / name)
    command = Command(argv=("python3", "-S", name), stdin=b"import time; time.sleep(1)", forks=True)
    assert forking.run(command, tree).succeeded
    server, *_ = sorted(map(int, subprocess.run(["pgrep", "-f", name], capture_output=True, check=False).stdout.split()))
    threading.Timer(0.3, os.kill, (server, signal.SIGKILL)).start()
    with pytest.raises(HarnessError, match="fork server"):
        forking.run(command, tree)
    assert forking.run(command, tree).succeeded


def test_a_server_that_ended_between_two_runs_is_started_again(forking: Runner, tree: Path) -> None:
    name = f"ended-{os.getpid()}.py"
    shutil.copy(tree / "server.py", tree / name)
    command = Command(argv=("python3", "-S", name), stdin=b"print(started)", forks=True)
    assert forking.run(command, tree).succeeded
    server, *_ = sorted(map(int, subprocess.run(["pgrep", "-f", name], capture_output=True, check=False).stdout.split()))
    os.kill(server, signal.SIGKILL)
    while Path(f"/proc/{server}").exists() and ") Z " not in Path(f"/proc/{server}/stat").read_text():
        time.sleep(0.01)
    assert forking.run(command, tree).succeeded


def test_more_programs_than_there_is_room_for_take_turns(forking: Runner, tree: Path) -> None:
    for number in range(10):
        shutil.copy(tree / "server.py", tree / f"server{number}.py")
    for number in [*range(10), *range(10)]:
        command = Command(argv=("python3", "-S", f"server{number}.py"), stdin=b"print('fine')", forks=True)
        assert forking.run(command, tree).stdout == b"fine\n"
