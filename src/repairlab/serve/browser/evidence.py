"""What stands behind a verdict: the source of a failing test or its case beside the output, with stacks cut to the tree's files."""

import os
import re
from collections.abc import Collection, Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup
from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.token import STANDARD_TYPES, Token
from pygments.util import ClassNotFound

from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.outcome import TestResult
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.core.text import line_of
from repairlab.languages.language import language, language_of_path
from repairlab.study.diffs import clip, visible

_MOST_FILES = 20_000
_MOST_TEXT = 400_000
_AROUND = 12
_LONGEST = 80
"""Lines of a test."""
_FRAME = re.compile(r'^\s*(?:at \S|File ".*", line \d|#\d+ |\.\.\. \d+ more)|^\s+/?\S+\.go:\d+')


@record
class CodeLine:
    """One line of highlighted code."""

    number: int
    html: Markup
    is_faulty: bool = False
    is_target: bool = False


@record
class FailingTest:
    """A test that failed, and what it asked for."""

    result: TestResult
    path: str
    """File of its source; empty where that is not at hand."""
    code: tuple[CodeLine, ...]
    given: str
    """Input of a case."""
    expected: str
    """Output that the case wants."""


def failing_tests(bug: Bug | None, results: Sequence[TestResult]) -> list[FailingTest]:
    """Return failing tests with their sources, as far as the benchmark is at hand."""
    cases = {case.id: case for case in bug.oracle.cases} if bug and results else {}
    files = _test_files(bug) if bug and not cases and results else {}
    found = []
    for result in results:
        case = cases.get(result.id)
        path, code = _source(result.id, files)
        given, expected = (clip(case.input), clip(case.expected)) if case else ("", "")
        found.append(FailingTest(result=result, path=path, code=code, given=given, expected=expected))
    return found


def _test_files(bug: Bug) -> dict[str, str]:
    """Return the texts of the test files of a tree that is a folder."""
    root = Path(bug.tree.source)
    paths = [path for path in paths_of(bug) if language_of_path(path)]
    return {
        path: visible((root / path).read_bytes()[:_MOST_TEXT].decode("utf-8", "replace"))
        for path in matching(paths, bug.oracle.test.files)
    }


def paths_of(bug: Bug) -> list[str]:
    """Return the paths of the files of a tree that is a folder."""
    root, found = bug.tree.source, list[str]()
    for folder, _, names in os.walk(root):
        found += [os.path.relpath(f"{folder}/{name}", root) for name in names]
        if len(found) > _MOST_FILES:
            break
    return sorted(found)


def _source(test: str, files: dict[str, str]) -> tuple[str, tuple[CodeLine, ...]]:
    """Return where a test is defined: the function of its name in the file that its id names best, else lines around its name."""
    parts = [part for part in re.split(r"\W+", test.partition("[")[0]) if part]
    if not parts:
        return "", ()
    title = re.split(r"::| > ", test)[-1].partition("[")[0].strip()
    ranked = sorted(files, key=lambda path: -sum(part in re.split(r"\W+", path) for part in parts))
    for path in ranked:
        syntax = language(language_of_path(path) or "").syntax
        for function in syntax.functions(files[path]):
            if function.name in (parts[-1], title):
                return path, _lines_of(path, files[path], line_of(files[path], function.span.start), function.span.end)
    for path in ranked:
        at = max(files[path].find(title), files[path].find(parts[-1]))
        if at >= 0:
            first = line_of(files[path], at)
            return path, _cut(path, files[path], first, first + _AROUND)
    return "", ()


def _lines_of(path: str, text: str, first: int, end: int) -> tuple[CodeLine, ...]:
    return _cut(path, text, first, min(line_of(text, max(0, end - 1)), first + _LONGEST))


def _cut(path: str, text: str, first: int, last: int) -> tuple[CodeLine, ...]:
    lines = highlighted(text, language_of_path(path) or "")
    return tuple(CodeLine(number=number, html=html) for number, html in enumerate(lines[first - 1 : last], start=first))


def trimmed(log: str, names: Collection[str]) -> str:
    r"""Return a log with stack frames outside the named files counted instead of shown.

    >>> print(trimmed("E: no\n  at a.B.c(B.java:3)\n  at org.junit.X(X.java:9)\n  at org.junit.Y(Y.java:8)", {"B.java"}))
    E: no
      at a.B.c(B.java:3)
      … 2 frames outside the tree
    """
    if not names:
        return log
    made = list[str]()
    for is_outside, lines in groupby(
        log.split("\n"), lambda line: bool(_FRAME.match(line)) and not any(name in line for name in names)
    ):
        kept = list(lines)
        made += [f"  … {count(len(kept), 'frame')} outside the tree"] if is_outside else kept
    return "\n".join(made)


def tokens(text: str, name: str) -> list[list[tuple[str, str]]]:
    """Return the lines of a text as pieces with the classes of their tokens."""
    try:
        lexer = get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False, ensurenl=False)
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, piece in lex(text, lexer):
        while kind not in STANDARD_TYPES and kind is not Token:
            kind = kind.parent  # noqa: PLW2901  # a rarer kind looks as the one above it
        first, *more = piece.split("\n")
        lines[-1].append((STANDARD_TYPES.get(kind, ""), first))
        lines += [[(STANDARD_TYPES.get(kind, ""), line)] for line in more]
    return lines


def highlighted(text: str, name: str) -> list[Markup]:
    """Return the lines of a text with the classes of its tokens; all of it is escaped."""
    lines = tokens(text.removesuffix("\n"), name)
    return [
        Markup("").join(Markup('<span class="{}">{}</span>').format(*piece) if piece[0] else piece[1] for piece in line)
        for line in lines
    ]
