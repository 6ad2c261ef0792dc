"""The conversation: attempts and turns, and what the model is told of its candidates."""

import dataclasses

import pytest

from repairlab.core.candidate import Attempt, Candidate, Edit
from repairlab.core.model import Prompt
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem
from repairlab.core.text import Span
from repairlab.repairers.llm.client.model import Completion, Sampling
from repairlab.repairers.llm.repairer import Llm
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import feedback
from tests import builders
from tests.repairers.llm.bugs import PYTHON, Recorder, python_problem


def fix(offset: int) -> str:
    return f"```python\n    def row_of(self, number):\n        return number + {offset}\n```"


def settings(**changes: object) -> LlmSettings:
    return LlmSettings(**{"model": "scripted", "strategy": "conversation", "attempts": 2, "turns": 3, **changes})  # type: ignore[arg-type]


def llm(model: Recorder, **changes: object) -> Llm:
    return Llm(settings(**changes), model, n=6, seed=0)


def judged(candidate: Candidate, message: str = "expected 1, got 2", verdict: Verdict = Verdict.WRONG) -> Attempt:
    outcome = builders.outcome(verdict, candidate, policy="first-failure", message=message)
    return Attempt(candidate=candidate, feedback=feedback(outcome, "message"))


def talk(repairer: Llm, problem: Problem, *, most: int = 99) -> tuple[Attempt, ...]:
    history: tuple[Attempt, ...] = ()
    for _ in range(most):
        candidates = list(repairer.propose(problem, history))
        if not candidates:
            break
        (candidate,) = candidates
        history += (judged(candidate),)
    return history


def said(prompt: Prompt) -> list[str]:
    return [f"{message.role}: {message.content}" for message in prompt.messages]


def test_there_are_as_many_candidates_as_attempts_times_turns() -> None:
    model = Recorder([fix(1)])
    history = talk(llm(model), python_problem())
    places = [(item.candidate.rank, item.candidate.origin.attempt, item.candidate.origin.turn) for item in history]
    assert places == [(1, 0, 0), (2, 0, 1), (3, 0, 2), (4, 1, 0), (5, 1, 1), (6, 1, 2)]
    assert settings().tries == 6


def test_each_turn_shows_the_candidates_before_it_and_how_they_failed() -> None:
    model = Recorder(lambda prompt, number: fix(len(prompt.messages)))
    talk(llm(model), python_problem(), most=3)
    first, second, third = (said(prompt) for prompt, _, _, _ in model.calls)
    assert [len(first), len(second), len(third)] == [2, 4, 6]
    assert second[:2] == first
    assert third[:4] == second
    assert "return number + 2" in second[2]
    assert second[2].startswith("assistant: ```python\n    def row_of(self, number):\n")
    assert "WRONG at cases: expected 1, got 2" in second[3]
    assert "return number + 4" in third[4]


def test_a_new_attempt_starts_afresh_with_another_answer() -> None:
    model = Recorder(lambda prompt, number: fix(number))
    talk(llm(model), python_problem())
    opening = model.calls[0][0]
    assert model.calls[3][0] == opening
    assert [first for _, _, first, _ in model.calls] == [0, 2, 4, 1, 3, 5]
    assert all(n == 1 for _, _, _, n in model.calls)


def test_equal_prompts_of_different_attempts_are_different_questions() -> None:
    model = Recorder([fix(1)])
    talk(llm(model), python_problem())
    asked = [(prompt, first) for prompt, _, first, _ in model.calls]
    assert len({said(prompt)[-1] for prompt, _ in asked}) == 2
    assert len({first for _, first in asked}) == 6


def test_the_first_error_is_shown_where_the_policy_shows_it() -> None:
    model = Recorder([fix(1)])
    next(llm(model).propose(python_problem(), ()))
    next(llm(model).propose(dataclasses.replace(python_problem(), error=None), ()))
    assert "AssertionError: 2 != 1" in said(model.calls[0][0])[1]
    assert "AssertionError" not in said(model.calls[1][0])[1]


def test_an_answer_that_could_not_be_read_is_told_as_such() -> None:
    model = Recorder(["I do not know."])
    talk(llm(model), python_problem(), most=2)
    _, _, answer, reply = said(model.calls[1][0])
    assert answer == "assistant: I do not know."
    assert reply.startswith("user: No fix could be read from your answer: ")
    assert "WRONG" not in reply


class Endless(Recorder):
    """Every answer meets the limit of its length."""

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        return tuple(
            dataclasses.replace(answer, finish="length") for answer in super().complete(prompt, sampling, first=first, n=n)
        )


def test_an_answer_that_was_cut_off_is_told_as_such() -> None:
    model = Endless(["Well, let me think"])
    talk(llm(model), python_problem(), most=2)
    assert said(model.calls[1][0])[3].startswith("user: Your answer was too long and was cut off.")


def test_without_feedback_nothing_is_told() -> None:
    model = Recorder([fix(1)])
    repairer = llm(model)
    (candidate,) = repairer.propose(python_problem(), ())
    list(repairer.propose(python_problem(), (Attempt(candidate=candidate, feedback=None),)))
    assert "Suppose that this does not fix the bug." in said(model.calls[1][0])[3]


