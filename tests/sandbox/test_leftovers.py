"""Nothing of one command reaches the next: one changes all that the sandbox lets it, the place is described before and after.

Both run where commands of one slot run, as plain processes and as forks of one server.
"""

import os
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.sandbox.sandbox import Runner, Sandbox
from tests.sandbox.conftest import FORMS, SERVER, form

PLACES = """
import ctypes, errno, fcntl, glob, json, os, resource, signal, socket, stat, struct, sys, time
ISOLATED = os.getpid() < 1000 and os.path.exists("/etc/hosts") and not os.path.exists("/etc/hostname")
FIXED = ("/home", "/", "/etc", "/dev", "/dev/pts", "/proc", "/proc/sys")
PLACES = [".", os.environ["HOME"], os.environ["TMPDIR"], *(["/dev/shm", *FIXED] if ISOLATED else [])]
PARTS = ("kernel/msg*", "kernel/s[he]m*", "fs/mqueue/*", "net/*/*", "vm/*")
SETTINGS = sorted(name for part in PARTS for name in glob.glob(f"/proc/sys/{part}") if os.path.isfile(name))
ARM = os.uname().machine == "aarch64"
libc = ctypes.CDLL(None, use_errno=True)
"""

DESCRIBE = (
    PLACES
    + """
def attributes(path):
    try: return sorted((name, os.getxattr(path, name, follow_symlinks=False)) for name in os.listxattr(path, follow_symlinks=False))
    except OSError as error: return error.errno
def marks(path):
    try:
        number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_DIRECTORY)
    except OSError as error: return error.errno
    try: return struct.unpack("l", fcntl.ioctl(number, 0x80086601, bytes(8)))
    except OSError as error: return error.errno
    finally: os.close(number)
def entry(path):
    seen = os.lstat(path)
    own = None if path in FIXED else (seen.st_nlink, seen.st_size, seen.st_mtime_ns)
    return (path, oct(seen.st_mode), seen.st_uid, seen.st_gid, own, attributes(path), marks(path))
def below(top):
    yield top
    if top in (".", "/dev/shm", os.environ["HOME"], os.environ["TMPDIR"]):
        for folder, folders, files in os.walk(top):
            yield from (os.path.join(folder, name) for name in sorted(folders + files))
def read(path, keep=lambda line: True):
    try: return [line for line in open(path).read().splitlines() if keep(line)]
    except OSError as error: return error.errno
def mounts():
    for line in read("/proc/self/mountinfo"):
        fields = line.split()
        yield " ".join([fields[3], fields[4], fields[5], *fields[fields.index("-") + 1:]])
STATUS = ("Umask", "Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Cap", "Sig", "Shd", "Cpus", "Mems", "Threads", "Speculation")
for top in PLACES:
    for path in below(top): print("file", entry(path))
print("limits", [resource.getrlimit(number) for number in range(16)])
print("status", read("/proc/self/status", lambda line: line.startswith(STATUS)))
print("ipc", [read(f"/proc/sysvipc/{name}") for name in ("shm", "sem", "msg")] if ISOLATED else None)
print("queues", glob.glob("/dev/mqueue/*"))
print("keys", read("/proc/keys") if ISOLATED else None)
def sockets(name):
    lines = [line.split() for line in read(f"/proc/net/{name}")[1:]]
    return sorted(line[1:6] + line[7:] if name == "unix" else line[1:4] if name != "netlink" else line[1:2] for line in lines)
print("sockets", [sockets(name) for name in ("unix", "tcp", "tcp6", "udp", "udp6", "raw", "netlink")] if ISOLATED else None)
print("pace", os.getpriority(os.PRIO_PROCESS, 0), os.sched_getaffinity(0), os.sched_getscheduler(0))
print("disk pace", libc.syscall(31 if ARM else 252, 1, 0))
OWN = ("oom_score_adj", "coredump_filter", "timerslack_ns", "comm", "personality", "loginuid", "attr/current")
print("process", [read(f"/proc/self/{name}") for name in OWN])
print("parent", read(f"/proc/{os.getppid()}/oom_score_adj"), [line.split()[1:] for line in read(f"/proc/{os.getppid()}/autogroup")])
print("settings", [(name, read(name)) for name in SETTINGS] if ISOLATED else None)
print("timers", signal.getitimer(signal.ITIMER_REAL), signal.getitimer(signal.ITIMER_VIRTUAL), read("/proc/self/timers"))
print("handlers", [str(signal.getsignal(number)) for number in signal.valid_signals()])
print("signals", signal.pthread_sigmask(signal.SIG_BLOCK, []), signal.sigpending())
print("place", os.getcwd(), os.umask(0o022), sorted(os.environ.items()), os.getgroups(), os.getsid(0) == os.getpid())
numbers = [name for name in os.listdir("/proc/self/fd") if os.path.exists(f"/proc/self/fd/{name}")]
print("open", sorted((int(name), stat.filemode(os.stat(f"/proc/self/fd/{name}").st_mode)) for name in numbers))
print("mounts", sorted(mounts()) if ISOLATED else None)
print("processes", sum(name.isdigit() for name in os.listdir("/proc")) if ISOLATED else None)
print("names", os.uname()[1], read("/proc/sys/kernel/hostname"), read("/proc/sys/kernel/domainname"))
print("space", [(lambda f: (f.f_bfree, f.f_ffree))(os.statvfs(top)) for top in PLACES[1:4]] if ISOLATED else None)
"""
)

