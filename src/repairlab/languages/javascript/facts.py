"""What is true of JavaScript, and what fixes of its programs are often made of."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, Facts, Idioms, Probe

PROBE = Probe(
    call="repairlabHit@FILE@(@N@);",
    tail="""
;function repairlabHit@FILE@(n) {
  const seen = repairlabHit@FILE@.seen || (repairlabHit@FILE@.seen = new Set());
  if (seen.has(n)) return;
  seen.add(n);
  for (const place of [@PLACES@])
    try {
      const fs = process.getBuiltinModule ? process.getBuiltinModule("fs") : require("fs");
      const notes = fs.openSync(place, fs.constants.O_WRONLY | fs.constants.O_APPEND);
      fs.writeSync(notes, n + "\\n");
      fs.closeSync(notes);
      return;
    } catch {}
}
""",
)

IDIOMS = Idioms(
    probe=PROBE,
    extremes=("Infinity", "-Infinity", "null"),
    releases=("{0}.sort();", "{0}.pop();", "{0}.reverse();", "{0}.clear();"),
    adders=("push", "add", "set"),
    appliers=("Math.abs", "Number", "String", "Math.floor", "Boolean"),
    conversions=("{0}.toLowerCase()", "Number({0})", "String({0})", "{0}.length", "Math.abs({0})"),
    exceptions=("Error", "TypeError", "RangeError", "SyntaxError"),
    families="""
        push unshift pop shift concat; slice splice; indexOf lastIndexOf findIndex; find filter some every; map
        forEach filter flatMap; startsWith endsWith includes; toLowerCase toUpperCase; trim trimStart trimEnd; replace
        replaceAll; min max; floor ceil round trunc; parseInt parseFloat Number; get has delete; set add; keys values
        entries; charAt charCodeAt codePointAt; padStart padEnd; substring substr slice; test match exec; sort
        reverse; reduce reduceRight; all allSettled race any; isNaN isFinite isInteger
    """,
    appended=(".length", ".trim()", ".toLowerCase()", ".slice()", ".toString()", ".size", ".reverse()", ".sort((a, b) => a - b)"),
    constants=("0", "1", "null", "(a, b) => a - b"),
    known_names="""
        console log require module exports Object Array Math Number String Map Set Promise JSON process Symbol
        undefined this
    """,
    keywords="""
        function return if else while for of in const let var class new switch case break continue async await yield
        import export from throw try catch finally typeof
    """,
)


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
    packages={"": "nodejs", "mocha": "mocha"},
    error_line=r"^[^\s:][^:\n]*:\d+: .+",
    fences=("javascript", "js", "mjs", "cjs", "jsx", "node", "nodejs"),
    comments=("//", "/*"),
    grammar="tree_sitter_javascript",
    dead_code=("if (false) { let NAME = 0; }",),
    opaque=r'"(?>(?:[^"\\\n]++|\\[\s\S])*)"|\'(?>(?:[^\'\\\n]++|\\[\s\S])*)\'|`(?>(?:[^`\\]++|\\[\s\S])*)`|//[^\n]*+|/\*[\s\S]*?\*/',
    idioms=IDIOMS,
    traits=frozenset({"javascript"}),
    method_around="class A {\n%s\n};",
    checker=CheckerStart(program="checker.js", file="repairlab_start.cjs", starts="repairlab_start.cjs", text=_START, is_file=True),
    class_nodes=frozenset({"class_declaration", "class"}),
    char_quote="",
)
