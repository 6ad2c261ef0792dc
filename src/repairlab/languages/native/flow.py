"""What C and C++ share in how values flow; the `flow.py` of both add to it."""

from repairlab.languages.flow import Defines

DECLARATIONS = {"init_declarator": Defines(name="declarator", value="value")}
PARAMETERS = {"parameter_declaration": "declarator"}
ASSIGNMENTS = {"assignment_expression": Defines(name="left", value="right")}
UPDATES = frozenset({"update_expression"})
MEMBERS: dict[str, tuple[str, ...]] = {
    "field_expression": ("argument",),
    "sizeof_expression": (),
    "enumerator": ("value",),
    "preproc_def": (),
    "preproc_include": (),
    "preproc_function_def": (),
}
PLACES = frozenset({"field_expression", "subscript_expression", "pointer_expression"})
CONDITIONS = {"if_statement": ("consequence", "alternative"), "conditional_expression": ("consequence", "alternative")}
LOOPS = {
    "for_statement": ("condition", "body", "update"),
    "while_statement": ("condition", "body"),
    "do_statement": ("body", "condition"),
}
LITERALS = frozenset({"string_literal", "char_literal", "system_lib_string", "concatenated_string", "raw_string_literal"})
BLOCKS = frozenset({"compound_statement", "for_statement"})
ADDRESS = "pointer_expression"
