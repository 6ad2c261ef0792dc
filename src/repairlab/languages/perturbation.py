"""Changes of a program that keep its meaning, made alike in the buggy and the fixed version of a file.

Rename local variables, put in code that never runs, swap neighbouring statements that do not depend on each other. Each rule is
careful, not complete. Doubtful code stays, and the tests of the fix decide in the end.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from itertools import count, pairwise
from typing import NamedTuple

from tree_sitter import Node

from repairlab.core.errors import UserError, unknown
from repairlab.core.text import Span
from repairlab.languages.facts import FlowNodes, facts, flow_of, languages_with_flow, title
from repairlab.languages.language import Function, language
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.languages.tree_syntax import leaves

_WORD = re.compile(r"[^\W\d]\w*")
_FRAMES = re.compile(
    r"\b(?:__LINE__|setjmp|sigsetjmp|__code__|co_varnames|_getframe|currentframe|f_locals|f_lineno|inspect\.stack)\b"
)
"""What sees variables or lines of any function of the file."""
_INTROSPECTION = re.compile(r"\b(?:locals|vars|eval|exec)\b|\bdir\s*\(\s*\)")
"""What sees local variables by their names."""
_FIRST = re.compile(r"(?:\s|//[^\n]*\n|/\*(?s:.*?)\*/)*(?:[\w.]+\.\s*)?(?:(?:this|super)\s*\(|['\"])")
"""What must remain the first statement: the call of another constructor, and directives such as "use strict"."""
_RISKY = re.compile("yield|await|creation|new|binary|subscript|access")
"""Nodes whose value may fail or have effects, though they hold no names."""
_NUMBERS = frozenset({"primitive_type", "sized_type_specifier"})
"""Types whose values are made without a constructor."""


class FileVersions(NamedTuple):
    """A file before and after the fix."""

    buggy: str
    fixed: str


class _Replacement(NamedTuple):
    span: Span
    text: str


class _Body(NamedTuple):
    """A function in one of the versions, with its nodes."""

    parsed: Parsed
    function: Function
    node: Node
    outside: frozenset[str]
    """Words of the version outside functions."""


Rule = Callable[[str, _Body, _Body, FileVersions], tuple[list[_Replacement], list[_Replacement]]]


def check_perturbations(names: Sequence[str]) -> None:
    """Refuse unknown or repeated names of changes, and an empty list."""
    for name in names:
        if name not in PERTURBATIONS:
            raise unknown("perturbation", name, PERTURBATIONS)
    if not names or len(set(names)) < len(names):
        raise UserError(f"--perturb names each change once, such as {','.join(PERTURBATIONS)}")


def cannot_perturb(name: str, language_name: str) -> str | None:
    """Return why a change cannot be made in a language; None if it can."""
    if name == "dead-code" and not facts(language_name).dead_code:
        return f"there is no dead code of {title(language_name)} to put in"
    if name != "dead-code" and language_name not in languages_with_flow():
        return f"{name} needs to know the variables of {title(language_name)}, which is known of " + ", ".join(
            map(title, languages_with_flow())
        )
    return None


def perturbed(name: str, language_name: str, versions: FileVersions) -> FileVersions | None:
    """Return both versions with the change made in every function that both have; None if nothing can be changed."""
    if any(_FRAMES.search(text) for text in versions):
        return None
    bodies = [_bodies(language_name, text) for text in versions]
    made: tuple[list[_Replacement], list[_Replacement]] = ([], [])
    for key, buggy in bodies[0].items():
        fixed = bodies[1].get(key)
        if fixed is not None:
            found = PERTURBATIONS[name](language_name, buggy, fixed, versions)
            made[0].extend(found[0])
            made[1].extend(found[1])
    new = FileVersions(*map(_replaced, versions, made))
    syntax = language(language_name).syntax
    breaks = any(syntax.has_errors(after) and not syntax.has_errors(before) for before, after in zip(versions, new, strict=True))
    return None if breaks or not made[0] or not made[1] else new


def _bodies(language_name: str, source: str) -> dict[tuple[str, int], _Body]:
    """Return the outermost functions, by name and number."""
    parsed = Parsed(language_name, source)
    nodes: dict[tuple[int, int], Node] = {}
    for node in walk(parsed.root):
        nodes.setdefault((node.start_byte, node.end_byte), node)
    by_span = {parsed.span(node): node for node in nodes.values()}
    outermost: list[Function] = []
    for function in sorted(language(language_name).syntax.functions(source), key=lambda item: item.span.start):
        if not outermost or function.span.start >= outermost[-1].span.end:
            outermost.append(function)
    outside = frozenset(_WORD.findall(_replaced(source, [_Replacement(function.span, " ") for function in outermost])))
    found: dict[tuple[str, int], _Body] = {}
    for function in outermost:
        if function.span in by_span:
            number = next(at for at in count() if (function.signature, at) not in found)
            found[function.signature, number] = _Body(parsed, function, by_span[function.span], outside)
    return found


def _replaced(text: str, replacements: Sequence[_Replacement]) -> str:
    for span, new in sorted(replacements, key=lambda item: -item.span.start):
        text = text[: span.start] + new + text[span.end :]
    return text


def _rename(
    language_name: str, buggy: _Body, fixed: _Body, versions: FileVersions
) -> tuple[list[_Replacement], list[_Replacement]]:
    """Give local variables meaningless names."""
    flow = flow_of(language_name)
    names = list(_local_names(language_name, buggy, flow))
    there = set(_local_names(language_name, fixed, flow))
    used = set(_WORD.findall(fixed.parsed.text(fixed.node)))
    kept = [name for name in names if name in there or name not in used]
    taken = {word for text in versions for word in _WORD.findall(text)}
    free = (name for number in count(1) if (name := f"var{number}") not in taken)
    new = dict(zip(kept, free, strict=False))
    return _renamed(buggy, flow, new), _renamed(fixed, flow, new)


def _renamed(body: _Body, flow: FlowNodes, new: Mapping[str, str]) -> list[_Replacement]:
    return [
        _Replacement(body.parsed.span(leaf), new[name])
        for leaf in leaves(body.node, frozenset())
        if leaf.type in flow.names and (name := body.parsed.text(leaf)) in new and not _is_member(leaf, flow)
    ]


def _is_member(leaf: Node, flow: FlowNodes) -> bool:
    """Return whether a name is that of a member, of a named argument, or the like."""
    parent = leaf.parent
    fields = flow.members.get(parent.type) if parent else None
    return bool(fields) and parent is not None and leaf not in [parent.child_by_field_name(field) for field in fields or ()]


def _local_names(language_name: str, body: _Body, flow: FlowNodes) -> Iterator[str]:
    """Yield the variables of a function that mean nothing outside it, in order."""
    parsed = body.parsed
    words = _WORD.findall(parsed.text(body.node))
    if _INTROSPECTION.search(parsed.text(body.node)) or any(unicodedata.normalize("NFKC", word) != word for word in words):
        return
    is_indented, classes = facts(language_name).is_indented, facts(language_name).class_nodes
    closed = {node.id for node in walk(body.node) if node.type in classes or node.type == "class_body"}
    inside = {inner.id for node in walk(body.node) if node.id in closed for inner in walk(node)}
    elsewhere = set(body.outside) | {body.function.name}
    elsewhere |= {parsed.text(leaf) for leaf in leaves(body.node, frozenset()) if leaf.type == "type_identifier"}
    macros = set(re.findall(r"#[ \t]*define[ \t]+(\w+)\(", parsed.source))
    for node in walk(body.node):
        opaque = flow.members.get(node.type) == () or _shows_names(parsed, node, flow, macros)
        if opaque or node.id in inside or (is_indented and node.type in flow.parameters):  # callers may name parameters
            elsewhere |= {parsed.text(leaf) for leaf in leaves(node, frozenset()) if leaf.type in flow.names}
        is_named = node.type in flow.functions or node.type == "preproc_ifdef"
        shown = node if node.type == "preproc_arg" else node.child_by_field_name("name") if is_named else None
        elsewhere |= set(_WORD.findall(parsed.text(shown))) if shown else set()
    found: dict[str, None] = {}
    for node in walk(body.node):
        for name in _bound(node, flow, is_indented=is_indented):
            found.setdefault(parsed.text(name))
    yield from (name for name in found if name not in elsewhere)


def _shows_names(parsed: Parsed, node: Node, flow: FlowNodes, macros: Set[str]) -> bool:
    """Return whether the names in a node are visible as text, or to other files: `f"{x=}"`, arguments of macros, `extern`."""
    if node.type in ("interpolation", "switch_label"):
        return node.type == "switch_label" or any(child.type == "=" for child in node.children)
    if flow.declaration and node.type in flow.calls:
        called = parsed.text(node.children[0])
        return called in macros or called.isupper()
    return bool(flow.declaration) and node.type == flow.declaration and re.match(r"extern\b", parsed.text(node)) is not None


def _bound(node: Node, flow: FlowNodes, *, is_indented: bool) -> Iterator[Node]:
    """Yield the names of new variables of a node."""
    defines = flow.declarations.get(node.type) or flow.for_each.get(node.type)
    if defines is None and is_indented:
        defines = flow.assignments.get(node.type)
    if defines is not None:
        yield from _plain(node.child_by_field_name(defines.name), flow)
    elif node.type in flow.parameters and not is_indented:
        field = flow.parameters[node.type]
        parts = [node.child_by_field_name(field)] if field else node.named_children
        for part in parts:
            yield from _plain(part, flow)
    elif flow.declaration and node.type == flow.declaration:
        for part in node.children_by_field_name("declarator"):
            yield from _plain(part, flow)


def _plain(node: Node | None, flow: FlowNodes) -> Iterator[Node]:
    """Yield the names that a declarator or the target of an assignment binds; parts of other variables bind none."""
    if node is None or node.type in flow.places:
        return
    if node.type in flow.names and not node.child_count:
        yield node
    elif node.type in flow.tuples:
        for child in node.named_children:
            yield from _plain(child, flow)
    else:
        inner = node.child_by_field_name("declarator") or node.child_by_field_name("name")
        if node.type == "function_declarator" and inner is not None and inner.type in flow.names:
            return  # a prototype
        if inner is None and node.type.endswith(("_declarator", "_pattern_target")) and node.named_child_count == 1:
            inner = node.named_children[0]
        yield from _plain(inner, flow)


def _dead_code(
    language_name: str, buggy: _Body, fixed: _Body, versions: FileVersions
) -> tuple[list[_Replacement], list[_Replacement]]:
    """Begin a function with a branch that is never taken."""
    taken = {word for text in versions for word in _WORD.findall(text)}
    name = next(found for number in count(1) if (found := f"unused{number}") not in taken)
    places = [_begin(language_name, body) for body in (buggy, fixed)]
    if None in places:
        return [], []
    made = []
    for place in places:
        at, indent = place or (0, "")
        lines = [indent + line.replace("NAME", name) for line in facts(language_name).dead_code]
        made.append([_Replacement(Span(start=at, end=at), "".join(f"\n{line}" for line in lines))])
    return made[0], made[1]


def _begin(language_name: str, body: _Body) -> tuple[int, str] | None:
    """Return the place after which a function's code can begin, and its indentation; None if unclear."""
    source, span = body.parsed.source, body.function.body
    if facts(language_name).is_indented:
        block = body.node.child_by_field_name("body") or next(
            (part for part in body.node.named_children if part.child_by_field_name("body")), None
        )
        block = block if block is None or block.type == "block" else block.child_by_field_name("body")
        if block is None or not block.named_children:
            return None
        parts = [part for part in block.named_children if part.type != "comment"]
        code = parts[1:] if parts and _is_text(parts[0]) else parts
        first = body.parsed.span((code or block.named_children)[0])
        line = source.rfind("\n", 0, first.start) + 1
        indent = source[line : first.start]
        return (line - 1, indent) if code and line and not indent.strip() else None
    if source[span.start : span.start + 1] != "{" or _FIRST.match(source, span.start + 1):
        return None
    after = re.compile(r"[ \t]*(?:\r?\n)+([ \t]*)\S").match(source, span.start + 1)
    return (span.start + 1, after[1]) if after else None


