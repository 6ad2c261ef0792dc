"""Run a bug's own checker program, in the sandbox and in a tree of its own.

The convention is testlib's: `checker input output answer`, exit code 0 right, 1 wrong, 2 wrong form, 3 the checker failed, 7 partly
right; a message on standard error. A checker that says so (3, or 70 of what starts it) has failed, and the candidate is UNDECIDED.

Whatever else a checker does is a crash. One that accepts the expected output of the case, or that of the reference fix, has crashed
over the candidate's, which is WRONG for that: no candidate can have itself left out of the scores by what it prints.
"""

import contextlib
import dataclasses
import functools
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from repairlab.core.bug import Case, CheckerProgram
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build, Test
from repairlab.core.record import digest
from repairlab.languages.facts import facts
from repairlab.languages.host import made_once
from repairlab.languages.language import default_cache, language
from repairlab.languages.reports import first_error
from repairlab.sandbox.sandbox import Runner, Sandbox
from repairlab.validation.checkers import CheckerResult

_VERDICTS = {
    0: TestVerdict.PASSED,
    1: TestVerdict.WRONG,
    2: TestVerdict.PRESENTATION,
    4: TestVerdict.WRONG,  # testlib: more output than there should be
    7: TestVerdict.WRONG,  # points: partly right is not right
    8: TestVerdict.WRONG,  # testlib: the output ends too early
}
_PLAIN = 3.0
"""A run longer than this many times the limit cannot be bad luck."""
_FAILURES = (3, 70)
"""Exit codes for the checker's own failure: its own, and that of its launcher."""
_LONGEST_MESSAGE = 300
_READ = 64 * 1024
"""How much of a checker's message is read, from its beginning or its end."""


CRASHED = "the checker crashed over this output"


class CustomChecker:
    """A checker program, built and ready to judge one output after another; `checking` makes it."""

    def __init__(self, program: CheckerProgram, runner: Runner, tree: Path) -> None:
        self._command = _command(program).under(program.limits)
        self._toolchain = language(program.language).toolchain
        self._runner = runner
        self._tree = tree

    def judge(self, case: Case, output: bytes) -> CheckerResult:
        """Return what the program says; its own failure is a HarnessError."""
        done = self._run(case, output)
        if _verdict(done) is None:  # once may be the machine's fault, and so may a time limit, but not three times the limit
            done = self._run(case, output, times=_PLAIN)
        verdict = _verdict(done)
        if verdict is not None:
            return CheckerResult(
                verdict=verdict, message="" if verdict is TestVerdict.PASSED else f"the checker says no{said(done, line=0)}"
            )
        how = f"{ended(done)}{said(done, line=-1)}"
        failure = f"the checker failed on case {case.id}: {how}"
        # A JVM that runs out of memory also ends with 3, which is not the checker's word.
        if done.ending is Ending.WALL_LIMIT or (done.exit_code in _FAILURES and not self._toolchain.out_of_memory(done)):
            raise HarnessError(failure)
        expected = self._run(case, case.expected.encode())
        doubt = "" if _verdict(expected) is TestVerdict.PASSED else failure
        return CheckerResult(verdict=TestVerdict.WRONG, message=f"{CRASHED}: {how}", doubt=doubt)

    def _run(self, case: Case, output: bytes, *, times: float = 1.0) -> Execution:
        write_case(self._tree, {"input": case.input.encode(), "output": output, "answer": case.expected.encode()})
        limits = self._command.limits
        longer = dataclasses.replace(limits, cpu_s=limits.cpu_s * times, wall_s=limits.wall_s * times)
        return self._runner.run(self._command.under(longer), self._tree)


def _verdict(done: Execution) -> TestVerdict | None:
    """Return what the end of a checker says of the output, if anything."""
    return _VERDICTS.get(done.exit_code) if done.ending is Ending.EXITED and done.exit_code is not None else None


@contextlib.contextmanager
def checking(program: CheckerProgram, sandbox: Sandbox, build_limits: Limits) -> Iterator[CustomChecker]:
    """Open a checker in its own tree and slot; it is built once and kept in the cache."""
    with checker_tree(program, sandbox, build_limits) as tree, sandbox.slot(tree) as slot:
        yield CustomChecker(program, slot, tree)