def test_our_own_failure_is_not_told_as_the_candidates() -> None:
    model = Recorder([fix(1)])
    repairer = llm(model)
    (candidate,) = repairer.propose(python_problem(), ())
    list(repairer.propose(python_problem(), (judged(candidate, "the sandbox died", Verdict.UNDECIDED),)))
    assert "sandbox" not in said(model.calls[1][0])[3]


def test_a_plausible_candidate_ends_the_conversation() -> None:
    repairer = llm(Recorder([fix(1)]))
    (candidate,) = repairer.propose(python_problem(), ())
    assert list(repairer.propose(python_problem(), (judged(candidate, "", Verdict.PLAUSIBLE),))) == []


def test_a_greedy_model_has_all_its_attempts() -> None:
    assert len(talk(llm(Recorder([fix(1)]), temperature=0.0), python_problem())) == 6


def test_an_attempt_may_open_by_infilling_and_go_on_with_the_function() -> None:
    model = Recorder(lambda prompt, _: fix(2) if len(prompt.messages) > 2 else "```python\n        row = 7\n```")
    history = talk(llm(model, opening="infill"), python_problem(), most=2)
    first, second = (said(call[0]) for call in model.calls)
    assert ">>> [ INFILL ] <<<" in first[1]
    assert second[:2] == first and "row = 7\n        return row + 1" in second[2] and "complete fixed function" in second[3]
    assert [item.candidate.problem for item in history] == [None, None]
    assert "return number + 2" in str(history[1].candidate.edits)


@pytest.mark.parametrize("opening", ["function", "infill"])
def test_a_turn_may_replace_the_function_and_its_message(opening: str) -> None:
    answers = ["```python\n        row = 7\n```" if opening == "infill" else fix(1), "I do not know.", fix(3), fix(4)]
    model = Recorder(lambda *_: answers[len(model.calls) - 1])
    history = talk(llm(model, follow_up="replace", opening=opening), python_problem(), most=4)
    prompts = [said(call[0]) for call in model.calls]
    assert [len(prompt) for prompt in prompts] == [2, 2, 2, 2]
    assert prompts[3] == prompts[0]  # a new attempt
    assert prompts[1] == prompts[2] and "WRONG at cases: expected 1, got 2" in prompts[1][1]
    assert ("row = 7" if opening == "infill" else "return number + 1") in prompts[1][1]
    assert "self.seats" not in prompts[1][1].replace("self.seats = seats", "")
    assert "return number + 3" in str(history[2].candidate.edits)


def test_long_messages_are_cut_to_fit_and_the_bug_never_is() -> None:
    model = Recorder([fix(1)], context_window=1700)
    repairer = llm(model)
    (candidate,) = repairer.propose(python_problem(), ())
    list(repairer.propose(python_problem(), (judged(candidate, "x" * 50_000),)))
    opening, reply = said(model.calls[1][0])[1], said(model.calls[1][0])[3]
    assert opening == said(model.calls[0][0])[1]
    assert "WRONG at cases: xxx" in reply
    assert "xx …" in reply
    assert len(reply) < 1000


def test_the_oldest_exchange_goes_when_cut_messages_do_not_fit() -> None:
    model = Recorder(lambda prompt, number: fix(len(prompt.messages)), context_window=1370)
    talk(llm(model), python_problem(), most=3)
    second, third = said(model.calls[1][0]), said(model.calls[2][0])
    assert len(second) == len(third) == 4
    assert "number + 4" in third[2]


def test_a_conversation_that_does_not_fit_goes_on_with_candidates_without_edits() -> None:
    model = Recorder([fix(1)], context_window=1100)
    history = talk(llm(model), python_problem())
    assert model.calls == []
    assert len(history) == 6
    assert "takes 1100 in all" in str(history[-1].candidate.problem)


@pytest.mark.parametrize(
    ("edits", "shown"),
    [
        (
            [
                ("import math\n\n", Span(start=0, end=0)),
                ("// 2", Span(start=PYTHON.index("// self"), end=PYTHON.index("// self") + 13)),
            ],
            "// 2\n",
        ),
        ([("x = 1\n", Span(start=len(PYTHON), end=len(PYTHON)))], "row = number // self.seats\n        return row + 1\n```"),
        ([("whole file", None)], "```python\nwhole file\n```"),
    ],
    ids=["around and inside", "behind", "whole file"],
)
def test_the_function_is_shown_as_the_edits_leave_it(edits: list[tuple[str, Span | None]], shown: str) -> None:
    problem = python_problem()
    made = tuple(Edit(path=problem.path, text=text, span=span) for text, span in edits)
    candidate = builders.candidate(problem.id, *made, repairer="llm")
    model = Recorder([fix(1)])
    list(llm(model).propose(problem, (judged(candidate),)))
    answer = said(model.calls[0][0])[2]
    assert shown in answer
    assert "import math" not in answer
    assert "largest" not in answer