def _is_text(statement: Node) -> bool:
    """Return whether a statement is a mere string, such as a docstring."""
    inner = statement
    while inner.named_child_count == 1 and inner.type in ("expression_statement", "parenthesized_expression"):
        inner = inner.named_children[0]
    return inner.type in ("string", "concatenated_string")


def _reorder(
    language_name: str, buggy: _Body, fixed: _Body, versions: FileVersions
) -> tuple[list[_Replacement], list[_Replacement]]:
    """Swap a statement that gives a variable a constant with its neighbour, which does not know the variable."""
    del versions
    flow = flow_of(language_name)
    found = [_swaps(language_name, body, flow) for body in (buggy, fixed)]
    both = [key for key in found[0] if key in found[1]]
    return [found[0][key] for key in both], [found[1][key] for key in both]


def _swaps(language_name: str, body: _Body, flow: FlowNodes) -> dict[tuple[str, str], _Replacement]:
    """Return the swaps of a function by the texts of the statements; a pair that occurs twice does not count."""
    if any(node.type in flow.tries or node.type == "with_statement" for node in walk(body.node)):
        return {}  # what was done before an exception may be visible
    parsed, source = body.parsed, body.parsed.source
    known = set(_local_names(language_name, body, flow))
    made: dict[tuple[str, str], _Replacement | None] = {}
    end = 0
    for block in walk(body.node):
        for one, other in pairwise(block.children):
            span = Span(start=parsed.span(one).start, end=parsed.span(other).end)
            if span.start < end or not _is_independent(body, one, other, flow, known):
                continue
            texts, end = (parsed.text(one), parsed.text(other)), span.end
            between = source[parsed.span(one).end : parsed.span(other).start]
            made[texts] = None if texts in made else _Replacement(span, texts[1] + between + texts[0])
    return {texts: swap for texts, swap in made.items() if swap is not None}


