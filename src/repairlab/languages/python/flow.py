"""How values flow through Python; `languages.flow` reads it."""

import keyword

from repairlab.languages.flow import CodexglueNodes, Defines, FlowNodes

FLOW = FlowNodes(
    keywords=frozenset(keyword.kwlist),
    names=frozenset({"identifier"}),
    literals=frozenset({"string"}),
    declarations={
        "default_parameter": Defines(name="name", value="value"),
        "typed_default_parameter": Defines(name="name", value="value"),
    },
    parameters={"parameters": "", "lambda_parameters": "", "typed_parameter": ""},
    assignments={
        "assignment": Defines(name="left", value="right"),
        "augmented_assignment": Defines(name="left", value="right"),
        "named_expression": Defines(name="name", value="value"),
        "for_in_clause": Defines(name="left", value="right"),
        "as_pattern": Defines(name="alias", value=""),
    },
    updates=frozenset(),
    members={
        "attribute": ("object",),
        "keyword_argument": ("value",),
        "class_definition": ("superclasses", "body"),
        "import_statement": (),
        "import_from_statement": (),
        "type": (),
        "global_statement": (),
        "nonlocal_statement": (),
    },
    calls={"call": "function"},
    places=frozenset({"attribute", "subscript"}),
    conditions={"if_statement": ("consequence", "alternative"), "elif_clause": ("consequence",)},
    switches=frozenset({"match_statement"}),
    cases=frozenset({"case_clause"}),
    tries=frozenset({"try_statement"}),
    handlers=frozenset({"except_clause"}),
    loops={"while_statement": ("condition", "body")},
    for_each={"for_statement": Defines(name="left", value="right")},
    ends=frozenset({"return_statement", "raise_statement"}),
    functions=frozenset({"function_definition", "lambda"}),
    blocks=frozenset(),
    parentheses=frozenset({"parenthesized_expression"}),
    tuples=frozenset({"pattern_list", "tuple_pattern", "expression_list", "tuple"}),
    codexglue=CodexglueNodes(
        declarations=("default_parameter",),
        assignments=("assignment", "augmented_assignment", "for_in_clause"),
        updates=(),
        branches=("if_statement",),
        other_branches=("elif_clause", "else_clause"),
        for_each={"for_statement": Defines(name="left", value="right")},
        counting_loops={},
        while_loops=("while_statement",),
        first=("for_in_clause",),
        pairwise=True,
    ),
)
