"""Turns problems into prompts: strategy, template, few-shot examples, context window and sampling."""

import dataclasses
import random
import threading
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from rapidfuzz.distance import Levenshtein

from repairlab.core.errors import UserError
from repairlab.core.model import Message, Prompt
from repairlab.core.problem import Problem
from repairlab.core.record import digest, record
from repairlab.repairers.ledger import asking_for
from repairlab.repairers.llm.client.model import ChatModel, Completion, Embedder, Sampling, Window, shorter
from repairlab.repairers.llm.prompts.localising import likeliest
from repairlab.repairers.llm.prompts.strategies import FEW_SHOT_COMPLETION, Question, Strategy, narrowing
from repairlab.repairers.llm.prompts.table import strategy
from repairlab.repairers.llm.prompts.templates import OWN, VARIABLES, Template, View, packaged, without_comments
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings
from repairlab.repairers.repairer import Example


@record
class Asked:
    """A question about one bug, ready for the model."""

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
        if settings.strategy == "few-shot" and self.template.uses("given"):
            self.strategy = FEW_SHOT_COMPLETION
        self.template.check((*VARIABLES, *self.strategy.variables))
        if settings.strategy == CONVERSATION and not self.template.is_chat:
            raise UserError(f"{OWN} makes a text to go on with, but a conversation needs messages: use '--- user ---'")
        self._opening = (self.strategy, self.template)
        if settings.strategy == CONVERSATION and settings.opening == "infill":
            self._opening = (strategy("infill"), packaged("infill"))
        self.window = Window(settings, model)
        self._shots: ExampleSelector | None = None
        if "examples" in self.strategy.variables:
            self._shots = ExampleSelector(examples, settings, seed=seed, embedder=embedder)

    def needs(self, problem: Problem) -> str | None:
        """Return why this problem cannot be asked about; None if it can."""
        asking, template = self._opening
        reason = _lacks_place(problem, asking) or asking.needs(problem)
        if reason is not None or narrowing(asking):
            return reason
        try:
            _, values = self._question(problem, asking)
            template.opening({**values, "examples": []})
        except UserError as error:
            return str(error)
        return None

    def ask(self, problem: Problem) -> Asked:
        """Return the question about a problem, with as many examples as fit; raises Unanswerable when it does not fit without any.

        Nothing of the problem itself is ever cut, but for the listings of strategies that look for its place.
        """
        asking, template = self._opening
        reason = _lacks_place(problem, asking) or asking.needs(problem)
        if reason is not None:
            raise UserError(f"{reason}: the strategy {self.strategy.name} cannot ask about it")
        if narrowing(asking):
            return self.ask_step(problem, 0)
        question, values = self._question(problem, asking)
        with asking_for(problem.id):  # embeddings are requested, too
            chosen = self._shots.choose(problem) if self._shots else ()
        for examples in shortened(chosen):
            if self._shots:
                values["examples"] = shown(examples)
            opening = template.opening(values)
            if self.window.fits(opening):
                return self._asked(problem, question, values, opening, self._chosen(examples))
        raise self.window.lacking(opening)

    def ask_step(self, problem: Problem, step: int) -> Asked:
        """Return a question of a strategy that looks for the place, with as many parts of its listing as fit."""
        question, values = self._question(problem, self.strategy, step)
        order = list(range(len(question.parts)))

        def opening(n: int) -> Prompt:
            values["parts"] = [question.parts[index].text for index in sorted(order[:n])]
            values["left_out"] = len(order) - n
            return self.template.opening(values, step)

        n = len(order)
        if not self.window.fits(opening(n)):
            order = likeliest(question.parts, f"{problem.title}\n{problem.description}\n{problem.error or ''}")
            n = bisect_left(range(1, n + 1), x=True, key=lambda n: not self.window.fits(opening(n)))
        if n == 0:
            raise self.window.lacking(opening(1))
        return self._asked(problem, question, values, opening(n))

    def ask_anew(self, problem: Problem, **changed: Any) -> Asked:
        """Return the question about a problem with new values: the function's current text, and how it fails."""
        question, values = self._question(problem, self.strategy)
        values.update(changed)
        return self._asked(problem, question, values, self.template.opening(values))

    def _asked(
        self, problem: Problem, question: Question, values: dict[str, Any], opening: Prompt, notes: tuple[tuple[str, str], ...] = ()
    ) -> Asked:
        return Asked(
            problem=problem,
            question=question,
            values=values,
            opening=opening,
            sampling=self._sampling(question),
            notes=(*self.notes, *notes, *question.notes),
        )

    def complete(self, asked: Asked, prompt: Prompt, *, first: int, n: int = 1) -> tuple[Completion, ...]:
        """Put a prompt to the model, if it fits; the requests are booked under the bug."""
        if not self.window.fits(prompt):
            raise self.window.lacking(prompt)
        with asking_for(asked.problem.id):
            return self.model.complete(prompt, asked.sampling, first=first, n=n)

    def _question(self, problem: Problem, asking: Strategy, step: int = 0) -> tuple[Question, dict[str, Any]]:
        view = View(problem=problem, comments=self.settings.comments, step=step)
        question = asking.question(view)
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


