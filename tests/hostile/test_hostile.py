"""Candidates that attack or are odd: each gets the verdict its `case.toml` states, on every back end and on both paths.

A case is a folder of `cases/`: `case.toml` and, under `files/`, what the candidate writes. `cases/bugs` has the bugs they attack.
"""

import dataclasses
import functools
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import HarnessError
from repairlab.core.oracle import Checker
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.languages.table import default_cache
from repairlab.runs.catalog import open_benchmark
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.trial import Trial
from repairlab.validation.validate import validate, workbench

CASES = Path(__file__).parent / "cases"
Backend = Literal["bubblewrap", "process", "warm"]


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
        return Candidate(bug_id=bug.id, edits=(*written, *listed), rank=1, origin=Origin(repairer="hostile"))


def read_case(folder: Path) -> Case:
    facts = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
    verdicts = tuple(Verdict(verdict) for verdict in facts.pop("verdicts"))
    return Case(name=folder.name, verdicts=verdicts, edits=tuple(facts.pop("edits", ())), **facts)


ALL = [read_case(path.parent) for path in sorted(CASES.glob("*/case.toml"))]


def runs(case: Case) -> Iterator[Backend]:
    yield "bubblewrap"
    if not case.isolation:
        yield "process"
    if case.language == "java":
        yield "warm"  # candidates of Java share a JVM


def parameters() -> Iterator[Any]:
    for case in ALL:
        for backend in runs(case):
            quick = case.quick and backend == "bubblewrap"
            yield pytest.param(case, backend, id=f"{case.name}-{backend}", marks=() if quick else pytest.mark.hostile)


@functools.cache
def bugs() -> dict[str, Bug]:
    return {bug.id: bug for bug in open_benchmark(str(CASES)).bugs}


@functools.cache
def back_end(name: Backend) -> Sandbox:
    if name == "process":
        return ProcessSandbox(default_cache(), allow_unsafe=True)
    try:
        return BubblewrapSandbox.open(default_cache())
    except HarnessError as error:
        pytest.skip(f"bubblewrap cannot work here: {error}")


def bug_of(case: Case) -> Bug:
    bug = bugs()[f"{case.language}-{case.kind}"]
    if case.checker is None:
        return bug
    cases = tuple(dataclasses.replace(item, checker=Checker(kind=case.checker)) for item in bug.oracle.cases)
    return dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=cases))


@pytest.fixture(scope="session")
def built() -> Iterator[dict[tuple[str, Backend], Path | None]]:
    """Trees that were built once, as in a run: a case then costs what it changes."""
    found: dict[tuple[str, Backend], Path | None] = {}
    yield found
    for base in found.values():
        if base is not None:
            shutil.rmtree(base.parent, ignore_errors=True)


def base_of(bug: Bug, backend: Backend, built: dict[tuple[str, Backend], Path | None]) -> Path | None:
    if bug.oracle.build.tool not in ("compile", "cmake"):
        return None
    if (bug.id, backend) not in built:
        work = Path(tempfile.mkdtemp(prefix="hostile-")) / "work"
        lay_out(bug, {}, work)
        assert Trial(bug, back_end(backend), "first-failure", work).build() == ""
        built[bug.id, backend] = work
    return built[bug.id, backend]


def judge(case: Case, backend: Backend, built: dict[tuple[str, Backend], Path | None]) -> Outcome:
    bug, sandbox = bug_of(case), back_end(backend)
    if backend != "warm":
        return validate(case.candidate(bug), bug, sandbox, base=base_of(bug, backend, built))
    unchanged = Candidate(bug_id=bug.id, edits=(), rank=1, origin=Origin(repairer="hostile"))
    with workbench(bug, sandbox) as bench:
        bench.validate(unchanged)  # the second candidate meets the warm path, and the third what the second left behind
        outcome = bench.validate(case.candidate(bug))
        fixed = bench.validate(dataclasses.replace(unchanged, edits=bug.oracle.reference))
    assert fixed.verdict is Verdict.PLAUSIBLE, f"the next candidate suffers: {fixed.message}"
    return outcome


@pytest.mark.parametrize(("case", "backend"), list(parameters()))
def test_the_candidate_gets_its_verdict(case: Case, backend: Backend, built: dict[tuple[str, Backend], Path | None]) -> None:
    outcome = judge(case, backend, built)
    assert outcome.verdict in case.verdicts, f"{case.tries}: {outcome.verdict} at {outcome.stage}: {outcome.message}"
    assert case.message in outcome.message
    assert not case.secret or case.secret not in outcome.message + outcome.evidence


@pytest.mark.parametrize("bug_id", sorted(bugs()))
@pytest.mark.hostile
def test_the_bugs_that_are_attacked_can_be_fixed(bug_id: str, built: dict[tuple[str, Backend], Path | None]) -> None:
    bug = bugs()[bug_id]
    base = base_of(bug, "bubblewrap", built)
    fix = Candidate(bug_id=bug.id, edits=bug.oracle.reference, rank=1, origin=Origin(repairer="hostile"))
    nothing = dataclasses.replace(fix, edits=())
    assert validate(fix, bug, back_end("bubblewrap"), base=base).verdict is Verdict.PLAUSIBLE
    assert validate(nothing, bug, back_end("bubblewrap"), base=base).verdict in (Verdict.WRONG, Verdict.CRASH)


def test_a_case_exists_for_everything_that_is_tried() -> None:
    assert len(ALL) >= 120
    assert len({case.tries for case in ALL}) == len(ALL)
