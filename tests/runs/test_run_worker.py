"""The net under the engine: what one candidate does, or what we do wrong over it, reaches no other; and when a bug is left."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.text import Span
from repairlab.runs.experiment import Experiment, make_experiment
from repairlab.runs.messages import BugFailed, CandidateProposed, Entry, Event, Order, OutcomeKnown, Task
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import Store, decoded
from repairlab.runs.worker import open_worker
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation.machine import Machine
from repairlab.validation.validator import INTERNAL, PROBE_AFTER, is_sampled

ORIGIN = Origin(repairer="file")


class TreeSandbox(FakeSandbox):
    """Runs a function of the text of main.py instead of a command."""

    def __init__(self, look: Callable[[str], Execution]) -> None:
        super().__init__(lambda command: exited())
        self._look = look

    def run(self, command: Command, tree: Path) -> Execution:
        """Return what the function makes of the tree."""
        return self._look((tree / "main.py").read_text(errors="replace"))

    @contextmanager
    def slot(self, tree: Path) -> Iterator["TreeSandbox"]:
        """Give itself."""
        yield self


def candidate(rank: int, text: str) -> Candidate:
    return Candidate(bug_id="sum", edits=(Edit(path="main.py", text=text),), rank=rank, origin=ORIGIN)


def judged(bug: Bug, folder: Path, sandbox: FakeSandbox, candidates: list[Candidate]) -> tuple[dict[str, Outcome], list[Event]]:
    """Propose and judge candidates as one worker does; returns the outcomes and all events."""
    experiment = Experiment(benchmark="tiny", repairer="file", n=len(candidates))
    task = Task(
        bug=bug,
        experiment=experiment,
        folder=folder,
        machine=Machine(cache=folder, use_verdicts=False),
        environment="",
        tools="",
        given=tuple(candidates),
        candidates={},
        outcomes={},
        given_up={},
    )
    events: list[Event] = []
    with open_worker(sandbox, events.append) as do:
        do(Order(bug_id=bug.id, task=task))
        proposed = {event.candidate_id: event for event in events if isinstance(event, CandidateProposed)}
        entries = [Entry(candidate_id=event.candidate_id, place=event.rank, form=event.form) for event in proposed.values()]
        bodies = {event.rank: event.body for event in proposed.values()}
        do(Order(bug_id=bug.id, task=None, entries=tuple(entries), candidates=bodies))
    return {event.candidate_id: decoded(Outcome, event.body) for event in events if isinstance(event, OutcomeKnown)}, events


def test_whatever_is_raised_over_one_candidate_leaves_that_one_undecided_and_no_other(bug: Bug, tmp_path: Path) -> None:
    def look(text: str) -> Execution:
        if "poison" in text:
            raise ZeroDivisionError("in our own code")
        return exited(stdout=b"3\n")

    candidates = [candidate(rank, f"{'poison' if rank == 2 else 'x'} = {rank}\n") for rank in range(1, 4)]
    outcomes, _ = judged(bug, tmp_path, TreeSandbox(look), candidates)
    one, two, three = (outcomes[item.id] for item in candidates)
    assert (one.verdict, two.verdict, three.verdict) == (Verdict.WRONG, Verdict.UNDECIDED, Verdict.WRONG)
    assert two.message == f"{INTERNAL}ZeroDivisionError: in our own code"
    assert "Traceback" in two.evidence and "ZeroDivisionError" in two.evidence


def test_a_bug_on_which_our_machinery_always_fails_is_left_after_a_few_candidates(bug: Bug, tmp_path: Path) -> None:
    def look(text: str) -> Execution:
        raise HarnessError("no space left")

    outcomes, events = judged(bug, tmp_path, TreeSandbox(look), [candidate(rank, f"x = {rank}\n") for rank in range(1, 41)])
    assert len(outcomes) == PROBE_AFTER
    assert [(event.bug_id, event.reason) for event in events if isinstance(event, BugFailed)] == [("sum", "no space left")]


def test_candidates_that_break_our_machinery_do_not_keep_others_from_being_judged(bug: Bug, tmp_path: Path) -> None:
    def look(text: str) -> Execution:
        if "poison" in text:
            raise HarnessError("the checker crashed")
        return exited(stdout=b"3\n")

    texts = [f"poison = {rank}\n" for rank in range(3 * PROBE_AFTER)] + ["x = 1\n"]
    candidates = [candidate(rank, text) for rank, text in enumerate(texts, start=1)]
    outcomes, events = judged(bug, tmp_path, TreeSandbox(look), candidates)
    assert len(outcomes) == len(texts) and outcomes[candidates[-1].id].verdict is Verdict.WRONG
    assert not any(isinstance(event, BugFailed) for event in events)


def test_a_bug_that_was_left_says_why_and_is_tried_again(tiny: Path, tmp_path: Path, machine: Machine) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(
        facts.read_text().replace('framework = "stdio"', 'framework = "stdio"\nchecker = "program"')
        + '[checker]\nlanguage = "python"\n'
    )
    (tiny / "bugs/sum/checker").mkdir()
    (tiny / "bugs/sum/checker/checker.py").write_text("import sys\nsys.exit(3)\n")
    benchmark, folder = open_benchmark(str(tiny)), tmp_path / "r"
    texts = [f"x = {rank}\nprint(x)\n" for rank in range(12)]
    given_here = {"sum": [candidate(rank, text) for rank, text in enumerate(texts, start=1)]}
    start_run(
        make_experiment({"benchmark": str(tiny), "repairer": "file", "n": 12, "include": ["sum"]}), benchmark, folder, machine
    )
    for _ in range(2):
        n_before = len(list(Store(folder).outcomes()))
        with pytest.raises(HarnessError, match=r"bug not finished \(sum\): .*checker"):
            finish_run(benchmark, folder, machine, lambda step: None, given=given_here)
        assert n_before < len(list(Store(folder).outcomes())) < n_before + 12
        assert not list(Store(folder).ends())


def test_the_sample_of_old_verdicts_is_drawn_from_verdicts_not_from_bugs() -> None:
    sampled = [sum(is_sampled(f"{bug:016x}-{form:016x}", 10) for form in range(500)) for bug in range(20)]
    assert all(20 < n < 90 for n in sampled)
    assert all(is_sampled(f"{form:016x}", 1) and not is_sampled(f"{form:016x}", 0) for form in range(50))


anything = st.text(st.characters(exclude_categories=()), max_size=40)
paths = st.one_of(
    st.sampled_from(
        ["main.py", "./main.py", "a/../main.py", "/etc/passwd", "main.py/x", "", ".", "..", "\0", "a" * 5000, "a/" * 3000]
    ),
    anything,
)
texts = st.one_of(
    st.none(),
    anything,
    st.sampled_from(["(" * 20_000, "[" * 50_000 + "]" * 50_000, "\ud800", "\0", "x = " + "-" * 30_000 + "1\n", "if x:\n" * 3000]),
)
spans = st.one_of(
    st.none(),
    st.tuples(st.integers(0, 300), st.integers(0, 10**30)).map(lambda pair: Span(start=pair[0], end=pair[0] + pair[1])),
)
edits = st.builds(Edit, path=paths, text=texts, span=spans)
records = st.builds(
    Candidate,
    bug_id=st.just("sum"),
    edits=st.lists(edits, max_size=3).map(tuple),
    rank=st.just(1),
    origin=st.just(ORIGIN),
    problem=st.one_of(st.none(), anything),
    answer=st.one_of(st.none(), anything),
)


def record_of(**edit: Any) -> Candidate:
    return Candidate(bug_id="sum", edits=(Edit(**edit),), rank=1, origin=ORIGIN)


@given(proposed=records)
@example(proposed=record_of(path="main.py", text="\ud800"))
@example(proposed=record_of(path="\udcff.py", text="x"))
@example(proposed=record_of(path="x/" * 3000, text="x"))
@example(proposed=record_of(path="main.py", text="x", span=Span(start=10**30, end=10**31)))
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_any_record_of_a_candidate_gets_an_outcome(bug: Bug, proposed: Candidate) -> None:
    neighbour = candidate(2, "print(3)\n")
    with tempfile.TemporaryDirectory() as folder:
        outcomes, _ = judged(bug, Path(folder), TreeSandbox(lambda text: exited(stdout=b"3\n")), [proposed, neighbour])
    assert proposed.id in outcomes
    assert outcomes[neighbour.id].verdict is Verdict.WRONG
