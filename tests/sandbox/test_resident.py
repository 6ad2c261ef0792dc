"""A process that stays: requests, replies and every way to lose it, the same on each back end."""

import os
import time
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Limits
from repairlab.sandbox.resident import ResidentLost
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited

SERVER = """
import os, socket, struct, sys, time
channel = socket.socket(fileno=3)
def read(size):
    data = b""
    while len(data) < size:
        chunk = channel.recv(size - len(data))
        if not chunk:
            sys.exit()
        data += chunk
    return data
def send(data):
    channel.sendall(struct.pack(">I", len(data)) + data)
while True:
    (length,) = struct.unpack(">I", read(4))
    request = read(length)
    exec(request.decode())
"""


def server(**limits: int) -> Command:
    return Command(argv=("/usr/bin/python3", "-c", SERVER), limits=Limits(cpu_s=1, wall_s=1, **limits))


def test_requests_are_answered_one_after_the_other_by_the_same_process(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident:
        first = resident.ask(b"send(b'%d' % os.getpid())", wall_s=20)
        assert resident.ask(b"send(b'%d' % os.getpid())", wall_s=20) == first
        assert resident.ask(b"send(b'')", wall_s=20) == b""
        assert len(resident.ask(b"send(b'x' * 10_000_000)", wall_s=20)) == 10_000_000


def test_requests_may_be_large(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident:
        text = b"#" * 3_000_000 + b"\nsend(b'%d' % len(request))"
        assert resident.ask(text, wall_s=20) == b"%d" % len(text)


def test_the_limits_on_time_are_the_callers(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident:  # which has a CPU limit of one second
        burn = b"t = time.process_time()\nwhile time.process_time() < t + 1.5: pass\nsend(b'done')"
        assert resident.ask(burn, wall_s=60) == b"done"


def test_a_process_that_ends_is_lost_and_says_how(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident:
        with pytest.raises(ResidentLost, match=r'it ended: .*"code":3'):
            resident.ask(b"os._exit(3)", wall_s=20)
        with pytest.raises(ResidentLost, match="it ended"):
            resident.ask(b"send(b'')", wall_s=20)


def test_silence_is_lost_and_the_whole_process_tree_is_killed(sandbox: Sandbox, tree: Path) -> None:
    mark = f"{os.getpid()}{time.time_ns()}"
    with sandbox.reside(server(), tree) as resident, pytest.raises(ResidentLost, match=r"no answer within 0\.5 s"):
        resident.ask(f"import subprocess; subprocess.run(['sleep', '{mark}'])".encode(), wall_s=0.5)
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not any(mark.encode() in line for line in running)


def test_garbage_is_lost(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident, pytest.raises(ResidentLost, match="announced a reply of"):
        resident.ask(b"channel.sendall(b'HTTP/1.1 200 OK')", wall_s=20)


def test_a_closed_channel_is_lost(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident, pytest.raises(ResidentLost):
        resident.ask(b"channel.close(); time.sleep(60)", wall_s=1)


def test_a_flood_of_output_neither_blocks_nor_comes_back(sandbox: Sandbox, tree: Path) -> None:
    flood = b"[print('x' * 1000, file=s) for s in (sys.stdout, sys.stderr) for _ in range(100_000)]; send(b'done')"
    with sandbox.reside(server(), tree) as resident:
        assert resident.ask(flood, wall_s=60) == b"done"


def test_memory_stays_limited(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(memory_mb=64), tree) as resident, pytest.raises(ResidentLost):
        resident.ask(b"x = bytearray(400_000_000); time.sleep(5); send(b'done')", wall_s=20)


def test_disk_space_stays_limited(sandbox: Sandbox, tree: Path) -> None:
    write = b"[open(os.environ['TMPDIR'] + f'/{n}', 'wb').write(bytes(4_000_000)) for n in range(10)]; time.sleep(5); send(b'done')"
    with sandbox.reside(server(disk_mb=8), tree) as resident, pytest.raises(ResidentLost):
        resident.ask(write, wall_s=20)


def test_a_program_that_does_not_exist_is_lost(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(Command(argv=("/no/such/program",)), tree) as resident, pytest.raises(ResidentLost, match="it ended"):
        resident.ask(b"", wall_s=20)


def test_commands_run_beside_a_resident(sandbox: Sandbox, tree: Path) -> None:
    with sandbox.reside(server(), tree) as resident:
        assert sandbox.run(Command(argv=("true",)), tree).succeeded
        assert resident.ask(b"send(b'here')", wall_s=20) == b"here"


def test_a_fake_keeps_no_process(tree: Path) -> None:
    sandbox: Sandbox = FakeSandbox(lambda command: exited())
    with pytest.raises(ResidentLost), sandbox.reside(server(), tree):
        pass
