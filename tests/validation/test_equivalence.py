"""Candidates that differ only in layout share a verdict where nothing can see layout, and have one each where something can."""

from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.languages.language import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import normal_digest
from repairlab.validation.validator import validate
from tests.builders import rewrite, write_files

PATHS = {"python": "main.py", "java": "Main.java", "c": "main.c", "cpp": "main.cpp"}
MAIN = {
    "python": "def f():\n    return {}\n\n\nprint(f())\n",
    "java": "public class Main {{\n    static Object f() {{\n        return {};\n    }}\n"
    "    public static void main(String[] a) {{\n        System.out.println(f());\n    }}\n}}\n",
    "c": '#include <stdio.h>\nint f(void) {{\n    return {};\n}}\nint main(void) {{\n    printf("%d\\n", f());\n}}\n',
    "cpp": "#include <iostream>\nint f() {{\n    return {};\n}}\nint main() {{\n    std::cout << f() << std::endl;\n}}\n",
}
COMPILED = '[build]\ntool = "compile"\nsources = ["main.*"]\n'
RECIPES = {
    "python": "",
    "java": '[build]\ntool = "javac"\n',
    "c": COMPILED,
    "cpp": COMPILED,
}
LINES = {
    "python": "__import__('sys')._getframe().f_lineno",
    "java": "new Throwable().getStackTrace()[0].getLineNumber()",
    "c": "__LINE__",
    "cpp": "__LINE__",
}


def make_bug(tmp_path: Path, name: str, *, expected: str = "3\n", more: dict[str, str] | None = None, recipe: str = "") -> Bug:
    """Return a stdio bug of a language whose program should print `expected`."""
    folder = tmp_path / "layout"
    path, source = PATHS[name], MAIN[name].format("0")
    at, old = next((number, line) for number, line in enumerate(source.split("\n"), start=1) if "return 0" in line)
    texts = {
        "benchmark.toml": 'schema = 1\nname = "layout"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
        "bugs/one/bug.toml": (
            f'schema = 1\nlanguage = "{name}"\npath = "{path}"\n[test]\nframework = "stdio"\n'
            f'program = "{"Main" if name == "java" else "main.py" if name == "python" else ""}"\n{recipe or RECIPES[name]}'
        ),
        "bugs/one/issue.md": "It is wrong\n",
        f"bugs/one/buggy/{path}": source,
        "bugs/one/fix.patch": f"--- a/{path}\n+++ b/{path}\n@@ -{at} +{at} @@\n-{old}\n+{old.replace('0', '3')}\n",
        "bugs/one/cases/1.in": "",
        "bugs/one/cases/1.out": expected,
        **{f"bugs/one/buggy/{file}": text for file, text in (more or {}).items()},
    }
    write_files(folder, texts)
    return open_benchmark(str(folder)).bug("one")


def digest_of(bug: Bug, text: str) -> str:
    return normal_digest(rewrite(bug, text), bug)


@pytest.mark.parametrize("name", PATHS)
def test_programs_that_print_their_line_are_judged_each(tmp_path: Path, sandbox: Sandbox, name: str) -> None:
    one = MAIN[name].format(LINES[name])
    two = "\n" + one
    line = next(number for number, text in enumerate(one.split("\n"), start=1) if LINES[name] in text)
    bug = make_bug(tmp_path, name, expected=f"{line}\n")
    assert digest_of(bug, one) != digest_of(bug, two)
    assert validate(rewrite(bug, one), bug, sandbox).verdict is Verdict.PLAUSIBLE
    assert validate(rewrite(bug, two), bug, sandbox).verdict is Verdict.WRONG


@pytest.mark.parametrize("name", PATHS)
def test_plain_programs_that_differ_in_layout_are_judged_once(tmp_path: Path, name: str) -> None:
    bug = make_bug(tmp_path, name)
    one = MAIN[name].format("1 + 2")
    comment = "# three\n" if name == "python" else "/* three */\n"
    assert (
        digest_of(bug, one) == digest_of(bug, comment + one.replace("1 + 2", "1+2")) != digest_of(bug, MAIN[name].format("1 - 2"))
    )


