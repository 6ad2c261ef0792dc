"""What a fix does to a file: runs of lines that differ, and syntax nodes that are added, removed, or replaced.

Trees are compared top-down: equal children stay, those in the same field or alike are compared further, the rest is added or
removed.
"""

import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.text import common_ends, split_lines
from repairlab.languages.language import language as language_of
from repairlab.study.labelling.tree import STATEMENTS, SyntaxNode, read_node


@record
class LineRun:
    """Removed lines and the lines in their place; numbers are 0-based, ends excluded."""

    first: int
    last: int
    new_first: int
    new_last: int
    old: tuple[str, ...]
    new: tuple[str, ...]


def line_runs(before: str, after: str) -> tuple[LineRun, ...]:
    r"""Return the places where two texts differ.

    >>> [(run.old, run.new) for run in line_runs("a\nb\nc\n", "a\nx\nc\nd\n")]
    [(('b\n',), ('x\n',)), ((), ('d\n',))]
    """
    old, new = split_lines(before), split_lines(after)
    head, tail = common_ends(old, new)
    matcher = difflib.SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    return tuple(
        LineRun(
            first=head + i1,
            last=head + i2,
            new_first=head + j1,
            new_last=head + j2,
            old=tuple(old[head + i1 : head + i2]),
            new=tuple(new[head + j1 : head + j2]),
        )
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    )


_ALIKE = 0.35
"""Share of common words above which two nodes of one type are versions of each other."""
_MEMBERS = STATEMENTS | {"function", "class", "case", "catch", "else", "import", "block"}
_EXPRESSIONS = frozenset({"call", "binary", "choice", "cast", "unary", "new"})
_MOST_CELLS = 250_000
"""Largest alignment; more children than that are aligned by position."""


class TreeEdits:
    """All differences between two trees."""

    def __init__(self) -> None:
        self.inserted: list[SyntaxNode] = []
        """Roots of what is added."""
        self.deleted: list[SyntaxNode] = []
        self.matched: list[tuple[SyntaxNode, SyntaxNode]] = []
        """Nodes before and after that are versions of each other and differ somewhere below."""
        self.replaced: list[tuple[SyntaxNode, SyntaxNode]] = []
        """Replacements: both nodes are also listed as removed and added, except leaves."""

    @cached_property
    def moved(self) -> set[tuple[str, str]]:
        """Return the keys of code that is removed at one place and added at another."""
        gone = {node.key for root in self.deleted for node in root.walk()}
        return {node.key for root in self.inserted for node in root.walk() if node.key in gone}

    def new(self, *kinds: str) -> list[SyntaxNode]:
        """Return added nodes of these kinds that did not exist before."""
        return list(self._of(self.inserted, kinds))

    def gone(self, *kinds: str) -> list[SyntaxNode]:
        """Return nodes of these kinds that are removed for good."""
        return list(self._of(self.deleted, kinds))

    def changed(self, *kinds: str) -> list[tuple[SyntaxNode, SyntaxNode]]:
        """Return nodes of these kinds before and after, where both exist."""
        return [(old, new) for old, new in self.matched if old.kind in kinds]

    def _of(self, roots: Sequence[SyntaxNode], kinds: Sequence[str]) -> Iterator[SyntaxNode]:
        for root in roots:
            stack = [root]
            while stack:
                node = stack.pop()
                if node.kind in STATEMENTS and node.key in self.moved:
                    continue
                if node.kind in kinds and node.key not in self.moved:
                    yield node
                stack.extend(reversed(node.children))


def tree_edits(language: str, before: str, after: str) -> TreeEdits:
    """Compare two versions of a text."""
    runs = line_runs(before, after)
    old = read_node(language, before, [(run.first, run.last - 1) for run in runs])
    new = read_node(language, after, [(run.new_first, run.new_last - 1) for run in runs])
    edits = TreeEdits()
    _compare(old, new, edits)
    return edits


def _compare(old: SyntaxNode, new: SyntaxNode, edits: TreeEdits) -> None:
    if old.key == new.key:
        return
    if old.type != new.type or (not old.children and not new.children) or is_around(old, new) or is_around(new, old):
        edits.replaced.append((old, new))
        if old.children or new.children or old.type != new.type:
            edits.deleted.append(old)
            edits.inserted.append(new)
        return
    edits.matched.append((old, new))
    for one, other in _aligned(old.children, new.children):
        if one is None and other is not None:
            edits.inserted.append(other)
        elif other is None and one is not None:
            edits.deleted.append(one)
        elif one is not None and other is not None:
            _compare(one, other, edits)


