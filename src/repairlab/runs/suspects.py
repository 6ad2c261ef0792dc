"""The lines and functions that a spectrum suspects, those that the fix changes, and the problem that shows the first one."""

import dataclasses
from typing import NamedTuple

from repairlab.core.bug import Bug
from repairlab.core.diff import changed_lines
from repairlab.core.errors import UserError
from repairlab.core.problem import Problem, SourceFile, SpectrumProblem, Target, Visibility, shown
from repairlab.core.record import record
from repairlab.core.text import Lines, Span, line_of, line_span
from repairlab.languages.facts import facts
from repairlab.languages.language import language
from repairlab.languages.parser import Parsed
from repairlab.metrics.suspiciousness import FORMULAS, Counts, mean_ranks
from repairlab.runs.failing_test import code_of_failing_test
from repairlab.runs.instrument import step_at, steps
from repairlab.runs.spectrum import FunctionsOf, Spectrum, SpectrumPlace
from repairlab.validation.apply import changed_files


@record
class RankedPlace:
    """A line or a function in the order of suspicion."""

    place: SpectrumPlace
    score: float
    rank: float
    """The mean rank of all that are equally suspicious."""


class RankedPlaces(NamedTuple):
    """Lines or functions, most suspicious first, and the rank of one that no test runs."""

    places: list[RankedPlace]
    last: float
    n: int


def rank_lines(spectrum: Spectrum, metric: str) -> RankedPlaces:
    """Rank lines by a formula."""
    return _ranked([(place, _score(place, spectrum, metric)) for place in spectrum.places], spectrum.n_lines)


def rank_functions(spectrum: Spectrum, metric: str) -> RankedPlaces:
    """Rank functions, each as suspicious as its most suspicious line."""
    best: dict[tuple[str, int], tuple[SpectrumPlace, float]] = {}
    for item in rank_lines(spectrum, metric).places:
        best.setdefault((item.place.path, item.place.begins), (item.place, item.score))
    return _ranked(list(best.values()), spectrum.n_functions)


def _score(place: SpectrumPlace, spectrum: Spectrum, metric: str) -> float:
    return FORMULAS[metric](Counts(failed=place.failed, passed=place.passed), spectrum.n_failed, spectrum.n_passed)


def _ranked(scored: list[tuple[SpectrumPlace, float]], n: int) -> RankedPlaces:
    scored.sort(key=lambda item: (-item[1], item[0].path, item[0].line))
    scores, n_unseen = [score for _, score in scored], n - len(scored)
    ranks = mean_ranks(scores, n_unseen=n_unseen)
    last = mean_ranks([*scores, 0.0], n_unseen=n_unseen - 1)[-1] if n_unseen else float(n)
    places = [RankedPlace(place=place, score=score, rank=rank) for (place, score), rank in zip(scored, ranks, strict=True)]
    return RankedPlaces(places=places, last=last, n=n)


class Fault(NamedTuple):
    """What a fix changes: lines where a statement begins, and functions by their lines."""

    lines: set[tuple[str, int]]
    functions: set[tuple[str, int]]


def fault_of(bug: Bug) -> Fault:
    """Return the statements that the fix changes or adds code next to, and their functions."""
    fault, name = Fault(set(), set()), bug.problem.language
    for path, new in changed_files(bug.fix, bug).items():
        text = bug.problem.files.get(path)
        if text is None or not path.endswith((*facts(name).extensions, *facts(name).headers)):
            continue
        parsed, functions = Parsed(name, text), FunctionsOf(name, text)
        begins = {line_of(text, parsed.span(node).start) for node in steps(parsed)}
        for changed in changed_lines(path, text, new or ""):
            for line in _words(text, changed):
                function = functions.around(line)
                fault.functions.add((path, functions.begin(function)))
            inside = begins & set(range(changed.first, changed.last + 1))
            fault.lines.update((path, line) for line in inside or _around(parsed, text, changed))
    return fault


def _words(text: str, changed: Lines) -> list[int]:
    """Return the meaningful lines of a change; for a gap, those next to it."""
    said = [number for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if changed.last >= changed.first:
        return [number for number in said if changed.first <= number <= changed.last]
    before = [number for number in said if number < changed.first]
    return [*before[-1:], *[number for number in said if number >= changed.first][:1]]


def _around(parsed: Parsed, text: str, changed: Lines) -> set[int]:
    spans = [line_span(text, line, line) for line in _words(text, changed)]
    nodes = [step_at(parsed, span.start, span.end) for span in spans]
    return {line_of(text, parsed.span(node).start) for node in nodes if node is not None}


def located(bug: Bug, spectrum: Spectrum, metric: str = "ochiai") -> SpectrumProblem | str:
    """Return the problem with the most suspicious function and line as its place, or why there is none."""
    if spectrum.problem:
        return spectrum.problem
    lines = [item.place for item in rank_lines(spectrum, metric).places if item.score > 0]
    if not lines:
        return "no failing test runs a statement"
    first, problem = rank_functions(spectrum, metric).places[0].place, bug.problem
    text = problem.files[first.path]
    syntax = language(problem.language).syntax
    function = FunctionsOf(problem.language, text).around(first.line)
    span = function.span if function else Span(start=0, end=len(text))
    target = Target(name=function.qualified if function else None, span=span, text=span.of(text))
    suspects = tuple(Lines(path=place.path, first=place.line, last=place.line) for place in lines)
    others = (SourceFile(path=path, text=other) for path, other in sorted(problem.files.items()) if path != first.path)
    fields = {field.name: getattr(problem, field.name) for field in dataclasses.fields(problem)}
    fields |= {
        "path": first.path,
        "source": text,
        "target": target,
        "target_without_comments": syntax.strip_comments(target.text),
        "location": suspects[:1],
        "context": tuple(others),
        "suspects": suspects,
    }
    return SpectrumProblem(**fields)


def seen_problem(bug: Bug, visibility: Visibility, spectrum: Spectrum | None) -> Problem:
    """Return the problem as the policy lets a repairer see it; UserError if its place could not be computed."""
    found: Problem | str = bug.problem
    if visibility.is_computed and spectrum is not None:
        found = located(bug, spectrum)
    if isinstance(found, str):
        raise UserError(f"no place of {bug.id} could be computed: {found}")
    problem = shown(found, visibility)
    code = code_of_failing_test(bug) if visibility.tests else ""
    return dataclasses.replace(problem, error="\n\n".join(filter(None, (code, problem.error)))) if code else problem
