"""Read external candidates entry by entry: the bug that an entry means, and a candidate of its function, file or diff.

An error in one entry becomes one message, and reading continues.
"""

import ast
import json
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import edits_of_patch, parse_patch
from repairlab.core.errors import UnknownNameError, UserError, unknown
from repairlab.core.foreign import as_type, parse_json
from repairlab.core.text import Span, replace_span
from repairlab.formats.format import ExternalCandidate, KnownVerdict, Sight, Unreadable
from repairlab.languages.facts import facts

_BENCHMARKS = (
    *("defects4j", "d4j", "quixbugs", "qbs", "bears", "bdjar", "humanevaljava", "humaneval-java", "humanevalfix", "humaneval"),
    *("bugsinpy", "swebench", "swe-bench", "fixeval", "codenet", "defects4c", "nl2fix", "gitbug-java", "java", "python"),
)
"""Names that may precede a bug's own; the longer ones first where one begins another."""
_METHOD = re.compile(r"^([A-Za-z]+)[_-](\d+)_(.+)_(\d+)[_-](\d+)$")
"""Project, number, path, first and last line: how NL2Fix and others name a method of a Defects4J bug."""


class UnknownBugError(UnknownNameError):
    """A name that no bug of a benchmark has."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        """Take what is named, the name, and the known names."""
        super().__init__(*unknown(kind, name, known).args)
        self.short, self.name = f"unknown {kind} {name!r}", name


class BugIndex:
    """Finds bugs of one benchmark by others' names for them.

    A name is tried as it is, then without regard to case and separators, then without a benchmark's name before it (`Csv_4`,
    `defects4j<SEP>Csv-4` and `QuixBugs GCD` find `Csv-4`, `Csv-4` and `gcd`), then as the commit that fixed the bug.
    """

    def __init__(self, benchmark: Benchmark) -> None:
        """Take the benchmark whose bugs are meant."""
        self._benchmark = benchmark
        self._exact = frozenset(benchmark.ids)
        self.found: str | None = None
        """The id of the bug that was found last."""

    @cached_property
    def _loose(self) -> dict[str, list[str]]:
        """Ids by the forms they may have."""
        found: dict[str, list[str]] = {}
        for bug_id in self._benchmark.ids:
            for form in dict.fromkeys(_forms(bug_id, self._benchmark.name)):
                found.setdefault(form, []).append(bug_id)
        return found

    def find(self, name: str) -> Bug:
        """Return the bug that a name means; UserError if there is none or several."""
        wanted = name.removeprefix(f"{self._benchmark.name}/")
        if wanted in self._exact:
            return self._bug(wanted)
        for form in _forms(wanted, self._benchmark.name):
            found = self._loose.get(form, ())
            if found:
                return self._bug(_only(name, found))
        method = _METHOD.match(wanted)
        if method:
            return self.find(f"{method[1]}-{method[2]}")
        raise UnknownBugError(f"bug of {self._benchmark.name}", wanted, self._benchmark.ids)

    def _bug(self, bug_id: str) -> Bug:
        self.found = bug_id
        return self._benchmark.bug(bug_id)

    def of_commit(self, sha: str) -> Bug:
        """Return the bug whose fix is this commit, which may be abbreviated."""
        wanted = sha.lower()
        found = [bug for bug in self._benchmark if (bug.origin.commit or "").lower().startswith(wanted)]
        found = found or [bug for bug in self._benchmark if wanted[:7] in bug.id.lower()]
        if not found:
            raise UnknownBugError(
                f"commit of a bug of {self._benchmark.name}", sha, [bug.origin.commit or bug.id for bug in self._benchmark]
            )
        return self._bug(_only(sha, [bug.id for bug in found]))


def _only(name: str, found: Sequence[str]) -> str:
    if len(found) > 1:
        raise UserError(f"{name!r} may mean any of {', '.join(found[:5])}; write the bug's id")
    return found[0]


def _forms(name: str, benchmark: str) -> list[str]:
    """Return forms of a name, the most telling first.

    >>> _forms("defects4j<SEP>Csv_4", "tiny")
    ['defects4j-csv-4', 'defects4jcsv4', 'csv-4', 'csv4']
    """
    plain = _plain(name)
    forms = [plain, _tight(plain)]
    for prefix in (_plain(benchmark), *_BENCHMARKS):
        if plain.startswith(f"{prefix}-"):
            forms += _forms(plain[len(prefix) + 1 :], benchmark)
            break
    return forms


def _plain(name: str) -> str:
    return re.sub(r"[^0-9a-z]+", "-", name.replace("<SEP>", "-").replace("_SEP_", "-").lower()).strip("-")


def _tight(plain: str) -> str:
    """Drop separators except those between two digits, so that 1-11 does not become 11-1."""
    return re.sub(r"(?<!\d)-|-(?!\d)", "", plain)


T = TypeVar("T")

_NAMES_SEEN = 300
_LINES_SEEN = 20


def look(path: Path) -> Sight:
    """Take a first look at a file or folder."""
    if path.is_dir():
        found = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
        return Sight(path=path, names=tuple(islice(found, _NAMES_SEEN)))
    with _open(path) as file:
        lines = [line for line in islice(file, _LINES_SEEN) if line.strip()]
    head = lines[0].decode("utf-8-sig", "replace").rstrip() if lines else ""
    whole = None if not lines or _value(lines[0]) is not None else _value(path.read_bytes())
    if whole is not None:
        return Sight(path=path, first=whole, head=head)
    objects = (value for line in lines if isinstance(value := _value(line), dict | list))
    first = next(objects, None)
    return Sight(path=path, first=first, head=head, lines=first is not None)


def _value(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file that are not blank, each with where it is."""
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path.name}, line {number}", line


