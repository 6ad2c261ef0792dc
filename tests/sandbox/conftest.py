"""What the tests of all sandboxes share: working back ends, and a tree that an unprivileged user can reach."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.sandbox.breakout import prove
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.container import ContainerSandbox
from repairlab.sandbox.process import ProcessSandbox, open_landlock
from repairlab.sandbox.resident import Resident
from repairlab.sandbox.sandbox import Runner, Sandbox

BACK_ENDS = ("bubblewrap", "landlock", "process", pytest.param("podman", marks=pytest.mark.container))
IN_SLOTS = ("bubblewrap in a slot", "landlock in a slot", "process in a slot")  # containers always are, and are slow to start

FORMS = ("bubblewrap", "user namespace", "without layers", "landlock", "process")
"""Back ends, and the forms of bubblewrap."""

SERVER = """
import array, ctypes, os, resource, signal, socket, struct, sys
number = os.environ.pop("REPAIRLAB_FORK_SERVER", None)
def program():
    exec(compile(open(0).read(), "program", "exec"), {"started": STARTED})
    sys.stdout.flush()
    os._exit(0)
HERE = os.getcwd()
STARTED = os.getpid()
if number is None:
    program()
libc = ctypes.CDLL(None)
libc.prctl(4, 0, 0, 0, 0)
launcher = socket.socket(fileno=int(number))
launcher.send(b"ready")
for count in range(int(os.environ.get("RUNS", 10**9))):
    message, control, _, _ = launcher.recvmsg(1, socket.CMSG_LEN(16))
    if not message:
        os._exit(0)
    fds = array.array("i", control[0][2])
    child = os.fork()
    if child == 0:
        for place, fd in enumerate(fds):
            os.dup2(fd, place)
        os.closerange(4, 64)
        os.setsid()
        os.umask(0o022)
        os.chdir(HERE)
        libc.prctl(1, 9, 0, 0, 0)
        libc.prctl(4, 1, 0, 0, 0)
        program()
    for fd in fds:
        os.close(fd)
    _, status, used = os.wait4(child, 0)
    cpu_us = int((used.ru_utime + used.ru_stime) * 1_000_000)
    launcher.send(struct.pack("iiqq", status, 0, cpu_us, used.ru_maxrss))
"""
"""A fork server, as our Python interpreters become one; a fork runs what it reads."""


class InSlots:
    """A sandbox that keeps its trees in slots: every command runs where earlier ones ran."""

    def __init__(self, sandbox: Sandbox, stack: ExitStack) -> None:
        self.name = f"{sandbox.name} in a slot"
        self._sandbox = sandbox
        self._stack = stack
        self._slots: dict[Path, Runner] = {}

    def run(self, command: Command, tree: Path) -> Execution:
        if tree not in self._slots:
            self._slots[tree] = self._stack.enter_context(self._sandbox.slot(tree))
        return self._slots[tree].run(command, tree)

    def reside(self, command: Command, tree: Path) -> AbstractContextManager[Resident]:
        return self._sandbox.reside(command, tree)

    def slot(self, tree: Path) -> AbstractContextManager[Runner]:
        return self._sandbox.slot(tree)


@pytest.fixture(scope="session")
def cache() -> Iterator[Path]:
    """A cache that everybody can reach, unlike pytest's folders."""
    folder = Path(tempfile.mkdtemp(prefix="cache-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def bubblewrap(cache: Path) -> BubblewrapSandbox:
    try:
        return BubblewrapSandbox.open(cache)
    except HarnessError as error:
        pytest.skip(f"bubblewrap cannot work here: {error}")


@pytest.fixture(scope="session")
def landlock(cache: Path) -> ProcessSandbox:
    try:
        return open_landlock(cache)
    except HarnessError as error:
        pytest.skip(f"Landlock cannot work here: {error}")


@pytest.fixture(scope="session")
def process(cache: Path) -> ProcessSandbox:
    return ProcessSandbox(cache, allow_unsafe=True)


@pytest.fixture(scope="session")
def podman(cache: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ContainerSandbox]:
    """Podman with the runtime of its settings, or with runc, which works where both versions of control groups are mounted."""
    settings = tmp_path_factory.mktemp("podman") / "containers.conf"
    settings.write_text('[engine]\nruntime = "runc"\n')
    reasons = []
    for variables in ({}, {"CONTAINERS_CONF": str(settings)}):
        with pytest.MonkeyPatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            try:
                found = ContainerSandbox.open("podman", cache)
                prove(found, cache)
            except HarnessError as error:
                reasons.append(str(error))
            else:
                yield found
                return
    pytest.skip(f"podman cannot work here: {'; '.join(reasons)}")


@pytest.fixture(params=BACK_ENDS)
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Every back end."""
    found: Sandbox = request.getfixturevalue(request.param)
    return found


@pytest.fixture(params=[*BACK_ENDS, *IN_SLOTS])
def runner(request: pytest.FixtureRequest, tree: Path) -> Iterator[Sandbox]:
    """Every back end, once with a new place for every command and once with a lasting one."""
    name: str = request.param
    found: Sandbox = request.getfixturevalue(name.removesuffix(" in a slot"))
    with ExitStack() as stack:
        yield InSlots(found, stack) if name.endswith(" in a slot") else found


def form(name: str, request: pytest.FixtureRequest) -> Sandbox:
    """Return a back end in one of its forms, or skip the test where that does not work."""
    if name not in ("user namespace", "without layers"):
        found: Sandbox = request.getfixturevalue(name)
        return found
    layers = name == "user namespace"
    made = BubblewrapSandbox(request.getfixturevalue("cache"), user_namespace=layers or os.geteuid() != 0, layers=layers)
    try:
        made.probe()
    except HarnessError as error:
        pytest.skip(f"bubblewrap cannot work so: {error}")
    return made


@pytest.fixture
def tree() -> Iterator[Path]:
    """A folder that everybody can enter, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp(prefix="tree-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)
