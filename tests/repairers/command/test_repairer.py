"""What the repairer `command` promises, whatever its program does; the contract of all repairers is in here, too."""

import dataclasses
from itertools import islice

import pytest

from repairlab.core.candidate import Attempt, Candidate, Edit
from repairlab.core.diff import unified_diff
from repairlab.core.model import Message, Prompt
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.record import digest
from repairlab.core.text import Lines, Span
from repairlab.repairers.command.repairer import CommandRepairer, Started, Usage, environment_variables, issue_text
from repairlab.repairers.command.settings import CommandSettings
from tests.repairers.command.test_printed import OLD, problem

FIX = Edit(path="src/f.x", text="B\n", span=Span(start=2, end=4))


class Programs:
    """Gives what starts came to, one after the other, and counts them."""

    def __init__(self, *started: Started) -> None:
        self.started = started
        self.numbers: list[int] = []

    def start(self, problem: Problem, number: int) -> tuple[str, Started]:
        self.numbers.append(number)
        return issue_text(problem), self.started[number % len(self.started)]


def started(**more: object) -> Started:
    return dataclasses.replace(Started(ended="exited with code 0", seconds=1.0), **more)  # type: ignore[arg-type]  # any field


def proposals(programs: Programs, *, n: int = 3, earlier: tuple[Candidate, ...] = (), **more: object) -> list[Candidate]:
    settings = CommandSettings(command="fix it", **more)  # type: ignore[arg-type]  # any setting
    return list(islice(CommandRepairer(settings, programs, n=n, earlier=earlier).propose(problem(), ()), n))


@pytest.mark.parametrize("source", ["workspace", "stdout"])
def test_a_repairer_is_deterministic_and_counts_ranks_from_one(source: str) -> None:
    one = started(edits=(FIX,), printed=unified_diff("src/f.x", OLD, "x\n") * 3)
    made = [proposals(Programs(one), candidates_from=source) for _ in range(2)]
    assert made[0] == made[1]
    assert [candidate.rank for candidate in made[0]] == [1, 2, 3]
    assert all(candidate.origin.repairer == "command" and candidate.bug_id == "bug" for candidate in made[0])


def test_each_candidate_of_a_workspace_is_a_start_of_its_own() -> None:
    programs = Programs(started(edits=(FIX,)))
    assert [candidate.origin.attempt for candidate in proposals(programs)] == [0, 1, 2]
    assert programs.numbers == [0, 1, 2]


def test_starts_are_made_one_by_one_as_candidates_are_taken() -> None:
    programs = Programs(started(edits=(FIX,)))
    next(CommandRepairer(CommandSettings(command="x"), programs, n=9).propose(problem(), ()))
    assert programs.numbers == [0]


def test_a_start_without_a_change_is_a_candidate_that_says_so() -> None:
    (made,) = proposals(Programs(started(left_out=("'a.png': no UTF-8 text",))), n=1)
    assert made.edits == ()
    assert made.problem == "the program changed nothing that counts (exited with code 0)"
    assert dict(made.origin.settings)["left out"] == "'a.png': no UTF-8 text"


def test_a_tool_that_prints_nothing_leaves_its_log() -> None:
    kept: list[tuple[Prompt, str]] = []
    programs = Programs(started(log="no patch found", printed="no patch found"))

    def keep(prompt: Prompt, *answers: str) -> None:
        kept.extend((prompt, answer) for answer in answers)

    settings = CommandSettings(command="apr .", candidates_from="stdout")
    (made,) = CommandRepairer(settings, programs, n=5, keep=keep).propose(problem(), ())
    assert made.problem == "the program printed no unified diff (exited with code 0)"
    assert kept == [
        (Prompt(messages=(Message(role="user", content=issue_text(problem())),)), "$ apr .\nno patch found\nexited with code 0\n")
    ]
    assert (made.origin.prompt, made.origin.answer) == (digest(kept[0][0]), digest(kept[0][1]))


def test_a_printed_diff_that_does_not_fit_is_kept_as_it_came() -> None:
    wrong = unified_diff("src/f.x", "z\n", "y\n")
    made = proposals(Programs(started(printed=wrong + "\n" + unified_diff("src/f.x", OLD, "y\n"))), candidates_from="stdout")
    assert [candidate.problem is None for candidate in made] == [False, True]
    assert made[0].answer == wrong