SEEING = {
    "python": [
        "import inspect\nprint(inspect.getsource(f))",
        "import inspect as i\nprint(i.currentframe().f_lineno)",
        "import traceback\ntraceback.print_stack()",
        "import linecache\nprint(linecache.getline('x', 1))",
        "print(f.__code__.co_firstlineno)",
        "try:\n    1 / 0\nexcept Exception as e:\n    print(e.__traceback__.tb_lineno)",
        "print(open(__file__).read())",
        "import sys\nprint(open(sys.argv[0]).read())",
        "print(open('main.py').read())",
        "import os\nprint([open(n).read() for n in os.listdir()])",
        "import warnings\nwarnings.warn('once per line')",
        "import logging\nlogging.basicConfig(format='%(lineno)d')",
        "import sys\nprint(getattr(sys, '_get' + 'frame')())",
        "import sys\nprint(sys._\uff47etframe())",
        "# -*- coding: latin-1 -*-\nprint('\u00e9')",
        "exec('import in' + 'spect')",
        # files, by whatever name and whatever way
        "print(len(open('ma' + 'in.p' + 'y').read()))",
        "import io\nprint(io.FileIO('ma' + 'in.p' + 'y').read())",
        "from pathlib import Path\nprint(Path('ma' + 'in.p' + 'y').read_text())",
        "import os\nprint(os.stat('ma' + 'in.p' + 'y').st_size)",
        "import random\nprint(random._os.stat('ma' + 'in.p' + 'y'))",
        "import fileinput\nprint(*fileinput.input('ma' + 'in.p' + 'y'))",
        "import configparser as c\nc.ConfigParser().read('ma' + 'in.p' + 'y')",
        "from tests.helpers import load\nprint(load('ma' + 'in.p' + 'y'))",
        "import sys\nprint(type(sys.stdin.buffer.raw)('ma' + 'in.p' + 'y').read())",
        "type(license)('a', 'b', ['ma' + 'in.p' + 'y'], ['.'])()",
        # other programs
        "import subprocess\nsubprocess.run(['wc', 'ma' + 'in.p' + 'y'])",
        "import os\nos.system('wc -l *')",
        # names made up as it runs
        "import pickle\npickle.loads(b'cbuil' + b'tins\\nop' + b'en\\n.')",
        "import operator\nprint(operator.attrgetter('__co' + 'de__')(f))",
        "try:\n    1 / 0\nexcept Exception as e:\n    print('{0.__tra' 'ceback__.tb_li' 'neno}'.format(e))",
        "try:\n    1 / 0\nexcept Exception as e:\n    x = '{0.__tra' + 'ceback__}'\n    print(x.format(e))",
        "import functools, sys\nprint(functools.reduce(object.__getattribute__, ['_get' + 'fr' + 'ame'], sys))",
        "import sys\nsys.modules['buil' + 'tins']",
        "class A:\n    def __getattr__(self, n):\n        return n\nfrom typing import get_type_hints as g\n"
        "def h(x: 'op' 'en(\"m\")'): pass\ng(h)",
        "import sys, io\nsys.stderr = io.StringIO()\nclass A:\n    def __del__(self):\n        1 / 0\nA()",
        # what Python and this lexer may read in two ways
        "x = 1 + \\ \n2",
    ],
    "java": [
        "class A { int n = new Throwable().getStackTrace()[0].getLineNumber(); }",
        "class A { void f(Exception e) { e.printStackTrace(System.out); } }",
        "class A { Object f() { return StackWalker.getInstance().walk(s -> s.findFirst()); } }",
        'class A { Object f() throws Exception { return Class.forName("x").getMethod("y").invoke(null); } }',
        'class A { Object f() throws Exception { return new java.io.FileReader("Main.java"); } }',
        "class A { Object f() { return new Throwable().get\\u0053tackTrace(); } }",
        'class A { Object f() throws Exception { return new java.io.FileReader("Main.j" + "ava"); } }',
        'class A { Object f() throws Exception { return java.nio.file.Files.readAllLines(java.nio.file.Path.of("M" + "ain")); } }',
        'class A { Object f() throws Exception { return new java.util.Scanner(java.nio.file.Path.of("Main.j" + "ava")); } }',
        'class A { Object f() throws Exception { return new java.net.URI("file:Main.j" + "ava").toURL().openStream(); } }',
        'class A { Object f() throws Exception { return Runtime.getRuntime().exec("wc *"); } }',
        'class A { Object f() throws Exception { return new ProcessBuilder("wc").start(); } }',
        'class A { Object f(ClassLoader l) throws Exception { return l.loadClass("A" + "B"); } }',
        "class A { Object f(java.io.InputStream s) throws Exception { return new java.io.ObjectInputStream(s).readObject(); } }",
        "class A { void f(java.io.PrintStream s) { System.setErr(s); Thread.dumpStack(); } }",
        "class A { Object f() { return javax . xml . parsers . DocumentBuilderFactory.newInstance(); } }",
        'class A { Object f() { return java./* */net.URI.create("a"); } }',
    ],
    "c": [
        "int f(void) { return __LINE__; }",
        "int f(void) { return __LI\\\nNE__; }",
        "#define S(x) #x\nconst char *f(void) { return S(a  b); }",
        "#define P(a, b) a##b\nint f(void) { return P(__LI, NE__); }",
        "%:define P(a, b) a%:%:b\nint f(void) { return P(__LI, NE__); }",
        "#include <assert.h>\nvoid f(int x) { assert(x); }",
        "#line 7\nint f(void) { return __LINE__; }",
        'void *f(void) { return fopen("main.c", "r"); }',
        "int f(void) { return backtrace(0, 0); }",
        'void *f(void) { return fopen("main" "." "c", "r"); }',
        'int f(void) { return open("main" "." "c", 0); }',
        "int f(char *s) { return syscall(257, -100, s, 0); }",
        'int f(void) { return system("wc -l *"); }',
        'int f(char **a) { return execv("/bin/cat", a); }',
        'long f(struct stat *s) { stat("main" "." "c", s); return s->st_size; }',
        'static int g(char *, int) __attribute__((weakref("op" "en")));',
        'int g(char *, int) __asm__("op" "en");',
        "int f(void) { return 1'0/* '; */; }",
        "int f(void) { /\\\n/ /*\n return 1; // */\n return 2; }",
    ],
    "cpp": [
        "#include <source_location>\nauto f() { return std::source_location::current().line(); }",
        "int f() { return __builtin_LINE(); }",
        "#define S(x) #x\nauto f() { return S(a  b); }",
        'asm(".incbin \\"main.cpp\\"");',
        '#include <fstream>\nauto f() { return std::ifstream("main" "." "cpp").get(); }',
        "#include <fstream>\nauto f() { std::filebuf b; return &b; }",
        '#include <filesystem>\nauto f() { return std::filesystem::file_size("main" "." "cpp"); }',
        'auto s = R\\\n"(a" /* x */ "b)";',
        'auto s = u8\\\n\\\nR"(a" /* x */ "b)";',
    ],
}


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, texts in SEEING.items() for text in texts])
def test_whatever_can_see_layout_is_its_own_form(tmp_path: Path, name: str, text: str) -> None:
    bug = make_bug(tmp_path, name)
    assert digest_of(bug, text) == digest_of(bug, text)
    assert digest_of(bug, text) != digest_of(bug, text + "\n")


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("python", "x = 'a  b'\n", "x = 'a b'\n"),
        ("python", 'def f():\n    """a\n    b"""\n', 'def f():\n    """a\n      b"""\n'),
        ("python", "x = r'a\\ b'\n", "x = r'a\\  b'\n"),
        ("python", "x = f'{a !r:  >4}'\n", "x = f'{a !r: >4}'\n"),
        ("python", "if a:\n    b()\nc()\n", "if a:\n    b()\n    c()\n"),
        ("java", 'class A { String s = "a  b"; }', 'class A { String s = "a b"; }'),
        ("java", 'class A { String s = """\n   a\n  """; }', 'class A { String s = """\n  a\n  """; }'),
        ("c", 'char *s = "a  b";', 'char *s = "a b";'),
        ("c", "#define F (x)\n", "#define F(x)\n"),
        ("cpp", 'auto s = R"(a\n b)";', 'auto s = R"(a\nb)";'),
        ("cpp", "auto s = 'a' + +b;", "auto s = 'a' ++b;"),
    ],
)
def test_white_space_that_means_something_is_kept(tmp_path: Path, name: str, one: str, two: str) -> None:
    bug = make_bug(tmp_path, name)
    assert digest_of(bug, one) != digest_of(bug, two)


