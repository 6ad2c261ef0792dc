"""Infilling: a mask stands for the buggy line or hunk, and the model fills it (Defects4C §5.3)."""

from repairlab.core.problem import Problem
from repairlab.core.text import Lines, Span, line_of, line_span, split_lines
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.prompts.strategies.question import Question, Strategy
from repairlab.repairers.llm.prompts.view import View, cut_out

MASK = ">>> [ INFILL ] <<<"


def _infill(name: str) -> Strategy:
    def needs(problem: Problem) -> str | None:
        """Need a location within the target."""
        if not problem.location:
            return f"no location of bug {problem.id} is shown; {name} needs localisation line or hunk"
        if not places(problem):
            return f"bug {problem.id}: the lines that are shown lie outside of {problem.target.name or problem.path}"
        return None

    return Strategy(name=name, needs=needs, question=_question, variables=("mask", "masked", "snippet", "n_lines"))


def _question(view: View) -> Question:
    """Ask for what belongs in place of the mask."""
    problem = view.problem
    found = places(problem)
    hole = _hole(problem, found)
    before, after = cut_out(problem, hole)
    snippet = hole.of(problem.source)
    masked = f"{before}{_indent(snippet or after)}{MASK}{'' if snippet and not snippet.endswith(chr(10)) else chr(10)}{after}"
    shown = view.text(masked)
    values = {
        "mask": MASK,
        "masked": shown if MASK in shown else masked.replace("\r\n", "\n"),
        "snippet": (view.text(snippet).strip("\n") or snippet.replace("\r\n", "\n").removesuffix("\n")),
        "n_lines": len(split_lines(snippet)),
    }
    notes = (("places", str(len(found))),) if len(found) > 1 else ()
    return Question(wanted=Wanted(shape="infill", hole=hole), values=values, notes=notes)


INFILL_LINE = _infill("infill-line")
"""Asks for the buggy line; where a fix has several places, for all lines from the first place to the last."""

INFILL_HUNK = _infill("infill-hunk")
"""Asks for the buggy lines, from the first place of the fix to its last."""


def places(problem: Problem) -> list[Lines]:
    """Return the shown lines as far as they lie within the target."""
    span = problem.target.span
    n_lines = len(split_lines(problem.source))
    top, bottom = line_of(problem.source, span.start), line_of(problem.source, max(span.start, span.end - 1))
    if problem.target.name is None:
        top, bottom = 1, n_lines
    found = []
    for lines in problem.location or ():
        if lines.path != problem.path or lines.last > n_lines:
            continue
        if lines.last < lines.first:  # a gap: inside a function it lies behind the first line and before the last
            is_inside = top < lines.first <= bottom or (problem.target.name is None and 1 <= lines.first <= n_lines + 1)
            found += [lines] if is_inside else []
        elif lines.first <= bottom and lines.last >= top:
            found.append(Lines(path=lines.path, first=max(lines.first, top), last=min(lines.last, bottom)))
    return found


def _hole(problem: Problem, found: list[Lines]) -> Span:
    """Return the characters from the first place to the last, in full lines but not beyond the target."""
    target = problem.target.span
    span = line_span(problem.source, min(lines.first for lines in found), max(lines.last for lines in found))
    start = max(span.start, target.start)
    return Span(start=start, end=max(start, min(span.end, target.end)))


def _indent(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line[: len(line) - len(line.lstrip())]
