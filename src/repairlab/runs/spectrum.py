"""Where a bug may be: which statements of the buggy tree its failing tests run, and which the others run.

The data come from inside the program under test and are trusted only for ranks.
"""

import contextlib
import dataclasses
import itertools
import os
import random
import stat
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from repairlab.core.bug import Bug, Case
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command
from repairlab.core.record import digest, record
from repairlab.core.text import split_lines
from repairlab.languages.facts import facts
from repairlab.languages.language import Function, language
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import calling, run_each
from repairlab.runs.instrument import Instrumented, instrumented
from repairlab.sandbox.sandbox import ChangingRunner, Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.cache import code_digest, keep_record, kept_record
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import check_tools
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.worktree import WorkTree, temporary_folder

FOLDER = "spectra"
MOST_TESTS = 100
"""Tests or cases of a bug that are run besides those that fail."""
_NOTES = ".repairlab-hits"
_LARGEST_NOTES = 16 << 20
_DIGITS = 10
_LOOPING_S = 3.0
"""CPU time of a trigger test, which fails anyway: in a loop it runs nothing new."""
_TRIES = 8
"""Builds of a tree, each without the file on which the last one failed."""


@record
class SpectrumPlace:
    """A line where a statement begins, and how many tests run it."""

    path: str
    line: int
    function: str = ""
    """Qualified name; empty outside functions."""
    begins: int = 0
    """The line of the function."""
    failed: int = 0
    passed: int = 0


@record
class Spectrum:
    """What the tests of one bug run."""

    bug_id: str
    n_failed: int = 0
    n_passed: int = 0
    n_tests: int = 0
    """Of the bug; 0 if our own machinery failed, which may succeed the next time."""
    n_lines: int = 0
    """Lines where a statement begins and that could be observed, run or not."""
    n_functions: int = 0
    """The functions around them; a file's statements outside functions count as one."""
    places: tuple[SpectrumPlace, ...] = ()
    """Those that some test runs."""
    left_out: tuple[str, ...] = ()
    """Files whose statements could not be observed."""
    problem: str = ""
    """Why nothing is known."""


def measure_spectra(bugs: Sequence[Bug], machine: Machine, receive: Callable[[Spectrum], None]) -> None:
    """Measure all bugs in parallel, reading spectra that the same code measured before."""
    by_id = {bug.id: bug for bug in bugs}

    def keep(found: Spectrum) -> None:
        if found.n_tests:
            keep_record(_kept(by_id[found.bug_id], machine), found)
        receive(found)

    def lost(bug: Bug, reason: str) -> None:
        receive(Spectrum(bug_id=bug.id, problem=reason))

    left = []
    for bug in bugs:
        if found := kept_record(_kept(bug, machine), Spectrum):
            receive(dataclasses.replace(found, bug_id=bug.id))
        else:
            left.append(bug)
    if left:
        check_tools(left, machine)
        with open_pool(machine) as pool:
            run_each(calling(_measure), iter(left), pool, keep, lost)


def _measure(bug: Bug, sandbox: Sandbox, notify: Callable[[Spectrum], None]) -> None:
    try:
        notify(spectrum_of(bug, sandbox))
    except HarnessError as error:
        notify(Spectrum(bug_id=bug.id, problem=str(error)))


def spectra_of(bugs: Sequence[Bug], machine: Machine, *, only_kept: bool = False) -> dict[str, Spectrum]:
    """Return what the places of bugs are computed from."""
    if only_kept and (missing := [bug.id for bug in bugs if not _kept(bug, machine).is_file()]):
        raise UserError(f"the tests of {missing[0]} have not been run to locate it. Do so first: repairlab locate BENCHMARK")
    found: dict[str, Spectrum] = {}
    measure_spectra(bugs, machine, lambda spectrum: found.update({spectrum.bug_id: spectrum}))
    return found


def _kept(bug: Bug, machine: Machine) -> Path:
    code = code_digest("core", "languages", "sandbox", "validation", "runs")
    return machine.cache / FOLDER / f"{digest(bug.digest, code)}.json"


