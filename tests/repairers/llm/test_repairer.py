"""The repairer `llm`: from answers to candidates, and that what is hidden stays hidden."""

import dataclasses
from collections.abc import Iterator

import pytest

from repairlab.core.bug import Bug, Case, Labels, Oracle, Provenance, Tree
from repairlab.core.candidate import Attempt, Edit
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.model import Prompt
from repairlab.core.problem import Visibility, shown
from repairlab.core.recipe import Build, Test
from repairlab.core.record import to_json
from repairlab.repairers.ledger import current_bug
from repairlab.repairers.llm.client.model import Completion, Finish, Sampling, Unanswerable
from repairlab.repairers.llm.prompts.table import names
from repairlab.repairers.llm.repairer import AT_ONCE, Llm
from repairlab.repairers.llm.settings import LlmSettings
from tests.repairers.llm.bugs import PYTHON, Recorder, example, policy, python_problem

FIX = "```python\n    def row_of(self, number):\n        return (number - 1) // self.seats + 1\n```"


class Finishing(Recorder):
    """A scripted model whose answers end in a given way."""

    finish: Finish = "stop"
    reason = ""

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        if self.reason and (len(prompt.messages) > 2 or "turn 2" not in self.reason):
            raise Unanswerable(self.reason)
        self.bug = current_bug()
        made = super().complete(prompt, sampling, first=first, n=n)
        return tuple(dataclasses.replace(answer, finish=self.finish, cost_usd=0.5, logprob=-2.0) for answer in made)


def llm(model: Recorder, strategy: str = "zero-shot", *, n: int = 3, **settings: object) -> Llm:
    made = LlmSettings(model=model.name, strategy=strategy, **settings)  # type: ignore[arg-type]  # any field
    return Llm(made, model, n=n, seed=7, examples=[example(1)])


def test_each_answer_becomes_a_candidate() -> None:
    model = Recorder([FIX, FIX.replace("+ 1", "+ 2")])
    first, second, third = llm(model).propose(python_problem(), ())
    assert [first.rank, second.rank, third.rank] == [1, 2, 3]
    assert first.edits == third.edits != second.edits
    (edit,) = first.edits
    assert edit.path == "seats/hall.py"
    assert edit.text is not None
    assert "(number - 1) // self.seats + 1" in edit.text
    assert first.problem is None
    assert first.answer is None


def test_where_each_may_be_the_last_answers_are_asked_for_one_by_one() -> None:
    model = Recorder([FIX])
    proposed = Llm(LlmSettings(model="scripted"), model, n=50, seed=0, at_once=1).propose(python_problem(), ())
    assert [next(proposed).rank for _ in range(3)] == [1, 2, 3]
    assert [(first, n) for _, _, first, n in model.calls] == [(0, 1), (1, 1), (2, 1)]


def test_the_origin_is_enough_to_ask_again() -> None:
    (candidate,) = llm(Finishing([FIX], name="m"), n=1, temperature=0.2, logprobs=True).propose(python_problem(), ())
    origin = candidate.origin
    assert (origin.repairer, origin.model, origin.seed, origin.attempt, origin.turn) == ("llm", "m", 7, 0, 0)
    assert origin.prompt
    assert dict(origin.settings) == {
        "strategy": "zero-shot",
        "temperature": "0.2",
        "top_p": "1",
        "max_tokens": "1024",
        "comments": "original",
    }
    assert (origin.cost_usd, origin.logprob, origin.tokens_in) == (0.5, -2.0, 1)


def test_answers_are_asked_for_in_groups_as_they_are_taken() -> None:
    model = Recorder([FIX])
    stream = llm(model, n=AT_ONCE + 5).propose(python_problem(), ())
    next(stream)
    assert [(first, n) for _, _, first, n in model.calls] == [(0, AT_ONCE)]
    assert len(list(stream)) == AT_ONCE + 4
    assert [(first, n) for _, _, first, n in model.calls] == [(0, AT_ONCE), (AT_ONCE, 5)]
    assert model.calls[0][1] == Sampling(temperature=0.8, max_tokens=1024, seed=7)


def test_requests_are_booked_under_the_bug() -> None:
    model = Finishing([FIX])
    list(llm(model).propose(python_problem(), ()))
    assert model.bug == "hall-1"
    assert current_bug() is None


