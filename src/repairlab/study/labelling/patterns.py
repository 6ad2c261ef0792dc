"""Repair patterns: what a fix does as a whole, in the words of Defects4J-dissection (Sobreira et al., SANER 2018).

Patterns that its published classification does not define (missComp, wrongComp, initFix, fixAPI, blockRemove) are left out.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from repairlab.study.labelling.actions import Both, arguments, callee, conditions, has_else, is_wider, variables
from repairlab.study.labelling.file_change import FileChange, TreeEdits
from repairlab.study.labelling.tree import ARITHMETIC, COMPARISONS, LOGIC, STATEMENTS, SyntaxNode

_CONSTANT = re.compile(r"(?:\w+\.)*[A-Z][A-Z0-9_]+")
_ENDS = ("&&", "||", "+", "-", "*", "/", "?", "=", ",", ".", "\\", " and", " or")
_BEGINS = ("&&", "||", "+", "-", "*", "/", "?", ":", ".", "and ", "or ")
"""How a line ends or begins in the middle of a statement."""
_WORD = re.compile(r"\w+|[^\w\s]")
_FEWEST = 3
"""Fewest words of a statement that counts as moved: `break;` occurs anywhere."""
Runs = Sequence[tuple[list[str], list[str]]]
"""Removed lines and the lines in their place, for each change."""


def patterns(changes: Sequence[FileChange], edits: Sequence[TreeEdits]) -> list[str]:
    """Return the repair patterns of a fix; `edits` are those of the changes."""
    runs = [run for change in changes for run in _runs(change)]
    found = [name for name, holds in PATTERNS.items() if any(map(holds, edits))]
    return found + [name for name, fits in SHAPES.items() if fits(runs)]


def _runs(change: FileChange) -> Iterator[tuple[list[str], list[str]]]:
    for run in change.runs:
        texts = [line.strip() for line in run.old if line.strip()], [line.strip() for line in run.new if line.strip()]
        if any(texts):
            yield texts


def _is_single_line(runs: Runs) -> bool:
    """Return whether one line changes, comes, goes, or moves."""
    gone, come = (_n_logical([line for run in runs for line in run[side]]) for side in (0, 1))
    return max(gone, come) == 1


def _n_logical(lines: Sequence[str]) -> int:
    """Return how many lines there are once statements spread over several are joined."""
    depth = n = 0
    for at, line in enumerate(lines):
        depth += sum(line.count(sign) for sign in "([") - sum(line.count(sign) for sign in ")]")
        following = lines[at + 1] if at + 1 < len(lines) else ""
        is_open = depth > 0 or line.endswith(_ENDS) or following.startswith(_BEGINS)
        n += not is_open or not following
    return n


def _is_copied(runs: Runs) -> bool:
    """Return whether the same is done at two places."""
    done = Counter(key for gone, come in runs if (key := _difference(gone, come)))
    return any(n > 1 for n in done.values())


def _difference(gone: Sequence[str], come: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    old, new = (Counter(_WORD.findall(" ".join(lines))) for lines in (gone, come))
    less, more = (old - new), (new - old)
    if not any(word[0].isalnum() for word in [*less, *more]):
        return None
    return tuple(sorted(less.elements())), tuple(sorted(more.elements()))


def _kept(node: SyntaxNode, edits: TreeEdits) -> list[SyntaxNode]:
    """Return statements within a node that existed before, or will."""
    inner = (part for part in node.walk() if part is not node and part.kind in STATEMENTS and part.key in edits.moved)
    return [part for part in inner if len(part.words) >= _FEWEST]


def _kept_in(node: SyntaxNode, edits: TreeEdits, *fields: str) -> bool:
    parts = [child for child in node.children if child.field in fields or child.kind == "else"]
    return any(_kept(part, edits) or part.key in edits.moved for part in parts)


def _wraps(edits: TreeEdits, kind: str) -> Iterator[SyntaxNode]:
    return (node for node in edits.new(kind) if _kept(node, edits))


def _around(old: SyntaxNode, new: SyntaxNode) -> bool:
    """Return whether an expression stands within another one."""
    return any(inner.key == old.key for inner in new.walk() if inner is not new)


def _wraps_choice(edits: TreeEdits) -> bool:
    return any(new.bare.kind == "choice" and _around(old.bare, new.bare) for old, new in edits.replaced)


def _unwraps_choice(edits: TreeEdits) -> bool:
    return any(old.bare.kind == "choice" and _around(new.bare, old.bare) for old, new in edits.replaced)


def _wraps_call(edits: TreeEdits) -> bool:
    return any(_takes(new.bare, old.bare) for old, new in edits.replaced)


def _takes(call: SyntaxNode, other: SyntaxNode) -> bool:
    """Return whether an expression is a call's argument or what it is called on."""
    if call.kind != "call" or other.kind == "literal":
        return False
    on = call.child("object")
    given = [*arguments(call), *([on] if on else [])]
    return any(other.key in (node.key, node.bare.key) for node in given)


def _added_blocks(edits: TreeEdits, fits: Callable[[set[str]], bool]) -> bool:
    """Return whether a new branch holds nothing old and ends in statements of some kind."""
    for node in edits.new("if"):
        blocks = [part for part in (node.child("consequence", "body"), node.child("alternative")) if part]
        if not _kept(node, edits) and any(fits(_ends(block)) for block in blocks if block.kind != "if"):
            return True
    return False


def _ends(block: SyntaxNode) -> set[str]:
    """Return the kinds of a block's statements that leave the function, if any."""
    inner = [block, *block.children]
    return {node.kind for node in inner if node.kind in ("return", "throw")}