def spectrum_of(bug: Bug, sandbox: Sandbox) -> Spectrum:
    """Run the tests of a bug one by one on its buggy tree."""
    found = visits(bug, sandbox, _drawn(bug))
    if isinstance(found, str):
        return Spectrum(bug_id=bug.id, n_tests=bug.n_tests, problem=found)
    seen: dict[bool, Counter[tuple[str, int]]] = {True: Counter(), False: Counter()}
    n = Counter[bool]()
    for run in found.runs:
        # A test may behave otherwise than usual: by chance, or because recording takes time.
        if bug.oracle.cases or run.passed is not (run.test in bug.oracle.trigger):
            n[run.passed] += 1
            seen[run.passed].update(run.places)
    places = _placed(bug, found.lines, seen)
    return Spectrum(
        bug_id=bug.id,
        n_failed=n[False],
        n_passed=n[True],
        n_tests=bug.n_tests,
        n_lines=len(places),
        n_functions=len({(place.path, place.begins) for place in places}),
        places=tuple(place for place in places if place.failed or place.passed),
        left_out=tuple(found.left_out),
        problem="" if n[False] else "no test failed with the instrumented tree",
    )


class Visit(NamedTuple):
    """The lines that one test ran, by path and number."""

    test: str
    passed: bool
    places: set[tuple[str, int]]


class Visits(NamedTuple):
    """The lines of a tree where statements begin, by path, unobserved files, and what each test ran."""

    lines: dict[str, list[int]]
    left_out: list[str]
    runs: list[Visit]


def visits(
    bug: Bug, sandbox: Sandbox, tests: Iterable[str | Case], changed: Mapping[str, str | None] | None = None
) -> Visits | str:
    """Run tests one by one on a tree with changed files, each on the tree as built; return why that is impossible.

    Of many cases, no more are run once one has failed.
    """
    with temporary_folder() as folder:
        built = _built(bug, sandbox, folder, changed or {})
        if isinstance(built, str):
            return built
        trial, tree, files, left_out = built
        places = [(file.path, line) for file in files for line in file.lines]
        notes, runs, hurried = _Notes(trial.work, len(places)), list[Visit](), _hurried(bug)
        for test in tests:
            if isinstance(test, Case) and len(runs) >= MOST_TESTS and not all(run.passed for run in runs):
                break
            tree.reset()
            notes.clear()
            fails = test in bug.oracle.trigger and not changed
            trial.bug = hurried if fails else bug
            try:
                trial.run(*(((), (test,)) if isinstance(test, Case) else ((test,), ())))
            except HarnessError:  # the machine is too busy to tell whether the test was late
                passed = None
            else:
                passed = trial.log.tests[-1].passed
            if fails or passed is not None:
                name = test.id if isinstance(test, Case) else test
                runs.append(Visit(name, bool(passed), {places[number] for number in notes.read()}))
    return Visits({file.path: sorted(set(file.lines)) for file in files}, left_out, runs)


def _hurried(bug: Bug) -> Bug:
    limits = dataclasses.replace(bug.oracle.limits, cpu_s=min(_LOOPING_S, bug.oracle.limits.cpu_s))
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, limits=limits))


class _Built(NamedTuple):
    trial: TreeTester
    tree: WorkTree
    files: list[Instrumented]
    left_out: list[str]


def _built(bug: Bug, sandbox: Sandbox, folder: Path, changed: Mapping[str, str | None]) -> _Built | str:
    """Lay out and build the tree with probes, without files on which that fails; return why it is impossible."""
    name, left_out = bug.problem.language, list[str]()
    if facts(name).idioms.probe is None:
        return "programs of this language cannot be instrumented"
    endings = (*facts(name).extensions, *facts(name).headers)
    texts = {**bug.problem.files, **changed}
    sources = {path: text for path, text in sorted(texts.items()) if text is not None and path.endswith(endings)}
    for number in range(_TRIES):
        (folder / str(number)).mkdir()
        tree = WorkTree(folder / str(number))
        files = _instrumented_files(name, sources, left_out, tree.work)
        if not files:
            return "no source of the tree has statements"
        lay_out(bug, {**changed, **{file.path: file.text for file in files}}, tree.work)
        trial = TreeTester(bug, ChangingRunner(_noting, sandbox), "full", tree.work, checker_sandbox=sandbox)
        error = trial.build()
        if not error:
            tree.keep()
            return _Built(trial, tree, files, left_out)
        said = f"{error}\n{trial.log.evidence}"
        blamed = [file.path for file in files if Path(file.path).name in said]
        if not blamed or not number:
            plain = folder / "plain"
            lay_out(bug, changed, plain)
            if problem := TreeTester(bug, sandbox, "full", plain, checker_sandbox=sandbox).build():
                return f"the tree does not build: {problem}"
        if not blamed:
            break
        left_out.append(min(blamed, key=lambda path: said.find(Path(path).name)))
    return f"the tree does not build with notes: {error}"