@pytest.mark.parametrize(
    ("name", "more", "recipe"),
    [
        ("python", {"tools.py": "import inspect\n"}, ""),
        ("java", {"Log.java": "class Log { int line() { return new Throwable().getStackTrace()[1].getLineNumber(); } }"}, ""),
        ("c", {"log.h": "#define HERE __LINE__\n"}, ""),
        ("cpp", {"log.hpp": "#define TEXT(x) #x\n"}, ""),
        ("c", {}, '[build]\ntool = "compile"\nflags = ["-Wall", "-Werror"]\n'),
        ("cpp", {"CMakeLists.txt": "add_compile_options(-Werror)\n"}, ""),
    ],
)
def test_the_rest_of_the_tree_and_the_build_can_see_layout_too(
    tmp_path: Path, name: str, more: dict[str, str], recipe: str
) -> None:
    bug = make_bug(tmp_path, name, more=more, recipe=recipe)
    text = MAIN[name].format("1 + 2")
    assert digest_of(bug, text) != digest_of(bug, "\n" + text)


def test_files_that_nobody_builds_do_not_look_at_layout(tmp_path: Path) -> None:
    bug = make_bug(tmp_path, "c", more={"notes.txt": "__LINE__ -Werror\n"})
    source = MAIN["c"].format("1")
    assert digest_of(bug, source) == digest_of(bug, f"\n\n{source}")


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("cpp", '"a"s', '"a" s'),
        ("cpp", "'a'_x", "'a' _x"),
        ("c", "0; // why ??/\n", "0; // why\n"),
        ("c", "0; // \r1;\n", "0; // \n1;\n"),
        ("java", "0; // \x00\n", "0;\n"),
        ("python", "0 # \x00\n", "0\n"),
        ("python", "0 \x0c\n", "0\n"),
    ],
)
def test_what_tools_may_read_in_two_ways_is_judged_each(tmp_path: Path, name: str, one: str, other: str) -> None:
    bug = make_bug(tmp_path, name)
    try:
        digests = {digest_of(bug, MAIN[name].format(text)) for text in (one, other)}
    except UserError:
        return  # refused before anybody reads it
    assert len(digests) == 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return /*\u2028*/ 3", "return /* */ 3"),
        ("let x = 1\n--> y()", "let x = 1"),
        ("\ufefff()", "f()"),
    ],
)
def test_javascript_that_is_read_in_two_ways_is_judged_each(one: str, other: str) -> None:
    bug = next(bug for bug in open_benchmark("starter") if bug.problem.language == "javascript")
    assert digest_of(bug, one) != digest_of(bug, other)


