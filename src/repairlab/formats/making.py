"""Make candidates of what others' files hold: a function, a whole file, a diff."""

import ast
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import edits_of_patch, parse_patch
from repairlab.core.errors import UserError
from repairlab.core.text import Span, replace_span
from repairlab.formats.format import ExternalCandidate, KnownVerdict
from repairlab.formats.ids import BugIndex
from repairlab.languages.facts import facts


class Maker:
    """Makes candidates for the bugs of one benchmark and counts their ranks.

    An answer that cannot be used is a candidate, too: it has no edits and will be UNAPPLICABLE.
    """

    def __init__(self, benchmark: Benchmark, *, repairer: str = "file") -> None:
        """Take the benchmark, and what to call the repairer when a file does not say."""
        self.index = BugIndex(benchmark)
        self._repairer = repairer
        self._ranks: Counter[str] = Counter()

    def bug(self, name: str) -> Bug:
        """Return the bug that a name means."""
        return self.index.find(name)

    def function(self, bug: Bug, text: str, *, model: str | None = None, known: KnownVerdict | None = None) -> ExternalCandidate:
        """Make a candidate of the new text of the function to fix, fitted to the place it goes to."""
        return self.span(bug, fitted(text, bug), bug.problem.target.span, model=model, known=known)

    def span(
        self, bug: Bug, text: str, span: Span, *, model: str | None = None, known: KnownVerdict | None = None
    ) -> ExternalCandidate:
        """Make a candidate of the new text of a part of the file to fix."""
        return self.edits(bug, text, lambda: (Edit(path=bug.problem.path, text=text, span=span),), model=model, known=known)

    def file(self, bug: Bug, text: str, *, model: str | None = None, known: KnownVerdict | None = None) -> ExternalCandidate:
        """Make a candidate of the new text of the file to fix."""
        return self.edits(bug, text, lambda: (Edit(path=bug.problem.path, text=text),), model=model, known=known)

    def diff(self, bug: Bug, text: str, *, model: str | None = None, known: KnownVerdict | None = None) -> ExternalCandidate:
        """Make a candidate of a unified diff against the buggy tree."""
        return self.edits(bug, text, lambda: edits_of_diff(text, bug), model=model, known=known)

    def edits(
        self,
        bug: Bug,
        text: str,
        edits: Callable[[], Iterable[Edit]],
        *,
        model: str | None = None,
        known: KnownVerdict | None = None,
    ) -> ExternalCandidate:
        """Make a candidate of the edits that a text means; should it mean none, the text is kept and the reason said."""
        try:
            if not text.strip():
                raise UserError("the answer is empty")
            return self.made(bug, tuple(edits()), self.origin(model), known=known)
        except UserError as error:
            return self.unusable(bug, str(error), text, self.origin(model), known=known)

    def made(self, bug: Bug, edits: tuple[Edit, ...], origin: Origin, *, known: KnownVerdict | None = None) -> ExternalCandidate:
        """Return a candidate that has the next rank of its bug."""
        return ExternalCandidate(candidate=Candidate(bug_id=bug.id, edits=edits, rank=self._next(bug), origin=origin), known=known)

    def unusable(
        self, bug: Bug, problem: str, answer: str | None, origin: Origin | None = None, *, known: KnownVerdict | None = None
    ) -> ExternalCandidate:
        """Return a candidate from whose answer nothing could be read."""
        kept = origin or self.origin(None)
        made = Candidate(bug_id=bug.id, edits=(), rank=self._next(bug), origin=kept, problem=problem, answer=answer)
        return ExternalCandidate(candidate=made, known=known)

    def origin(self, model: str | None) -> Origin:
        """Return where candidates of this file come from."""
        return Origin(repairer=self._repairer, model=model)

    def _next(self, bug: Bug) -> int:
        self._ranks[bug.id] += 1
        return self._ranks[bug.id]


def edits_of_diff(text: str, bug: Bug) -> tuple[Edit, ...]:
    """Return a diff as edits; only the files that it names are read."""
    return edits_of_patch(text, old_files(bug, (patch.old for patch in parse_patch(text))))


def old_files(bug: Bug, paths: Iterable[str | None]) -> dict[str, str]:
    """Return the text of files of the buggy tree; what is not there, is no UTF-8 text or lies outside is left out."""
    root = Path(bug.tree.source).resolve()
    texts = {}
    for path in dict.fromkeys(paths):
        try:
            file = (root / (path or "")).resolve()
            if path and file.is_relative_to(root) and file.is_file():
                texts[path] = file.read_bytes().decode("utf-8")
        except (OSError, ValueError, RuntimeError):
            continue  # no text, or no possible name of a file: too long, in a loop of links, with characters that none can have
    return texts


def fitted(text: str, bug: Bug) -> str:
    """Return a function's text as it goes into its place: a Python method written for itself is indented as its class wants."""
    problem = bug.problem
    span = problem.target.span
    line = problem.source[problem.source.rfind("\n", 0, span.start) + 1 : span.start]
    if not facts(problem.language).is_indented or problem.target.name is None or _parses(replace_span(problem.source, span, text)):
        return text
    alone = textwrap.dedent(text.strip("\n"))
    indented = textwrap.indent(alone, line)[len(line) :]
    return indented if _parses(replace_span(problem.source, span, indented)) else text


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
