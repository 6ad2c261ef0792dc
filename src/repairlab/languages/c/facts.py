"""What is true of C; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.c.fix_ingredients import IDIOMS
from repairlab.languages.facts import Facts
from repairlab.languages.native.facts import ERROR_LINE, FRAMEWORKS, HEADERS, IMPORT_LINE, TOOLS

_SELF_TEST = """\
#include <stdio.h>

int main(void) {
    int c;
    while ((c = getchar()) != EOF && c != '\\n') putchar(c);
    putchar('\\n');
    return 0;
}
"""

FACTS = Facts(
    name="c",
    title="C",
    extensions=(".c", ".h"),
    file="main.c",
    self_test=_SELF_TEST,
    build=Build(tool="compile", sources=("**/*.c",)),
    tools=TOOLS,
    frameworks=FRAMEWORKS,
    error_line=ERROR_LINE,
    fences=("c", "h", "objectivec", "cuda"),
    comments=("//", "/*"),
    grammar="tree_sitter_c",
    flow="repairlab.languages.c.flow:FLOW",
    headers=HEADERS,
    relatives=("cpp",),
    idioms=IDIOMS,
    traits=frozenset({"c", "typed"}),
    import_line=IMPORT_LINE,
)
