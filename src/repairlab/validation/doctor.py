"""What works on this machine: the sandbox, and for each language its tools and a tiny program."""

import dataclasses
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import BuildLimits, Limits
from repairlab.core.recipe import Test
from repairlab.core.words import count
from repairlab.languages.facts import facts, names
from repairlab.languages.language import SlowToWarm, Warmable
from repairlab.languages.table import language
from repairlab.sandbox.doctor import DoctorFinding
from repairlab.sandbox.doctor import diagnose as diagnose_sandbox
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.cache import FILE, VerdictCache

GREETING = b"repairlab\n"


def diagnose(cache: Path) -> Iterator[DoctorFinding]:
    """Yield what is found as soon as it is known, sandbox first, then every language; these are tried at the same time."""
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


def self_test(name: str, sandbox: Sandbox, *, quick: bool = False) -> str:
    """Build and run a language's echo program; return what went wrong, or nothing.

    `quick` leaves for the first run what only makes later ones faster.
    """
    stated, toolchain = facts(name), language(name).toolchain
    with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
        tree = Path(folder) / "work"
        tree.mkdir()
        (tree / stated.file).write_text(stated.self_test, encoding="utf-8")
        for command in toolchain.build(stated.build, Test(), [stated.file]):
            built = sandbox.run(command.under(BuildLimits()), tree)
            if not built.succeeded:
                return f"the self-test does not build: {built.stderr.decode('utf-8', 'replace')[-300:]}"
        if quick and isinstance(toolchain, SlowToWarm):
            toolchain.check_resident()
        elif isinstance(toolchain, Warmable):
            toolchain.warm(stated.build, Test(), [stated.file])  # what candidates share has needs of its own
        program = toolchain.program(stated.build, Test())
        ran = sandbox.run(dataclasses.replace(program, stdin=GREETING).under(Limits(memory_mb=256)), tree)
    return "" if ran.stdout == GREETING else f"the self-test printed {ran.stdout!r}, not {GREETING!r}"
