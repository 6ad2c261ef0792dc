"""What every sandbox promises, run on every back end, for single commands and in a slot."""

import os
import signal
import stat
import subprocess
import textwrap
import threading
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution, Limits, Mount
from repairlab.sandbox.sandbox import Sandbox
from tests.sandbox.conftest import InSlots


@pytest.fixture
def sandbox(runner: Sandbox) -> Sandbox:
    """Every back end, in both ways to use it."""
    return runner


def python(
    sandbox: Sandbox,
    tree: Path,
    code: str,
    *,
    limits: Limits | None = None,
    stdin: bytes = b"",
    writable: bool = False,
    address_space: bool = True,
) -> Execution:
    command = Command(
        argv=("python3", "-c", textwrap.dedent(code)),
        stdin=stdin,
        writable=writable,
        address_space=address_space,
        limits=limits or Limits(),
    )
    return sandbox.run(command, tree)


def shell(
    sandbox: Sandbox, tree: Path, script: str, *, limits: Limits | None = None, writable: bool = False, cwd: str = "."
) -> Execution:
    return sandbox.run(Command(argv=("sh", "-c", script), limits=limits or Limits(), writable=writable, cwd=cwd), tree)


def leftovers(mark: str) -> list[str]:
    found = subprocess.run(["pgrep", "-f", mark], capture_output=True, text=True, check=False)
    return found.stdout.split()


# The plain course of things


def test_exit_code_and_the_three_channels_come_back_exactly(sandbox: Sandbox, tree: Path) -> None:
    seen = shell(sandbox, tree, r"printf 'o\000\r\n'; printf 'e\377' >&2; printf report >&3; exit 7")
    assert (seen.ending, seen.exit_code, seen.signal) == (Ending.EXITED, 7, None)
    assert (seen.stdout, seen.stderr, seen.report) == (b"o\0\r\n", b"e\xff", b"report")
    assert not seen.succeeded


def test_a_signal_is_reported_as_such(sandbox: Sandbox, tree: Path) -> None:
    seen = shell(sandbox, tree, "kill -SEGV $$")
    assert (seen.ending, seen.exit_code, seen.signal) == (Ending.SIGNALLED, None, signal.SIGSEGV)


def test_stdin_arrives_exactly(sandbox: Sandbox, tree: Path) -> None:
    data = bytes(range(256)) * 40_000
    assert sandbox.run(Command(argv=("cat",), stdin=data), tree).stdout == data


def test_stdin_is_empty_by_default(sandbox: Sandbox, tree: Path) -> None:
    seen = sandbox.run(Command(argv=("cat",)), tree)
    assert (seen.succeeded, seen.stdout) == (True, b"")


def test_stdin_that_nobody_reads_does_not_hang(sandbox: Sandbox, tree: Path) -> None:
    assert sandbox.run(Command(argv=("true",), stdin=b"x" * 10_000_000), tree).succeeded


def test_stdin_cannot_be_changed(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "import os; os.pwrite(0, b'no', 0)", stdin=b"input")
    assert seen.exit_code == 1
    assert b"Error" in seen.stderr


def test_what_was_said_cannot_be_taken_back(sandbox: Sandbox, tree: Path) -> None:
    code = """
    import os
    for number in (1, 2, 3):
        os.write(number, b"said")
        try:
            os.read(os.open(f"/proc/self/fd/{number}", os.O_RDONLY | os.O_NONBLOCK), 4)
        except PermissionError:
            os.close(os.open(f"/proc/self/fd/{number}", os.O_WRONLY))
    """
    seen = python(sandbox, tree, code)
    assert (seen.stdout, seen.stderr, seen.report) == (b"said",) * 3


def test_large_output_below_the_limit_is_whole(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "print('x' * 3_000_000, end='')")
    assert seen.stdout == b"x" * 3_000_000


def test_the_command_starts_in_its_folder(sandbox: Sandbox, tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "sub" / "here").touch()
    assert shell(sandbox, tree, "ls", cwd="sub").stdout == b"here\n"