def test_an_answer_that_cannot_be_read_is_kept() -> None:
    (candidate,) = llm(Recorder(["I am sorry, I cannot help with that."]), n=1).propose(python_problem(), ())
    assert candidate.edits == ()
    assert candidate.problem
    assert candidate.answer == "I am sorry, I cannot help with that."


def test_the_unchanged_code_is_a_candidate() -> None:
    problem = python_problem()
    (candidate,) = llm(Recorder([f"```python\n    {problem.target.text}\n```"]), n=1).propose(problem, ())
    assert candidate.problem is None


def test_a_withheld_answer_is_a_candidate_without_edits() -> None:
    model = Finishing([FIX])
    model.finish = "filtered"
    candidates = list(llm(model, n=2).propose(python_problem(), ()))
    assert [(candidate.edits, candidate.problem) for candidate in candidates] == [((), "the server withheld the answer")] * 2


def test_a_cut_answer_that_cannot_be_read_says_so() -> None:
    model = Finishing(["Let me think about this at length"])
    model.finish = "length"
    (candidate,) = llm(model, n=1).propose(python_problem(), ())
    assert str(candidate.problem).startswith("the answer was cut off after 1024 tokens: ")


@pytest.mark.parametrize("strategy", ["zero-shot", "reasoning"])
def test_a_prompt_that_cannot_be_answered_makes_candidates_without_edits(strategy: str) -> None:
    model = Finishing([FIX])
    model.reason = "refused by rule"
    candidates = list(llm(model, strategy).propose(python_problem(), ()))
    assert [candidate.problem for candidate in candidates] == ["refused by rule"] * 3
    assert [candidate.rank for candidate in candidates] == [1, 2, 3]
    assert dict(candidates[0].origin.settings)["strategy"] == strategy


def test_a_prompt_that_does_not_fit_is_not_asked() -> None:
    model = Recorder([FIX], context_window=1100)
    candidates = list(llm(model).propose(python_problem(), ()))
    assert model.calls == []
    assert len(candidates) == 3
    assert "but scripted takes 1100 in all" in str(candidates[0].problem)


def test_there_is_nothing_to_add_in_a_second_round() -> None:
    repairer = llm(Recorder([FIX]), n=1)
    (candidate,) = repairer.propose(python_problem(), ())
    assert list(repairer.propose(python_problem(), (Attempt(candidate=candidate, feedback=None),))) == []


def test_stop_texts_of_strategy_and_user_are_joined() -> None:
    model = Recorder(["        return 1"])
    list(llm(model, "completion", n=1, stop=("END",)).propose(python_problem(), ()))
    prompt, sampling, _, _ = model.calls[0]
    assert sampling.stop == ("\n    def ", "\n    @", "\nclass ", "\ndef ", "END")
    assert prompt.messages == ()
    assert prompt.text is not None
    assert prompt.text.endswith("\n    def row_of(self, number):")


def test_a_prompt_file_can_fill_in_the_middle() -> None:
    model = Recorder(["        return 1"])
    own = "--- prefix ---\n{{ before }}{{ given.lstrip() }}\n--- suffix ---\n{{ after }}"
    list(llm(model, "completion", n=1, prompt=own).propose(python_problem(), ()))
    prompt = model.calls[0][0]
    assert prompt.text == PYTHON[: PYTHON.index("        # Seats") - 1]
    assert prompt.suffix == PYTHON[PYTHON.index("return row + 1") + len("return row + 1") :]


def reason(prompt: Prompt, number: int) -> str:
    said = [message.content for message in prompt.messages if message.role == "assistant"]
    return FIX if len(said) == 2 else f"thought {len(said)} of {number}"


def test_reasoning_is_a_chain_of_its_own_for_each_candidate() -> None:
    model = Recorder(reason)
    candidates = list(llm(model, "reasoning").propose(python_problem(), ()))
    assert [candidate.origin.turn for candidate in candidates] == [2, 2, 2]
    assert all(candidate.edits for candidate in candidates)
    assert [(first, n) for _, _, first, n in model.calls] == [(0, 3), (0, 1), (0, 1), (1, 1), (1, 1), (2, 1), (2, 1)]
    last = model.calls[-1][0].messages
    assert [message.role for message in last] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message.content for message in last if message.role == "assistant"] == ["thought 0 of 2", "thought 1 of 2"]
    assert candidates[0].origin.tokens_in == 3
    assert len({candidate.origin.prompt for candidate in candidates}) == 3


