"""What is true of Go, and what fixes of its programs are often made of."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import Facts, Idioms, Probe

PROBE = Probe(
    call="repairlabHit@FILE@(@N@);",
    head='; import (repairlabos "os"; repairlabconv "strconv")',
    tail="""
var repairlabSeen@FILE@ [@COUNT@]bool

func repairlabHit@FILE@(n int) {
	if repairlabSeen@FILE@[n-@FIRST@] {
		return
	}
	repairlabSeen@FILE@[n-@FIRST@] = true
	for _, place := range []string{@PLACES@} {
		if notes, problem := repairlabos.OpenFile(place, repairlabos.O_WRONLY|repairlabos.O_APPEND, 0); problem == nil {
			notes.WriteString(repairlabconv.Itoa(n) + "\\n")
			notes.Close()
			return
		}
	}
}
""",
    after=("package_clause",),
)

IDIOMS = Idioms(
    probe=PROBE,
    extremes=("math.MaxInt", "math.MinInt", "0", "1"),
    appliers=("len", "string", "int", "float64"),
    conversions=("strings.ToLower({0})", "len({0})", "string({0})", "int({0})"),
    families="""
        HasPrefix HasSuffix Contains; Index LastIndex; ToLower ToUpper; TrimSpace Trim TrimLeft TrimRight TrimPrefix
        TrimSuffix; Split SplitN Fields; Replace ReplaceAll; Println Printf Print; Sprintf Sprint Sprintln; Errorf
        Error; Atoi ParseInt ParseFloat; Min Max; Floor Ceil Round Trunc; Ints Strings Float64s Sort Slice
        SliceStable; Lock Unlock RLock RUnlock; Add Done Wait; Read ReadString ReadLine; IsLetter IsDigit IsSpace
        IsUpper IsLower; len cap; Fatal Fatalf; WriteString WriteByte WriteRune
    """,
    appended=(".String()", ".Error()"),
    constants=("0", "1", "nil"),
    known_names="""
        fmt strings strconv sort errors math os bufio len cap append make new copy delete panic recover string int nil
        true false error
    """,
    keywords="""
        func return if else for range var const type struct interface map chan go defer select switch case default
        break continue fallthrough package import
    """,
)


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
    packages={"": "golang-go"},
    error_line=r"^[^\s:#][^:\n]*\.go:\d+(?::\d+)?: .+|^(?:go|package|link)\b.*: .+",
    fences=("go", "golang"),
    comments=("//", "/*"),
    grammar="tree_sitter_go",
    dead_code=("if false { var NAME = 0; _ = NAME }",),
    opaque=r'"(?>(?:[^"\\\n]++|\\.)*)"|\'(?>(?:[^\'\\\n]++|\\.)*)\'|`[^`]*`|//[^\n]*+|/\*[\s\S]*?\*/',
    idioms=IDIOMS,
    traits=frozenset({"go"}),
    can_check=False,
)
