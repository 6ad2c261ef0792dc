"""Samples from pairs and from problems, and recovered text back to its place; training and the neural repairer call it.

Of lines a sample holds the text from the first character that is no blank to the last; an insertion has an empty text and begins at
the first such character of the line that it comes before.
"""

import dataclasses

from repairlab.core.candidate import Edit
from repairlab.core.changed_lines import changed_lines_of
from repairlab.core.pair import Pair, PairSet
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Span, line_span, newline_of
from repairlab.languages.facts import facts as facts_of
from repairlab.representations.code import functions_of
from repairlab.representations.representation import Sample, Unit, Unrepresentable

_BLANK = " \t\r\n\f\v"
NO_PLACE = "the place of the bug is not shown"


@record
class _Change:
    """One changed range of a text: what is there, and what the fix puts there."""

    span: Span
    fixed: str


def sample_of_pair(pair: Pair, facts: PairSet, unit: Unit) -> tuple[Sample, str]:
    """Return a pair as a sample of what a representation replaces, and the fix for that; Unrepresentable where there is none.

    Of a line or expression without code around it, the text itself is all that can be replaced.
    """
    if unit == "text" or facts.form == "expression" or (facts.form == "line" and not pair.context):
        return Sample(language=facts.language, buggy=pair.buggy, verdict=pair.verdict), pair.fixed
    text, change = _in_whole(pair, facts)
    if unit == "program":
        fixed = text[: change.span.start] + change.fixed + text[change.span.end :] if facts.form == "line" else pair.fixed
        return Sample(language=facts.language, buggy=pair.buggy if facts.form != "line" else text, verdict=pair.verdict), fixed
    around = Span(start=0, end=len(text))
    if facts.form != "method" or text != pair.buggy:
        around = _function(facts.language, text, change.span) or around
    if facts.form == "method" and text != pair.buggy:
        start = text.index(pair.buggy)
        around = Span(start=start, end=start + len(pair.buggy))
    sample = _placed(facts.language, text, around, change.span)
    fixed = change.fixed
    if unit == "method":
        sample, fixed = _widened(sample), put_back(sample, fixed)
    return _told(sample, verdict=pair.verdict), fixed


def sample_of_problem(problem: Problem, unit: Unit) -> Sample:
    """Return what a representation replaces of a problem; Unrepresentable where the problem does not show it."""
    source, target = problem.source, problem.target
    verdict = problem.submission_verdict.value if problem.submission_verdict else None
    if unit == "program":
        return Sample(language=problem.language, buggy=source, verdict=verdict, description=problem.description)
    found = _location(problem)
    if found is None and unit == "line":
        raise Unrepresentable(NO_PLACE)
    around = target.span
    if target.name is None and found is not None:
        around = _function(problem.language, source, found) or around
    place = found or around
    if not (around.start <= place.start and place.end <= around.end):
        raise Unrepresentable("the bug reaches beyond its function")
    sample = _placed(problem.language, source, around, place)
    if unit != "line":
        sample = _widened(sample, is_marked=found is not None)
    return _told(sample, verdict=verdict, description=problem.description)


def put_back(sample: Sample, text: str) -> str:
    r"""Return the function of a sample, or the text itself where none is around it, with a recovered text in the place of `buggy`.

    An insertion becomes lines of its own, and a deletion leaves no empty line.

    >>> sample = Sample(language="python", buggy="x = 1", method="def f():\n    x = 1\n    return x\n", start=13)
    >>> put_back(sample, "")
    'def f():\n    return x\n'
    """
    if sample.method is None or sample.start is None:
        return text
    method, start, end = sample.method, sample.start, sample.start + len(sample.buggy)
    line_start = method.rfind("\n", 0, start) + 1
    indent = method[line_start:start]
    stands_alone = not indent.strip(_BLANK)
    if not sample.buggy and text and stands_alone:
        ending = newline_of(method)
        return method[:start] + text + ending + indent + method[end:]
    if sample.buggy and not text and stands_alone:
        line_end = method.find("\n", end)
        rest = method[end : line_end if line_end >= 0 else len(method)]
        if not rest.strip(_BLANK):
            return method[:line_start] + (method[line_end + 1 :] if line_end >= 0 else "")
    return method[:start] + text + method[end:]


