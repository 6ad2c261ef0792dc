"""What is true of C++, what fixes of its programs are often made of, and how values flow through them, where C differs."""

from dataclasses import replace

from repairlab.core.recipe import Build
from repairlab.languages.c import facts as c
from repairlab.languages.facts import Defines, Idioms

PROBE = replace(c.PROBE, head=c.PROBE.head.replace("extern ", 'extern "C" '))
IDIOMS = Idioms(
    probe=PROBE,
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
    wider={**c.IDIOMS.wider, "std::size_t": ("int", "long")},
)


_KEYWORDS = """alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue decltype default delete do double
dynamic_cast else enum explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned using
virtual void volatile wchar_t while xor xor_eq"""

FLOW = replace(
    c.FLOW,
    keywords=frozenset(_KEYWORDS.split()),
    parameters={**c.FLOW.parameters, "optional_parameter_declaration": "declarator"},
    members={**c.FLOW.members, "qualified_identifier": (), "template_parameter_list": (), "using_declaration": ()},
    tries=frozenset({"try_statement"}),
    handlers=frozenset({"catch_clause"}),
    for_each={"for_range_loop": Defines(name="declarator", value="right")},
    ends=frozenset({"return_statement", "throw_statement"}),
    functions=frozenset({"function_definition", "lambda_expression"}),
    blocks=c.FLOW.blocks | {"for_range_loop"},
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

FACTS = replace(
    c.FACTS,
    name="cpp",
    title="C++",
    extensions=(".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx"),
    file="main.cpp",
    self_test=_SELF_TEST,
    build=Build(tool="compile", sources=("**/*.cpp", "**/*.cc", "**/*.cxx", "**/*.c")),
    packages={**c.FACTS.packages, "": "g++"},
    fences=("cpp", "c++", "cc", "cxx", "hpp"),
    grammar="tree_sitter_cpp",
    dead_code=("if (false) { int NAME = 0; (void)NAME; }",),
    flow="repairlab.languages.cpp.facts:FLOW",
    relatives=("c",),
    method_around="class A {\n%s\n};",
    scope_mark="::",
    idioms=IDIOMS,
    traits=frozenset({"cpp", "c", "typed"}),
    class_nodes=frozenset({"class_specifier", "struct_specifier"}),
)