def _lacks_place(problem: Problem, asking: Strategy) -> str | None:
    if problem.path or narrowing(asking):
        return None
    return f"the place of {problem.id} is not shown, and the strategy {asking.name} does not look for it, as localise does"


def go_on(prompt: Prompt, answer: str, reply: str) -> Prompt:
    """Return a chat followed by the model's answer and the user's next message."""
    said = answer if answer.strip() else "(nothing)"  # some servers refuse empty messages
    added = (Message(role="assistant", content=said), Message(role="user", content=reply))
    return dataclasses.replace(prompt, messages=(*prompt.messages, *added))


class ExampleSelector:
    """The fixed bugs that examples are chosen from, as prompts show them."""

    def __init__(self, examples: Sequence[Example], settings: LlmSettings, *, seed: int, embedder: Embedder | None = None) -> None:
        """Take all examples; choosing by embedding needs an embedder."""
        self._settings, self._seed, self._embedder = settings, seed, embedder
        bare = settings.comments == "stripped"
        self._examples = [_without_comments(example) if bare else example for example in examples]
        plain = (_without_comments(example) for example in examples)
        self._squeezed = [(_squeeze(example.buggy), _squeeze(example.fixed)) for example in plain]
        self._vectors: list[list[float]] | None = None
        self._lock = threading.Lock()

    def choose(self, problem: Problem) -> tuple[Example, ...]:
        """Return the examples for a problem, the best first: never the bug itself, nor another one with the same code.

        Examples of the same language are taken where there are any.
        """
        allowed = self._allowed(problem)
        same = [index for index in allowed if self._examples[index].language == problem.language]
        return tuple(self._examples[index] for index in self._ordered(problem, same or allowed)[: self._settings.shots])

    def _allowed(self, problem: Problem) -> list[int]:
        """Leave out what could reveal the fix: the same bug, or code that contains the target or lies within it."""
        target = _squeeze(View(problem=problem, comments="stripped").code)
        return [
            index
            for index, example in enumerate(self._examples)
            if example.id != problem.id and not any(_overlap(target, text) for text in self._squeezed[index])
        ]

    def _ordered(self, problem: Problem, allowed: list[int]) -> list[int]:
        code = View(problem=problem, comments=self._settings.comments).code
        match self._settings.selection:
            case "fixed":
                return allowed
            case "random":
                return random.Random(digest(self._seed, problem.benchmark, problem.id)).sample(allowed, len(allowed))
            case "nearest":
                distances = {index: float(Levenshtein.distance(code, self._examples[index].buggy)) for index in allowed}
            case "embedding":
                distances = self._angles(code, allowed)
        return sorted(allowed, key=lambda index: (distances[index], self._examples[index].id))

    def _angles(self, code: str, allowed: list[int]) -> dict[int, float]:
        """Return one minus the cosine between the embeddings of a code and of each example's buggy code."""
        import numpy  # noqa: PLC0415  # only this selection needs it

        if not allowed:
            return {}
        if self._embedder is None:
            raise UserError("examples are to be chosen by embedding, but there is no embedding model: use --embedding-model")
        with self._lock:
            if self._vectors is None:
                self._vectors = self._embedder.embed([example.buggy for example in self._examples])
        mine = numpy.asarray(self._embedder.embed([code])[0])
        theirs = numpy.asarray([self._vectors[index] for index in allowed])
        sizes = numpy.linalg.norm(theirs, axis=1) * numpy.linalg.norm(mine)
        cosines = theirs @ mine / numpy.where(sizes > 0, sizes, 1.0)
        return dict(zip(allowed, (1.0 - cosines).tolist(), strict=True))


def shortened(examples: tuple[Example, ...]) -> Iterator[tuple[Example, ...]]:
    """Yield ever smaller sets of examples: the farthest go first, then the description of the nearest, then that one."""
    for count in range(len(examples), 0, -1):
        yield examples[:count]
    if examples:
        nearest = examples[0]
        length = len(nearest.description)
        while length:
            length //= 2
            yield (dataclasses.replace(nearest, description=shorter(nearest.description, length)),)
    yield ()


def shown(examples: Sequence[Example]) -> list[dict[str, str]]:
    """Return examples as templates print them, the nearest last."""
    fields = ("title", "description", "buggy", "fixed")
    return [{name: str(getattr(example, name)).replace("\r\n", "\n") for name in fields} for example in reversed(examples)]


def _without_comments(example: Example) -> Example:
    buggy, fixed = (without_comments(example.language, text) for text in (example.buggy, example.fixed))
    return dataclasses.replace(example, buggy=buggy, fixed=fixed)


def _squeeze(text: str) -> str:
    return "".join(text.split())


def _overlap(one: str, other: str) -> bool:
    return bool(one) and bool(other) and (one in other or other in one)
