"""The repairer `llm`: asks a model for fixes with one of the strategies."""

from collections.abc import Iterator, Sequence

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.problem import Problem
from repairlab.repairers.example import Example
from repairlab.repairers.llm.client.model import ChatModel, Completion, Embedder, Unanswerable
from repairlab.repairers.llm.drafts import NAME, AttemptNumber, drafted, refused
from repairlab.repairers.llm.prompts.conversation import converse
from repairlab.repairers.llm.prompts.prompter import Asked, Prompter, go_on
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings

AT_ONCE = 32
"""Answers that are asked for together: enough to share the cost of a prompt, few enough that candidates come meanwhile."""


class Llm:
    """Proposes what a language model answers."""

    name = NAME

    def __init__(
        self,
        settings: LlmSettings,
        model: ChatModel,
        *,
        n: int,
        seed: int,
        examples: Sequence[Example] = (),
        embedder: Embedder | None = None,
        at_once: int = AT_ONCE,
    ) -> None:
        """Propose `n` candidates per bug (a conversation: attempts × turns); `examples` may hold the bug itself: it is passed over.

        `at_once` answers are asked for together: 1 where each may be the last that is wanted. Raises UserError for an unknown
        strategy or a prompt file that does not work.
        """
        self._prompter = Prompter(settings, model, seed=seed, examples=examples, embedder=embedder)
        self._n, self._at_once = n, at_once

    def needs(self, problem: Problem) -> str | None:
        """Return why the strategy or the prompt file cannot ask about this problem; none when it can. Asks nothing."""
        return self._prompter.needs(problem)

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield one candidate per answer as answers come; in a conversation, the one that follows the history.

        What the model cannot answer makes candidates without edits. Raises Unreachable or OverBudget when nothing can be asked now.
        """
        if self._prompter.strategy.name == CONVERSATION:
            yield from converse(self._prompter, problem, history)
        elif not history:
            yield from self._draw(problem)

    def _draw(self, problem: Problem) -> Iterator[Candidate]:
        first = 0
        try:
            asked = self._prompter.ask(problem)
            while first < self._n:
                answers = self._prompter.complete(asked, asked.opening, first=first, n=min(self._at_once, self._n - first))
                for answer in answers:
                    yield self._chain(asked, first, answer)
                    first += 1
        except Unanswerable as error:
            for number in range(first, self._n):
                yield self._refused(problem, str(error), number)

    def _chain(self, asked: Asked, number: int, answer: Completion) -> Candidate:
        """Ask the further turns of one chain, in which all answers have the same number, and return what it ends with."""
        template, prompt, answers = self._prompter.template, asked.opening, [answer]
        for turn in range(1, template.n_turns):
            if answers[-1].finish == "filtered":
                break
            prompt = go_on(prompt, answers[-1].text, template.turn(turn, asked.values))
            try:
                answers += self._prompter.complete(asked, prompt, first=number)
            except Unanswerable as error:
                return self._refused(asked.problem, f"turn {turn + 1}: {error}", number)
        place = AttemptNumber(rank=number + 1, turn=len(answers) - 1)
        return drafted(asked, prompt, answers, place, model=self._prompter.model.name)

    def _refused(self, problem: Problem, reason: str, number: int) -> Candidate:
        place = AttemptNumber(rank=number + 1)
        return refused(problem.id, reason, place, model=self._prompter.model.name, notes=self._prompter.notes)
