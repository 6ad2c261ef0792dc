"""Node types of the grammars, grouped by what the patterns need to know about them."""

FUNCTIONS = frozenset(
    {
        "function_definition",
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
    }
)
CLASSES = frozenset(
    {"class_definition", "class_declaration", "enum_declaration", "record_declaration", "class_specifier", "struct_specifier"}
)
BODIES = frozenset({"block", "compound_statement", "class_body", "field_declaration_list", "constructor_body", "switch_block"}) | {
    "statement_block",
    "switch_body",
}
BLOCKS = frozenset(
    {"block", "compound_statement", "constructor_body", "case_statement", "switch_block_statement_group", "module"}
) | {"statement_block", "statement_list", "switch_case", "expression_case"}
LOOPS = frozenset(
    {"for_statement", "while_statement", "do_statement", "enhanced_for_statement", "for_range_loop", "for_in_statement"}
)  # comprehensions hold no statements
DECLARATIONS = frozenset(
    {
        "declaration",
        "local_variable_declaration",
        "lexical_declaration",
        "variable_declaration",
        "var_declaration",
        "short_var_declaration",
    }
)
FIELDS = frozenset({"field_declaration"})
SIMPLE = frozenset(
    {
        "expression_statement",
        "return_statement",
        "break_statement",
        "continue_statement",
        "throw_statement",
        "raise_statement",
        "assert_statement",
        "pass_statement",
        "delete_statement",
        "global_statement",
        "nonlocal_statement",
        "goto_statement",
        "yield_statement",
        "explicit_constructor_invocation",
        "assignment_statement",
        "inc_statement",
        "dec_statement",
        "defer_statement",
        "go_statement",
        "send_statement",
    }
)
IMPORTS = frozenset(
    {"import_statement", "import_from_statement", "import_declaration", "preproc_include", "using_declaration", "preproc_def"}
)
COMPOUND = frozenset(
    {
        "if_statement",
        "elif_clause",
        "else_clause",
        "switch_statement",
        "switch_expression",
        "case_statement",
        "switch_block_statement_group",
        "try_statement",
        "try_with_resources_statement",
        "except_clause",
        "catch_clause",
        "finally_clause",
        "with_statement",
        "match_statement",
        "case_clause",
        "synchronized_statement",
        "labeled_statement",
        "decorated_definition",
        "template_declaration",
        "namespace_definition",
        "switch_case",
        "switch_default",
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
        "expression_case",
        "default_case",
        "export_statement",
    }
)
STATEMENTS = SIMPLE | DECLARATIONS | FIELDS | LOOPS | COMPOUND | FUNCTIONS | CLASSES | IMPORTS
MOVABLE = SIMPLE | DECLARATIONS | LOOPS | frozenset({"if_statement", "try_statement", "with_statement", "switch_statement"})
JUMPS = frozenset({"return_statement", "break_statement", "continue_statement", "throw_statement", "raise_statement"})
CONDITIONAL = frozenset(
    {
        "if_statement",
        "elif_clause",
        "while_statement",
        "do_statement",
        "for_statement",
        "conditional_expression",
        "ternary_expression",
        "assert_statement",
        "if_clause",
    }
)

BINARY = frozenset({"binary_operator", "boolean_operator", "comparison_operator", "binary_expression"})
UNARY = frozenset({"unary_operator", "unary_expression", "not_operator", "pointer_expression"})
CALLS = frozenset({"call", "call_expression", "method_invocation", "object_creation_expression"})
SUBSCRIPTS = frozenset({"subscript", "subscript_expression", "array_access", "index_expression"})
MEMBERS = frozenset({"attribute", "field_access", "field_expression", "member_expression", "selector_expression"})
ASSIGNMENTS = frozenset({"assignment", "assignment_expression", "assignment_statement"})
COMPOUND_ASSIGNMENTS = frozenset(
    {"augmented_assignment", "assignment_expression", "augmented_assignment_expression", "assignment_statement"}
)
TERNARIES = frozenset({"conditional_expression", "ternary_expression"})
ARGUMENTS = frozenset({"argument_list", "arguments"})
INTEGERS = frozenset({"integer", "decimal_integer_literal", "hex_integer_literal", "number_literal", "number", "int_literal"})
NUMBERS = INTEGERS | frozenset({"float", "decimal_floating_point_literal", "float_literal"})
STRINGS = frozenset({"string", "string_literal", "interpreted_string_literal"})
CHARACTERS = frozenset({"character_literal", "char_literal", "rune_literal"})
LITERALS = NUMBERS | STRINGS | CHARACTERS | frozenset({"true", "false", "none", "null_literal", "null", "nil", "undefined"})
NAMES = frozenset({"identifier", "field_identifier", "property_identifier"})
EXPRESSIONS = (
    BINARY
    | UNARY
    | CALLS
    | SUBSCRIPTS
    | MEMBERS
    | TERNARIES
    | LITERALS
    | NAMES
    | frozenset({"parenthesized_expression", "cast_expression"})
)
COMPREHENSIONS = frozenset({"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"})
