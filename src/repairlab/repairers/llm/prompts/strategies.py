"""The strategies: what each needs of a bug, and the question it asks; the words are in its prompt template."""

import dataclasses
from collections.abc import Callable
from typing import Any

from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Lines, Span, line_of, line_span, split_lines
from repairlab.languages.language import Function
from repairlab.repairers.llm.answers.reading import Wanted
from repairlab.repairers.llm.answers.target import aim
from repairlab.repairers.llm.prompts.templates import View, absent, cut_out, indentation


@record
class ListedPart:
    """A part of a long listing, which is left out if a prompt would be too long."""

    text: str
    """As the prompt shows it."""
    about: str
    """What it stands for: parts that have little in common with the issue go first."""


@record
class Question:
    """What a strategy asks about one bug; the words are in its prompt template."""

    wanted: Wanted = Wanted()
    values: dict[str, Any] = dataclasses.field(default_factory=dict)
    """Values of the strategy's own variables, beyond those of every template."""
    parts: tuple[ListedPart, ...] = ()
    """What the variable `parts` prints, as far as there is room."""
    stop: tuple[str, ...] = ()
    """Texts that end the answer."""
    notes: tuple[tuple[str, str], ...] = ()
    """What to record about how the question was made; kept in the candidate's origin."""


@record
class Strategy:
    """One way to ask a model for a fix."""

    name: str
    """Also the name of its prompt template."""
    needs: Callable[[Problem], str | None]
    """Returns what a problem lacks for this strategy; None if nothing."""
    question: Callable[[View], Question]
    """Returns what to ask; only for problems that lack nothing."""
    variables: tuple[str, ...] = ()
    """Variables of its template beyond those of every template."""
    narrow: Callable[[Problem, str, int], Problem] | None = None
    """For a strategy that looks for the place itself: takes the problem, the answer, and the number of the next of its questions;
    returns the problem that this one is about. Raises Unanswerable. None: later questions go on with the same chat."""


def narrowing(strategy: Strategy) -> Callable[[Problem, str, int], Problem] | None:
    """Return how a strategy looks for the place itself; one of another package may be older than this."""
    return getattr(strategy, "narrow", None)


def needs_nothing(problem: Problem) -> str | None:
    """Return no reason for any bug."""
    del problem
    return None


def needs_issue(problem: Problem) -> str | None:
    """Return a reason when a bug has neither title nor description."""
    if problem.title.strip() or problem.description.strip():
        return None
    return f"bug {problem.id} has no issue text"


def ask_for_function(view: View) -> Question:
    """Ask for the whole function, fixed."""
    del view
    return Question()


def ask_for_file(view: View) -> Question:
    """Ask for the whole program, fixed."""
    del view
    return Question(wanted=Wanted(shape="file"))


def _needs_title(problem: Problem) -> str | None:
    return None if problem.title.strip() else f"bug {problem.id} has no title"


def _needs_verdict(problem: Problem) -> str | None:
    return None if problem.submission_verdict else f"bug {problem.id} has no submission verdict"


def _ask_for_edit(view: View) -> Question:
    del view
    return Question(wanted=Wanted(shape="edit"))


def _open_conversation(view: View) -> Question:
    """Ask for the function; nothing has failed yet."""
    reason = f"bug {view.problem.id} has no candidate yet"
    missing = {name: absent(name, reason) for name in ("feedback", "unread")}
    return Question(values={**missing, "is_cut": False, "turn": 1})


ZERO_SHOT = Strategy(name="zero-shot", needs=needs_issue, question=ask_for_function)
"""The issue's title and description and the buggy function (nl2fix §3.3.1)."""

TITLE_ONLY = Strategy(name="title-only", needs=_needs_title, question=ask_for_function)
"""The issue's title and the buggy function, without the description (nl2fix §4.3, *Issue Title*)."""

FEW_SHOT = Strategy(name="few-shot", needs=needs_issue, question=ask_for_function, variables=("examples",))
"""Other bugs with their issues and fixes, then the zero-shot question (nl2fix §3.3.2); the repairer chooses the examples."""

REASONING = Strategy(name="reasoning", needs=needs_issue, question=ask_for_function)
"""Localise, explain, fix, in three turns (nl2fix §3.3.3); each candidate has a chain of answers of its own."""

INFILL_FUNCTION = Strategy(name="infill-function", needs=needs_nothing, question=ask_for_function)
"""The whole function anew, without an issue text (Defects4C §5.3)."""

VERDICT = Strategy(name="verdict", needs=_needs_verdict, question=ask_for_file)
"""The whole program and what the judge said of it (FixEval §4)."""

