"""Comparable syntax trees: what a change does not touch is one leaf. Kinds of nodes are the same for all grammars."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from tree_sitter import Node

from repairlab.languages.facts import facts
from repairlab.languages.parser import Parsed

Ranges = Sequence[tuple[int, int]]
"""Lines that a change touches, 0-based, both ends included, in order; an empty range (last < first) is a gap before a line."""
_MAX_DEPTH = 150
_WORD = re.compile(r"\w+|[^\w\s]")


class SyntaxNode:
    """A node with its kind; equal keys mean equal code, except for white space."""

    def __init__(self, type_: str, text: str, field: str, parent: SyntaxNode | None) -> None:
        """Take the type in the grammar, the text, and the parent's field that it fills."""
        self.type, self.text, self.field, self.parent = type_, text, field, parent
        self.children: list[SyntaxNode] = []
        self.kind = kind_of(type_)

    @cached_property
    def key(self) -> tuple[str, str]:
        """Return what is equal for equal code."""
        return self.type, "".join(self.text.split())

    @cached_property
    def words(self) -> list[str]:
        """Return the words and signs of the code."""
        return _WORD.findall(self.text)

    @cached_property
    def surface(self) -> str:
        """Return the code without its blocks: what an anonymous class or a lambda does is not part of an expression."""
        inner = [node for node in self.walk() if node.kind == "block" and node is not self]
        text = self.text
        for node in inner:
            text = text.replace(node.text, "", 1)
        return "".join(text.split())

    def child(self, *fields: str) -> SyntaxNode | None:
        """Return the first child that fills one of these fields."""
        return next((child for field in fields for child in self.children if child.field == field), None)

    def walk(self) -> Iterator[SyntaxNode]:
        """Yield the node and all below it."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def above(self) -> Iterator[SyntaxNode]:
        """Yield the node's ancestors, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    def within(self, *kinds: str) -> SyntaxNode | None:
        """Return the nearest ancestor of a kind."""
        return next((node for node in self.above() if node.kind in kinds), None)

    @property
    def operator(self) -> str:
        """Return the operator of an expression, if it has one."""
        found = [child.text for child in self.children if child.field in ("operator", "operators") or not child.type[:1].isalpha()]
        return found[0] if found else ""

    @property
    def bare(self) -> SyntaxNode:
        """Return what is within parentheses."""
        node = self
        while node.kind == "wrapper":
            inner = [child for child in node.children if child.type[:1].isalpha()]
            if len(inner) != 1:
                break
            node = inner[0]
        return node


def read_node(language: str, source: str, touched: Ranges) -> SyntaxNode:
    """Return the tree of a text, unfolded only where it is touched."""
    around = facts(language).method_around
    parsed = Parsed(language, source)
    if parsed.root.has_error and around:
        inner = Parsed(language, around % source)
        if not inner.root.has_error:
            shift = around[: around.index("%s")].count("\n")
            return _Reader(inner, [(first + shift, last + shift) for first, last in touched]).read(inner.root, "", None, 0)
    return _Reader(parsed, touched).read(parsed.root, "", None, 0)


class _Reader:
    def __init__(self, parsed: Parsed, touched: Ranges) -> None:
        self._parsed = parsed
        self._touched = touched
        self._lasts = [max(first, last) for first, last in touched]

    def read(self, node: Node, field: str, parent: SyntaxNode | None, depth: int) -> SyntaxNode:
        made = SyntaxNode(node.type, self._parsed.text(node), field, parent)
        if depth < _MAX_DEPTH and (parent is None or self._is_touched(node)) and made.kind not in ("literal", "comment"):
            for at, child in enumerate(node.children):
                if kind_of(child.type) != "comment" and (child.is_named or child.type.strip("(){}[];,.:")):
                    made.children.append(self.read(child, node.field_name_for_child(at) or "", made, depth + 1))
        return made

    def _is_touched(self, node: Node) -> bool:
        """Return whether a change lies in the lines of a node."""
        start, end = node.start_point[0], node.end_point[0]
        at = bisect_left(self._lasts, start)
        while at < len(self._touched):
            first, last = self._touched[at]
            if first > end:
                return False
            if last >= first or first > start:  # a gap before a node's first line is outside it
                return True
            at += 1
        return False


