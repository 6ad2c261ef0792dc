from repairlab.core.candidate import Attempt, Candidate, Edit
from repairlab.core.problem import Problem
from repairlab.core.text import Span, replace_span
from repairlab.repairers.baselines import Copy, Prepared, ScriptedRepairer
from tests import builders

SOURCE = "import sys\n\n\ndef half(n):\n    return n / 2\n"


def problem() -> Problem:
    span = Span(start=SOURCE.index("def"), end=len(SOURCE))
    return builders.problem(SOURCE, id="half", path="half.py", target="half", span=span)


def applied(candidate: Candidate) -> str:
    edit = candidate.edits[0]
    assert edit.span is not None
    assert edit.text is not None
    return replace_span(SOURCE, edit.span, edit.text)


def test_copy_proposes_the_buggy_program_once() -> None:
    (candidate,) = Copy().propose(problem(), ())
    assert applied(candidate) == SOURCE
    assert candidate.rank == 1


def test_copy_has_nothing_to_add_in_a_second_round() -> None:
    (candidate,) = Copy().propose(problem(), ())
    assert list(Copy().propose(problem(), (Attempt(candidate=candidate, feedback=None),))) == []


def prepared(rank: int, *edits: Edit) -> Candidate:
    return builders.candidate("half", *edits, rank=rank, repairer="elsewhere")


def test_prepared_candidates_come_as_they_were_given() -> None:
    given = [
        prepared(1, Edit(path="half.py", text="a")),
        prepared(2, Edit(path="half.py", text="b"), Edit(path="other.py", text=None)),
    ]
    assert list(Prepared("reference", {"half": given}).propose(problem(), ())) == given


def test_prepared_proposes_nothing_for_a_bug_it_does_not_know() -> None:
    assert list(Prepared("reference", {"other": [prepared(1)]}).propose(problem(), ())) == []


def test_a_scripted_repairer_sees_the_history_and_counts_on() -> None:
    repairer = ScriptedRepairer(lambda problem, history: [f"{problem.id} {len(history)}"])
    (first,) = repairer.propose(problem(), ())
    (second,) = repairer.propose(problem(), (Attempt(candidate=first, feedback="wrong"),))
    assert applied(first).endswith("half 0")
    assert applied(second).endswith("half 1")
    assert (first.rank, second.rank) == (1, 2)
