"""A trained network writes fixes, best first, with their log-probabilities.

Where the place of the bug is shown, it is what the network is asked about (the papers' perfect localisation). Where it is not and
the model repairs lines, it is asked about every line of the function, and all it writes is sorted by log-probability.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from repairlab.core.candidate import Attempt, Candidate, Edit, Origin
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Lines
from repairlab.learning.networks.inputs import Written, network_input
from repairlab.learning.representations.representation import Encoded, Representation, Sample, Unrepresentable
from repairlab.learning.representations.samples import NO_PLACE, edit_for, sample_of_problem

if TYPE_CHECKING:
    from repairlab.learning.networks.model import Ensemble
    from repairlab.learning.networks.settings import DecodingSettings


NAME = "neural"


@record
class _Question:
    """One place of a problem that a network is asked about."""

    sample: Sample
    encoded: Encoded


class Neural:
    """Proposes what a model writes."""

    name = NAME

    def __init__(self, model: "Ensemble", representation: Representation, decoding: "DecodingSettings", origin: Origin) -> None:
        """Take the model, how bugs are shown to it, and the origin of all candidates."""
        self._model, self._representation, self._decoding, self._origin = model, representation, decoding, origin

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield each text once, best first; the buggy code itself is not a candidate."""
        if not history:
            yield from self.propose_together([problem])[0]

    def propose_together(self, problems: Sequence[Problem]) -> list[list[Candidate]]:
        """Return what `propose` yields for some problems, asked all at once: a device is faster with many."""
        asked = [asked_about(problem, self._representation) for problem in problems]
        questions = [[] if isinstance(found, str) else found for found in asked]
        inputs = [network_input(item.encoded) for found in questions for item in found]
        written = iter(self._model.write(inputs, self._decoding, seed=self._origin.seed or 0))
        answered = [[(item, answer) for item in found for answer in next(written)] for found in questions]
        return [list(self._candidates(problem, found)) for problem, found in zip(problems, answered, strict=True)]

    def _candidates(self, problem: Problem, answered: list[tuple[_Question, Written]]) -> Iterator[Candidate]:
        seen: set[Edit] = set()
        for item, answer in sorted(answered, key=lambda pair: -pair[1].logprob):
            for text in self._representation.recover(item.encoded, answer.tokens):
                edit = edit_for(problem, item.sample, text)
                if edit in seen or (edit.span is not None and edit.text == edit.span.of(problem.source)):
                    continue
                seen.add(edit)
                origin = dataclasses.replace(self._origin, logprob=answer.logprob, tokens_out=answer.n_tokens)
                yield Candidate(bug_id=problem.id, edits=(edit,), rank=len(seen), origin=origin)


def asked_about(problem: Problem, representation: Representation) -> list[_Question] | str:
    """Return what a network is asked about a problem, or why it cannot be."""
    if representation.languages is not None and problem.language not in representation.languages:
        return f"the model reads {', '.join(sorted(representation.languages))}, not {problem.language}"
    try:
        return [_question(problem, representation)]
    except Unrepresentable as error:
        if str(error) != NO_PLACE:
            return str(error)
    return _every_line(problem, representation) or "none of its lines can be represented"


def _question(problem: Problem, representation: Representation) -> _Question:
    sample = sample_of_problem(problem, representation.unit)
    return _Question(sample=sample, encoded=representation.encode(sample))


def _every_line(problem: Problem, representation: Representation) -> list[_Question]:
    first = problem.source.count("\n", 0, problem.target.span.start) + 1
    found = []
    for number, line in enumerate(problem.target.text.split("\n"), start=first):
        if not line.strip():
            continue
        place = Lines(path=problem.path, first=number, last=number)
        try:
            found.append(_question(dataclasses.replace(problem, location=(place,)), representation))
        except Unrepresentable:
            continue
    return found
