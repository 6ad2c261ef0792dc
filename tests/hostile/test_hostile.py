"""Candidates that attack or are odd: each gets the verdict its `case.toml` states, on every back end and on both paths.

A case is a folder of `cases/`: `case.toml` and, under `files/`, what the candidate writes. `cases/bugs` has the bugs they attack.
"""

import dataclasses
import functools
import shutil
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Checker
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import HarnessError
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.languages.language import default_cache
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders

CASES = Path(__file__).parent / "cases"
Backend = Literal["bubblewrap", "landlock", "process"]
Way = Literal["fresh", "warm"]
HEADERS = {"c-cmocka": "cmocka.h", "c-cunit": "CUnit/CUnit.h"}
"""What must be installed for some bugs, and is not everywhere."""
OPEN = 6
"""How many validators stay open: those of one bug, on every back end and both ways."""
TOOLS = {"javascript": "node", "go": "go"}
MOCHA = ("/usr/share/nodejs", "/usr/lib/node_modules", "/usr/local/lib/node_modules")


@record
class Case:
    """What a `case.toml` says."""

    name: str
    tries: str
    """What the candidate tries, or what is odd about it."""
    language: str
    kind: str
    verdicts: tuple[Verdict, ...]
    """Any of these is right."""
    landlock: tuple[Verdict, ...] = ()
    """Instead of them under Landlock, where other things are forbidden than hidden."""
    message: str = ""
    """What the outcome must say."""
    secret: str = ""
    """What neither message nor evidence of the outcome may hold."""
    checker: Literal["tokens", "lines", "exact", "float"] | None = None
    isolation: bool = True
    """Whether only a back end that isolates may run it: it would reach the host, or its verdict depends on isolation."""
    quick: bool = False
    """Whether it runs with the ordinary tests, too."""
    reason: str = ""
    """Why the verdict is not what one may expect."""
    edits: tuple[dict[str, Any], ...] = ()
    """Edits that cannot be files here: odd paths, odd characters, deletions."""

    def candidate(self, bug: Bug) -> Candidate:
        files = CASES / self.name / "files"
        written = [
            Edit(path=path.relative_to(files).as_posix(), text=path.read_bytes().decode("utf-8"))
            for path in sorted(files.rglob("*"))
            if path.is_file()
        ]
        listed = [Edit(path=edit["path"], text=edit.get("text")) for edit in self.edits]
        return builders.candidate(bug, *written, *listed, repairer="hostile")


def read_case(folder: Path) -> Case:
    facts = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    verdicts = tuple(Verdict(verdict) for verdict in facts.pop("verdicts"))
    landlock = tuple(Verdict(verdict) for verdict in facts.pop("landlock", ()))
    return Case(name=folder.name, verdicts=verdicts, landlock=landlock, edits=tuple(facts.pop("edits", ())), **facts)


ALL = [read_case(path.parent) for path in sorted(CASES.glob("*/case.toml"))]


def runs(case: Case) -> Iterator[tuple[Backend, Way]]:
    yield from (("bubblewrap", "fresh"), ("bubblewrap", "warm"), ("landlock", "warm"))
    if not case.isolation:
        yield from (("process", "fresh"), ("process", "warm"))


def parameters() -> Iterator[Any]:
    """Yield all runs; those that share a validator follow one another, so that a worker seldom opens it anew."""
    everything = [(case, backend, way) for case in ALL for backend, way in runs(case)]
    for case, backend, way in sorted(everything, key=lambda one: (one[0].language, one[0].kind, one[0].checker or "", *one[1:])):
        quick = case.quick and (backend, way) == ("bubblewrap", "warm")
        yield pytest.param(case, backend, way, id=f"{case.name}-{backend}-{way}", marks=() if quick else pytest.mark.hostile)


@functools.cache
def bugs() -> dict[str, Bug]:
    return {bug.id: bug for bug in open_benchmark(str(CASES))}


