"""How values flow through Java; `languages.flow` reads it."""

from repairlab.languages.flow import CodexglueNodes, Defines, FlowNodes

_KEYWORDS = """abstract assert boolean break byte case catch char class const continue default do double else enum extends final
finally float for goto if implements import instanceof int interface long native new package private protected public return short
static strictfp super switch synchronized this throw throws transient try void volatile while"""

FLOW = FlowNodes(
    keywords=frozenset(_KEYWORDS.split()),
    names=frozenset({"identifier"}),
    literals=frozenset({"string_literal", "character_literal"}),
    declarations={"variable_declarator": Defines(name="name", value="value"), "resource": Defines(name="name", value="value")},
    parameters={
        "formal_parameter": "name",
        "spread_parameter": "",
        "catch_formal_parameter": "name",
        "inferred_parameters": "",
    },
    assignments={"assignment_expression": Defines(name="left", value="right")},
    updates=frozenset({"update_expression"}),
    members={
        "field_access": ("object",),
        "method_invocation": ("object", "arguments"),
        "method_reference": (),
        "class_declaration": ("body",),
        "annotation": (),
        "marker_annotation": (),
    },
    calls={},
    places=frozenset({"field_access", "array_access"}),
    conditions={"if_statement": ("consequence", "alternative"), "ternary_expression": ("consequence", "alternative")},
    switches=frozenset({"switch_expression", "switch_statement"}),
    cases=frozenset({"switch_block_statement_group", "switch_rule"}),
    tries=frozenset({"try_statement", "try_with_resources_statement"}),
    handlers=frozenset({"catch_clause"}),
    loops={
        "for_statement": ("condition", "body", "update"),
        "while_statement": ("condition", "body"),
        "do_statement": ("body", "condition"),
    },
    for_each={"enhanced_for_statement": Defines(name="name", value="value")},
    ends=frozenset({"return_statement", "throw_statement"}),
    functions=frozenset({"method_declaration", "constructor_declaration", "lambda_expression"}),
    blocks=frozenset({"block", "for_statement", "enhanced_for_statement"}),
    parentheses=frozenset({"parenthesized_expression"}),
    codexglue=CodexglueNodes(
        declarations=("variable_declarator",),
        assignments=("assignment_expression",),
        updates=("update_expression",),
        branches=("if_statement", "else"),
        other_branches=("if_statement", "else"),
        for_each={"enhanced_for_statement": Defines(name="name", value="value")},
        counting_loops={"for_statement": "local_variable_declaration"},
        while_loops=("while_statement",),
        needs_else=True,
    ),
)
