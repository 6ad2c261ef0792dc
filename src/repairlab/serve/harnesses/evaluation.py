"""A benchmark in the form that other harnesses need: a model's questions about each bug, and verdicts on its answers.

Questions and the reading of answers are those of `repairlab run --repairer llm`, verdicts those of the engine.
"""

import threading
from collections.abc import Iterator
from functools import cache, cached_property

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome
from repairlab.core.problem import Problem, shown
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import ChatModel, ScriptedModel
from repairlab.repairers.llm.prompts.prompter import Asked, Prompter
from repairlab.repairers.llm.repairer import Llm
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings
from repairlab.runs.executors.forking import start_server
from repairlab.runs.experiment import Experiment, make_experiment
from repairlab.runs.patch import Patch
from repairlab.runs.repairing import read_examples, wanted_examples
from repairlab.runs.validator_pool import ValidatorPool
from repairlab.validation.machine import local_machine

_NO_MODEL = "none/none"


@record
class EvaluationSettings:
    """Which bugs a model is asked about, and how; a harness stores it with its results."""

    benchmark: str
    """Name or folder."""
    strategy: str = "zero-shot"
    localisation: str = "line"
    include: tuple[str, ...] = ()
    """Shell patterns of bugs; empty means all."""


class Evaluation:
    """The bugs of a benchmark that a strategy can ask about. Judging opens worker processes, which end with this one."""

    def __init__(self, settings: EvaluationSettings) -> None:
        """Check the settings; UserError says what is wrong with them."""
        self.settings = settings
        self.benchmark = open_benchmark(settings.benchmark)
        if settings.strategy == CONVERSATION:
            raise UserError("a conversation asks again by verdicts, which harnesses have at the end only; use: repairlab run")
        experiment = _experiment(settings)
        assert isinstance(experiment.settings, LlmSettings)
        self.experiment = experiment
        self.sampling: LlmSettings = experiment.settings
        self._examples = read_examples(wanted_examples(experiment), self.benchmark)
        self._prompter = Prompter(self.sampling, ScriptedModel(()), seed=experiment.seed, examples=self._examples)

    @property
    def n_turns(self) -> int:
        """Return how often a model is asked about one bug."""
        return self._prompter.template.n_turns

    @property
    def is_chat(self) -> bool:
        """Whether questions are messages rather than texts to continue."""
        return self._prompter.template.is_chat

    def problems(self) -> Iterator[Problem]:
        """Yield the problems that the strategy can ask about, as a model may see them; UserError if there are none."""
        reason = None
        found = False
        for bug in self.benchmark.select(self.settings.include):
            problem = shown(bug.problem, self.experiment.visibility)
            why = self._prompter.needs(problem)
            reason = reason or why
            if why is None:
                found = True
                yield problem
        if not found:
            raise UserError(f"the strategy {self.settings.strategy} can ask about no bug of {self.benchmark.name}: {reason}")

    def problem(self, bug_id: str) -> Problem:
        """Return one problem as a model may see it."""
        return shown(self.benchmark.bug(bug_id).problem, self.experiment.visibility)

    def ask(self, problem: Problem) -> Asked:
        """Return the first question about a problem."""
        return self._prompter.ask(problem)

    def repairer(self, model: ChatModel) -> Llm:
        """Return a function that asks a model about a problem once, through all turns."""
        return Llm(self.sampling, model, n=1, seed=self.experiment.seed, examples=self._examples)

    def judge(self, bug_id: str, answer: str) -> Outcome:
        """Return the verdict on an answer; may be called from any thread."""
        settings = self.settings
        opened = self._pool.opened(self.benchmark.bug(bug_id), policy=self.experiment.policy)
        patch = Patch(text=answer, strategy=settings.strategy, localisation=settings.localisation)
        return (self._pool.known(opened, patch) or self._pool.judge(opened, patch)).outcome

    @property
    def n_workers(self) -> int:
        """Return how many answers are judged at the same time."""
        return self._pool.machine.workers

    def close(self) -> None:
        """End the workers."""
        if "_pool" in self.__dict__:
            self._pool.close()

    @cached_property
    def _pool(self) -> ValidatorPool:
        start_server()
        return ValidatorPool(local_machine())


_opening = threading.Lock()
_opened = cache(Evaluation)


def open_evaluation(settings: EvaluationSettings) -> Evaluation:
    """Return the evaluation with these settings; a process has one, and all samples of a task share its workers."""
    with _opening:
        return _opened(settings)


def _experiment(settings: EvaluationSettings) -> Experiment:
    """Return the run that asks the same, once per bug."""
    return make_experiment(
        {
            "benchmark": settings.benchmark,
            "repairer": "llm",
            "n": 1,
            "k": (1,),
            "visibility": {"localisation": settings.localisation},
            "llm": {"model": _NO_MODEL, "strategy": settings.strategy},
        }
    )
