"""The table of all fix patterns with their prior weights; a new pattern is tested and used by being listed here."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from repairlab.repairers.templates.fix_site import Gap, Site, TemplateEdit
from repairlab.repairers.templates.patterns import (
    boundaries,
    build_errors,
    c_and_cpp,
    calls,
    conditions,
    guards,
    java_javascript_go,
    literals,
    missing,
    names,
    operators,
    python_only,
    statements,
)

_PYTHON, _JAVA, _C, _CPP, _JAVASCRIPT, _GO, _TYPED = "python", "java", "c", "cpp", "javascript", "go", "typed"
"""Traits of languages."""


class Pattern(NamedTuple):
    """A way to change a statement."""

    name: str
    at: Callable[[Site], Iterator[TemplateEdit]]
    weight: float
    """How likely a fix is of this kind, relative to the others."""
    trait: str = ""
    """What a language must be like; nothing where the pattern fits all."""


class Insertion(NamedTuple):
    """A way to insert a statement."""

    name: str
    at: Callable[[Gap], Iterator[TemplateEdit]]
    weight: float
    trait: str = ""


PATTERNS = (
    Pattern("punctuation", build_errors.punctuation, 3.0),
    Pattern("misspelt keyword", build_errors.misspelt_keyword, 1.5),
    Pattern("undeclared name", build_errors.undeclared, 0.8),
    Pattern("missing import", build_errors.add_import, 0.9),
    Pattern("missing declaration", build_errors.declare, 1.0, _TYPED),
    Pattern("comparison operator", operators.comparison, 2.2),
    Pattern("arithmetic operator", operators.arithmetic, 1.4),
    Pattern("logical operator", operators.logical, 1.6),
    Pattern("all logical operators", operators.all_logical, 1.0),
    Pattern("comparison and bound", operators.comparison_with_bound, 0.5),
    Pattern("assignment operator", operators.assignment, 1.0),
    Pattern("unary operator", operators.unary, 0.8),
    Pattern("operands", operators.operands, 0.9),
    Pattern("grouping", operators.grouping, 0.8),
    Pattern("comparison bound", boundaries.comparison_bound, 1.6),
    Pattern("index", boundaries.index, 1.5),
    Pattern("swapped indices", boundaries.swapped_indices, 0.8),
    Pattern("value by one", boundaries.value, 1.1),
    Pattern("operand by one", boundaries.operand, 0.7),
    Pattern("range", boundaries.python_range, 1.6, _PYTHON),
    Pattern("slice", boundaries.python_slice, 1.5, _PYTHON),
    Pattern("part of sequence", boundaries.part_of_sequence, 0.5, _PYTHON),
    Pattern("loop header", boundaries.loop_header, 1.1, _TYPED),
    Pattern("array size", boundaries.array_size, 1.2, _TYPED),
    Pattern("negated condition", conditions.negate, 1.6),
    Pattern("dropped clause", conditions.drop_clause, 1.2),
    Pattern("reordered clauses", conditions.reorder, 0.8),
    Pattern("stronger condition", conditions.strengthen, 1.2),
    Pattern("weaker condition", conditions.weaken, 1.1),
    Pattern("other condition", conditions.replace_condition, 0.6),
    Pattern("truthiness", conditions.truthiness, 1.1, _PYTHON),
    Pattern("keyword of condition", conditions.keyword, 0.9),
    Pattern("loop condition", conditions.loop_condition, 0.9),
    Pattern("guarded statement", guards.wrap, 0.9),
    Pattern("default value", guards.default_value, 0.7),
    Pattern("fallback", guards.fallback, 0.3, _PYTHON),
    Pattern("clamped value", guards.clamp, 0.7),
    Pattern("best value", guards.keep_best, 0.6),
    Pattern("unguarded statement", guards.unwrap, 0.5),
    Pattern("variable", names.variable, 2.4),
    Pattern("member", names.member, 1.4),
    Pattern("function", names.function, 1.2),
    Pattern("literal to name", names.literal_to_name, 0.7),
    Pattern("name to literal", names.name_to_literal, 0.6),
    Pattern("applied function", names.wrap_call, 0.9),
    Pattern("expression", names.expression, 0.9),
    Pattern("constant operand", names.constant_operand, 0.5),
    Pattern("both sides", names.both_sides, 0.4),
    Pattern("added operand", names.add_operand, 1.0),
    Pattern("swapped arguments", calls.swap_arguments, 1.4),
    Pattern("dropped argument", calls.drop_argument, 0.6),
    Pattern("added argument", calls.add_argument, 0.8),
    Pattern("argument", calls.replace_argument, 0.8),
    Pattern("number", literals.number, 1.6),
    Pattern("first element", literals.first_element, 0.6),
    Pattern("extreme", literals.extreme, 0.6),
    Pattern("truth", literals.truth, 1.6),
    Pattern("truth to condition", literals.truth_to_condition, 0.6),
    Pattern("elements", literals.elements, 0.7),
    Pattern("string", literals.string, 1.0),
    Pattern("format", literals.format_string, 1.2),
    Pattern("character", literals.character, 0.9),
    Pattern("declared type", operators.declared_type, 1.2, _TYPED),
    Pattern("type elsewhere", operators.widen_everywhere, 0.4, _TYPED),
    Pattern("conversion", operators.cast, 1.0),
    Pattern("number suffix", operators.number_suffix, 0.6, _TYPED),
    Pattern("sibling function", calls.sibling, 1.8),
    Pattern("called method", calls.append_call, 0.5),
    Pattern("equality of contents", calls.equality, 1.8, _TYPED),
    Pattern("deleted statement", statements.delete, 1.2),
    Pattern("deleted lines", statements.delete_lines, 1.0),
    Pattern("moved statement", statements.move, 0.9),
    Pattern("indentation", statements.indentation, 1.0, _PYTHON),
    Pattern("renamed statement", statements.duplicate_renamed, 0.9),
    Pattern("statement of function", statements.from_function, 0.4),
    Pattern("returned value", missing.value_of_return, 0.9),
    Pattern("exception type", guards.other_exception, 1.0),
    Pattern("caught exception", guards.catch, 0.4),
    Pattern("mutable default", python_only.mutable_default, 2.0, _PYTHON),
    Pattern("copied value", python_only.copy_value, 0.8, _PYTHON),
    Pattern("self", python_only.self_access, 0.9, _PYTHON),
    Pattern("await", python_only.awaited, 2.0, _PYTHON),
    Pattern("comprehension", python_only.comprehension, 0.8, _PYTHON),
    Pattern("unpacking", python_only.unpacking, 0.8, _PYTHON),
    Pattern("collection type", java_javascript_go.collection_type, 0.9, _JAVA),
    Pattern("modifiers", java_javascript_go.modifiers, 1.0, _JAVA),
    Pattern("boxed number", java_javascript_go.boxed, 0.5, _JAVA),
    Pattern("text building", java_javascript_go.text_building, 0.7, _JAVA),
    Pattern("overflow", java_javascript_go.overflow, 1.0, _JAVA),
    Pattern("defensive copy", java_javascript_go.generic, 0.9, _JAVA),
    Pattern("size", c_and_cpp.size, 1.4, _C),
    Pattern("size of value", c_and_cpp.size_of_value, 1.4, _C),
    Pattern("precedence", c_and_cpp.precedence, 1.0, _C),
    Pattern("address", c_and_cpp.address, 0.8, _C),
    Pattern("confused equals", c_and_cpp.confused_equals, 2.0, _C),
    Pattern("initialisation", c_and_cpp.initialise, 1.3, _C),
    Pattern("reference", c_and_cpp.references, 1.5, _CPP),
    Pattern("ownership", c_and_cpp.ownership, 1.2, _CPP),
    Pattern("iterator", c_and_cpp.iterator, 1.2, _CPP),
    Pattern("unsigned loop", c_and_cpp.unsigned_loop, 1.2, _C),
    Pattern("unsigned comparison", c_and_cpp.unsigned_comparison, 0.8, _CPP),
    Pattern("type", build_errors.other_type, 0.5, _TYPED),
    Pattern("missing value", java_javascript_go.missing_value, 1.6, _JAVASCRIPT),
    Pattern("strict equality", java_javascript_go.strict_equality, 0.9, _JAVASCRIPT),
    Pattern("awaited call", java_javascript_go.awaited, 1.2, _JAVASCRIPT),
    Pattern("order of sort", java_javascript_go.order_of_sort, 2.0, _JAVASCRIPT),
    Pattern("copied object", java_javascript_go.copied_object, 0.9, _JAVASCRIPT),
    Pattern("hidden variable", java_javascript_go.hidden_variable, 1.6, _GO),
    Pattern("letters of text", java_javascript_go.letters_of_text, 0.8, _GO),
)

INSERTIONS = (
    Insertion("early exit", guards.leave_early, 1.4),
    Insertion("jump", missing.jump, 1.3),
    Insertion("update", missing.update, 1.2),
    Insertion("assignment", missing.assign, 1.0),
    Insertion("reset", missing.reset, 0.8),
    Insertion("release", missing.release, 0.8),
    Insertion("call", missing.call, 0.7),
    Insertion("else", missing.otherwise, 0.6),
    Insertion("copied statement", statements.copy, 1.2),
    Insertion("thrown exception", guards.throw, 0.5),
    Insertion("outer scope", python_only.outer_scope, 1.5, _PYTHON),
    Insertion("cleared memory", c_and_cpp.clear_memory, 0.8, _C),
    Insertion("import", build_errors.insert_import, 2.0),
)
