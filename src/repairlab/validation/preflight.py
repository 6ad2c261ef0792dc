"""Find out what works on this machine: the sandbox, each language with a tiny program, and the tools that bugs need.

What worked for a run is remembered in the cache until the machine restarts, or its tools, the sandbox or our own code change.
"""

import contextlib
import dataclasses
import tempfile
from collections.abc import Collection, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from repairlab.core.amounts import count
from repairlab.core.bug import Bug, ToolNeed
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import BuildLimits, Command, Execution, Limits
from repairlab.core.recipe import Test
from repairlab.core.record import digest
from repairlab.languages.facts import facts, names
from repairlab.languages.language import EnvironmentProvider, SlowToWarm, Warmable, language
from repairlab.sandbox.doctor import DoctorFinding
from repairlab.sandbox.doctor import diagnose as diagnose_sandbox
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.cache import FILE, VerdictCache, engine_digest
from repairlab.validation.machine import Machine

FOLDER = "tools-that-work"
_PROGRAMS = {"cmake": ("cmake", "ninja"), "make": ("make",), "autotools": ("make",), "ctest": ("ctest",), "automake": ("make",)}
"""What a build tool or a test framework starts, beyond the language's self-test."""


def check_tools(bugs: Iterable[Bug], machine: Machine, *, sandbox: Sandbox | None = None) -> None:
    """Install the environments of bugs; raise a HarnessError that names a tool of theirs that does not work in the sandbox."""
    bugs = list(bugs)
    install_environments(bug for bug in bugs if bug.oracle.build.environment)
    check_needs({bug.tool_need for bug in bugs}, machine, sandbox=sandbox)


def install_environments(bugs: Iterable[Bug]) -> None:
    """Install missing environments of bugs: the last moment at which a network may be used."""
    for bug in {bug.oracle.build.environment: bug for bug in bugs}.values():
        provide(bug)


def check_needs(needs: Collection[ToolNeed], machine: Machine, *, sandbox: Sandbox | None = None) -> None:
    """Raise a HarnessError that names a language or a tool that does not work in the sandbox."""
    names = sorted({need.language for need in needs})
    programs = sorted({program for need in needs for part in (need.tool, need.framework) for program in _PROGRAMS.get(part, ())})
    sandbox = sandbox or machine.open_sandbox()
    versions = {name: language(name).toolchain.versions() for name in names}
    marks = {name: _mark(machine, sandbox, name, versions[name]) for name in names}
    marks |= {program: _mark(machine, sandbox, program, versions) for program in programs}
    for name, mark in marks.items():
        if mark.exists():
            continue
        problem = self_test(name, sandbox) if name in versions else _start(name, sandbox)
        if problem:
            raise HarnessError(f"{name} does not work in the sandbox {sandbox.name}: {problem}. `repairlab doctor` tells more")
        with contextlib.suppress(OSError):  # then it is tried again the next time
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()


def provide(bug: Bug) -> None:
    """Install the environment of a bug, from the lock beside the bugs of its benchmark."""
    build, toolchain = bug.oracle.build, language(bug.problem.language).toolchain
    if not isinstance(toolchain, EnvironmentProvider):
        raise UserError(f"bug {bug.id}: build.environment is {build.environment!r}, but {bug.problem.language} has no environments")
    toolchain.provide(build, lock_of(bug))


def lock_of(bug: Bug) -> Path:
    """Return the lock of a bug's environment, which lies beside the bugs of its benchmark."""
    return Path(bug.tree.source).parents[2] / "environments" / f"{bug.oracle.build.environment}.txt"


def missing_tools(name: str) -> str:
    """Return why programs of a language cannot be built or run here, if so; tools are only looked for, not tried."""
    try:
        language(name).toolchain.versions()
    except HarnessError as error:
        return str(error)
    return ""


def _start(program: str, sandbox: Sandbox) -> str:
    """Return why a program does not start, if so."""
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        seen = sandbox.run(Command(argv=(program, "--version")).under(BuildLimits()), Path(folder))
    if seen.succeeded:
        return ""
    said = (seen.stderr or seen.stdout).decode("utf-8", "replace").strip()[-300:]
    return f"`{program} --version` came to {seen.ending} {seen.exit_code if seen.signal is None else seen.signal}: {said}"


