"""What is true of Python, what fixes of its programs are often made of, and how values flow through them."""

import keyword

from repairlab.core.recipe import Build
from repairlab.languages.facts import CheckerStart, CodexglueNodes, Defines, Facts, FlowNodes, Idioms, Probe

PROBE = Probe(
    call="_repairlab_hit_@FILE@(@N@)",
    head="""\
def _repairlab_hit_@FILE@(n, _seen=set()):
    if n not in _seen:
        _seen.add(n)
        import posix
        for place in (@PLACES@):
            try:
                notes = posix.open(place, 0o2001)
            except OSError:
                continue
            posix.write(notes, b"%d\\n" % n)
            posix.close(notes)
            break
""",
    after=("future_import_statement",),
)

IDIOMS = Idioms(
    probe=PROBE,
    extremes=("float('inf')", "float('-inf')", "None"),
    releases=("{0}.close()", "{0}.clear()", "{0}.flush()", "{0}.sort()", "{0}.pop()", "{0}.reverse()"),
    adders=("append", "add"),
    appliers=("len", "abs", "sorted", "list", "set", "sum", "max", "min", "reversed", "tuple"),
    conversions=("{0}.lower()", "set({0})", "sorted({0})", "len({0})", "str({0})", "int({0})", "abs({0})", "tuple({0})"),
    exceptions=(
        "ValueError",
        "TypeError",
        "KeyError",
        "IndexError",
        "Exception",
        "ZeroDivisionError",
        "AttributeError",
        "StopIteration",
        "RuntimeError",
        "OSError",
    ),
    families="""
        strip lstrip rstrip; lower upper title capitalize casefold swapcase; find index rfind rindex; split rsplit
        splitlines; append extend add insert; add update; remove discard pop; pop popleft popitem; append appendleft;
        sort reverse; startswith endswith; get setdefault pop; keys values items; isalpha isdigit isalnum isnumeric
        isspace isdecimal; islower isupper istitle; min max; any all; sum len max min; sorted reversed list set; int
        float str round; floor ceil trunc; heappush heappop heapify; match search fullmatch findall; intersection
        union difference symmetric_difference; issubset issuperset; read readline readlines; write writelines; ljust
        rjust center zfill; partition rpartition; extend update; bisect_left bisect_right bisect insort; replace
        strip; count index find; permutations combinations product; load loads; dump dumps; isinstance issubclass;
        append push; abs int; encode decode; format replace; map filter; log log2 log10 exp
    """,
    appended=(".strip()", ".lower()", ".copy()", ".upper()", ".items()", ".keys()", ".values()", ".split()", "[::-1]"),
    constants=("reverse=True", "1", "0", "None"),
    known_names="""
        print len range int str float list dict set sum min max abs sorted open isinstance super enumerate zip map
        filter any all type None self cls
    """,
    keywords="""
        def return if elif else while for in not and or import from class pass break continue lambda try except
        finally with
    """,
)


FLOW = FlowNodes(
    keywords=frozenset(keyword.kwlist),
    names=frozenset({"identifier"}),
    literals=frozenset({"string"}),
    declarations={
        "default_parameter": Defines(name="name", value="value"),
        "typed_default_parameter": Defines(name="name", value="value"),
    },
    parameters={"parameters": "", "lambda_parameters": "", "typed_parameter": ""},
    assignments={
        "assignment": Defines(name="left", value="right"),
        "augmented_assignment": Defines(name="left", value="right"),
        "named_expression": Defines(name="name", value="value"),
        "for_in_clause": Defines(name="left", value="right"),
        "as_pattern": Defines(name="alias", value=""),
    },
    updates=frozenset(),
    members={
        "attribute": ("object",),
        "keyword_argument": ("value",),
        "keyword_pattern": (),
        "class_definition": ("superclasses", "body"),
        "import_statement": (),
        "import_from_statement": (),
        "type": (),
        "global_statement": (),
        "nonlocal_statement": (),
    },
    calls={"call": "function"},
    places=frozenset({"attribute", "subscript"}),
    conditions={"if_statement": ("consequence", "alternative"), "elif_clause": ("consequence",)},
    switches=frozenset({"match_statement"}),
    cases=frozenset({"case_clause"}),
    tries=frozenset({"try_statement"}),
    handlers=frozenset({"except_clause"}),
    loops={"while_statement": ("condition", "body")},
    for_each={"for_statement": Defines(name="left", value="right")},
    ends=frozenset({"return_statement", "raise_statement"}),
    functions=frozenset({"function_definition", "lambda"}),
    blocks=frozenset(),
    parentheses=frozenset({"parenthesized_expression"}),
    tuples=frozenset({"pattern_list", "tuple_pattern", "expression_list", "tuple"}),
    codexglue=CodexglueNodes(
        declarations=("default_parameter",),
        assignments=("assignment", "augmented_assignment", "for_in_clause"),
        updates=(),
        branches=("if_statement",),
        other_branches=("elif_clause", "else_clause"),
        for_each={"for_statement": Defines(name="left", value="right")},
        counting_loops={},
        while_loops=("while_statement",),
        first=("for_in_clause",),
        pairwise=True,
    ),
)


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
    packages={"": "python3-pygments python3-pytest"},
    error_line=r"^[^\s:][^:\n]*:\d+: .+",
    fences=("python", "py", "python3"),
    comments=("#",),
    grammar="tree_sitter_python",
    dead_code=("if False:", "    NAME = 0"),
    flow="repairlab.languages.python.facts:FLOW",
    idioms=IDIOMS,
    traits=frozenset({"python"}),
    is_indented=True,
    import_line=r"^(?:import[ \t]+[\w., \t]+|from[ \t]+[\w.]+[ \t]+import[ \t]+[\w, \t]+)(?=[ \t]*(?:#|$))",
    imports="names",
    checker=CheckerStart(program="checker.py", file="repairlab_start.py", starts="repairlab_start.py", text=_START, is_file=True),
    class_nodes=frozenset({"class_definition"}),
    char_quote="",
)
