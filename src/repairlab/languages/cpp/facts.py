"""What is true of C++, what fixes of its programs are often made of, and how values flow through them."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import Defines, Facts, FlowNodes, Idioms
from repairlab.languages.native import facts as native
from repairlab.languages.native.facts import ERROR_LINE, FRAMEWORKS, HEADERS, IMPORT_LINE, TOOLS

IDIOMS = Idioms(
    stop="__builtin_trap();",
    extremes=("INT_MAX", "INT_MIN", "LLONG_MAX", "LLONG_MIN", "std::numeric_limits<double>::max()"),
    releases=(
        "delete {0};",
        "delete[] {0};",
        "{0}.clear();",
        "{0}.pop_back();",
        "{0} = nullptr;",
        "free({0});",
        "std::sort({0}.begin(), {0}.end());",
    ),
    adders=("push_back", "insert", "push"),
    appliers=("std::abs",),
    conversions=("std::tolower({0})", "{0}.size()", "std::abs({0})"),
    exceptions=(
        "std::invalid_argument",
        "std::out_of_range",
        "std::runtime_error",
        "std::exception",
        "std::logic_error",
        "std::underflow_error",
    ),
    families="""
        push_back pop_back emplace_back insert push_front; front back top; begin end rbegin cbegin; find rfind
        find_first_of find_last_of; lower_bound upper_bound; min max; min_element max_element; push pop; insert erase
        emplace; size empty length capacity; resize reserve; sort stable_sort reverse; at find count; count find;
        floor ceil round; pop_front pop_back; isalpha isdigit isalnum isspace; toupper tolower; first second; stoi
        stol stoll stod; substr at; any_of all_of none_of; lock unlock; next prev; make_shared make_unique; abs fabs;
        strcmp strncmp; malloc calloc; memcpy memmove; getline get; clear erase; isupper islower; push_back append;
        swap move; rbegin rend; str c_str data; floor trunc
    """,
    appended=(".size()", ".begin()", ".end()", ".c_str()", ".length()", ".first", ".second"),
    constants=("0",),
    known_names="""
        std cout cin endl vector string size begin end push_back main
    """,
    keywords="""
        return if else while for int void char double public private static class new switch case break continue
        struct unsigned const virtual template typename namespace using include auto
    """,
    declared=("auto", "int", "double"),
    types=("auto", "int", "std::string", "double", "bool", "void", "size_t"),
    casts=("long long", "double", "int", "size_t", "unsigned char"),
    wider={
        "int": ("long long", "unsigned int", "long", "size_t", "double", "unsigned long long"),
        "char": ("unsigned char", "int"),
        "short": ("int",),
        "long": ("long long", "unsigned long", "int"),
        "float": ("double",),
        "double": ("long double", "float", "int"),
        "unsigned": ("unsigned long long", "int"),
        "unsigned int": ("unsigned long long", "int", "size_t"),
        "size_t": ("int", "long", "ssize_t"),
        "unsigned char": ("int", "char"),
        "signed char": ("unsigned char", "int"),
        "long long": ("unsigned long long", "double", "int"),
        "unsigned long": ("unsigned long long", "long"),
        "uint8_t": ("uint16_t", "uint32_t", "int"),
        "uint16_t": ("uint32_t",),
        "uint32_t": ("uint64_t", "int32_t"),
        "int32_t": ("int64_t", "uint32_t"),
        "int16_t": ("int32_t",),
        "int8_t": ("int32_t", "uint8_t"),
        "bool": ("int",),
        "std::size_t": ("int", "long"),
    },
)


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


_SELF_TEST = """\
#include <iostream>
#include <string>

int main() {
    std::string line;
    std::getline(std::cin, line);
    std::cout << line << std::endl;
}
"""

FACTS = Facts(
    name="cpp",
    title="C++",
    extensions=(".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
    file="main.cpp",
    self_test=_SELF_TEST,
    build=Build(tool="compile", sources=("**/*.cpp", "**/*.cc", "**/*.cxx", "**/*.c")),
    tools=TOOLS,
    frameworks=FRAMEWORKS,
    error_line=ERROR_LINE,
    fences=("cpp", "c++", "cc", "cxx", "hpp"),
    comments=("//", "/*"),
    grammar="tree_sitter_cpp",
    flow="repairlab.languages.cpp.facts:FLOW",
    headers=HEADERS,
    relatives=("c",),
    method_around="class A {\n%s\n};",
    scope_mark="::",
    idioms=IDIOMS,
    traits=frozenset({"cpp", "c", "typed"}),
    import_line=IMPORT_LINE,
    class_nodes=frozenset({"class_specifier", "struct_specifier"}),
)
