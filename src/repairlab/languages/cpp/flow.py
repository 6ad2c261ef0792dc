"""How values flow through C++; `languages.flow` reads it."""

from repairlab.languages.flow import Defines, FlowNodes
from repairlab.languages.native import flow as native

_KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq"""

FLOW = FlowNodes(
    keywords=frozenset(_KEYWORDS.split()),
    names=frozenset({"identifier"}),
    literals=native.LITERALS,
    declarations=native.DECLARATIONS,
    parameters={**native.PARAMETERS, "optional_parameter_declaration": "declarator"},
    assignments=native.ASSIGNMENTS,
    updates=native.UPDATES,
    members={**native.MEMBERS, "qualified_identifier": (), "template_parameter_list": (), "using_declaration": ()},
    calls={"call_expression": "function"},
    places=native.PLACES,
    conditions=native.CONDITIONS,
    switches=frozenset({"switch_statement"}),
    cases=frozenset({"case_statement"}),
    tries=frozenset({"try_statement"}),
    handlers=frozenset({"catch_clause"}),
    loops=native.LOOPS,
    for_each={"for_range_loop": Defines(name="declarator", value="right")},
    ends=frozenset({"return_statement", "throw_statement"}),
    functions=frozenset({"function_definition", "lambda_expression"}),
    blocks=native.BLOCKS | {"for_range_loop"},
    parentheses=frozenset({"parenthesized_expression"}),
    declaration="declaration",
    reads_address=native.ADDRESS,
)
