"""Node types of the four grammars, grouped by what the patterns need to know about them."""

FUNCTIONS = frozenset({"function_definition", "method_declaration", "constructor_declaration", "compact_constructor_declaration"})
CLASSES = frozenset(
    {"class_definition", "class_declaration", "enum_declaration", "record_declaration", "class_specifier", "struct_specifier"}
)
BODIES = frozenset({"block", "compound_statement", "class_body", "field_declaration_list", "constructor_body", "switch_block"})
BLOCKS = frozenset({"block", "compound_statement", "constructor_body", "case_statement", "switch_block_statement_group", "module"})
LOOPS = frozenset(
    {"for_statement", "while_statement", "do_statement", "enhanced_for_statement", "for_range_loop"}
)  # comprehensions hold no statements
DECLARATIONS = frozenset({"declaration", "local_variable_declaration"})
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
SUBSCRIPTS = frozenset({"subscript", "subscript_expression", "array_access"})
MEMBERS = frozenset({"attribute", "field_access", "field_expression"})
ASSIGNMENTS = frozenset({"assignment", "assignment_expression"})
COMPOUND_ASSIGNMENTS = frozenset({"augmented_assignment", "assignment_expression"})
TERNARIES = frozenset({"conditional_expression", "ternary_expression"})
ARGUMENTS = frozenset({"argument_list"})
INTEGERS = frozenset({"integer", "decimal_integer_literal", "hex_integer_literal", "number_literal"})
NUMBERS = INTEGERS | frozenset({"float", "decimal_floating_point_literal"})
STRINGS = frozenset({"string", "string_literal"})
CHARACTERS = frozenset({"character_literal", "char_literal"})
LITERALS = NUMBERS | STRINGS | CHARACTERS | frozenset({"true", "false", "none", "null_literal", "null"})
NAMES = frozenset({"identifier", "field_identifier"})
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