def test_what_was_asked_and_paid_is_in_the_origin() -> None:
    usage = Usage(requests=2, tokens_in=30, tokens_out=4, cost_usd=0.5)
    (made,) = proposals(Programs(started(edits=(FIX,), usage=usage)), n=1, model="openai/gpt-4o", preset="script")
    origin = made.origin
    assert (origin.model, origin.tokens_in, origin.tokens_out, origin.cost_usd) == ("openai/gpt-4o", 30, 4, 0.5)
    assert dict(origin.settings) == {"ended": "exited with code 0", "seconds": "1.0", "preset": "script", "requests": "2"}


def test_the_trajectory_is_kept_under_the_digest_that_the_origin_names() -> None:
    kept: list[str] = []

    def keep(prompt: Prompt, *answers: str) -> None:
        del prompt
        kept.extend(answers)

    programs = Programs(started(edits=(FIX,), trajectory='{"steps": []}'))
    (made,) = CommandRepairer(CommandSettings(command="agent"), programs, n=1, keep=keep).propose(problem(), ())
    assert made.origin.kept("trajectory") == digest('{"steps": []}')
    assert kept[1:] == ['{"steps": []}']


def test_what_a_start_cost_is_counted_once() -> None:
    one = started(printed=unified_diff("src/f.x", OLD, "x\n") * 3, usage=Usage(requests=1, tokens_in=7, cost_usd=0.5))
    made = proposals(Programs(one), candidates_from="stdout", model="openai/gpt-4o")
    assert [(candidate.origin.tokens_in, candidate.origin.cost_usd) for candidate in made] == [(7, 0.5), (0, 0.0), (0, 0.0)]


def test_what_an_earlier_start_of_the_run_stored_is_not_made_again() -> None:
    whole = proposals(Programs(started(edits=(FIX,))), n=4)
    programs = Programs(started(edits=(FIX,)))
    assert proposals(programs, n=4, earlier=tuple(whole[:2])) == whole
    assert programs.numbers == [2, 3]


def test_a_call_that_was_cut_short_is_made_again_for_its_other_diffs() -> None:
    one = started(printed="".join(unified_diff("src/f.x", OLD, f"{number}\n") for number in range(3)))
    whole = proposals(Programs(one), n=6, candidates_from="stdout", calls=2)
    assert len({candidate.id for candidate in whole}) == 3
    programs = Programs(one)
    assert proposals(programs, n=6, earlier=tuple(whole[:4]), candidates_from="stdout", calls=2) == whole
    assert programs.numbers == [1]


def test_a_conversation_is_not_held() -> None:
    programs = Programs(started(edits=(FIX,)))
    (made,) = proposals(programs, n=1)
    settings = CommandSettings(command="x")
    assert list(CommandRepairer(settings, programs, n=3).propose(problem(), (Attempt(candidate=made, feedback=None),))) == []


def test_the_issue_says_what_the_policy_shows() -> None:
    bug = dataclasses.replace(
        problem(),
        title="Wrong",
        description="It is wrong.",
        error="assert 1 == 2",
        location=(Lines(path="src/f.x", first=2, last=2), Lines(path="src/f.x", first=3, last=2)),
    )
    plain = issue_text(shown(bug, Visibility()))
    assert plain == (
        "# Wrong\n\nIt is wrong.\n\n"
        "The bug is in the file `src/f.x`. What is to be changed: src/f.x line 2, src/f.x before line 3.\n"
    )
    assert "line" not in issue_text(shown(bug, Visibility(localisation="file")))
    assert "REPAIRLAB_LINES" not in environment_variables(shown(bug, Visibility(localisation="function")))
    assert environment_variables(shown(bug, Visibility()))["REPAIRLAB_LINES"] == "src/f.x:2-2 src/f.x:3-2"
    assert "    assert 1 == 2\n" in issue_text(shown(bug, Visibility(error=True)))
    assert issue_text(bug, ("test_a",)).endswith("Tests that fail:\n\n- test_a\n")
