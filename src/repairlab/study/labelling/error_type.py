"""Error state and element of NPR4J, and its 20 types of bugs (table 5), from what a fix does to tokens and statements."""

import difflib
from collections.abc import Sequence
from typing import Literal

from repairlab.core.record import record
from repairlab.languages.language import Token
from repairlab.languages.language import language as language_of
from repairlab.study.labelling.actions import is_wider, operands
from repairlab.study.labelling.file_change import FileChange, TreeEdits
from repairlab.study.labelling.tree import LOGIC, STATEMENTS, SyntaxNode

State = Literal["redundant", "incorrect", "missing"]
Element = Literal["token", "partial", "whole", "multi"]
TYPES: dict[str, tuple[State, Element]] = {
    "MissingMultiStatement": ("missing", "multi"),
    "MissingWholeExpressionOrStatement": ("missing", "whole"),
    "IncorrectWholeExpressionOrStatement": ("incorrect", "whole"),
    "IncorrectVariable": ("incorrect", "token"),
    "MissingBooleanExpression": ("missing", "whole"),
    "IncorrectPartialExpressionOrStatement": ("incorrect", "partial"),
    "IncorrectOperator": ("incorrect", "token"),
    "IncorrectFunctionCall": ("incorrect", "token"),
    "MissingPartialStatementOrExpression": ("missing", "partial"),
    "IncorrectNumberValue": ("incorrect", "token"),
    "MissingNullCheck": ("missing", "whole"),
    "MissingFunctionCallOrConstructor": ("missing", "token"),
    "RedundantExpression": ("redundant", "partial"),
    "MissingVariable": ("missing", "token"),
    "IncorrectMultiStatement": ("incorrect", "multi"),
    "MissingMultipleBoolean": ("missing", "multi"),
    "ExpressionSwap": ("incorrect", "partial"),
    "IncorrectKeyword": ("incorrect", "token"),
    "MissingKeyword": ("missing", "token"),
    "MissingException": ("missing", "multi"),
}
"""Type → state and element, as NPR4J groups them in its table; a bug's element depends on the size of the change (figure 4)."""
_MOSTLY = 3
"""How many times more tokens must come than go, or the other way round, where a fix does both."""
_UNITS = STATEMENTS | {"function", "class", "case", "catch", "import"}
_LISTS = frozenset({"statement_list", "source_file", "translation_unit", "module", "program"})
"""Nodes whose children are statements, besides blocks."""
_PARTS = ("name", "number", "string", "keyword", "operator")


@record
class ErrorType:
    """What is wrong with the code, judging by its fix."""

    type: str
    state: State
    element: Element


@record
class _Pieces:
    """What differs between the changed lines of all files."""

    gone: tuple[tuple[Token, ...], ...]
    come: tuple[tuple[Token, ...], ...]

    @property
    def n_gone(self) -> int:
        return sum(map(len, self.gone))

    @property
    def n_come(self) -> int:
        return sum(map(len, self.come))


def error_type(changes: Sequence[FileChange]) -> ErrorType | None:
    """Return the type of a bug; None if no code differs."""
    edits = [change.edits for change in changes]
    pieces = _pieces(changes)
    if not pieces.n_gone and not pieces.n_come:
        return None
    new, old = (sum(_n_statements(roots, item.moved) for item, roots in side) for side in _sides(edits))
    if not pieces.n_come or (not new and pieces.n_gone >= _MOSTLY * max(pieces.n_come, 1)):
        name = "RedundantExpression"
    elif not pieces.n_gone or (new > 1 and pieces.n_come >= _MOSTLY * pieces.n_gone):
        name = _missing(edits, pieces, new)
    else:
        name = _incorrect(edits, pieces, new, old)
    return ErrorType(type=name, state=TYPES[name][0], element=_element(changes))


def _element(changes: Sequence[FileChange]) -> Element:
    """Return how much changes: one token, a part of a statement, one statement, or several."""
    whole = changed = 0
    for change in changes:
        found = _Statements(change.edits)
        whole, changed = whole + found.n_whole, changed + len(found.changed)
    gone, come, places = _n_tokens(changes)
    is_whole = whole == 1 and not changed
    if places == 1 and max(gone, come) == 1 and not (is_whole and 0 in (gone, come)):
        return "token"
    if whole + changed > 1:
        return "multi"
    if whole:
        return "whole"
    replaced = [(old.kind, new.kind) for change in changes for old, new in change.edits.replaced]
    return "token" if replaced == [("type", "type")] else "partial"