def _is_independent(body: _Body, one: Node, other: Node, flow: FlowNodes, local: Set[str]) -> bool:
    """Return whether two neighbours can be swapped: one gives a constant to a local variable that the other one cannot know."""
    names = [_constant(body, node, flow) for node in (one, other)]
    if not all(_defines(node, flow) for node in (one, other)):
        return False
    later = flow.functions | {"generator_expression"}
    nested = [node for node in walk(body.node) if node.type in later and node.id != body.node.id]
    captured = {body.parsed.text(leaf) for node in nested for leaf in leaves(node, frozenset())}
    for name, neighbour in zip(names, (other, one), strict=True):
        known = captured | {body.parsed.text(leaf) for leaf in leaves(neighbour, frozenset())}
        if name in local and name not in known:
            return True
    return False


def _defines(node: Node, flow: FlowNodes) -> bool:
    """Return whether a statement is a declaration or an assignment, with nothing else in it."""
    inner = [node, *node.named_children]
    return not any(part.type in flow.functions | flow.blocks for part in inner) and any(
        part.type in flow.declarations or part.type in flow.assignments for part in inner
    )


def _constant(body: _Body, node: Node, flow: FlowNodes) -> str | None:
    """Return the only variable that a statement defines, where its value has neither names nor calls."""
    parts = [part for part in (node, *node.named_children) if part.type in flow.declarations or part.type in flow.assignments]
    if len(parts) != 1:
        return None
    defines = flow.declarations.get(parts[0].type) or flow.assignments[parts[0].type]
    target, value = (parts[0].child_by_field_name(field) for field in (defines.name, defines.value))
    if target is None or value is None or target.type not in flow.names or "augmented" in parts[0].type:
        return None
    if flow.blocks and parts[0].type not in flow.declarations:
        return None  # fields, globals and pointer targets are known elsewhere; new variables are not
    made = parts[0].parent.child_by_field_name("type") if parts[0].parent and flow.declaration else None
    if made is not None and made.type not in _NUMBERS:
        return None
    is_plain = not any(part.type in flow.names or part.type in flow.calls or _RISKY.search(part.type) for part in walk(value))
    return body.parsed.text(target) if is_plain else None


PERTURBATIONS: Mapping[str, Rule] = {"rename": _rename, "dead-code": _dead_code, "reorder": _reorder}
