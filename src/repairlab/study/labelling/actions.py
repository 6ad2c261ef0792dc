"""Repair actions: what a fix adds, removes and changes, in the words of Defects4J-dissection (Sobreira et al., SANER 2018).

A table of name → what to look for in the edits of the syntax tree.
"""

from collections.abc import Callable, Iterable, Mapping

from repairlab.study.labelling.file_change import TreeEdits
from repairlab.study.labelling.tree import LOGIC, SyntaxNode

Found = Callable[[TreeEdits], bool]
Both = tuple[SyntaxNode, SyntaxNode]


def actions(edits: TreeEdits) -> list[str]:
    """Return the repair actions of a fix."""
    return [name for name, found in ACTIONS.items() if found(edits)]


def _is_setting(node: SyntaxNode) -> bool:
    """Return whether a node sets something: an assignment, or a declaration with a value."""
    return node.kind in ("assignment", "step") or (node.kind == "declarator" and node.child("value", "right") is not None)


def _added_settings(edits: TreeEdits) -> bool:
    return any(map(_is_setting, edits.new("assignment", "declarator", "step"))) or any(
        old.child("value") is None and new.child("value") is not None for old, new in edits.changed("declarator")
    )


def has_else(node: SyntaxNode) -> bool:
    """Return whether a branch has an alternative."""
    return node.child("alternative") is not None or any(child.kind == "else" for child in node.children)


def _value_changes(kind: str, *fields: str) -> Found:
    """Return whether a field of a node that stays has another value."""

    def found(edits: TreeEdits) -> bool:
        return any(_differ(old.child(*fields), new.child(*fields)) for old, new in edits.changed(*kind.split()))

    return found


def _differ(old: SyntaxNode | None, new: SyntaxNode | None) -> bool:
    return old is not None and new is not None and old.surface != new.surface


def conditions(edits: TreeEdits, *kinds: str) -> list[Both]:
    """Return conditions before and after that differ, of branches that stay."""
    found = []
    for old, new in edits.changed(*kinds):
        one, other = old.child("condition"), new.child("condition")
        if one is not None and other is not None and one.key != other.key:
            found.append((one.bare, other.bare))
    return found


def operands(node: SyntaxNode) -> set[str]:
    """Return the parts that `&&` and `||` join, without white space."""
    node = node.bare
    if node.kind == "binary" and node.operator in LOGIC:
        return set().union(*(operands(child) for child in node.children if child.field in ("left", "right")))
    return {node.key[1]}


def is_wider(old: SyntaxNode, new: SyntaxNode) -> bool:
    """Return whether a condition has all its parts still, and more."""
    return operands(old) < operands(new)


def _condition(how: Callable[[SyntaxNode, SyntaxNode], bool]) -> Found:
    return lambda edits: any(how(old, new) for old, new in conditions(edits, "if", "choice"))


def _other_than_wider(old: SyntaxNode, new: SyntaxNode) -> bool:
    return not is_wider(old, new) and not is_wider(new, old)


def arguments(node: SyntaxNode) -> list[SyntaxNode]:
    """Return the arguments of a call."""
    given = node.child("arguments") or node.child("value")
    return [child for child in given.children if child.type[:1].isalpha()] if given else []


def callee(node: SyntaxNode) -> str:
    """Return the name of what is called, without what it is called on."""
    named = node.child("name", "function", "constructor")
    if named is not None and named.kind == "member":
        named = named.child("attribute", "property", "field", "name") or named
    return named.key[1] if named is not None else ""


def _arguments(how: Callable[[list[str], list[str]], bool], *kinds: str) -> Found:
    def found(edits: TreeEdits) -> bool:
        return any(
            how(*([given.surface for given in arguments(node)] for node in both)) for both in edits.changed(*(kinds or ("call",)))
        )

    return found


def _one_changes(old: list[str], new: list[str]) -> bool:
    return len(old) == len(new) and old != new and sorted(old) != sorted(new)


def _renamed(edits: TreeEdits) -> list[Both]:
    return [(old, new) for old, new in edits.changed("call") if callee(old) != callee(new)]


def variables(edits: TreeEdits) -> list[Both]:
    """Return names that another name replaces, where both are of variables."""
    return [(old, new) for old, new in edits.replaced if _is_variable(old) and _is_variable(new)]


def _is_variable(node: SyntaxNode) -> bool:
    if node.kind == "member":
        return node.parent is None or node.parent.kind != "call" or node.field not in ("function", "name")
    if node.kind != "name" or node.parent is None:
        return False
    parent = node.parent
    is_called = parent.kind == "call" and node.field in ("name", "function", "constructor")
    is_declared = parent.kind in ("declarator", "parameter", "function", "class") and node.field in ("name", "declarator")
    return not is_called and not is_declared


def _moved_calls(edits: TreeEdits) -> bool:
    """Return whether a statement that calls something goes and comes elsewhere."""
    gone = {root.key for root in edits.deleted}
    return any(
        root.key in gone and root.kind == "statement" and root.children and root.children[0].kind == "call"
        for root in edits.inserted
    )


