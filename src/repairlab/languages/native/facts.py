"""What is true of C and of C++ alike."""

from repairlab.languages.facts import Defines

TOOLS = {"none": 0, "compile": 1, "make": 3, "cmake": 4, "autotools": 4}
FRAMEWORKS = ("stdio", "gtest", "catch2", "ctest", "tap", "automake", "lit", "cmocka", "cunit", "lines")
ERROR_LINE = (
    r"^.*(?:\b(?:fatal )?error: |: undefined reference to |: multiple definition of |: cannot find -l"
    r"|CMake Error|\*\*\* .*Stop\.).*"
)
IMPORT_LINE = r"^[ \t]*#[ \t]*include[ \t]*(?:<[\w./+-]+>)"
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp", ".tcc")


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
