"""Samples from pairs and from problems, and recovered text back to its place.

Of lines a sample holds the text from the first character that is no blank to the last; an insertion has an empty text and begins at
the first such character of the line that it comes before.
"""

import dataclasses

from repairlab.core.candidate import Edit
from repairlab.core.diff import changed_lines_of
from repairlab.core.outcome import verdict_said
from repairlab.core.pair import Pair, PairSet
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Span, line_span, newline_of
from repairlab.languages.facts import facts as facts_of
from repairlab.learning.representations.code import functions_of
from repairlab.learning.representations.representation import Sample, Unit, Unrepresentable

_BLANK = " \t\r\n\f\v"
NO_PLACE = "the place of the bug is not shown"


@record
class _Change:
    """One changed range of a text: where it is, its replacement, and the whole new text."""

    span: Span
    fixed: str
    whole: str
    keeps_depth: bool = True
    """Whether the range's place determines the depth of all its lines, if depth matters."""


def sample_of_pair(pair: Pair, facts: PairSet, unit: Unit) -> tuple[Sample, str]:
    """Return a pair as a sample of what a representation replaces, and the fix for that; Unrepresentable where there is none.

    Of a line or expression without code around it, the text itself is all that can be replaced.
    """
    is_line = facts.form == "line"
    if unit == "text" or facts.form == "expression" or (is_line and not pair.context) or (unit == "program" and not is_line):
        return Sample(language=facts.language, buggy=pair.buggy, verdict=_verdict(pair)), pair.fixed
    text, change = _in_line(pair) if is_line else _in_whole(pair, facts)
    if unit == "program":
        return Sample(language=facts.language, buggy=text, verdict=_verdict(pair)), change.whole
    around = Span(start=0, end=len(text))
    if facts.form == "method":
        start = _start(pair)
        around = Span(start=start, end=start + len(pair.buggy))
    else:
        around = _function(facts.language, text, change.span) or around
    sample = _told(_placed(facts.language, text, around, change.span), verdict=_verdict(pair))
    if unit == "method":
        if not (change.whole.startswith(text[: around.start]) and change.whole.endswith(text[around.end :])):
            raise Unrepresentable("the fix changes code outside of the function, too")
        return _widened(sample), change.whole[around.start : len(change.whole) - (len(text) - around.end)]
    if not change.keeps_depth:
        raise Unrepresentable("the fix changes the depth of lines")
    return sample, change.fixed


def sample_of_problem(problem: Problem, unit: Unit) -> Sample:
    """Return what a representation replaces of a problem; Unrepresentable if the problem does not show it."""
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
    if not around.holds(place):
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
    """Return the edit of the problem's file that replaces the sample by a recovered text."""
    if sample.method is None or sample.method_start is None:
        return Edit(path=problem.path, text=text, span=Span(start=0, end=len(problem.source)))
    span = Span(start=sample.method_start, end=sample.method_start + len(sample.method))
    return Edit(path=problem.path, text=put_back(sample, text), span=span)


def _verdict(pair: Pair) -> str | None:
    """Return a judge's verdict in the word used for bugs, so that a network reads the same of pairs and of bugs."""
    return (verdict_said(pair.verdict) or pair.verdict) if pair.verdict else None


def _in_line(pair: Pair) -> tuple[str, _Change]:
    """Return the code around a line, and the change in it."""
    text = pair.context
    start = pair.start if pair.start is not None else _find(text, pair.buggy)
    if start is None or not text.startswith(pair.buggy, start):
        raise Unrepresentable("the line is not in the code around it")
    span = Span(start=start, end=start + len(pair.buggy))
    return text, _Change(span=span, fixed=pair.fixed, whole=text[: span.start] + pair.fixed + text[span.end :])


def _start(pair: Pair) -> int:
    """Return where the buggy text begins in the widest text that holds it: its context, or itself."""
    start = pair.start if pair.start is not None else max(0, pair.context.find(pair.buggy))
    return start if pair.context.startswith(pair.buggy, start) else 0


def _in_whole(pair: Pair, facts: PairSet) -> tuple[str, _Change]:
    """Return the widest text that holds the buggy code, and the change in it."""
    start = _start(pair)
    text = pair.context if pair.context.startswith(pair.buggy, start) else pair.buggy
    end = start + len(pair.buggy)
    change = _changed(pair.buggy, pair.fixed, is_indented=facts_of(facts.language).is_indented)
    return text, dataclasses.replace(
        change,
        span=Span(start=start + change.span.start, end=start + change.span.end),
        whole=text[:start] + pair.fixed + text[end:],
    )


def _find(text: str, line: str) -> int | None:
    """Return where a line stands: as a whole line if possible."""
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
    place = line_span(buggy, lines.first + 1, lines.last)
    start = _shallowest_before(buggy, place) if is_indented else place.start
    span = _trimmed(buggy, Span(start=start, end=place.end))
    new = buggy[start : place.start] + lines.new
    # Behind the first line, depth is told from it; of that one, the place tells.
    base = _indent(new, len(new) - len(new.lstrip(_BLANK)))
    is_even = base == _indent(buggy, span.start) and not any(_is_shallower(line, base) for line in new.split("\n"))
    keeps_depth = is_even or not is_indented or not new.strip(_BLANK)
    return _Change(span=span, fixed=new.strip(_BLANK), whole=fixed, keeps_depth=keeps_depth)


def _shallowest_before(text: str, place: Span) -> int:
    """Return where to begin so that no line of a place is less deep than its first."""
    lines = [line for line in place.of(text).split("\n") if line.strip(_BLANK)]
    start = place.start
    depths = [_indent(line, 0) for line in lines]
    while start and depths and any(_is_shallower(line, depths[0]) for line in lines):
        start = text.rfind("\n", 0, start - 1) + 1
        line = text[start : text.index("\n", start)]
        if line.strip(_BLANK):
            lines.insert(0, line)
            depths.insert(0, _indent(line, 0))
    return start


def _is_shallower(line: str, depth: str) -> bool:
    return bool(line.strip(_BLANK)) and len(_indent(line, 0).expandtabs()) < len(depth.expandtabs())


def _indent(text: str, start: int) -> str:
    line = text[text.rfind("\n", 0, start) + 1 :]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _trimmed(text: str, span: Span) -> Span:
    """Return a span of lines without blanks at its ends; an empty one moves to the next character that is not blank."""
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
    place = Span(start=min(place.start for place in places), end=max(place.end for place in places))
    start = _shallowest_before(problem.source, place) if facts_of(problem.language).is_indented else place.start
    return _trimmed(problem.source, Span(start=start, end=place.end))


def _function(language: str, text: str, place: Span) -> Span | None:
    """Return the outermost function around a place."""
    return next((found.span for found in functions_of(language, text) if found.span.holds(place)), None)


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
    marked = (sample.start, sample.start + len(sample.buggy)) if is_marked else None
    return dataclasses.replace(sample, buggy=sample.method, start=0, marked=marked)


def _told(sample: Sample, *, verdict: str | None, description: str = "") -> Sample:
    return dataclasses.replace(sample, verdict=verdict, description=description)
