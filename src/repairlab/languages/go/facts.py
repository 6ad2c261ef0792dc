"""What is true of Go; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import Facts
from repairlab.languages.go.fix_ingredients import IDIOMS

_SELF_TEST = """\
package main

import (
	"bufio"
	"fmt"
	"os"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	scanner.Scan()
	fmt.Println(scanner.Text())
}
"""

FACTS = Facts(
    name="go",
    title="Go",
    extensions=(".go",),
    file="main.go",
    self_test=_SELF_TEST,
    build=Build(tool="go"),
    tools={"go": 2},
    frameworks=("stdio", "go-test"),
    error_line=r"^[^\s:#][^:\n]*\.go:\d+(?::\d+)?: .+|^(?:go|package|link)\b.*: .+",
    fences=("go", "golang"),
    comments=("//", "/*"),
    grammar="tree_sitter_go",
    opaque=r'"(?>(?:[^"\\\n]++|\\.)*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\'|`[^`]*`|//[^\n]*+|/\*[\s\S]*?\*/',
    idioms=IDIOMS,
    traits=frozenset({"go"}),
    can_check=False,
)
