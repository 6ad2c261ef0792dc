"""Turns problems into prompts: strategy, template, context window and sampling."""

import dataclasses
from collections.abc import Sequence
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.problem import Problem
from repairlab.core.prompt import Message, Prompt
from repairlab.core.record import digest, record
from repairlab.repairers.example import Example
from repairlab.repairers.ledger import asking_for
from repairlab.repairers.llm.client.model import ChatModel, Completion, Embedder, Sampling
from repairlab.repairers.llm.client.window import Window
from repairlab.repairers.llm.prompts.example_selector import ExampleSelector, shortened, shown
from repairlab.repairers.llm.prompts.strategies.question import Question, Strategy
from repairlab.repairers.llm.prompts.strategies.table import strategy
from repairlab.repairers.llm.prompts.templates import OWN, Template, packaged
from repairlab.repairers.llm.prompts.view import VARIABLES, View
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings


@record
class Asked:
    """A question about one bug, ready to be put to the model."""

    problem: Problem
    question: Question
    values: dict[str, Any]
    opening: Prompt
    """The first prompt; further turns add to it."""
    sampling: Sampling
    notes: tuple[tuple[str, str], ...] = ()
    """For the origin of the candidates."""


class Prompter:
    """Everything that one run asks in the same way."""

    def __init__(
        self,
        settings: LlmSettings,
        model: ChatModel,
        *,
        seed: int,
        examples: Sequence[Example] = (),
        embedder: Embedder | None = None,
    ) -> None:
        """Read the template and check it against the values that the strategy gives."""
        self.settings, self.model, self.seed = settings, model, seed
        self.strategy: Strategy = strategy(settings.strategy)
        self.template = packaged(settings.strategy) if settings.prompt is None else Template(settings.prompt, file=OWN)
        self.template.check((*VARIABLES, *self.strategy.variables))
        if settings.strategy == CONVERSATION and not self.template.is_chat:
            raise UserError(f"{OWN} makes a text to go on with, but a conversation needs messages: use '--- user ---'")
        self.window = Window(settings, model)
        self._shots: ExampleSelector | None = None
        if "examples" in self.strategy.variables:
            self._shots = ExampleSelector(examples, settings, seed=seed, embedder=embedder)

    def needs(self, problem: Problem) -> str | None:
        """Return why this problem cannot be asked about; none when it can."""
        reason = self.strategy.needs(problem)
        if reason is not None:
            return reason
        try:
            _, values = self._question(problem)
            self.template.opening({**values, "examples": []})
        except UserError as error:
            return str(error)
        return None

    def ask(self, problem: Problem) -> Asked:
        """Return the question about a problem, with as many examples as fit; raises Unanswerable when it does not fit without any.

        Nothing of the problem itself is ever cut.
        """
        reason = self.strategy.needs(problem)
        if reason is not None:
            raise UserError(f"{reason}: the strategy {self.strategy.name} cannot ask about it")
        question, values = self._question(problem)
        with asking_for(problem.id):  # embeddings are asked for, too
            chosen = self._shots.choose(problem) if self._shots else ()
        for examples in shortened(chosen):
            if self._shots:
                values["examples"] = shown(examples)
            opening = self.template.opening(values)
            if self.window.fits(opening):
                notes = (*self.notes, *self._chosen(examples), *question.notes)
                sampling = self._sampling(question)
                return Asked(problem=problem, question=question, values=values, opening=opening, sampling=sampling, notes=notes)
        raise self.window.lacking(opening)

    def complete(self, asked: Asked, prompt: Prompt, *, first: int, n: int = 1) -> tuple[Completion, ...]:
        """Put a prompt to the model, if it fits; the requests are booked under the bug."""
        if not self.window.fits(prompt):
            raise self.window.lacking(prompt)
        with asking_for(asked.problem.id):
            return self.model.complete(prompt, asked.sampling, first=first, n=n)

    def _question(self, problem: Problem) -> tuple[Question, dict[str, Any]]:
        view = View(problem=problem, comments=self.settings.comments)
        question = self.strategy.question(view)
        return question, {**view.values(), **question.values}

    def _sampling(self, question: Question) -> Sampling:
        settings = self.settings
        return Sampling(
            temperature=settings.temperature,
            top_p=settings.top_p,
            max_tokens=settings.max_tokens,
            stop=tuple(dict.fromkeys((*question.stop, *settings.stop))),
            seed=self.seed,
            logprobs=settings.logprobs,
        )

    @property
    def notes(self) -> tuple[tuple[str, str], ...]:
        """Return the settings that the origin of every candidate names."""
        settings = self.settings
        own = (("prompt_file", digest(settings.prompt)),) if settings.prompt is not None else ()
        return (
            ("strategy", settings.strategy),
            ("temperature", f"{settings.temperature:g}"),
            ("top_p", f"{settings.top_p:g}"),
            ("max_tokens", str(settings.max_tokens)),
            ("comments", settings.comments),
            *own,
        )

    def _chosen(self, examples: Sequence[Example]) -> tuple[tuple[str, str], ...]:
        if self._shots is None:
            return ()
        return (("selection", self.settings.selection), ("examples", " ".join(example.id for example in examples)))


def go_on(prompt: Prompt, answer: str, reply: str) -> Prompt:
    """Return a chat with the model's answer and the user's next message behind it."""
    said = answer if answer.strip() else "(nothing)"  # some servers refuse empty messages
    added = (Message(role="assistant", content=said), Message(role="user", content=reply))
    return dataclasses.replace(prompt, messages=(*prompt.messages, *added))