EDIT = Strategy(name="edit", needs=needs_issue, question=_ask_for_edit)
"""An instruction and an input; the answer says only what changes, as blocks or a diff (nl2fix's edit model, §3.2)."""

FILE = Strategy(name="file", needs=needs_nothing, question=ask_for_file)
"""The whole program and, where there is one, its issue (FixEval's input without a verdict)."""

CONVERSATION = Strategy(
    name="conversation", needs=needs_nothing, question=_open_conversation, variables=("feedback", "is_cut", "unread", "turn")
)
"""The bug and its error, then each candidate and how it failed (Defects4C appendix B, after ChatRepair).

The first section of its template opens, the second answers a candidate.
"""


def _needs_body(problem: Problem) -> str | None:
    """Need an issue text and a function with a body."""
    if problem.target.name is None:
        return f"bug {problem.id} is about a whole file; completion needs a function"
    if _function(problem) is None:
        return f"bug {problem.id}: {problem.target.name} has no body that could be completed"
    return needs_issue(problem)


def _ask_for_body(view: View) -> Question:
    """Ask for the body; the answer ends where the function does."""
    problem = view.problem
    function = _function(problem)
    assert function is not None
    given = _given(problem.source, function)
    values = {
        "given": (indentation(problem) + given).replace("\r\n", "\n"),
        "before": view.text(problem.source[: function.span.start]),
        "after": view.text(problem.source[function.span.end :]),
    }
    return Question(wanted=Wanted(shape="completion", given=given), values=values, stop=_stop(problem, function))


COMPLETION = Strategy(name="completion", needs=_needs_body, question=_ask_for_body, variables=("given", "before", "after"))
FEW_SHOT_COMPLETION = dataclasses.replace(COMPLETION, name="few-shot", variables=(*COMPLETION.variables, "examples"))
"""Few-shot for completion models: the user's prompt ends with the signature (nl2fix §3.3.2)."""


def _function(problem: Problem) -> Function | None:
    """Return the target as the parser sees it, if it has a body of its own."""
    function = aim(problem).function
    return function if function and function.span.start < function.body.start < function.body.end else None


def _given(source: str, function: Function) -> str:
    """Return the signature with the brace that opens the body, without comments between it and the body."""
    if function.body.of(source).startswith("{"):
        return source[function.span.start : function.body.start + 1]
    lines = source[function.span.start : function.body.start].rstrip().split("\n")
    while lines[-1].lstrip().startswith("#"):
        lines.pop()
    return "\n".join(lines).rstrip()


def _stop(problem: Problem, function: Function) -> tuple[str, ...]:
    """Return what follows a function; many servers accept only four such texts."""
    indent = indentation(problem)
    if function.body.of(problem.source).startswith("{"):
        closes_alone = problem.source[: function.span.end].endswith(f"\n{indent}}}")
        return (f"\n{indent}}}\n",) if closes_alone else ()
    outer = ("\nclass ", "\ndef ") if indent else ("\nclass ", "\nif __name__")
    return (f"\n{indent}def ", f"\n{indent}@", *outer)


MASK = ">>> [ INFILL ] <<<"
_HOLE = ("mask", "masked", "snippet", "n_lines")
"""Variables of infilling."""


def _infill(name: str) -> Strategy:
    def needs(problem: Problem) -> str | None:
        """Need a location within the target."""
        if not problem.location:
            return f"no location of bug {problem.id} is shown; {name} needs localisation line or hunk"
        if not places(problem):
            return f"bug {problem.id}: the lines that are shown lie outside of {problem.target.name or problem.path}"
        return None

    return Strategy(name=name, needs=needs, question=_ask_for_hole, variables=_HOLE)


def _ask_for_hole(view: View) -> Question:
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


def _ask_by_extent(view: View) -> Question:
    """Ask for a line or a hunk where the location is one place, else for the function."""
    problem = view.problem
    found = places(problem)
    if len(found) == 1:
        asked = _ask_for_hole(view)
        kind = "infill-line" if asked.values["n_lines"] == 1 else "infill-hunk"
        return dataclasses.replace(asked, notes=(("infilling", kind),))
    why = f"the location of bug {problem.id} is not shown as one place"
    return Question(values={name: absent(name, why) for name in _HOLE}, notes=(("infilling", "infill-function"),))


INFILL = Strategy(name="infill", needs=needs_nothing, question=_ask_by_extent, variables=_HOLE)
"""Infilling of a line, a hunk or the function, whichever the bug needs (Defects4C §5.3): a mixed benchmark is one run."""


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