def _n_tokens(changes: Sequence[FileChange]) -> tuple[int, int, int]:
    """Return how many tokens go and come, and at how many places."""
    gone = come = places = 0
    for change in changes:
        for run in change.runs:
            texts = [
                [token.text for token in language_of(change.language).syntax.tokens("".join(side))] for side in (run.old, run.new)
            ]
            before, after = ([text for text in side if text.strip()] for side in texts)
            for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
                if tag != "equal":
                    gone, come, places = gone + i2 - i1, come + j2 - j1, places + 1
    return gone, come, places


class _Statements:
    """The statements that a change touches: those that come, go or move as a whole, and those that change inside."""

    def __init__(self, edits: TreeEdits) -> None:
        self._moved = edits.moved
        self._old_of = {id(new): id(old) for old, new in edits.matched}
        self.changed: set[int] = set()
        sides: dict[int, list[int]] = {}
        """Statements that go and that come, by what they stand in: one may come for another."""
        for side, roots in enumerate((edits.deleted, edits.inserted)):
            for node in roots:
                n = self._n_within(node)
                if n:
                    sides.setdefault(self._id(node.parent), [0, 0])[side] += n
                else:
                    self._part_changes(node)
        listed = set(map(id, edits.deleted))
        for old, _ in edits.replaced:
            if id(old) not in listed:
                self._part_changes(old)
        gone = {node.key for node in edits.deleted}
        self.n_whole = sum(map(max, sides.values())) + sum(_is_statement(node) and node.key in gone for node in edits.inserted)

    def _id(self, node: SyntaxNode | None) -> int:
        return self._old_of.get(id(node), id(node))

    def _n_within(self, root: SyntaxNode) -> int:
        """Return how many statements a node is: a branch or loop around one statement counts as one."""
        inner = [node for node in root.walk() if node is not root and _is_statement(node) and node.kind != "catch"]
        new = [node for node in inner if node.key not in self._moved]
        leaves = sum(not any(_is_statement(part) for part in node.walk() if part is not node) for node in new)
        return max(1, leaves) if new or _is_statement(root) else 0

    def _part_changes(self, node: SyntaxNode) -> None:
        found = node if _is_statement(node) else next((around for around in node.above() if _is_statement(around)), None)
        if found is not None:
            self.changed.add(self._id(found))


def _is_statement(node: SyntaxNode) -> bool:
    around = node.parent
    if around is not None and around.kind == "loop" and node.field not in ("body", ""):
        return False
    is_listed = around is not None and (around.kind == "block" or around.type in _LISTS)
    return node.kind in _UNITS or (is_listed and node.kind in ("assignment", "step", "declarator", "call"))


def _sides(edits: Sequence[TreeEdits]) -> tuple[list[tuple[TreeEdits, list[SyntaxNode]]], list[tuple[TreeEdits, list[SyntaxNode]]]]:
    return [(item, item.inserted) for item in edits], [(item, item.deleted) for item in edits]


def _n_statements(roots: Sequence[SyntaxNode], moved: set[tuple[str, str]]) -> int:
    """Return how many statements come or go, without those that only move."""
    found = [node for root in roots for node in root.walk() if node.kind in STATEMENTS or node.kind in ("function", "class")]
    return sum(node.key not in moved for node in found)


def _missing(edits: Sequence[TreeEdits], pieces: _Pieces, n_new: int) -> str:
    roots = [root for item in edits for root in item.inserted]
    if n_new:
        return _missing_statements(roots, n_new)
    parts = {part for item in edits for found in _added_conditions(item) for part in found}
    if parts:
        if all(map(_is_null_check, parts)):
            return "MissingNullCheck"
        return "MissingBooleanExpression" if len(parts) == 1 else "MissingMultipleBoolean"
    if any(item.new("call", "new") for item in edits):
        return "MissingFunctionCallOrConstructor"
    words = [token for piece in pieces.come for token in piece if token.kind != "operator"]
    if len(words) == 1:
        return "MissingKeyword" if words[0].kind == "keyword" else "MissingVariable"
    return "MissingPartialStatementOrExpression"


