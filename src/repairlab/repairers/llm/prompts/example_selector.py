"""Few-shot examples: which ones a prompt shows, and how they give way to the context window."""

import dataclasses
import random
import threading
from collections.abc import Iterator, Sequence

from rapidfuzz.distance import Levenshtein

from repairlab.core.errors import UserError
from repairlab.core.problem import Problem
from repairlab.core.record import digest
from repairlab.repairers.example import Example
from repairlab.repairers.llm.client.model import Embedder
from repairlab.repairers.llm.client.window import shorter
from repairlab.repairers.llm.prompts.view import View, without_comments
from repairlab.repairers.llm.settings import LlmSettings


class ExampleSelector:
    """The fixed bugs that examples are chosen from, as prompts show them."""

    def __init__(self, examples: Sequence[Example], settings: LlmSettings, *, seed: int, embedder: Embedder | None = None) -> None:
        """Take all examples there are; to choose by embedding, an embedder is needed."""
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
        """Leave out what could tell the fix: the same bug, or code that holds the target or lies within it."""
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
    """Yield examples that take less and less room: the farthest go first, then the description of the nearest, then that one."""
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
