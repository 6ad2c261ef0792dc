"""How values flow through C; `languages.flow` reads it."""

from repairlab.languages.flow import FlowNodes
from repairlab.languages.native import flow as native

_KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Atomic _Bool
_Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local"""

FLOW = FlowNodes(
    keywords=frozenset(_KEYWORDS.split()),
    names=frozenset({"identifier"}),
    literals=native.LITERALS,
    declarations=native.DECLARATIONS,
    parameters=native.PARAMETERS,
    assignments=native.ASSIGNMENTS,
    updates=native.UPDATES,
    members=native.MEMBERS,
    calls={"call_expression": "function"},
    places=native.PLACES,
    conditions=native.CONDITIONS,
    switches=frozenset({"switch_statement"}),
    cases=frozenset({"case_statement"}),
    tries=frozenset(),
    handlers=frozenset(),
    loops=native.LOOPS,
    for_each={},
    ends=frozenset({"return_statement"}),
    functions=frozenset({"function_definition"}),
    blocks=native.BLOCKS,
    parentheses=frozenset({"parenthesized_expression"}),
    declaration="declaration",
    reads_address=native.ADDRESS,
)