def _modifiers(node: SyntaxNode) -> set[str]:
    found = next((child for child in node.children if child.type in ("modifiers", "storage_class_specifier")), None)
    return set(found.words) - {"Override", "@"} if found else set()


def _overrides(nodes: Iterable[SyntaxNode]) -> bool:
    return any("@Override" in "".join(node.text.split())[:200] for node in nodes)


def _parameters(how: Callable[[list[SyntaxNode], list[SyntaxNode]], bool]) -> Found:
    def found(edits: TreeEdits) -> bool:
        heads = [
            (old.child("parameters", "declarator"), new.child("parameters", "declarator")) for old, new in edits.changed("function")
        ]
        return any(how(*(_declared(head) for head in both)) for both in heads)

    return found


def _declared(head: SyntaxNode | None) -> list[SyntaxNode]:
    return [node for node in head.walk() if node.kind == "parameter"] if head else []


def _new(*kinds: str, unless: Callable[[SyntaxNode], bool] = lambda node: False) -> Found:  # noqa: ARG005
    return lambda edits: any(not unless(node) for node in edits.new(*kinds))


def _gone(*kinds: str) -> Found:
    return lambda edits: bool(edits.gone(*kinds))


def _returned(edits: TreeEdits) -> bool:
    return any(old.children and new.children for old, new in edits.changed("return"))


def _else_added(edits: TreeEdits) -> bool:
    added = [new.child("alternative") for old, new in edits.changed("if") if not has_else(old) and has_else(new)]
    return any(
        node is None or (node.bare.kind != "if" and not any(child.kind == "if" for child in node.children)) for node in added
    )


def _branches_gone(edits: TreeEdits) -> bool:
    less = [old for old, new in edits.changed("if") if has_else(old) and not has_else(new)]
    return bool(less or edits.gone("if", "choice", "case"))


def _variable_by_call(edits: TreeEdits) -> bool:
    return any(_is_variable(old) and new.kind == "call" for old, new in edits.replaced)


def _local(node: SyntaxNode) -> bool:
    return node.within("lambda", "parameter") is not None


ACTIONS: Mapping[str, Found] = {
    "assignAdd": _added_settings,
    "assignRem": lambda edits: any(map(_is_setting, edits.gone("assignment", "declarator", "step"))),
    "assignExpChange": lambda edits: (
        _value_changes("assignment", "right")(edits) or _value_changes("declarator", "value", "right")(edits)
    ),
    "condBranIfAdd": _new("if", unless=has_else),
    "condBranIfElseAdd": lambda edits: bool(edits.new("choice")) or any(map(has_else, edits.new("if"))),
    "condBranElseAdd": _else_added,
    "condBranCaseAdd": _new("case"),
    "condBranRem": _branches_gone,
    "condExpExpand": _condition(is_wider),
    "condExpRed": _condition(lambda old, new: is_wider(new, old)),
    "condExpMod": _condition(_other_than_wider),
    "loopAdd": _new("loop"),
    "loopRem": _gone("loop"),
    "loopCondChange": _value_changes("loop", "condition"),
    "loopInitChange": _value_changes("loop", "init", "initializer"),
    "mcAdd": _new("call"),
    "mcRem": _gone("call"),
    "mcRepl": lambda edits: bool(_renamed(edits)),
    "mcMove": _moved_calls,
    "mcParAdd": _arguments(lambda old, new: len(new) > len(old)),
    "mcParRem": _arguments(lambda old, new: len(new) < len(old)),
    "mcParSwap": _arguments(lambda old, new: old != new and sorted(old) == sorted(new)),
    "mcParValChange": _arguments(_one_changes),
    "mdAdd": _new("function"),
    "mdRem": _gone("function"),
    "mdRen": _value_changes("function", "name"),
    "mdParAdd": _parameters(lambda old, new: len(new) > len(old)),
    "mdParRem": _parameters(lambda old, new: len(new) < len(old)),
    "mdParTyChange": _value_changes("parameter", "type"),
    "mdRetTyChange": _value_changes("function", "type"),
    "mdModChange": lambda edits: any(_modifiers(old) != _modifiers(new) for old, new in edits.changed("function")),
    "mdOverride": lambda edits: _overrides(edits.new("function")) or _overrides(edits.gone("function")),
    "objInstAdd": _new("new"),
    "objInstRem": _gone("new"),
    "objInstMod": lambda edits: any(old.surface != new.surface for old, new in edits.changed("new")),
    "exTryCatchAdd": _new("try", "catch"),
    "exTryCatchRem": _gone("try", "catch"),
    "exThrowsAdd": _new("throw"),
    "exThrowsRem": _gone("throw"),
    "retBranchAdd": _new("return"),
    "retRem": _gone("return"),
    "retExpChange": _returned,
    "varAdd": _new("declarator", unless=_local),
    "varRem": _gone("declarator"),
    "varTyChange": _value_changes("declaration", "type"),
    "varModChange": lambda edits: any(_modifiers(old) != _modifiers(new) for old, new in edits.changed("declaration")),
    "varReplVar": lambda edits: bool(variables(edits)),
    "varReplMc": _variable_by_call,
    "tyAdd": _new("class"),
    "tyImpInterf": _value_changes("class", "interfaces"),
}
"""Name → whether a fix does that."""
