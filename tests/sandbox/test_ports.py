"""Programs in a sandbox reach the addresses that are named, and nothing else."""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.languages.language import default_cache
from repairlab.sandbox.ports import MOST_PORTS, Halt, Port, forward_to, run_with_ports
from repairlab.sandbox.sandbox import Conversing, Sandbox
from tests.sandbox.conftest import form

LIMITS = Limits(cpu_s=20, wall_s=60, memory_mb=256, output_mb=1)
ASK = """\
import socket, sys
for port in map(int, sys.argv[1:]):
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as way:
            way.sendall(b"hello")
            way.shutdown(socket.SHUT_WR)
            print(port, way.makefile("rb").read().decode())
    except OSError as error:
        print(port, type(error).__name__)
"""


@pytest.fixture(params=["bubblewrap", "user namespace", "without layers", pytest.param("podman", marks=pytest.mark.container)])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Every form of a back end whose commands have a network of their own."""
    return form(request.param, request)


@contextlib.contextmanager
def answering(word: bytes) -> Iterator[int]:
    """Run a server of the host that answers what it gets with a word in front."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    client, _ = server.accept()
                    with client:
                        client.sendall(word + b" " + client.makefile("rb").read())

        threading.Thread(target=serve, daemon=True).start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)


def start(sandbox: Sandbox, tree: Path, ports: list[Port], *argv: str) -> Execution:
    assert isinstance(sandbox, Conversing)
    with contextlib.closing(Halt()) as halt:
        return run_with_ports(sandbox, Command(argv=argv, writable=True, limits=LIMITS), tree, ports, halt, cache=default_cache())


def test_a_named_address_is_reached_through_its_port_and_no_other_is(sandbox: Sandbox, tree: Path) -> None:
    with answering(b"one") as one, answering(b"two") as two, answering(b"three") as three:
        ports = [Port(number=8001, serve=forward_to("127.0.0.1", one)), Port(number=8002, serve=forward_to("127.0.0.1", two))]
        seen = start(sandbox, tree, ports, "python3", "-c", ASK, "8001", "8002", str(three), str(one))
    assert seen.stdout.decode().split("\n") == [
        "8001 one hello",
        "8002 two hello",
        f"{three} ConnectionRefusedError",
        f"{one} ConnectionRefusedError",
        "",
    ]


def test_neither_other_hosts_nor_names_nor_sockets_of_the_host_are_reached(sandbox: Sandbox, tree: Path) -> None:
    code = """\
import socket
for family, kind, address in (
    (socket.AF_INET, socket.SOCK_STREAM, ("1.1.1.1", 53)),
    (socket.AF_INET, socket.SOCK_DGRAM, ("1.1.1.1", 53)),
    (socket.AF_INET6, socket.SOCK_STREAM, ("2606:4700:4700::1111", 53)),
    (socket.AF_UNIX, socket.SOCK_STREAM, "/run/docker.sock"),
):
    try:
        with socket.socket(family, kind) as way:
            way.settimeout(10)
            way.connect(address)
            print("reached", address)
    except OSError:
        print("not reached")
try:
    print("reached", socket.getaddrinfo("example.org", 80))
except OSError:
    print("not reached")
"""
    with answering(b"one") as one:
        seen = start(sandbox, tree, [Port(number=8001, serve=forward_to("127.0.0.1", one))], "python3", "-c", code)
    assert seen.stdout.decode() == "not reached\n" * 5


def test_the_program_has_neither_the_way_to_the_host_nor_any_input(sandbox: Sandbox, tree: Path) -> None:
    with answering(b"one") as one:
        ports = [Port(number=8001, serve=forward_to("127.0.0.1", one))]
        seen = start(sandbox, tree, ports, "sh", "-c", "cat; for fd in /proc/self/fd/*; do readlink $fd; done")
    assert "socket:" not in seen.stdout.decode()
    assert "/dev/null" in seen.stdout.decode()


def test_the_port_inside_cannot_be_taken_over(sandbox: Sandbox, tree: Path) -> None:
    code = """\
import socket
way = socket.socket()
way.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
try:
    way.bind(("127.0.0.1", 8001))
except OSError as error:
    print(type(error).__name__)
"""
    with answering(b"one") as one:
        seen = start(sandbox, tree, [Port(number=8001, serve=forward_to("127.0.0.1", one))], "python3", "-c", code)
    assert seen.stdout.decode() == "OSError\n"


def test_an_address_where_nobody_listens_ends_the_connection(sandbox: Sandbox, tree: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        nobody = server.getsockname()[1]
    seen = start(sandbox, tree, [Port(number=8001, serve=forward_to("127.0.0.1", nobody))], "python3", "-c", ASK, "8001")
    assert seen.stdout.decode().startswith("8001 ")
    assert "hello" not in seen.stdout.decode()


def test_without_ports_there_is_no_input_and_the_output_comes_back(sandbox: Sandbox, tree: Path) -> None:
    seen = start(sandbox, tree, [], "sh", "-c", "cat; echo out; echo err >&2; exit 3")
    assert (seen.stdout, seen.stderr, seen.exit_code) == (b"out\n", b"err\n", 3)


def test_a_flood_of_output_ends_the_program_and_its_beginning_is_kept(sandbox: Sandbox, tree: Path) -> None:
    seen = start(sandbox, tree, [], "sh", "-c", "echo first; yes")
    assert seen.ending is Ending.OUTPUT_LIMIT
    assert seen.stdout.startswith(b"first\n")
    assert len(seen.stdout) == 1024 * 1024


def test_a_program_that_is_halted_ends_at_once_and_the_first_reason_counts(sandbox: Sandbox, tree: Path) -> None:
    assert isinstance(sandbox, Conversing)
    with contextlib.closing(Halt()) as halt:
        halt.press("enough")
        halt.press("too late")
        command = Command(argv=("sleep", "1000"), writable=True, limits=LIMITS)
        seen = run_with_ports(sandbox, command, tree, [], halt, cache=default_cache())
        assert halt.reason == "enough"
    assert seen.ending is Ending.SIGNALLED
    halt.press("after the end")  # nobody is there any more


def test_too_many_addresses_are_refused(sandbox: Sandbox, tree: Path) -> None:
    ports = [Port(number=8001 + number, serve=forward_to("127.0.0.1", 9)) for number in range(MOST_PORTS + 1)]
    with pytest.raises(UserError, match="no more than 16"):
        start(sandbox, tree, ports, "true")


def test_a_program_that_does_not_exist_is_an_execution(sandbox: Sandbox, tree: Path) -> None:
    with answering(b"one") as one:
        seen = start(sandbox, tree, [Port(number=8001, serve=forward_to("127.0.0.1", one))], "no-such-program")
    assert seen.exit_code == 125
    assert b"cannot start the program" in seen.stderr


def test_a_sandbox_without_a_network_of_its_own_says_so(landlock: Sandbox, tree: Path) -> None:
    with pytest.raises(HarnessError, match="bubblewrap can do it"):
        start(landlock, tree, [Port(number=8001, serve=forward_to("127.0.0.1", 9))], "true")