@functools.cache
def back_end(name: Backend) -> Sandbox:
    try:
        return open_sandbox(name, cache=default_cache(), allow_unsafe=name == "process")
    except HarnessError as error:
        pytest.skip(f"{name} cannot work here: {error}")


def needs_its_language(bug: Bug) -> None:
    tool = TOOLS.get(bug.problem.language)
    if tool and not shutil.which(tool):
        pytest.skip(f"{tool} is not installed")


def bug_named(bug_id: str) -> Bug:
    header = HEADERS.get(bug_id)
    needs_its_language(bugs()[bug_id])
    if bug_id == "javascript-mocha" and not any(Path(folder, "mocha").exists() for folder in MOCHA):
        pytest.skip("mocha is not installed")
    if header and not Path("/usr/include", header).exists():
        pytest.skip(f"{header} is not installed")
    return bugs()[bug_id]


def bug_of(case: Case) -> Bug:
    bug = bug_named(f"{case.language}-{case.kind}")
    if case.checker is None:
        return bug
    cases = tuple(dataclasses.replace(item, checker=Checker(kind=case.checker)) for item in bug.oracle.cases)
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=cases))


@pytest.fixture(scope="session")
def validators() -> Iterator[Callable[[Bug, Backend, Way], BugValidator]]:
    """Validators that stay for a while, so that every case meets what the ones before it left behind; the last few of them."""
    with ExitStack() as at_end:
        opened: dict[tuple[Bug, Backend, Way], tuple[BugValidator, ExitStack]] = {}

        def validator(bug: Bug, backend: Backend, way: Way) -> BugValidator:
            wanted = (bug, backend, way)
            if wanted not in opened:
                if len(opened) == OPEN:
                    opened.pop(next(iter(opened)))[1].close()
                stack = at_end.enter_context(ExitStack())
                opened[wanted] = (
                    stack.enter_context(
                        BugValidator(Conditions(bug=bug, isolation="warm" if way == "warm" else "process"), back_end(backend))
                    ),
                    stack,
                )
            return opened[wanted][0]

        yield validator


def fix_of(bug: Bug) -> Candidate:
    """Return an honest candidate that is not the reference fix itself, by which counter-tests are chosen."""
    first, *others = bug.oracle.reference
    edits = (dataclasses.replace(first, text=f"{first.text}\n"), *others)
    return builders.candidate(bug, *edits, repairer="hostile")


@pytest.mark.parametrize(("case", "backend", "way"), list(parameters()))
def test_the_candidate_gets_its_verdict_and_the_next_one_too(
    case: Case, backend: Backend, way: Way, validators: Callable[[Bug, Backend, Way], BugValidator]
) -> None:
    bug = bug_of(case)
    validator = validators(bug, backend, way)
    outcome = validator.validate(case.candidate(bug))
    right = (backend == "landlock" and case.landlock) or case.verdicts
    assert outcome.verdict in right, f"{case.tries}: {outcome.verdict} at {outcome.stage}: {outcome.message}"
    assert case.message in outcome.message
    assert not case.secret or case.secret not in outcome.message + outcome.evidence
    if way == "warm":
        after = validator.validate(fix_of(bug))
        assert after.verdict is Verdict.PLAUSIBLE, f"the next candidate suffers: {after.message}"


@pytest.mark.parametrize("bug_id", sorted(bugs()))
@pytest.mark.hostile
def test_the_bugs_that_are_attacked_can_be_fixed(bug_id: str) -> None:
    bug = bug_named(bug_id)
    nothing = dataclasses.replace(fix_of(bug), edits=())
    assert validate(fix_of(bug), bug, back_end("bubblewrap")).verdict is Verdict.PLAUSIBLE
    assert validate(nothing, bug, back_end("bubblewrap")).verdict in (Verdict.WRONG, Verdict.CRASH)


def test_a_case_exists_for_everything_that_is_tried() -> None:
    assert len(ALL) >= 120
    assert len({case.tries for case in ALL}) == len(ALL)