def _logic(edits: TreeEdits) -> Iterator[Both]:
    """Yield conditions and other expressions of truth before and after."""
    yield from conditions(edits, "if", "choice", "loop")
    for old, new in [*edits.replaced, *edits.changed("binary", "unary")]:
        if _is_logic(old.bare) or _is_logic(new.bare):
            yield old.bare, new.bare


def _is_logic(node: SyntaxNode) -> bool:
    return (node.kind == "binary" and node.operator in LOGIC | COMPARISONS) or (
        node.kind == "unary" and node.operator in ("!", "not")
    )


def _is_logic_changed(edits: TreeEdits) -> bool:
    both = list(conditions(edits, "if", "choice", "loop"))
    both += [(old, new) for old, new in edits.changed("binary") if _is_logic(old) and _in_value(new)]
    return any(not is_wider(old, new) and not is_wider(new, old) for old, new in both)


def _in_value(node: SyntaxNode) -> bool:
    """Return whether an expression is returned or assigned."""
    above = next((item for item in node.above() if item.kind not in ("wrapper", "binary", "unary")), None)
    return above is not None and above.kind in ("return", "assignment", "declarator")


def _is_arithmetic(node: SyntaxNode) -> bool:
    return node.bare.kind in ("binary", "unary") and node.bare.operator in ARITHMETIC and not _is_text(node.bare)


def _is_text(node: SyntaxNode) -> bool:
    return any(inner.type.startswith("string") for inner in node.walk())


def _arithmetic_changed(edits: TreeEdits) -> bool:
    if any(_is_arithmetic(old) or _is_arithmetic(new) for old, new in edits.replaced):
        return True
    return any(_is_arithmetic(old) for old, _ in edits.changed("binary", "unary")) or any(
        node.kind in ("cast", "literal") and _within_arithmetic(node) for both in edits.replaced for node in both
    )


def _within_arithmetic(node: SyntaxNode) -> bool:
    above = next((item for item in node.above() if item.kind != "wrapper"), None)
    return above is not None and _is_arithmetic(above)


def _null_checks(edits: TreeEdits, *operators: str) -> bool:
    checks = (node for node in edits.new("binary") if node.operator in operators)
    return any(child.kind == "null" for node in checks for child in node.children)


def _constants_changed(edits: TreeEdits) -> bool:
    for old, new in edits.replaced:
        kinds = {old.kind, new.kind}
        if kinds == {"literal"} or (kinds <= {"name", "member"} and all(_CONSTANT.fullmatch(node.key[1]) for node in (old, new))):
            return True
    return False


def _statements_moved(edits: TreeEdits) -> bool:
    """Return whether statements only move."""
    gone, come = ([root for root in roots if root.kind in STATEMENTS] for roots in (edits.deleted, edits.inserted))
    return bool({node.key for node in gone} & {node.key for node in come})


def _other_calls(edits: TreeEdits) -> bool:
    """Return whether a call of one function becomes one of another, or of an overload."""
    calls = edits.changed("call")
    return any(callee(old) != callee(new) or len(arguments(old)) != len(arguments(new)) for old, new in calls)


PATTERNS: Mapping[str, Callable[[TreeEdits], bool]] = {
    "condBlockOthersAdd": lambda edits: _added_blocks(edits, lambda kinds: not kinds),
    "condBlockRetAdd": lambda edits: _added_blocks(edits, lambda kinds: "return" in kinds),
    "condBlockExcAdd": lambda edits: _added_blocks(edits, lambda kinds: "throw" in kinds),
    "condBlockRem": lambda edits: any(not _kept(node, edits) for node in edits.gone("if")),
    "expLogicExpand": lambda edits: any(is_wider(old, new) for old, new in _logic(edits)),
    "expLogicReduce": lambda edits: any(is_wider(new, old) for old, new in _logic(edits)),
    "expLogicMod": _is_logic_changed,
    "expArithMod": _arithmetic_changed,
    "wrapsIf": lambda edits: any(not has_else(node) for node in _wraps(edits, "if")),
    "wrapsIfElse": lambda edits: _wraps_choice(edits) or any(map(has_else, _wraps(edits, "if"))),
    "wrapsElse": lambda edits: any(
        not has_else(old) and has_else(new) and _kept_in(new, edits, "alternative") for old, new in edits.changed("if")
    ),
    "wrapsTryCatch": lambda edits: any(_wraps(edits, "try")),
    "wrapsMethod": _wraps_call,
    "wrapsLoop": lambda edits: any(_wraps(edits, "loop")),
    "unwrapIfElse": lambda edits: _unwraps_choice(edits) or any(_kept(node, edits) for node in edits.gone("if")),
    "unwrapMethod": lambda edits: any(_takes(old.bare, new.bare) for old, new in edits.replaced),
    "unwrapTryCatch": lambda edits: any(_kept(node, edits) for node in edits.gone("try")),
    "wrongVarRef": lambda edits: bool(variables(edits)),
    "wrongMethodRef": _other_calls,
    "missNullCheckP": lambda edits: _null_checks(edits, "==", "===", "is"),
    "missNullCheckN": lambda edits: _null_checks(edits, "!=", "!==", "is not"),
    "constChange": _constants_changed,
    "codeMove": _statements_moved,
}
"""Name → whether the edits of a file show it."""
SHAPES: Mapping[str, Callable[[Runs], bool]] = {"singleLine": _is_single_line, "copyPaste": _is_copied}
"""Name → whether the changed lines of a fix have this shape."""