def _aligned(old: Sequence[SyntaxNode], new: Sequence[SyntaxNode]) -> Iterator[tuple[SyntaxNode | None, SyntaxNode | None]]:
    """Yield matching children; None stands for one that is missing on one side."""
    head, tail = common_ends([node.key for node in old], [node.key for node in new])
    old, new = old[head : len(old) - tail], new[head : len(new) - tail]
    if len(old) * len(new) > _MOST_CELLS:
        yield from ((node, None) for node in old)
        yield from ((None, node) for node in new)
        return
    # Best alignment from the end: score[i][j] is the score of old[i:] and new[j:].
    score = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    worth = [[_worth(one, other) for other in new] for one in old]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            score[i][j] = max(score[i + 1][j], score[i][j + 1], score[i + 1][j + 1] + worth[i][j])
    i = j = 0
    while i < len(old) and j < len(new):
        if worth[i][j] > 0 and score[i][j] == score[i + 1][j + 1] + worth[i][j]:
            yield old[i], new[j]
            i, j = i + 1, j + 1
        elif score[i][j] == score[i + 1][j]:
            yield old[i], None
            i += 1
        else:
            yield None, new[j]
            j += 1
    yield from ((node, None) for node in old[i:])
    yield from ((None, node) for node in new[j:])


def _worth(old: SyntaxNode, new: SyntaxNode) -> float:
    """Return the score of matching two children; 0: they do not match."""
    if old.key == new.key:
        return 1.0 + len(old.words)
    if old.field and old.field == new.field:
        return 0.5 + alike(old, new)
    if not old.type[:1].isalpha() or not new.type[:1].isalpha():
        return 0.1 if not old.type[:1].isalpha() and not new.type[:1].isalpha() else 0.0
    similarity = alike(old, new)
    if {old.kind, new.kind} & _MEMBERS:
        # Two statements are versions of each other only if they are alike.
        return similarity * len(old.words) if old.type == new.type and similarity >= _ALIKE else 0.0
    return (0.2 if old.type == new.type else 0.15) + similarity


def is_around(inner: SyntaxNode, outer: SyntaxNode) -> bool:
    """Return whether an expression is an operand, argument or object of another one."""
    if inner.kind not in _EXPRESSIONS or outer.kind not in _EXPRESSIONS:
        return False
    near = [part for child in outer.children for part in (child, *child.children)]
    return any(inner.bare.key in (part.key, part.bare.key) for part in near)


def alike(old: SyntaxNode, new: SyntaxNode) -> float:
    """Return the share of common words (Dice)."""
    one, other = Counter(old.words), Counter(new.words)
    return 2 * (one & other).total() / ((one.total() + other.total()) or 1)


@record
class FileChange:
    """One file's text in both versions; empty if a version lacks it."""

    language: str
    path: str
    before: str
    after: str

    @property
    def runs(self) -> tuple[LineRun, ...]:
        """Return the places where lines differ."""
        return line_runs(self.before, self.after)

    @property
    def code(self) -> "FileChange":
        """Return the change without comments, which do not belong to a fix."""
        syntax = language_of(self.language).syntax
        return FileChange(
            language=self.language,
            path=self.path,
            before=syntax.strip_comments(self.before),
            after=syntax.strip_comments(self.after),
        )

    @property
    def edits(self) -> TreeEdits:
        """Return what the change does to the syntax tree."""
        return _edits(self.language, self.before, self.after)


@lru_cache(maxsize=16)
def _edits(language: str, before: str, after: str) -> TreeEdits:
    return tree_edits(language, before, after)


def changes_of(bug: Bug) -> tuple[FileChange, ...]:
    """Return the files that the reference fix of a bug changes, except those that are not text in its language."""
    root = Path(bug.tree.source)
    paths = {edit.path for edit in bug.oracle.reference}
    try:
        files = {path: (root / path).read_bytes().decode() for path in paths if (root / path).is_file()}
    except UnicodeDecodeError as error:
        raise UserError(f"bug {bug.id}: a file of its fix is not UTF-8 text ({error.reason} at byte {error.start})") from None
    changed = apply_edits(bug.oracle.reference, files)
    return tuple(
        FileChange(language=bug.problem.language, path=path, before=files.get(path, ""), after=text or "")
        for path, text in sorted(changed.items())
        if files.get(path, "") != (text or "")
    )