GO = "package p\n\nimport (\n\t{}\n)\n\nvar x = {}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        # Every function is a text, which `"" + f` shows.
        ("javascript", "const f = () => 1;\nmodule.exports = ('' + f).length;\n"),
        ("javascript", "const f = () => 1;\nmodule.exports = f['con' + 'structor'];\n"),
        ("javascript", "module.exports = require('f' + 's');\n"),
        ("go", GO.format('"os"', 'os.ReadFile("main" + "." + "go")')),
        ("go", GO.format('o "os"', 'o.ReadFile("main" + "." + "go")')),
        ("go", GO.format('"\\x6fs"', 'os.ReadFile("main" + "." + "go")')),
        ("go", GO.format('"os/exec"', 'exec.Command("wc")')),
        ("go", GO.format('"path/filepath"', 'filepath.Glob("*")')),
        ("go", GO.format('"syscall"', "syscall.Open")),
        ("go", GO.format('"reflect"', 'reflect.ValueOf(1).MethodByName("A" + "b")')),
        ("go", GO.format('"runtime"', "runtime.Caller")),
        ("go", "package p\n\nvar x = = 1\n"),
    ],
)
def test_whatever_can_see_layout_is_its_own_form_in_javascript_and_go(name: str, text: str) -> None:
    bug = next(bug for bug in open_benchmark("starter") if bug.problem.language == name)
    assert digest_of(bug, text) != digest_of(bug, text + "\n")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("python", "import sys\nfrom collections import Counter\n\nprint(f'{Counter(sys.stdin.read()):>3}', '{:>3}'.format(1))\n"),
        ("python", "class A:\n    def __init__(self):\n        super().__init__()\n\n\nif __name__ == '__main__':\n    A()\n"),
        ("java", "import java.util.*;\nclass A { Scanner s = new Scanner(System.in); List<String> l = new ArrayList<>(); }"),
        ("c", '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d", n); }\n'),
        ("cpp", "#include <sstream>\nint f() { std::istringstream s; int n; s >> n; return n; }\n"),
        ("go", GO.format('"bufio"\n\t"os"', "bufio.NewReader(os.Stdin)")),
    ],
)
def test_plain_programs_see_no_text(name: str, text: str) -> None:
    assert not language(name).syntax.sees_text(text)


@pytest.mark.parametrize(("one", "other"), [("a - -b", "a --b"), ("a < -b", "a <-b"), ("a & ^b", "a &^b"), ("a & &b", "a &&b")])
def test_go_that_its_compiler_cuts_otherwise_than_the_grammar_is_judged_each(one: str, other: str) -> None:
    form = language("go").syntax.normal_form
    assert form(f"package p\n\nvar x = {one}\n") != form(f"package p\n\nvar x = {other}\n")