def test_a_folder_or_program_that_does_not_exist_is_the_commands_failure(sandbox: Sandbox, tree: Path) -> None:
    nowhere = shell(sandbox, tree, "ls", cwd="nowhere")
    assert (nowhere.exit_code, b"nowhere" in nowhere.stderr) == (127, True)
    missing = sandbox.run(Command(argv=("./missing",)), tree)
    assert (missing.exit_code, b"missing" in missing.stderr) == (127, True)
    (tree / "text").write_text("not a program")
    assert sandbox.run(Command(argv=("./text",)), tree).exit_code == 126


def test_the_environment_is_fixed_and_can_be_added_to(sandbox: Sandbox, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "of the host")
    seen = sandbox.run(Command(argv=("env",), env=(("EXTRA", "a=b\nc"), ("TZ", "Asia/Tokyo"))), tree)
    assert b"SECRET" not in seen.stdout
    assert b"EXTRA=a=b\nc\n" in seen.stdout
    assert b"TZ=Asia/Tokyo" in seen.stdout
    assert b"PATH=/usr/local/bin:/usr/bin:/bin\n" in seen.stdout
    assert b"PYTHONHASHSEED=0\n" in seen.stdout


def test_git_works_whatever_its_settings_on_this_machine(sandbox: Sandbox, tree: Path) -> None:
    script = "git init -q made && git -C made config user.name me && echo made"
    made = sandbox.run(Command(argv=("sh", "-c", script), writable=True), tree)
    assert made.stdout == b"made\n", made.stderr


def test_home_and_temporary_folder_are_private_and_new_for_every_command(sandbox: Sandbox, tree: Path) -> None:
    script = 'ls -A "$HOME" "$TMPDIR" | grep mark; echo mark > "$HOME/mark" && echo mark > "$TMPDIR/mark" && echo written'
    assert [shell(sandbox, tree, script).stdout for _ in range(2)] == [b"written\n", b"written\n"]


def test_a_file_of_the_host_can_be_mounted(sandbox: Sandbox, tree: Path, cache: Path) -> None:
    file = cache / "mounted.txt"
    file.write_text("of the host")
    seen = sandbox.run(Command(argv=("cat", str(file)), mounts=(Mount(path=str(file)),)), tree)
    assert seen.stdout == b"of the host"


def test_only_four_descriptors_are_open(sandbox: Sandbox, tree: Path) -> None:
    seen = python(
        sandbox, tree, "import os; print(sorted(map(int, os.listdir('/proc/self/fd')))[:4], len(os.listdir('/proc/self/fd')))"
    )
    assert seen.stdout == b"[0, 1, 2, 3] 5\n"  # the fifth is the listing itself


