"""Benchmarks as tasks of Inspect: `inspect eval repairlab/starter --model …`.

A sample is a bug. The solver asks as our strategies do, with whatever model Inspect was given; the scorer's value is 1 for a
plausible candidate, and none for one that could not be decided.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import anyio.from_thread
import anyio.to_thread
from inspect_ai import Task, task
from inspect_ai._util.error import PrerequisiteError  # what Inspect prints as a message, without a trace
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from repairlab.benchmarks.catalog import benchmark_names
from repairlab.core.errors import UserError
from repairlab.core.model import Prompt
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import to_data
from repairlab.repairers.llm.client.model import Completion, Finish, Sampling, estimate_tokens
from repairlab.serve.harnesses.evaluation import Evaluation, EvaluationSettings, open_evaluation

_MESSAGES: dict[str, Callable[..., ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}
_FINISHES: dict[str, Finish] = {"max_tokens": "length", "model_length": "length", "content_filter": "filtered"}


@task
def repair(benchmark: str, strategy: str = "zero-shot", localisation: str = "line", include: str | list[str] | None = None) -> Task:
    """Repair the bugs of any benchmark, given by its name or folder."""
    patterns = (include,) if isinstance(include, str) else tuple(include or ())
    settings = EvaluationSettings(benchmark=benchmark, strategy=strategy, localisation=localisation, include=patterns)
    try:
        return _task(open_evaluation(settings))
    except UserError as error:
        raise PrerequisiteError(str(error)) from None


def _task(evaluation: Evaluation) -> Task:
    strategy, sampling = evaluation.settings.strategy, evaluation.sampling
    if not evaluation.is_chat:
        raise UserError(f"the strategy {strategy} gives a text to go on with, but models of Inspect take messages; try zero-shot")
    return Task(
        dataset=MemoryDataset(_samples(evaluation), name=evaluation.benchmark.name),
        solver=ask(),
        scorer=verdict(),
        config=GenerateConfig(temperature=sampling.temperature, top_p=sampling.top_p, max_tokens=sampling.max_tokens),
        version=evaluation.benchmark.version,
        metadata={"benchmark_digest": evaluation.benchmark.digest, "policy": evaluation.experiment.policy},
    )


def _named(name: str) -> None:
    """Make a task of the name of a built-in benchmark."""

    @task(name=name)
    def repair_named(strategy: str = "zero-shot", localisation: str = "line", include: str | list[str] | None = None) -> Task:
        return repair(name, strategy, localisation, include)


for _name in benchmark_names():
    _named(_name)


def _samples(evaluation: Evaluation) -> list[Sample]:
    about = to_data(evaluation.settings)
    return [
        Sample(
            id=problem.id,
            input=_messages(evaluation.ask(problem).opening),
            metadata={"repairlab": about, "language": problem.language},
            description=problem.title,
        )
        for problem in evaluation.problems()
    ]


def _messages(prompt: Prompt) -> list[ChatMessage]:
    return [_MESSAGES[message.role](content=message.content) for message in prompt.messages]


def _evaluation(state: TaskState) -> Evaluation:
    """Return a sample's evaluation, named by its metadata: so a log can be scored again."""
    about = state.metadata["repairlab"]
    return open_evaluation(EvaluationSettings(**{**about, "include": tuple(about["include"])}))


class InspectModel:
    """A model of Inspect behind our interface, for one sample; called in a thread, it asks in Inspect's event loop."""

    context_window: int | None = None
    """Inspect knows what to do when a prompt is too long."""

    def __init__(self, model: Model) -> None:
        self.name = str(model)
        self._model = model
        self.last: tuple[Prompt, ModelOutput] | None = None
        """The last question and answer."""

    def count_tokens(self, text: str) -> int:
        """Estimate, as for served models."""
        return estimate_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Ask once; Inspect decides how, except for the stop texts."""
        del first
        assert n == 1, "a sample of Inspect is one candidate; epochs are further ones"
        config = GenerateConfig(stop_seqs=list(sampling.stop) or None)
        output: ModelOutput = anyio.from_thread.run(partial(self._model.generate, _messages(prompt), config=config))
        self.last = prompt, output
        usage = output.usage
        return (
            Completion(
                text=output.completion,
                finish=_FINISHES.get(output.stop_reason, "stop"),
                tokens_in=usage.input_tokens if usage else 0,
                tokens_out=usage.output_tokens if usage else 0,
                cost_usd=None,
            ),
        )


@solver
def ask() -> Solver:
    """Ask as the task's strategy does, through all its turns."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        evaluation, model = _evaluation(state), InspectModel(get_model())
        (candidate,) = await anyio.to_thread.run_sync(_propose, evaluation, model, str(state.sample_id))
        if model.last is not None:
            prompt, state.output = model.last
            state.messages = [*_messages(prompt), state.output.message]
        store().set("candidate", candidate.id)
        return state

    return solve


def _propose(evaluation: Evaluation, model: InspectModel, bug_id: str) -> Sequence[Any]:
    return list(evaluation.repairer(model).propose(evaluation.problem(bug_id), ()))


@scorer(metrics=[accuracy(), stderr()])
def verdict() -> Scorer:
    """Judge the answer with the hidden tests of its bug, in the sandbox."""
    limits: dict[int, anyio.CapacityLimiter] = {}

    async def score(state: TaskState, target: Target) -> Score:
        del target
        evaluation = _evaluation(state)
        limit = limits.setdefault(id(evaluation), anyio.CapacityLimiter(evaluation.n_workers))
        answer = state.output.completion
        outcome = await anyio.to_thread.run_sync(evaluation.judge, str(state.sample_id), answer, limiter=limit)
        return score_of(outcome)

    return score


def score_of(outcome: Outcome) -> Score:
    """Return a verdict as a score; an undecided one has none."""
    told = f"{outcome.verdict} ({outcome.stage})" + (f": {outcome.message}" if outcome.message else "")
    metadata = {
        "verdict": outcome.verdict.value,
        "stage": outcome.stage,
        "candidate": outcome.candidate_id,
        "n_passed": outcome.n_passed,
        "n_tests": outcome.n_tests,
        "isolation": outcome.isolation,
    }
    if outcome.verdict is Verdict.UNDECIDED:
        return Score.unscored(reason="scoring_failed", explanation=told, metadata=metadata)
    return Score(value=float(outcome.verdict is Verdict.PLAUSIBLE), explanation=told, metadata=metadata)