def _mark(machine: Machine, sandbox: Sandbox, *facts: object) -> Path:
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return machine.cache / FOLDER / digest(boot, sandbox.name, engine_digest(), *facts)


GREETING = b"repairlab\n"


def diagnose(cache: Path) -> Iterator[DoctorFinding]:
    """Yield findings as soon as they are known, the sandbox first, then every language, tried at the same time."""
    yield from (*diagnose_sandbox(cache), _verdicts(cache))
    try:
        sandboxes = [open_sandbox(cache=cache) for _ in names()]
    except (UserError, HarnessError) as error:
        without = "languages need a sandbox that works"
        yield DoctorFinding(name="languages", ok=False, detail=f"not tried: {without}", remedy=str(error))
        return
    with ThreadPoolExecutor() as pool:
        yield from pool.map(_diagnose_language, names(), sandboxes)


def _verdicts(cache: Path) -> DoctorFinding:
    """Say how much is kept of earlier runs."""
    path = cache / FILE
    if not path.is_file():
        return DoctorFinding(name="verdict cache", ok=True, detail="empty")
    verdicts = VerdictCache(cache)
    n, size_mb = verdicts.n_verdicts(), path.stat().st_size / 2**20
    verdicts.close()
    return DoctorFinding(
        name="verdict cache", ok=True, detail=f"{count(n, 'verdict')}, {size_mb:.1f} MB in {path}; to clear it, delete the file"
    )


def _diagnose_language(name: str, sandbox: Sandbox) -> DoctorFinding:
    try:
        versions = language(name).toolchain.versions()
        problem = self_test(name, sandbox, quick=True)
    except HarnessError as error:
        return DoctorFinding(name=name, ok=False, detail="its tools are not all there", remedy=str(error))
    detail = ", ".join(f"{tool} {version}" for tool, version in versions.items())
    return DoctorFinding(name=name, ok=not problem, detail=problem or f"builds and runs a program ({detail})", remedy="")


def builds(name: str, path: str, text: str, sandbox: Sandbox) -> bool:
    """Whether the language's compiler accepts a program by itself, without running it; an empty one is refused."""
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        tree = Path(folder) / "work"
        tree.mkdir()
        return bool(text.strip()) and _failed_build(name, path, text, sandbox, tree) is None


def _failed_build(name: str, path: str, text: str, sandbox: Sandbox, tree: Path) -> Execution | None:
    """Build a program in an empty tree; return the step that failed, if one did."""
    (tree / path).parent.mkdir(parents=True, exist_ok=True)
    (tree / path).write_text(text, encoding="utf-8", errors="replace")
    for command in language(name).toolchain.build(facts(name).build, Test(), [path]):
        built = sandbox.run(command.under(BuildLimits()), tree)
        if not built.succeeded:
            return built
    return None


def self_test(name: str, sandbox: Sandbox, *, quick: bool = False) -> str:
    """Build and run a language's echo program; return what went wrong, if anything.

    `quick` leaves what only speeds up later runs to the first run.
    """
    stated, toolchain = facts(name), language(name).toolchain
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        tree = Path(folder) / "work"
        tree.mkdir()
        if failed := _failed_build(name, stated.file, stated.self_test, sandbox, tree):
            return f"the self-test does not build: {failed.stderr.decode('utf-8', 'replace')[-300:]}"
        if quick and isinstance(toolchain, SlowToWarm):
            toolchain.check_resident()
        elif isinstance(toolchain, Warmable):
            toolchain.warm(stated.build, Test(), [stated.file])  # shared parts have needs of their own
        program = toolchain.program(stated.build, Test())
        ran = sandbox.run(dataclasses.replace(program, stdin=GREETING).under(Limits(memory_mb=256)), tree)
    return "" if ran.stdout == GREETING else f"the self-test printed {ran.stdout!r}, not {GREETING!r}"
