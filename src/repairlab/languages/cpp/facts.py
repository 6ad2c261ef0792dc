"""What is true of C++; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.cpp.fix_ingredients import IDIOMS
from repairlab.languages.facts import Facts
from repairlab.languages.native.facts import ERROR_LINE, FRAMEWORKS, HEADERS, IMPORT_LINE, TOOLS

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
    flow="repairlab.languages.cpp.flow:FLOW",
    headers=HEADERS,
    relatives=("c",),
    method_around="class A {\n%s\n};",
    scope_mark="::",
    idioms=IDIOMS,
    traits=frozenset({"cpp", "c", "typed"}),
    import_line=IMPORT_LINE,
    class_nodes=frozenset({"class_specifier", "struct_specifier"}),
)