def test_a_chain_that_breaks_is_one_candidate_without_edits() -> None:
    model = Finishing(reason)
    model.reason = "turn 2 is too long"
    candidates = list(llm(model, "reasoning").propose(python_problem(), ()))
    assert [candidate.problem for candidate in candidates] == ["turn 2: turn 2 is too long"] * 3


def test_the_digest_of_an_own_prompt_is_kept() -> None:
    (candidate,) = llm(Recorder([FIX]), n=1, prompt="Fix {{ code }}").propose(python_problem(), ())
    assert "prompt_file" in dict(candidate.origin.settings)


def test_what_is_missing_is_known_before_anything_is_asked() -> None:
    model = Recorder([FIX])
    bare = dataclasses.replace(python_problem(), title="", description="")
    assert llm(model).needs(bare) == "bug hall-1 has no issue text"
    assert llm(model).needs(python_problem()) is None
    with pytest.raises(UserError, match="no issue text"):
        list(llm(model).propose(bare, ()))
    assert model.calls == []


MARK = "MARKER"


def marked_bug() -> Bug:
    """Return a bug with a marker in everything that a repairer must not see."""
    problem = dataclasses.replace(python_problem(), error=f"{MARK}-error")
    oracle = Oracle(
        reference=(Edit(path="seats/hall.py", text=f"{MARK}-reference"), Edit(path=f"{MARK}.py", text=f"{MARK}-new")),
        build=Build(sources=(f"{MARK}-sources",), tests=(f"{MARK}-tests",), flags=(f"{MARK}-flags",)),
        test=Test(framework="pytest", program=f"{MARK}-program", files=(f"{MARK}-files",), env=((f"{MARK}-key", f"{MARK}-value"),)),
        limits=Limits(),
        trigger=(f"tests/test_hall.py::{MARK}_trigger",),
        regression=(f"tests/test_hall.py::{MARK}_regression",),
        cases=(Case(id=f"{MARK}-case", input=f"{MARK}-input", expected=f"{MARK}-expected"),),
        excluded=(f"{MARK}-excluded",),
    )
    origin = Provenance(
        repository=f"{MARK}-repository",
        commit=f"{MARK}-commit",
        issue=f"{MARK}-discussion",
        licence=f"{MARK}-licence",
        cve=f"{MARK}-cve",
        cwe=f"{MARK}-cwe",
    )
    labels = Labels(category=f"{MARK}-category", symptom=f"{MARK}-symptom", split=f"{MARK}-split")
    tree = Tree(source=f"{MARK}-tree", revision=f"{MARK}-history", digest=f"{MARK}-digest")
    return Bug(problem=problem, oracle=oracle, tree=tree, origin=origin, labels=labels)


def prompts_of(strategy: str, visibility: Visibility) -> Iterator[str]:
    """Run a strategy to its end, with the bug itself among the examples, and yield all that the model was told."""
    bug = marked_bug()
    own = dataclasses.replace(example(9, buggy=bug.problem.target.text, fixed=f"{MARK}-own-fix"), id=bug.id)
    twin = example(8, buggy=bug.problem.target.text, fixed=f"{MARK}-twin-fix")
    model = Recorder([FIX, "nothing", "thoughts"])
    settings = LlmSettings(model="scripted", strategy=strategy, attempts=2, shots=9)
    repairer = Llm(settings, model, n=3, seed=0, examples=[own, twin, example(1)])
    problem = shown(bug.problem, visibility)
    history: tuple[Attempt, ...] = ()
    for _ in range(6):
        for candidate in repairer.propose(problem, history):
            history += (Attempt(candidate=candidate, feedback=None),)
            if strategy == "conversation":
                break
    assert history
    for prompt, sampling, _, _ in model.calls:
        yield to_json(prompt) + to_json(sampling)


@pytest.mark.parametrize("strategy", names())
def test_hidden_means_hidden(strategy: str) -> None:
    prompts = list(prompts_of(strategy, policy(strategy)))
    assert prompts
    assert not [prompt for prompt in prompts if MARK in prompt]


def test_the_markers_would_be_seen() -> None:
    assert any(f"{MARK}-error" in prompt for prompt in prompts_of("infill-line", Visibility(error=True)))
    assert to_json(marked_bug()).count(MARK) > 25