def test_several_threads_may_use_a_sandbox_at_once(sandbox: Sandbox, tree: Path) -> None:
    if isinstance(sandbox, InSlots):
        pytest.skip("a slot is for one thread")
    seen: dict[int, bytes] = {}

    def run(number: int) -> None:
        seen[number] = shell(sandbox, tree, f"sleep 0.2; echo {number}").stdout

    threads = [threading.Thread(target=run, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {number: f"{number}\n".encode() for number in range(4)}


# CPU and wall time


def test_a_busy_loop_meets_the_cpu_limit(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "while True: pass", limits=Limits(cpu_s=0.3))
    assert (seen.ending, seen.exit_code, seen.signal) == (Ending.CPU_LIMIT, None, None)
    assert 0.3 < seen.cpu_s < 1


def test_ignoring_signals_does_not_help_against_the_cpu_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import signal
        for number in (signal.SIGXCPU, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        while True: pass
    """
    assert python(sandbox, tree, code, limits=Limits(cpu_s=0.3)).ending is Ending.CPU_LIMIT


def test_children_share_the_cpu_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os
        for _ in range(3): os.fork()
        while True: pass
    """
    seen = python(sandbox, tree, code, limits=Limits(cpu_s=0.6))
    assert seen.ending is Ending.CPU_LIMIT
    assert seen.cpu_s < 2


def test_one_child_after_another_shares_the_cpu_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        while True:
            if os.fork() == 0:
                while time.process_time() < 0.1: pass
                os._exit(0)
            os.wait()
    """
    assert python(sandbox, tree, code, limits=Limits(cpu_s=0.6)).ending is Ending.CPU_LIMIT


def test_children_that_nobody_waits_for_share_the_cpu_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, signal, time
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            child = os.fork()
            if child == 0:
                while time.process_time() < 0.2: pass
                os._exit(0)
            try: os.waitpid(child, 0)
            except ChildProcessError: pass
    """
    assert python(sandbox, tree, code, limits=Limits(cpu_s=0.8, wall_s=20)).ending is Ending.CPU_LIMIT


def test_cpu_time_includes_children_and_grandchildren(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        def burn():
            end = time.process_time() + 0.15
            while time.process_time() < end: pass
        if os.fork() == 0:
            if os.fork() == 0:
                burn(); os._exit(0)
            os.wait(); burn(); os._exit(0)
        os.wait(); burn()
    """
    seen = python(sandbox, tree, code)
    assert seen.succeeded
    assert 0.45 <= seen.cpu_s < 0.9


def test_sleeping_meets_the_wall_limit_and_costs_no_cpu_time(sandbox: Sandbox, tree: Path) -> None:
    seen = shell(sandbox, tree, "trap '' TERM INT HUP; sleep 60; sleep 60", limits=Limits(wall_s=0.3))
    assert seen.ending is Ending.WALL_LIMIT
    assert seen.cpu_s < 0.2
    assert seen.wall_s >= 0.3


def test_a_command_cannot_slow_itself_down(sandbox: Sandbox, tree: Path) -> None:
    before, after = shell(sandbox, tree, "nice; nice -n 7 nice").stdout.split()
    assert before == after


def test_a_command_is_busy_while_it_runs_or_waits_for_a_cpu_and_not_while_it_sleeps(sandbox: Sandbox, tree: Path) -> None:
    slept = shell(sandbox, tree, "sleep 2")
    assert slept.busy_s is None or slept.busy_s < slept.wall_s - 0.5
    ran = shell(sandbox, tree, "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; sleep 0.2")
    assert ran.busy_s is None or ran.cpu_s / 2 < ran.busy_s <= ran.wall_s


SHORT_LIVED = {
    "processes": "i=0; while [ $i -lt 700 ]; do /bin/true; i=$((i + 1)); done",
    "threads": """python3 -c 'import threading
for _ in range(2500):
    one = threading.Thread(target=sum, args=(range(3000),)); one.start(); one.join()'""",
}


@pytest.mark.parametrize("what", SHORT_LIVED)
def test_a_command_is_busy_while_what_it_started_lives_too_short_to_be_seen(sandbox: Sandbox, tree: Path, what: str) -> None:
    seen = shell(sandbox, tree, f"{SHORT_LIVED[what]}\nsleep 1.5")
    assert seen.succeeded, seen
    assert seen.busy_s is None or 0.6 * (seen.wall_s - 1.5) < seen.busy_s < seen.wall_s - 0.8


def test_output_before_a_limit_is_kept(sandbox: Sandbox, tree: Path) -> None:
    seen = shell(sandbox, tree, "echo begun; echo one >&3; while :; do :; done", limits=Limits(cpu_s=0.2))
    assert (seen.stdout, seen.report) == (b"begun\n", b"one\n")


def test_a_daemon_is_killed_and_its_hold_on_the_pipes_does_not_hang_us(sandbox: Sandbox, tree: Path) -> None:
    mark = f"mark-{os.getpid()}-{sandbox.name}"
    code = f"""
        import os
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execvp("sh", ["{mark}", "-c", "trap '' TERM HUP; sleep 600; sleep 600"])
            os._exit(0)
        os.wait()
        print("main ends")
    """
    seen = python(sandbox, tree, code)
    assert (seen.ending, seen.exit_code, seen.stdout) == (Ending.EXITED, 0, b"main ends\n")
    assert leftovers(mark) == []


def test_the_whole_tree_dies_at_a_limit(sandbox: Sandbox, tree: Path) -> None:
    mark = f"tree-{os.getpid()}-{sandbox.name}"
    script = f"for i in 1 2 3; do setsid sh -c 'sleep 600; : {mark}' & done; sleep 600"
    assert shell(sandbox, tree, script, limits=Limits(wall_s=0.3)).ending is Ending.WALL_LIMIT
    assert leftovers(mark) == []


# Memory


def test_touching_too_much_memory_meets_the_limit(sandbox: Sandbox, tree: Path) -> None:
    seen = python(
        sandbox, tree, "held = []\nwhile True: held.append(b'x' * 1_000_000)", limits=Limits(memory_mb=100), address_space=False
    )
    assert seen.ending is Ending.MEMORY_LIMIT
    assert seen.peak_mb > 100


def test_touching_too_much_memory_fails_under_an_address_space_limit(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "held = []\nwhile True: held.append(b'x' * 1_000_000)", limits=Limits(memory_mb=100))
    assert seen.ending is Ending.MEMORY_LIMIT or b"MemoryError" in seen.stderr


def test_children_share_the_memory_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        for _ in range(3): os.fork()
        held = bytearray(b"x") * 30_000_000
        time.sleep(20)
    """
    seen = python(sandbox, tree, code, limits=Limits(memory_mb=150))
    assert seen.ending is Ending.MEMORY_LIMIT


def test_memory_shared_between_processes_counts_once(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        held = bytearray(b"x") * 80_000_000
        for _ in range(2): os.fork()
        time.sleep(0.5)
    """
    assert python(sandbox, tree, code, limits=Limits(memory_mb=150)).succeeded


def test_one_huge_allocation_is_refused(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "bytearray(20_000_000_000)", limits=Limits(memory_mb=100))
    assert (seen.exit_code, b"MemoryError" in seen.stderr) == (1, True)


def test_peak_memory_is_about_right(sandbox: Sandbox, tree: Path) -> None:
    empty = python(sandbox, tree, "pass")
    seen = python(sandbox, tree, "held = b'x' * 100_000_000")
    assert seen.succeeded
    assert 95 <= seen.peak_mb - empty.peak_mb <= 115
    assert empty.peak_mb < 30


def test_a_program_that_peaks_over_the_limit_for_a_moment_has_met_it(sandbox: Sandbox, tree: Path) -> None:
    seen = python(sandbox, tree, "held = b'x' * 120_000_000; del held", limits=Limits(memory_mb=100))
    assert seen.ending is Ending.MEMORY_LIMIT


def test_a_deep_stack_may_use_the_memory_limit(sandbox: Sandbox, tree: Path) -> None:
    (tree / "deep.c").write_text(
        "int main(void) { volatile char a[100 << 20]; for (int i = 0; i < 100 << 20; i += 512) a[i] = 1; return !a[512]; }"
    )
    assert shell(sandbox, tree, "cc -o deep deep.c", writable=True).succeeded
    for address_space in (True, False):
        command = Command(argv=("./deep",), address_space=address_space, limits=Limits(memory_mb=256))
        assert sandbox.run(command, tree).succeeded


def test_threads_start_under_an_address_space_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import threading
        threads = [threading.Thread(target=print, args=(i,)) for i in range(20)]
        for t in threads: t.start()
        for t in threads: t.join()
    """
    assert python(sandbox, tree, code, limits=Limits(memory_mb=64)).succeeded


# Output, processes, disk


@pytest.mark.parametrize("channel", [1, 2, 3])
def test_too_much_output_ends_the_command(sandbox: Sandbox, tree: Path, channel: int) -> None:
    seen = shell(sandbox, tree, f"yes >&{channel}", limits=Limits(output_mb=0.5))
    assert seen.ending is Ending.OUTPUT_LIMIT
    kept = {1: seen.stdout, 2: seen.stderr, 3: seen.report}[channel]
    assert len(kept) == 512 * 1024


def test_a_little_too_much_output_counts_although_the_command_succeeds(sandbox: Sandbox, tree: Path) -> None:
    limits = Limits(output_mb=1000 / 1024 / 1024)
    assert shell(sandbox, tree, "head -c 1000 /dev/zero", limits=limits).ending is Ending.EXITED
    assert shell(sandbox, tree, "head -c 1001 /dev/zero", limits=limits).ending is Ending.OUTPUT_LIMIT


def test_a_fork_bomb_is_contained(sandbox: Sandbox, tree: Path) -> None:
    mark = f"bomb-{os.getpid()}-{sandbox.name}"
    code = f"""
        import os, time
        {mark!r}
        for _ in range(200):
            if os.fork() == 0:
                time.sleep(60); os._exit(0)
    """
    seen = python(sandbox, tree, code, limits=Limits(processes=32, wall_s=20))
    assert seen.ending in (Ending.EXITED, Ending.SIGNALLED)
    assert not seen.succeeded
    assert leftovers(mark) == []


def test_as_many_processes_as_allowed_may_run(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        for _ in range(7):
            if os.fork() == 0:
                time.sleep(0.2); os._exit(0)
        for _ in range(7): os.wait()
    """
    assert python(sandbox, tree, code, limits=Limits(processes=8)).succeeded


def test_filling_the_temporary_folder_fails(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os
        for i in range(1000):
            with open(f"{os.environ['TMPDIR']}/{i}", "wb") as file: file.write(b"x" * 1_000_000)
    """
    seen = python(sandbox, tree, code, limits=Limits(disk_mb=20))
    assert seen.ending is Ending.DISK_LIMIT or b"No space left" in seen.stderr


def test_filling_the_tree_meets_the_disk_limit(sandbox: Sandbox, tree: Path) -> None:
    (tree / "old").write_bytes(b"x" * 30_000_000)  # what was there does not count
    assert shell(sandbox, tree, "echo small > small", limits=Limits(disk_mb=20), writable=True).succeeded
    seen = shell(
        sandbox, tree, "for i in 1 2 3 4 5; do head -c 9000000 /dev/zero > f$i; done", limits=Limits(disk_mb=20), writable=True
    )
    assert seen.ending is Ending.DISK_LIMIT


def test_files_without_names_meet_the_disk_limit(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        held = [os.memfd_create("x") for _ in range(10)]
        for number in held: os.write(number, b"x" * 5_000_000)
        time.sleep(20)
    """
    assert python(sandbox, tree, code, limits=Limits(disk_mb=20)).ending is Ending.DISK_LIMIT


def test_one_file_cannot_outgrow_the_disk_limit(sandbox: Sandbox, tree: Path) -> None:
    seen = shell(sandbox, tree, "exec head -c 30000000 /dev/zero > big", limits=Limits(disk_mb=20), writable=True)
    assert seen.ending is Ending.DISK_LIMIT
    assert (tree / "big").stat().st_size <= 20 << 20


def test_limits_cannot_be_raised(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import resource
        for name in ("CPU", "AS", "FSIZE", "NOFILE", "CORE"):
            number = getattr(resource, "RLIMIT_" + name)
            try: resource.setrlimit(number, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            except (ValueError, OSError): print("refused")
    """
    assert python(sandbox, tree, code).stdout == b"refused\n" * 5


# The tree


def test_a_writable_tree_is_changed_in_place_and_belongs_to_us_afterwards(sandbox: Sandbox, tree: Path) -> None:
    (tree / "old").write_text("old")
    script = (
        "echo new > old; mkdir -p a/b; echo x > a/b/c; ln -s /etc/passwd link; mkfifo pipe && "
        "{ chmod 000 a/b/c a/b; chmod 4755 old; true; }"  # under landlock, ordinary users cannot
    )
    assert shell(sandbox, tree, script, writable=True).succeeded
    assert (tree / "old").read_text() == "new\n"
    assert (tree / "a" / "b" / "c").read_text() == "x\n"
    if not isinstance(sandbox, InSlots):  # whose tree is the command's for as long as the slot is open
        assert {path.lstat().st_uid for path in tree.rglob("*")} == {os.geteuid()}
    assert not any(path.lstat().st_mode & (stat.S_ISUID | stat.S_ISGID) for path in tree.rglob("*"))
    assert sorted(path.name for path in tree.iterdir()) == ["a", "link", "old"]  # a pipe would block whoever opens it


def test_links_in_the_tree_are_never_followed(sandbox: Sandbox, tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "file").write_text("untouched")
    (outside / "file").chmod(0o600)
    before = [(path.stat().st_uid, path.stat().st_mode) for path in (outside, outside / "file")]
    (tree / "folder").symlink_to(outside)
    (tree / "file").symlink_to(outside / "file")
    (tree / "loop").symlink_to(".")
    assert shell(sandbox, tree, "true", writable=True).succeeded
    assert [(path.stat().st_uid, path.stat().st_mode) for path in (outside, outside / "file")] == before


def test_odd_file_names_are_fine(sandbox: Sandbox, tree: Path) -> None:
    names = [b"-rf", b"new\nline", b"\xff\xfe", b" ", b"a" * 255, "é".encode()]
    for name in names:
        Path(os.fsdecode(os.fsencode(tree) + b"/" + name)).write_bytes(name)
    seen = python(sandbox, tree, "import os; print(len(os.listdir(b'.')))", writable=True)
    assert seen.stdout == b"6\n"
    assert sorted(os.fsencode(path.name) for path in tree.iterdir()) == sorted(names)


def test_the_tree_is_left_without_strangers(sandbox: Sandbox, tree: Path) -> None:
    (tree / "only").touch()
    for writable in (False, True):
        assert shell(sandbox, tree, "true", writable=writable).succeeded
    assert [path.name for path in tree.iterdir()] == ["only"]


def test_folders_too_deep_to_delete_are_taken_away(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os
        while True:
            os.mkdir("d"); os.chdir("d")
    """
    assert python(sandbox, tree, code, writable=True).ending is Ending.DISK_LIMIT
    assert sum(1 for _ in tree.rglob("*")) <= 201


def test_folders_too_deep_for_any_path_are_taken_away(sandbox: Sandbox, tree: Path) -> None:
    """Chains that are short enough each, put below one another at once, before anybody has looked."""
    code = """
        import os
        place, name = os.getcwd(), "d" * 100
        ends = []
        for number in range(10):
            os.mkdir(f"chain{number}"); os.chdir(f"chain{number}")
            for _ in range(25):
                os.mkdir(name); os.chdir(name)
            ends.append(os.open(".", os.O_RDONLY)); os.chdir(place)
        os.makedirs(".gone-repairlab-0/taken")
        for number in range(9, 0, -1):
            os.rename(f"chain{number}", name, dst_dir_fd=ends[number - 1])
    """
    python(sandbox, tree, code, writable=True)
    left = {path.relative_to(tree) for path in tree.rglob("*")}
    assert left and max(len(str(path)) for path in left) < 3072
    assert {path.parts[0] for path in left} <= {f"chain{number}" for number in range(10)}


def test_what_was_built_in_one_run_can_be_used_in_the_next(sandbox: Sandbox, tree: Path) -> None:
    (tree / "main.c").write_text('#include <stdio.h>\nint main(void) { puts("built"); return 0; }\n')
    assert shell(sandbox, tree, "umask 077; cc -o main main.c", writable=True).succeeded
    assert sandbox.run(Command(argv=("./main",)), tree).stdout == b"built\n"


# Failures of ours


def test_an_interrupted_run_leaves_no_process_behind(sandbox: Sandbox, tree: Path) -> None:
    mark = f"interrupted-{os.getpid()}-{sandbox.name}"

    def interrupt(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            shell(sandbox, tree, f"sleep 600; : {mark}")
    finally:
        signal.signal(signal.SIGALRM, before)
    assert leftovers(mark) == []


def test_a_tree_that_does_not_exist_is_our_failure(sandbox: Sandbox, tree: Path) -> None:
    with pytest.raises(HarnessError, match="no tree"):
        sandbox.run(Command(argv=("true",)), tree / "missing")


@pytest.mark.parametrize("command", [Command(argv=()), Command(argv=("a\0b",)), Command(argv=("true",), env=(("A", "\0"),))])
def test_what_is_no_command_is_refused(sandbox: Sandbox, tree: Path, command: Command) -> None:
    with pytest.raises(UserError, match="not a command"):
        sandbox.run(command, tree)


def test_killing_the_launcher_is_not_possible(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, signal, resource
        tries = [lambda: os.kill(os.getppid(), signal.SIGKILL), lambda: os.kill(os.getppid(), signal.SIGSTOP),
                 lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU, (0, 0)),
                 lambda: os.sched_setscheduler(os.getppid(), os.SCHED_IDLE, os.sched_param(0)),
                 lambda: open(f"/proc/{os.getppid()}/mem", "rb"), lambda: open(f"/proc/{os.getppid()}/environ", "rb").read(),
                 lambda: os.listdir(f"/proc/{os.getppid()}/fd")]
        for attempt in tries:
            try: attempt()
            except OSError: print("refused")
            else: print("ignored")
        exit(5)
    """
    seen = python(sandbox, tree, code)
    assert (seen.ending, seen.exit_code) == (Ending.EXITED, 5)
    assert seen.stdout.splitlines()[2:] == [b"refused"] * 5


def test_no_signal_reaches_the_launcher_by_way_of_a_descriptor(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import fcntl, os, signal, socket, struct, time
        def ask(setting):
            try: setting()
            except OSError: pass
        for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGIO):
            for target in (os.getppid(), -os.getppid()):
                for setting in (
                    lambda: fcntl.fcntl(ours, fcntl.F_SETOWN, target), lambda: fcntl.fcntl(ours, 15, struct.pack("ii", 1, target)),
                    lambda: fcntl.ioctl(ours, 0x8901, struct.pack("i", target)),
                    lambda: fcntl.ioctl(ours, 0x8902, struct.pack("i", target)),
                ):
                    ours, theirs = socket.socketpair()
                    ask(setting)
                    ask(lambda: fcntl.fcntl(ours, 10, number))
                    ask(lambda: fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK))
                    theirs.send(b"x")
            ask(lambda: signal.pidfd_send_signal(os.open(f"/proc/{os.getppid()}", os.O_RDONLY), number))
        exit(5)
    """
    for _ in range(2):
        seen = python(sandbox, tree, code)
        assert (seen.ending, seen.exit_code, seen.stderr) == (Ending.EXITED, 5, b"")


def test_a_folder_that_is_closed_to_us_counts_as_any_other(sandbox: Sandbox, tree: Path) -> None:
    code = """
        import os, time
        for number in range(10):
            os.mkdir(f"d{number}", 0o300)
            with open(f"d{number}/file", "wb") as file: file.write(bytes(4_000_000))
            try: os.chmod(f"d{number}", 0)
            except OSError: pass
        time.sleep(20)
    """
    assert python(sandbox, tree, code, limits=Limits(disk_mb=8), writable=True).ending is Ending.DISK_LIMIT
    small = "import os; os.mkdir('closed', 0o300); open('closed/file', 'wb').write(bytes(1000)); import time; time.sleep(0.3)"
    assert python(sandbox, tree, small, limits=Limits(disk_mb=8), writable=True).succeeded
