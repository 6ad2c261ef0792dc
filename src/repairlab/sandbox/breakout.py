"""The self-test of isolation: a program in a sandbox goes for bait outside it. A back end's success is remembered."""

import contextlib
import hashlib
import json
import os
import select
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Limits, Mount
from repairlab.core.installation import PACKAGE
from repairlab.core.record import record
from repairlab.sandbox.launcher import compile_breakout, compile_launcher
from repairlab.sandbox.launching import socket_folder
from repairlab.sandbox.sandbox import Sandbox

TRIALS = (
    "files of the host hidden",
    "host cannot be written to",
    "no network",
    "sockets of the host closed",
    "processes of the host out of reach",
    "no rights",
    "system calls filtered",
)
LIMITS = Limits(cpu_s=5, wall_s=60, memory_mb=64, disk_mb=8, output_mb=1)


@record
class BreakoutAttempt:
    """One way out that was tried."""

    name: str
    broken: str
    """What got through; empty when the sandbox held."""


def prove(sandbox: Sandbox, cache: Path) -> None:
    """Raise HarnessError unless every attempt to break out fails."""
    broken = [f"{trial.name}: {trial.broken}" for trial in try_to_break_out(sandbox, cache) if trial.broken]
    if broken:
        raise HarnessError(f"{sandbox.name} does not hold what it promises ({'; '.join(broken)})")


def try_to_break_out(sandbox: Sandbox, cache: Path) -> tuple[BreakoutAttempt, ...]:
    """Run the program and return what it found; a trial that it does not mention counts as broken."""
    program = compile_breakout(cache)
    with _bait() as bait:
        arguments = (
            str(os.getpid()),
            _start_time(),
            *bait.arguments,
            *(str(path) for path in (*bait.files, compile_launcher(cache))),
        )
        # The program is ours; built with a sanitizer, it reserves more address space than it will ever use.
        command = Command(argv=(str(program), *arguments), mounts=(Mount(path=str(program)),), address_space=False, limits=LIMITS)
        seen = sandbox.run(command, bait.tree)
        reached = bait.reached()
    if not seen.succeeded:
        raise HarnessError(
            f"the sandbox starts but runs nothing: {seen.ending}, {seen.stderr.decode(errors='replace').strip()[:500]}"
        )
    said = dict(_read_line(line) for line in seen.stdout.decode(errors="replace").splitlines())
    found = {name: said.get(name, "not tried") for name in TRIALS}
    if reached:
        found["no network"] = ", ".join(filter(None, (found["no network"], "a packet came through")))
    return tuple(BreakoutAttempt(name=name, broken=broken) for name, broken in found.items())


def _read_line(line: str) -> tuple[str, str]:
    """Read what the program says of one trial: its name, and what got through."""
    verdict, _, rest = line.partition(" ")
    name, _, detail = rest.partition(": ")
    return name, "" if verdict == "held" else detail or "?"


class _Bait:
    """Things of the host that everybody there may use, and nobody in a sandbox."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        folder.chmod(0o755)
        self.tree = folder / "tree"
        secrets = folder / "secrets"
        for made in (self.tree, secrets):
            made.mkdir()
            made.chmod(0o777)  # only the sandbox keeps others out
        secret = secrets / "file"
        secret.write_text("secret")
        secret.chmod(0o666)
        self.files = (secret, secrets, PACKAGE / "__init__.py")
        self._tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        self._udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        self._udp.bind(("127.0.0.1", 0))
        path, name = str(secrets / "socket"), f"repairlab-bait-{os.getpid()}-{secrets.parent.name}"
        for address in (path, "\0" + name):
            stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)).bind(address)
        (secrets / "socket").chmod(0o777)
        ports = (str(server.getsockname()[1]) for server in (self._tcp, self._udp))
        self.arguments = (*ports, path, name)

    def reached(self) -> bool:
        """Return whether anything came over the network."""
        return bool(select.select([self._tcp, self._udp], [], [], 0)[0])


@contextlib.contextmanager
def _bait() -> Iterator[_Bait]:
    """Lay out the bait, which is removed afterwards."""
    with contextlib.ExitStack() as stack:
        folder = Path(
            stack.enter_context(
                tempfile.TemporaryDirectory(prefix="repairlab-bait-", dir=socket_folder(), ignore_cleanup_errors=True)
            )
        )
        yield _Bait(folder, stack)


def _start_time() -> str:
    """Return when this process started, which together with its id is unique."""
    return Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]


SETTINGS = (
    "user/max_user_namespaces",
    "kernel/unprivileged_userns_clone",
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/apparmor_restrict_unprivileged_unconfined",
    "kernel/yama/ptrace_scope",
    "kernel/random/boot_id",
)
"""Files below /proc/sys; the last one changes with each start of the machine."""
RIGHTS = ("Uid:", "Gid:", "Groups:", "NoNewPrivs:", "Seccomp", "Cap")
"""Lines of /proc/self/status."""


class Proof:
    """One back end's proof on this machine, for this user, in this place."""

    def __init__(self, name: str, cache: Path) -> None:
        digest = hashlib.sha256(json.dumps([name, *_circumstances(cache)]).encode()).hexdigest()[:32]
        self._file = cache / f"sandbox-{name}-{digest}.json"

    def recall(self) -> dict[str, bool] | None:
        """Return the form in which the back end passed; empty if that has to be found out."""
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def remember(self, form: dict[str, bool]) -> None:
        """Record atomically that the back end passed."""
        with tempfile.NamedTemporaryFile("w", dir=self._file.parent, delete=False) as aside:
            json.dump(form, aside)
        Path(aside.name).replace(self._file)


def _circumstances(cache: Path) -> list[str]:
    """Return everything the self-test can depend on: programs, kernel and its settings, rights, namespaces, places."""
    bwrap = shutil.which("bwrap")
    return [
        *(f"{program}: {_digest(program)}" for program in (compile_launcher(cache), compile_breakout(cache))),
        f"{bwrap}: {_digest(Path(bwrap)) if bwrap else ''}",
        *os.uname(),
        *(_read(Path("/proc/sys", name)) for name in SETTINGS),
        *(line for line in _read(Path("/proc/self/status")).splitlines() if line.startswith(RIGHTS)),
        *(os.readlink(path) for path in sorted(Path("/proc/self/ns").iterdir())),  # noqa: PTH115
        _read(Path("/proc/self/attr/current")),
        f"{tempfile.gettempdir()}: {Path(tempfile.gettempdir()).stat().st_dev}",
    ]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, ValueError):
        return ""