def _instrumented_files(name: str, sources: Mapping[str, str], left_out: list[str], work: Path) -> list[Instrumented]:
    """Return the sources with probes; files that probes would break are skipped from now on."""
    files: list[Instrumented] = []
    syntax, places = language(name).syntax, [f"{root}/{_NOTES}" for root in ("/work", "/tree", work)]
    first = 0
    for path, text in sources.items():
        made = instrumented(name, path, text, number=len(files), first=first, places=places) if path not in left_out else None
        if made and syntax.has_errors(made.text) and not syntax.has_errors(text):
            left_out.append(path)
        elif made:
            files.append(made)
            first += len(made.lines)
    return files


def _noting(command: Command) -> Command:
    """Let a command record places in the tree."""
    return dataclasses.replace(command, writable=True, private=False, sealed=())


class _Notes:
    """The file in a tree to which the program under test adds the numbers of places; anything else in it is ignored."""

    def __init__(self, work: Path, n: int) -> None:
        self._path = work / _NOTES
        self._n = n

    def clear(self) -> None:
        with contextlib.suppress(OSError):
            self._path.unlink()
        with contextlib.suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW)
            os.fchmod(file, 0o666)
            os.close(file)

    def read(self) -> set[int]:
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return set()
        try:
            text = os.read(file, _LARGEST_NOTES) if stat.S_ISREG(os.fstat(file).st_mode) else b""
        finally:
            os.close(file)
        numbers = {int(line) for line in text.split() if line.isdigit() and len(line) < _DIGITS}
        return {number for number in numbers if number < self._n}


def _drawn(bug: Bug) -> Iterable[str | Case]:
    """Return the tests to run: those that fail, and some others at random, the same each time."""
    chance, oracle = random.Random(bug.digest), bug.oracle
    if oracle.cases:
        return chance.sample(list(oracle.cases), len(oracle.cases))
    return (*oracle.trigger, *chance.sample(oracle.regression, min(MOST_TESTS, len(oracle.regression))))


class FunctionsOf:
    """The functions of a file, by line."""

    def __init__(self, name: str, text: str) -> None:
        self._lines = split_lines(text)
        self._starts = [0, *itertools.accumulate(map(len, self._lines))]
        self._all = language(name).syntax.functions(text)

    def around(self, line: int) -> Function | None:
        """Return the innermost function around the first word of a line."""
        text = self._lines[line - 1]
        word = self._starts[line - 1] + len(text) - len(text.lstrip())
        return next((item for item in reversed(self._all) if item.span.start <= word < item.span.end), None)

    def begin(self, function: Function | None) -> int:
        """Return the line of a function, 0 for None."""
        return bisect_right(self._starts, function.span.start) if function else 0


def _placed(bug: Bug, lines: dict[str, list[int]], seen: dict[bool, Counter[tuple[str, int]]]) -> list[SpectrumPlace]:
    """Return all lines with the functions around them."""
    places, texts = [], bug.problem.files
    for path, starts in lines.items():
        functions = FunctionsOf(bug.problem.language, texts[path])
        for line in starts:
            function = functions.around(line)
            places.append(
                SpectrumPlace(
                    path=path,
                    line=line,
                    function=function.qualified if function else "",
                    begins=functions.begin(function),
                    failed=seen[False][path, line],
                    passed=seen[True][path, line],
                )
            )
    return places
