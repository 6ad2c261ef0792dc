"""Results of others, put together: what is said twice, who is renamed, what is left out."""

import pytest

from repairlab.core.errors import UserError
from repairlab.metrics.published import PublishedOutcome, PublishedResults, PublishedVerdict, choose, make_results, merge, only

CORRECT, PLAUSIBLE, REJECTED, WRONG = (PublishedVerdict(word) for word in ("correct", "plausible", "rejected", "wrong"))


def said(system: str, bug: str, rank: int | None, verdict: PublishedVerdict) -> PublishedOutcome:
    return PublishedOutcome(system=system, bug=bug, rank=rank, verdict=verdict)


def results(*outcomes: PublishedOutcome) -> PublishedResults:
    return make_results(outcomes, bugs=("b/9",), notes=("n",))


TWO = results(said("x", "b/1", 1, PLAUSIBLE), said("y", "b/1", None, WRONG), said("x", "b/2", 1, WRONG))


def test_what_is_a_fix_depends_on_whether_people_looked() -> None:
    assert TWO.count == "plausible"
    assert results(said("x", "b/1", 1, REJECTED)).count == "correct"
    assert [verdict.is_fix("correct") for verdict in (CORRECT, REJECTED, PLAUSIBLE)] == [True, False, False]
    assert [verdict.is_fix("plausible") for verdict in (CORRECT, REJECTED, PLAUSIBLE, WRONG)] == [True, True, True, False]


def test_bugs_that_nobody_has_a_candidate_for_count() -> None:
    assert (TWO.systems, TWO.bugs, TWO.notes) == (("x", "y"), ("b/9", "b/1", "b/2"), ("n",))


def test_repetitions_and_contradictions_are_noted_and_their_number_is_bounded() -> None:
    same = said("x", "b/1", 1, WRONG)
    assert results(same, same).notes[1:] == ("1 candidate (system, bug, rank) listed more than once; each listing counts",)
    many = [said("x", f"b/{number}", 1, verdict) for number in range(23) for verdict in (CORRECT, WRONG)]
    notes = results(*many).notes
    assert notes[2] == "contradiction: x, b/0, rank 1 is correct and wrong; the better one is looked at first"
    assert (len(notes), notes[-1]) == (23, "3 more contradictions are not shown")


def test_systems_are_renamed_before_they_are_chosen() -> None:
    chosen = choose(TWO, ("z",), {"x": "z"})
    assert (chosen.systems, {item.system for item in chosen.outcomes}) == (("z",), {"z"})
    assert choose(TWO, (), {}) == TWO
    for systems, names, message in (((), {"q": "z"}, "unknown system 'q'"), (("x",), {"x": "z"}, "unknown system 'x'")):
        with pytest.raises(UserError, match=message):
            choose(TWO, systems, names)


def test_bugs_are_chosen_by_patterns_that_match_something() -> None:
    assert only(TWO, ()) is TWO
    assert [item.bug for item in only(TWO, ("*/2",)).outcomes] == ["b/2"]
    with pytest.raises(UserError, match=r"unknown bug 'c/\*'"):
        only(TWO, ("b/1", "c/*"))


def test_names_that_two_formats_use_are_told_apart() -> None:
    both = merge({"one": TWO, "two": results(said("x", "b/3", 1, WRONG))})
    assert (both.systems, both.bugs) == (("x", "y", "x (two)"), ("b/9", "b/1", "b/2", "b/3"))
    with pytest.raises(UserError, match="no results are given"):
        merge({})
