"""What is true of JavaScript; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, Facts
from repairlab.languages.javascript.fix_ingredients import IDIOMS

_SELF_TEST = """\
const lines = require('fs').readFileSync(0, 'utf8').split('\\n');
console.log(lines[0]);
"""
_START = """\
process.on('uncaughtException', (problem) => {
  console.error(problem);
  process.exit(134);
});
process.argv.splice(1, 1);
require(require('path').resolve(process.argv[1]));
"""

FACTS = Facts(
    name="javascript",
    title="JavaScript",
    extensions=(".js", ".mjs", ".cjs"),
    file="main.js",
    self_test=_SELF_TEST,
    build=Build(),
    tools={"none": 0},
    frameworks=("stdio", "node-test", "mocha"),
    error_line=r"^[^\s:][^:\n]*:\d+: .+",
    fences=("javascript", "js", "mjs", "cjs", "jsx", "node", "nodejs"),
    comments=("//", "/*"),
    grammar="tree_sitter_javascript",
    opaque=r'"(?>(?:[^"\\\n]++|\\[\s\S])*)"|\'(?>(?:[^\'\\\n]++|\\[\s\S])*)\'|`(?>(?:[^`\\]++|\\[\s\S])*)`|//[^\n]*+|/\*[\s\S]*?\*/',
    idioms=IDIOMS,
    traits=frozenset({"javascript"}),
    method_around="class A {\n%s\n};",
    checker=CheckerStart(program="checker.js", file="repairlab_start.cjs", starts="repairlab_start.cjs", text=_START, is_file=True),
    class_nodes=frozenset({"class_declaration", "class"}),
    char_quote="",
)