_KINDS: Mapping[str, str] = {
    "if": "if_statement elif_clause",
    "else": "else_clause",
    "choice": "ternary_expression conditional_expression",
    "loop": "for_statement enhanced_for_statement while_statement do_statement for_in_statement for_range_loop",
    "switch": "switch_expression switch_statement expression_switch_statement type_switch_statement match_statement",
    "case": "switch_block_statement_group switch_rule case_statement switch_case switch_default expression_case default_case "
    "type_case case_clause",
    "call": "method_invocation explicit_constructor_invocation call_expression call",
    "new": "object_creation_expression array_creation_expression new_expression composite_literal",
    "assignment": "assignment_expression assignment augmented_assignment augmented_assignment_expression assignment_statement",
    "step": "update_expression inc_statement dec_statement",
    "declarator": "variable_declarator init_declarator var_spec const_spec short_var_declaration",
    "declaration": "local_variable_declaration field_declaration declaration lexical_declaration variable_declaration "
    "var_declaration const_declaration",
    "return": "return_statement yield_statement",
    "throw": "throw_statement raise_statement",
    "try": "try_statement try_with_resources_statement",
    "catch": "catch_clause except_clause",
    "function": "method_declaration constructor_declaration function_definition function_declaration method_definition "
    "compact_constructor_declaration",
    "lambda": "lambda_expression lambda arrow_function function_expression func_literal",
    "class": "class_declaration interface_declaration enum_declaration record_declaration class_definition class_specifier "
    "struct_specifier enum_specifier type_declaration",
    "parameter": "formal_parameter spread_parameter parameter_declaration optional_parameter_declaration typed_parameter "
    "default_parameter typed_default_parameter",
    "binary": "binary_expression boolean_operator comparison_operator binary_operator instanceof_expression",
    "unary": "unary_expression not_operator unary_operator",
    "cast": "cast_expression",
    "member": "field_access field_expression attribute member_expression selector_expression qualified_identifier "
    "array_access subscript_expression subscript index_expression",
    "name": "identifier field_identifier property_identifier namespace_identifier this self super",
    "type": "type_identifier integral_type floating_point_type boolean_type void_type generic_type array_type primitive_type "
    "sized_type_specifier type scoped_type_identifier pointer_type",
    "null": "null_literal null none nil undefined",
    "literal": "decimal_integer_literal hex_integer_literal octal_integer_literal binary_integer_literal "
    "decimal_floating_point_literal hex_floating_point_literal string_literal character_literal char_literal true false "
    "number_literal integer float string concatenated_string number int_literal float_literal rune_literal "
    "interpreted_string_literal raw_string_literal template_string",
    "block": "block compound_statement statement_block class_body declaration_list field_declaration_list",
    "statement": "expression_statement break_statement continue_statement pass_statement assert_statement goto_statement "
    "labeled_statement delete_statement synchronized_statement yield_statement defer_statement go_statement with_statement",
    "wrapper": "parenthesized_expression parenthesized_statement",
    "comment": "comment line_comment block_comment",
    "import": "import_declaration import_statement import_from_statement preproc_include using_declaration",
}
_BY_TYPE = {type_: kind for kind, types in _KINDS.items() for type_ in types.split()}
STATEMENTS = frozenset({"if", "loop", "switch", "declaration", "return", "throw", "try", "statement"})
"""Kinds of nodes that are statements by themselves."""
LOGIC = frozenset({"&&", "||", "and", "or"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "%", "//", "**", "<<", ">>", ">>>", "&", "|", "^"})
COMPARISONS = frozenset({"==", "!=", "<", ">", "<=", ">=", "is", "is not", "in", "not in", "===", "!==", "instanceof"})


def kind_of(type_: str) -> str:
    """Return the kind of a node by its type in the grammar; empty if it has none."""
    return _BY_TYPE.get(type_, "")