HARM = (
    PLACES
    + """
done = 0
def attempt(action, *arguments):
    global done
    try:
        if action(*arguments) != -1: done += 1
    except (OSError, ValueError, AttributeError, OverflowError): pass
ACL = struct.pack("<IHHIHHIHHIHHI", 2, 1, 7, 0xFFFFFFFF, 4, 7, 0xFFFFFFFF, 0x10, 7, 0xFFFFFFFF, 0x20, 0, 0xFFFFFFFF)
held = []
def write(path, text):
    with open(path, "r+") as file: file.write(text)
def touch(path, content=b"left"):
    with open(path, "wb") as file: file.write(content)
def hold(path):
    held.append(open(path, "rb+"))
    fcntl.flock(held[-1], fcntl.LOCK_EX)
def own_file_name(top): return os.path.join(top, "left over")
for top in PLACES:
    path = own_file_name(top)
    attempt(touch, path)
    attempt(touch, os.path.join(top, "conftest.py"))
    attempt(hold, path)
    attempt(os.link, path, path + " linked")
    attempt(os.symlink, "/", path + " symbolic")
    attempt(os.mkfifo, path + " pipe")
    attempt(os.makedirs, path + " folders/a/b/c")
    attempt(touch, path + " folders/a/b/c/d")
    attempt(os.chmod, path + " folders/a/b", 0)
    unix = socket.socket(socket.AF_UNIX) if hasattr(socket, "AF_UNIX") and ISOLATED else None
    if unix: attempt(unix.bind, path + " socket"); held.append(unix)
    for existing in list(os.listdir(top)) if top in (".", os.environ["HOME"], os.environ["TMPDIR"]) else []:
        if existing.startswith("left") or existing == "server.py": continue
        full = os.path.join(top, existing)
        attempt(os.setxattr, full, "user.left", b"over"), attempt(os.utime, full, (3, 4))
        attempt(os.chmod, full, 0o4711), attempt(os.rename, full, full + " renamed")
    for name, value in (
        ("user.left", b"over"), ("system.posix_acl_access", ACL), ("system.posix_acl_default", ACL),
        ("trusted.overlay.opaque", b"y"), ("user.overlay.opaque", b"y"), ("security.left", b"x"),
    ):
        attempt(os.setxattr, top, name, value)
    try: folder = os.open(top, os.O_RDONLY | os.O_DIRECTORY)
    except OSError: continue
    held.append(folder)
    for flag in (0x40, 0x80, 0x10, 0x20, 0x20000000):
        attempt(lambda: fcntl.ioctl(folder, 0x40086602, struct.pack("l", flag)))
    attempt(os.chown, top, -1, os.getgid())
    attempt(os.utime, top, (1, 2))
    attempt(os.rename, top, top.rstrip("/") + " renamed")
    attempt(os.chmod, top, 0o7777)
    attempt(os.chmod, top, 0)
for number in range(16):
    soft, hard = resource.getrlimit(number)
    if number not in (resource.RLIMIT_AS, resource.RLIMIT_DATA, resource.RLIMIT_STACK):
        attempt(resource.setrlimit, number, (min(soft, 64) if soft >= 0 else 64, hard))
    attempt(resource.prlimit, os.getppid(), number, (0, 0))
for who in (0, os.getppid(), 1):
    for kind in (os.PRIO_PROCESS, os.PRIO_PGRP, os.PRIO_USER): attempt(os.setpriority, kind, who, 19)
    attempt(os.sched_setaffinity, who, {0}), attempt(os.sched_setscheduler, who, os.SCHED_IDLE, os.sched_param(0))
    for kind in (1, 2, 3): attempt(libc.syscall, 30 if ARM else 251, kind, who, 3 << 13)
for process in ("self", os.getppid(), 1):
    for name, text in (
        ("oom_score_adj", "900"), ("coredump_filter", "7f"), ("timerslack_ns", "99999"), ("comm", "left"),
        ("autogroup", "19"), ("loginuid", "1"), ("clear_refs", "5"),
    ):
        attempt(write, f"/proc/{process}/{name}", text)
for name in SETTINGS if ISOLATED else []:
    attempt(write, name, "1")
attempt(libc.prctl, 29, 99999), attempt(libc.prctl, 15, b"left"), attempt(libc.personality, 0x0400000), attempt(libc.prctl, 1, 0)
attempt(libc.shmget, 7, 4096, 0o1666), attempt(libc.semget, 7, 1, 0o1666), attempt(libc.msgget, 7, 0o1666)
attempt(libc.mq_open, b"/left", 0o102, 0o666, None)
attempt(libc.syscall, 217 if ARM else 248, b"user", b"left", b"over", 4, -3), attempt(libc.syscall, 219 if ARM else 250, 1, b"left")
if ISOLATED:
    for address in ("\\0left over", "\\0left two"):
        unix = socket.socket(socket.AF_UNIX); attempt(unix.bind, address); held.append(unix)
    for family, kind, host in (
        (socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1"), (socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1"),
        (socket.AF_INET6, socket.SOCK_STREAM, "::1"), (socket.AF_NETLINK, socket.SOCK_RAW, ""),
    ):
        try: server = socket.socket(family, kind)
        except OSError: continue
        held.append(server)
        attempt(server.bind, (host, 8765) if host else (0, 0))
        if kind == socket.SOCK_STREAM: attempt(server.listen)
for call in (
    ("mount", b"none", os.environ["TMPDIR"].encode(), b"tmpfs", 0, None), ("umount2", os.environ["TMPDIR"].encode(), 2),
    ("unshare", 0x20000), ("chroot", b"."), ("sethostname", b"left", 4),
):
    attempt(getattr(libc, call[0]), *call[1:])
attempt(signal.setitimer, signal.ITIMER_REAL, 600)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): attempt(signal.signal, number, signal.SIG_IGN)
attempt(signal.pthread_sigmask, signal.SIG_BLOCK, {signal.SIGUSR1}), attempt(os.kill, os.getpid(), signal.SIGUSR1)
attempt(os.umask, 0o777), attempt(os.chdir, "/"), os.environ.update(LEFT="over")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: time.sleep(600)
    os._exit(0)
print("changed", done > 20)
"""
)

