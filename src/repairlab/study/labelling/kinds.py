"""What nodes of syntax trees are, whatever a grammar calls them: rules ask for kinds and name no language."""

from collections.abc import Mapping

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
    """Return the kind of a node by its type in the grammar; nothing where none is known."""
    return _BY_TYPE.get(type_, "")