def _missing_statements(roots: Sequence[SyntaxNode], n_new: int) -> str:
    if {root.kind for root in roots} <= {"try", "throw", "catch"}:
        return "MissingException"
    if _guards_null(roots) and n_new <= 2:
        return "MissingNullCheck"
    return "MissingMultiStatement" if n_new > 1 else "MissingWholeExpressionOrStatement"


def _added_conditions(edits: TreeEdits) -> list[list[str]]:
    """Return the parts that `&&` and `||` join now and did not before."""
    both = [
        (old, new) for old, new in [*edits.replaced, *edits.matched] if new.bare.kind == "binary" and new.bare.operator in LOGIC
    ]
    return [sorted(operands(new) - operands(old)) for old, new in both if is_wider(old.bare, new.bare)]


def _is_null_check(text: str) -> bool:
    return any(sign in text for sign in ("=null", "=NULL", "=nullptr", "isNone", "isnotNone", "=nil", "=undefined"))


def _guards_null(roots: Sequence[SyntaxNode]) -> bool:
    """Return whether everything added is a branch on whether something exists."""
    checks = [root.child("condition") for root in roots if root.kind == "if"]
    return bool(checks) and len(checks) == len(roots) and all(node is not None and _is_null_check(node.key[1]) for node in checks)


def _incorrect(edits: Sequence[TreeEdits], pieces: _Pieces, n_new: int, n_old: int) -> str:
    if sorted(_texts(pieces.gone)) == sorted(_texts(pieces.come)) or _are_swapped(edits):
        return "ExpressionSwap"
    if n_new + n_old > 2:
        return "IncorrectMultiStatement"
    if pieces.n_gone == pieces.n_come == 1 or all(len(piece) == 1 for piece in (*pieces.gone, *pieces.come)):
        return _token_type(pieces.gone[0][0], edits)
    if n_new or n_old or max(pieces.n_gone, pieces.n_come) > _MOSTLY * 3:
        return "IncorrectWholeExpressionOrStatement"
    return "IncorrectPartialExpressionOrStatement"


def _texts(pieces: Sequence[Sequence[Token]]) -> list[str]:
    return [token.text for piece in pieces for token in piece]


def _are_swapped(edits: Sequence[TreeEdits]) -> bool:
    """Return whether operands or arguments change places."""
    both = [(old.text, new.text) for item in edits for old, new in item.replaced]
    return len(both) > 1 and all((new, old) in both for old, new in both)


def _token_type(token: Token, edits: Sequence[TreeEdits]) -> str:
    if token.kind == "operator":
        return "IncorrectOperator"
    if token.kind in ("number", "string"):
        return "IncorrectNumberValue"
    if token.kind == "keyword":
        return "IncorrectKeyword"
    called = [old for item in edits for old, _ in item.replaced if old.parent is not None and old.parent.kind == "call"]
    is_callee = any(old.field in ("name", "function", "attribute", "property", "field") for old in called)
    return "IncorrectFunctionCall" if is_callee else "IncorrectVariable"


def _pieces(changes: Sequence[FileChange]) -> _Pieces:
    gone: list[tuple[Token, ...]] = []
    come: list[tuple[Token, ...]] = []
    for change in changes:
        for run in change.runs:
            before, after = (_tokens(change.language, "".join(lines)) for lines in (run.old, run.new))
            matcher = difflib.SequenceMatcher(None, [t.text for t in before], [t.text for t in after], autojunk=False)
            for tag, i1, i2, j1, j2 in matcher.get_opcodes():
                if tag != "equal":
                    gone += [tuple(before[i1:i2])] if i2 > i1 else []
                    come += [tuple(after[j1:j2])] if j2 > j1 else []
    return _Pieces(gone=tuple(gone), come=tuple(come))


def _tokens(language: str, text: str) -> list[Token]:
    return [token for token in language_of(language).syntax.tokens(text) if token.kind in _PARTS and token.text not in _PUNCTUATION]


_PUNCTUATION = frozenset("(){}[];,.:")