@contextlib.contextmanager
def checker_tree(program: CheckerProgram, sandbox: Sandbox, build_limits: Limits) -> Iterator[Path]:
    """Lay out a built checker in its own tree, with a folder for the files of a case."""
    built = _built(program, sandbox, build_limits)
    with tempfile.TemporaryDirectory(prefix="repairlab-checker-", ignore_cleanup_errors=True) as folder:
        # The checker's user must get in, but only by knowing the name: expected outputs will lie here.
        Path(folder).chmod(0o711)
        tree = Path(folder, secrets.token_hex(16))
        shutil.copytree(built, tree, ignore=shutil.ignore_patterns("objects"))
        (tree / "case").mkdir()
        (tree / "case").chmod(0o755)
        yield tree


def _built(program: CheckerProgram, runner: Runner, limits: Limits) -> Path:
    """Return the folder with the built checker; if several workers build it at once, the first one wins."""
    toolchain = language(program.language).toolchain
    home = default_cache().absolute() / "checkers" / _key(program)
    try:
        with made_once(home) as scratch:
            if scratch is not None:
                files = _files(program)
                for path, text in files.items():
                    _write(scratch / path, text.encode())
                for folder in {parent for path in files for parent in (scratch / path).parents if parent.is_relative_to(scratch)}:
                    folder.chmod(0o755)
                build, test = _recipe(program)
                for command in toolchain.build(build, test, sorted(files)):
                    done = runner.run(command.under(limits), scratch)
                    if not done.succeeded:
                        reason = (
                            first_error(done.stdout + done.stderr, facts(program.language).error_line)
                            or f"{ended(done)}{said(done, line=-1)}"
                        )
                        raise HarnessError(f"the checker does not build: {reason}")
    except UserError as error:  # by now the user of the command line is not at fault
        raise HarnessError(f"the checker does not build: {error}") from error
    except OSError as error:
        raise HarnessError(f"the checker cannot be kept in {home.parent}: {error}") from error
    return home


@functools.lru_cache(maxsize=64)
def _key(program: CheckerProgram) -> str:
    return digest(program.language, _files(program), program.flags, language(program.language).toolchain.versions())


def _files(program: CheckerProgram) -> Mapping[str, str]:
    start = facts(program.language).checker
    return {**{file.path: file.text for file in program.files}, **({start.file: start.text} if start else {})}


def _recipe(program: CheckerProgram) -> tuple[Build, Test]:
    stated = facts(program.language)
    made = dataclasses.replace(stated.build, flags=program.flags)
    return made, Test(framework="stdio", program=stated.checker.starts if stated.checker else "")


def _command(program: CheckerProgram) -> Command:
    command = starting(program)
    return dataclasses.replace(command, argv=(*command.argv, "case/input", "case/output", "case/answer"))


def starting(program: CheckerProgram) -> Command:
    """Return the command that starts a built checker, without arguments."""
    command = language(program.language).toolchain.program(*_recipe(program))
    started = (program.program,) if facts(program.language).checker else ()
    return dataclasses.replace(command, argv=(*command.argv, *started))


def write_case(tree: Path, texts: Mapping[str, bytes]) -> None:
    """Write the files of a case, by name, where a checker finds them as `case/NAME`."""
    for name, content in texts.items():
        _write(tree / "case" / name, content)


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o644)  # whatever our own mask is: the checker runs as another user


def ended(done: Execution) -> str:
    """Say how a checker ended."""
    return f"exit code {done.exit_code}" if done.ending is Ending.EXITED else str(done.ending)


def said(done: Execution, *, line: int) -> str:
    """Return the first or the last line of the program's message; a traceback has its reason at the end.

    A checker may repeat what it was given to read: nothing of it moves a cursor or colours a line.
    """
    text = done.stderr.strip() or done.stdout.strip()
    lines = (text[:_READ] if line == 0 else text[-_READ:]).decode("utf-8", "replace").splitlines()
    shown = lines[line].strip()[:_LONGEST_MESSAGE] if lines else ""
    return f": {''.join(letter if letter.isprintable() else '�' for letter in shown)}" if lines else ""
