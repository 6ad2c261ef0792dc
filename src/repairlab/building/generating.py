"""Files of a tree that a program of the project makes, such as extension modules."""

import dataclasses
import re
from pathlib import Path

from repairlab.benchmarks.writing import write_file
from repairlab.building.bug_trees import DoesNotBuildError, laid_out
from repairlab.building.importers.importer import Generator
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.execution import Ending, Execution
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.test_run import TestRun
from repairlab.validation.time_limits import with_margin

_LONGEST = 300
_CAUSE = re.compile(r"\S+: (?:fatal )?error: |(?:\w+\.)*\w*(?:Error|Exception): ")


def generate(generator: Generator, bug: Bug, sandbox: Sandbox) -> str:
    """Run the generator as the fixed tree has it, and copy what it made into the folder of the bug.

    One that the tests may do without is let fail: the answer says why.
    """
    test = dataclasses.replace(bug.oracle.test, program=generator.program, env=tuple(generator.env.items()))
    with laid_out(bug, bug.oracle.reference) as work:
        trial = TestRun(bug, sandbox, "full", work, judge=sandbox)
        if problem := trial.build():
            raise DoesNotBuildError(f"the fixed tree does not build: {problem}")
        program = trial.toolchain.program(bug.oracle.build, test)
        command = dataclasses.replace(program, argv=(*program.argv, *generator.arguments), writable=True)
        (work / generator.folder).mkdir(parents=True, exist_ok=True)
        before = _files(generator, work)
        done = sandbox.run(command.under(with_margin(generator.limits or bug.oracle.limits)), work)
        made = sorted(_files(generator, work) - before)
        if not done.succeeded or (not made and not generator.optional):
            problem = f"{generator.program}, which makes files of the tree, failed: {_cause(done)}"
            if generator.optional:
                return problem
            raise UserError(problem)
        for path in made:
            write_file(Path(bug.tree.source), path.relative_to(work).as_posix(), path.read_bytes())
    return ""


def _files(generator: Generator, work: Path) -> set[Path]:
    """Return the files that lie in the tree itself: a link that the program made would have us read files of the host."""
    root = work.resolve()
    found = (root / generator.folder).rglob(generator.pattern)
    return {work / path.relative_to(root) for path in found if path.is_file() and path.resolve() == path}


def _cause(done: Execution) -> str:
    """Return the words that matter: the first error of a compiler or the last exception, else the last line."""
    if done.ending is not Ending.EXITED:
        return f"it was ended ({done.ending})"
    said = [line.strip() for line in (done.stderr or done.stdout).decode("utf-8", "replace").splitlines() if line.strip()]
    causes = [line for line in said if _CAUSE.match(line)]
    compiler = [line for line in causes if "error: " in line]
    return (compiler[:1] or causes[-1:] or said[-1:] or ["it said nothing"])[0][:_LONGEST]