CONNECT = """
if ISOLATED:
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    other, _ = server.accept()
    other.close(), client.close()
"""
"""What the kernel remembers for a minute, so that the place cannot be used again."""


@pytest.fixture(params=["plain", "forked"])
def run(request: pytest.FixtureRequest) -> Callable[[Runner, Path, str, bool], Execution]:
    """How one program runs in the place of another: by itself, or as a fork of a server."""

    def plain_or_forked(runner: Runner, tree: Path, code: str, private: bool) -> Execution:
        command = Command(
            argv=("python3", "-S", "server.py"),
            stdin=textwrap.dedent(code).encode(),
            private=private,
            forks=request.param == "forked",
            limits=Limits(wall_s=120, cpu_s=30),
        )
        return runner.run(command, tree)

    return plain_or_forked


@pytest.fixture(params=FORMS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    return form(request.param, request)


@pytest.fixture
def slot(sandbox: Sandbox, tree: Path) -> Iterator[Runner]:
    (tree / "server.py").write_text(SERVER)
    (tree / "folder" / "inner").mkdir(parents=True)
    for name in ("file", "folder/file", "folder/inner/file"):
        (tree / name).write_text(name)
    (tree / "link").symlink_to("file")
    with sandbox.slot(tree) as opened:
        yield opened


@pytest.mark.parametrize("private", [False, True], ids=["read-only", "private"])
def test_the_place_is_the_same_before_and_after(
    slot: Runner,
    tree: Path,
    run: Callable[[Runner, Path, str, bool], Execution],
    private: bool,
    request: pytest.FixtureRequest,
) -> None:
    if "process" in request.node.callspec.id and (os.geteuid() != 0 or not private):
        pytest.skip("without isolation, and with the same user, a command can move whole folders away")
    before = run(slot, tree, DESCRIBE, private)
    assert (before.stderr, before.exit_code) == (b"", 0)
    assert before.stdout.count(b"\n") > 15
    for done in (HARM, HARM, HARM + CONNECT):
        harm = run(slot, tree, done, private)
        assert (harm.ending, harm.stdout) == (Ending.EXITED, b"changed True\n"), harm.stderr
        after = run(slot, tree, DESCRIBE, private)
        assert after.stdout.decode().splitlines() == before.stdout.decode().splitlines()
        assert (after.stderr, after.exit_code) == (b"", 0)
