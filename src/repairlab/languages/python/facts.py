"""What is true of Python; `languages.facts` reads it."""

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, Facts
from repairlab.languages.python.fix_ingredients import IDIOMS

_START = """\
import os, sys
del sys.argv[0]
sys.path[0] = os.path.dirname(os.path.abspath(sys.argv[0]))
program = sys.modules["__main__"] = type(sys)("__main__")
program.__file__ = sys.argv[0]
try:
    with open(sys.argv[0], "rb") as file:
        source = file.read()
    exec(compile(source, sys.argv[0], "exec"), program.__dict__)
except Exception:
    import traceback

    traceback.print_exc()
    sys.exit(134)
"""

FACTS = Facts(
    name="python",
    title="Python",
    extensions=(".py",),
    file="main.py",
    self_test="print(input())\n",
    build=Build(),
    tools={"none": 0},
    frameworks=("stdio", "pytest", "unittest"),
    error_line=r"^[^\s:][^:\n]*:\d+: .+",
    fences=("python", "py", "python3"),
    comments=("#",),
    grammar="tree_sitter_python",
    flow="repairlab.languages.python.flow:FLOW",
    idioms=IDIOMS,
    traits=frozenset({"python"}),
    is_indented=True,
    import_line=r"^(?:import[ \t]+[\w., \t]+|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w, \t]+)(?=[ \t]*(?:#|$))",
    imports="names",
    checker=CheckerStart(program="checker.py", file="repairlab_start.py", starts="repairlab_start.py", text=_START, is_file=True),
    class_nodes=frozenset({"class_definition"}),
    char_quote="",
)