def read_lines(
    index: BugIndex, path: Path, made: Callable[[dict[str, Any]], Iterable[ExternalCandidate]]
) -> Iterator[ExternalCandidate | Unreadable]:
    """Read JSON Lines one object after the other."""
    return read_entries(index, lines_of(path), lambda line: made(as_type(parse_json(line), dict)))


def read_entries(
    index: BugIndex, entries: Iterable[tuple[str, T]], made: Callable[[T], Iterable[ExternalCandidate | Unreadable]]
) -> Iterator[ExternalCandidate | Unreadable]:
    """Read entries one after another, each with its place; the index knows the bug that an entry names."""
    for where, entry in entries:
        index.found = None
        try:
            yield from made(entry)
        except UnknownBugError as error:
            yield Unreadable(where=where, reason=_shown(error.short), unknown_bug=_shown(error.name))
        except UnknownNameError as error:  # of every line: otherwise the known names would be listed again and again
            yield Unreadable(where=where, reason=_shown(error.brief), bug_id=index.found)
        except UserError as error:
            yield Unreadable(where=where, reason=_shown(str(error)), bug_id=index.found)
        except RecursionError:
            yield Unreadable(where=where, reason="it is nested too deeply", bug_id=index.found)


def _shown(text: str) -> str:
    """Return a text that can be printed: what others wrote may hold halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def items_of(path: Path, value: Any) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield key and value of each entry of a JSON object, with where it is."""
    for key, item in as_type(value, dict, str(path)).items():
        yield f"{path.name}, entry {key!r}", (key, item)


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the files, replacing each folder by those in it that match."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(pattern)) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"{path} has no file {pattern}")
        found += inside
    return found


@contextmanager
def located(where: str) -> Iterator[None]:
    """Prefix an error message with the place of its entry."""
    try:
        yield
    except UnknownNameError as error:
        raise UserError(f"{where}: {error.brief}") from None
    except UserError as error:
        raise UserError(f"{where}: {error}") from None


class Maker:
    """Makes candidates for the bugs of one benchmark and counts their ranks.

    An answer that cannot be used is a candidate, too: it has no edits and will be UNAPPLICABLE.
    """

    def __init__(self, benchmark: Benchmark, *, repairer: str = "file") -> None:
        """Take the benchmark, and what to call the repairer if a file does not say."""
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
        """Make a candidate of the edits that a text means; if it means none, keep the text and the reason."""
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
        """Return a candidate from an unreadable answer."""
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
    """Return the text of files of the buggy tree, without those that are missing, not UTF-8 text, or outside it."""
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