def edit_for(problem: Problem, sample: Sample, text: str) -> Edit:
    """Return the edit of the problem's file that puts a recovered text in its place."""
    if sample.method is None or sample.method_start is None:
        return Edit(path=problem.path, text=text, span=Span(start=0, end=len(problem.source)))
    span = Span(start=sample.method_start, end=sample.method_start + len(sample.method))
    return Edit(path=problem.path, text=put_back(sample, text), span=span)


def _in_whole(pair: Pair, facts: PairSet) -> tuple[str, _Change]:
    """Return the widest text that holds the buggy code, and the change in it."""
    if facts.form == "line":
        start = pair.start if pair.start is not None else _find(pair.context, pair.buggy)
        if start is None or not pair.context.startswith(pair.buggy, start):
            raise Unrepresentable("the line is not in the code around it")
        return pair.context, _Change(span=Span(start=start, end=start + len(pair.buggy)), fixed=pair.fixed)
    change = _changed(pair.buggy, pair.fixed, is_indented=facts_of(facts.language).is_indented)
    if pair.context and (pair.start is not None or pair.buggy in pair.context):
        start = pair.start if pair.start is not None else pair.context.index(pair.buggy)
        return pair.context, _Change(span=Span(start=start + change.span.start, end=start + change.span.end), fixed=change.fixed)
    return pair.buggy, change


def _find(text: str, line: str) -> int | None:
    """Return where a line stands: as a whole line if it does anywhere."""
    offset = 0
    for found in text.split("\n"):
        if found.strip(_BLANK) == line.strip(_BLANK) and line.strip(_BLANK):
            return offset + found.index(line.strip(_BLANK)) - (len(line) - len(line.lstrip(_BLANK)))
        offset += len(found) + 1
    place = text.find(line)
    return place if place >= 0 else None


def _changed(buggy: str, fixed: str, *, is_indented: bool) -> _Change:
    lines = changed_lines_of(buggy, fixed)
    if not lines.old and not lines.new:
        raise Unrepresentable("nothing is changed")
    start = line_span(buggy, 1, lines.first).end
    span = _trimmed(buggy, Span(start=start, end=start + len(lines.old)))
    old, new = _indent(buggy, span.start), _indent(lines.new, 0) if lines.new.strip(_BLANK) else ""
    text = lines.new.strip(_BLANK)
    if is_indented and text and old != new:
        raise Unrepresentable("the fix changes the depth of the first line")
    return _Change(span=span, fixed=text)


def _indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _trimmed(text: str, span: Span) -> Span:
    """Return a span of lines without the blanks at its ends; an empty one moves to the first character behind it that is none."""
    inner = span.of(text)
    if inner.strip(_BLANK):
        return Span(start=span.start + len(inner) - len(inner.lstrip(_BLANK)), end=span.start + len(inner.rstrip(_BLANK)))
    rest = text[span.start :]
    line = rest[: len(rest) - len(rest.lstrip(" \t"))]
    return Span(start=span.start + len(line), end=span.start + len(line))


def _location(problem: Problem) -> Span | None:
    places = [line_span(problem.source, lines.first, lines.last) for lines in problem.location or () if lines.path == problem.path]
    if not places:
        return None
    return _trimmed(problem.source, Span(start=min(place.start for place in places), end=max(place.end for place in places)))


def _function(language: str, text: str, place: Span) -> Span | None:
    """Return the outermost function around a place."""
    return next(
        (found.span for found in functions_of(language, text) if found.span.start <= place.start and place.end <= found.span.end),
        None,
    )


def _placed(language: str, text: str, around: Span, place: Span) -> Sample:
    is_all = around.start == 0 and around.end == len(text)
    return Sample(
        language=language,
        buggy=place.of(text),
        method=around.of(text),
        file=None if is_all else text,
        start=place.start - around.start,
        method_start=around.start,
    )


def _widened(sample: Sample, *, is_marked: bool = True) -> Sample:
    """Return a sample of the whole function, in which the bug is marked."""
    assert sample.method is not None and sample.start is not None
    return Sample(
        language=sample.language,
        buggy=sample.method,
        method=sample.method,
        file=sample.file,
        start=0,
        method_start=sample.method_start,
        marked=(sample.start, sample.start + len(sample.buggy)) if is_marked else None,
    )


def _told(sample: Sample, *, verdict: str | None, description: str = "") -> Sample:
    return dataclasses.replace(sample, verdict=verdict, description=description)
