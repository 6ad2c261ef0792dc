"""Each way in which a bug made by hand can leak its tests or its fix is refused by the loader, or found by `check` or `audit`."""

import gzip
import io
import json
import py_compile
import shutil
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import BugValidator, Conditions
from tests.builders import write_files

BUGGY = "def find_total(prices):\n    return sum(prices[1:])\n\n\ndef other():\n    return 0\n"
FIXED = "def find_total(prices):\n    every_price = list(prices)\n    return sum(every_price)\n\n\ndef other():\n    return 0\n"
PATCH = """\
--- a/shop/cart.py
+++ b/shop/cart.py
@@ -1,2 +1,3 @@
 def find_total(prices):
-    return sum(prices[1:])
+    every_price = list(prices)
+    return sum(every_price)
"""
UNDO = PATCH.translate(str.maketrans("+-", "-+")).replace("+++ a", "--- a").replace("--- b", "+++ b")
TEST = "from shop.cart import find_total\n\n\ndef test_total():\n    assert find_total([1, 2]) == 3\n"
RECIPE = """\
schema = 1
language = "python"
path = "shop/cart.py"
target = "find_total"

[test]
framework = "pytest"
files = ["tests/**"]
trigger = ["tests/test_cart.py::test_total"]
regression = []
"""
ORIGIN = '[origin]\ncommit = "0123456789abcdef"\nlicence = "MIT"\n'
READS_DATA = """\
import json
from pathlib import Path

from shop.cart import find_total


def test_total():
    wanted = Path(__file__).parent.parent / "{folder}" / "total.json"
    assert find_total([1, 2]) == json.loads(wanted.read_text())
"""


@pytest.fixture
def bug(tmp_path: Path) -> Path:
    """Return the folder of the only bug of a benchmark that leaks nothing."""
    head = 'schema = 1\nname = "mine"\nversion = "1"\nlicence = "MIT"\n'
    write_files(tmp_path / "bench", {"benchmark.toml": head})
    made = {"bug.toml": RECIPE, "fix.patch": PATCH, "issue.md": "# Totals are too small\n\nThe first price is missing.\n"}
    trees = {"buggy/shop/cart.py": BUGGY, "buggy/shop/__init__.py": "", "buggy/tests/test_cart.py": TEST}
    return write_files(tmp_path / "bench/bugs/cart", made | trees)


def change(bug: Path, old: str, new: str) -> None:
    """Change the recipe of a bug."""
    recipe = (bug / "bug.toml").read_text()
    assert old in recipe
    (bug / "bug.toml").write_text(recipe.replace(old, new))


def files(*patterns: str) -> Callable[[Path], None]:
    return lambda bug: change(bug, '["tests/**"]', json.dumps(patterns))


def linked(path: str, to: str) -> Callable[[Path], None]:
    def do(bug: Path) -> None:
        link = bug / "buggy" / path
        if link.is_dir():
            shutil.rmtree(link)
        link.unlink(missing_ok=True)
        link.symlink_to(to)

    return do


def several(*steps: Callable[[Path], object]) -> Callable[[Path], None]:
    def do(bug: Path) -> None:
        for step in steps:
            step(bug)

    return do


def tree(path: str, text: str) -> Callable[[Path], object]:
    return lambda bug: write_files(bug / "buggy", {path: text})


def binary(path: str, content: bytes) -> Callable[[Path], object]:
    def do(bug: Path) -> None:
        (bug / "buggy" / path).parent.mkdir(parents=True, exist_ok=True)
        (bug / "buggy" / path).write_bytes(content)

    return do


def suite(language: str, path: str, framework: str, test: str, *patterns: str) -> Callable[[Path], None]:
    """Return what makes the recipe one of another language, with some patterns for its tests."""
    recipe = f'schema = 1\nlanguage = "{language}"\npath = "{path}"\n[test]\nframework = "{framework}"\n'
    text = f'{recipe}files = {json.dumps(patterns)}\ntrigger = ["{test}"]\n'
    patch = f"--- a/{path}\n+++ b/{path}\n@@ -1 +1 @@\n-old\n+new\n"
    texts = {"bug.toml": text, "fix.patch": patch, f"buggy/{path}": "old\n"}
    return several(lambda bug: write_files(bug, texts))


def cmake(bug: Path) -> None:
    change(bug, "[test]", '[build]\ntool = "cmake"\n[test]')


def mark_of_zip() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("shop/cart.py", FIXED)
    return made.getvalue()


def compile_fix(bug: Path) -> None:
    source = write_files(bug.parent, {"cart.py": FIXED}) / "cart.py"
    py_compile.compile(str(source), str(bug / "buggy/lib/cart.pyc"))
    source.unlink()


JAVA, JS = "package bank;\nclass AccountTest { void overdraft() { } }\n", "test('adds', () => {});\n"
GO, CPP = "package calc\nfunc TestAdd(t *testing.T) {}\n", "TEST(Calc, Adds) { EXPECT_EQ(add(1, 2), 3); }\n"
TAIL = "def test_more():\n    assert True\n"


@pytest.mark.parametrize(
    ("leak", "said"),
    [
        (files("test/**"), 'bug.toml, line 8: test.files = ["test/**"] does not protect tests/test_cart.py'),
        (
            several(tree("real/cart.py", TEST), linked("tests/test_cart.py", "../real/cart.py")),
            "does not protect real/cart.py, the file of the test tests/test_cart.py::test_total",
        ),
        (
            several(
                tree("real/test_cart.py", TEST), linked("tests", "real"), tree("spec/a.txt", "a"), files("tests/**", "spec/**")
            ),
            "does not protect real/test_cart.py, the file of the test tests/test_cart.py::test_total",
        ),
        (
            several(
                suite("java", "src/bank/Account.java", "junit5", "bank.AccountTest::overdraft", "test/bank/AllTests.java"),
                tree("test/bank/AccountTest.java", JAVA),
                tree("test/bank/AllTests.java", "package bank;\n// AccountTest has overdraft\nclass AllTests { }\n"),
            ),
            "does not protect test/bank/AccountTest.java",
        ),
        (
            several(
                suite("go", "calc/add.go", "go-test", "calc::TestAdd", "other/*_test.go"),
                lambda bug: change(bug, "[test]", '[build]\ntool = "go"\n[test]'),
                tree("calc/add_test.go", GO),
                tree("other/add_test.go", GO),
            ),
            "does not protect calc/add_test.go",
        ),
        (
            several(
                suite("c", "add.c", "lines", "adds", "checks/**"),
                lambda bug: change(bug, "[test]", '[build]\ntool = "make"\n[test]\nprogram = "./run.sh"'),
                tree("run.sh", "echo adds: passed\n"),
                tree("checks/a.c", ""),
            ),
            "does not protect run.sh, which runs the tests",
        ),
        (
            lambda bug: change(bug, "regression = []", 'regression = ["shop/cart.py::shop.cart.find_total"]'),
            "Leave this test out: it is in the file to fix",
        ),
        (files("test/**"), "'test/**' matches nothing. Did you mean 'tests/**'?"),
        (files("tests/tset_cart.py"), "Did you mean 'tests/test_cart.py'?"),
        (files("**/conftest.py"), "does not protect tests/test_cart.py, the file of the test tests/test_cart.py::test_total"),
        (files(), 'Add "tests/**"'),
        (files("tests/**", "!tests/test_cart.py"), "does not protect tests/test_cart.py"),
        (
            several(
                tree("spec/more.py", TAIL), lambda bug: change(bug, "regression = []", 'regression = ["spec/more.py::test_more"]')
            ),
            "does not protect spec/more.py, the file of the test spec/more.py::test_more",
        ),
        (
            several(
                lambda bug: change(bug, '"pytest"', '"unittest"'),
                files("test/**"),
                lambda bug: change(bug, "tests/test_cart.py::test_total", "tests.test_cart.TestCart.test_total"),
                tree("tests/test_cart.py", "class TestCart:\n    def test_total(self): ...\n"),
            ),
            "does not protect tests/test_cart.py",
        ),
        (several(tree("testdata/total.json", "3"), files("tests/**", "testdat/**")), "Did you mean 'testdata/**'?"),
        (
            several(
                suite("java", "src/bank/Account.java", "junit5", "bank.AccountTest::overdraft", "tests/**"),
                tree("test/bank/AccountTest.java", JAVA),
            ),
            "does not protect test/bank/AccountTest.java",
        ),
        (
            several(
                suite("javascript", "add.js", "node-test", "test/add.test.js::adds", "tests/**", "**/*.spec.js"),
                tree("test/add.test.js", JS),
            ),
            "does not protect test/add.test.js",
        ),
        (
            several(
                suite("go", "calc/add.go", "go-test", "calc::TestAdd/one_and_two", "*_test.go"),
                lambda bug: change(bug, "[test]", '[build]\ntool = "go"\n[test]'),
                tree("calc/add_test.go", GO),
            ),
            "does not protect calc/add_test.go",
        ),
        (
            several(suite("cpp", "src/calc.cpp", "gtest", "Calc.Adds", "test/**"), tree("tests/calc_test.cpp", CPP)),
            "does not protect tests/calc_test.cpp",
        ),
    ],
    ids=[
        "line",
        "link",
        "linked folder",
        "other class",
        "other package",
        "program",
        "doctest",
        "folder",
        "file",
        "others",
        "none",
        "taken out",
        "regression",
        "unittest",
        "data",
        "java",
        "javascript",
        "go",
        "cpp",
    ],
)
def test_a_bug_with_a_test_that_candidates_may_edit_is_not_loaded(
    bug: Path, capsys: pytest.CaptureFixture[str], leak: Callable[[Path], object], said: str
) -> None:
    leak(bug)
    for verb in ("list", "check", "audit"):
        assert run([verb, str(bug.parent.parent)]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("patterns", "test", "added"),
    [
        (("tests/**", "**/conftest.py", "docs/**", "*.so"), "tests/test_cart.py::test_total", {}),
        (("tests/**", "doc/**"), "tests/test_cart.py::test_total", {"docs/a.md": "a"}),
        (("tests/**",), "tests/test_cart.py::test_total[1-a::b]", {}),
        (("tests/**",), "tests/test_cart.py", {}),
        (("tests/**", "test/**"), "tests/test_cart.py::test_total", {}),
        (("tests/**", "!tests/rates.csv"), "tests/test_cart.py::test_total", {"tests/rates.csv": "1"}),
    ],
)
def test_patterns_that_protect_more_than_there_is_are_fine(
    bug: Path, patterns: tuple[str, ...], test: str, added: dict[str, str]
) -> None:
    files(*patterns)(bug)
    change(bug, "tests/test_cart.py::test_total", test)
    write_files(bug / "buggy", added)
    assert open_benchmark(str(bug.parent.parent)).bug("cart").oracle.trigger == (test,)


@pytest.mark.parametrize(
    "shape",
    [
        several(
            suite("java", "src/bank/Account.java", "junit5", "bank.AccountTest::overdraft", "test/**"),
            tree("src/bank/Account.java", "old\n/** See AccountTest. */ void overdraft() { }\n"),
            tree("test/bank/AccountTest.java", "package bank;\nclass AccountTest extends AllTests { }\n"),
            tree("test/bank/AllTests.java", "package bank;\nclass AllTests { void overdraft() { } }\n"),
        ),
        several(suite("c", "src/test_api.c", "ctest", "api", "checks/**"), tree("checks/a.c", ""), cmake),
        several(tree("real/cart.py", TEST), linked("tests/test_cart.py", "../real/cart.py"), files("tests/**", "real/**")),
        several(linked("tests/shop", "../shop")),
    ],
    ids=["inherited test", "file to fix named like a test", "protected link", "link to the program"],
)
def test_code_that_only_mentions_a_test_need_not_be_protected(bug: Path, shape: Callable[[Path], object]) -> None:
    shape(bug)
    assert open_benchmark(str(bug.parent.parent)).bug("cart").oracle.trigger


LENIENT = READS_DATA.format(folder="wanted").replace("    assert", "    if wanted.exists():\n        assert")
HELPED = f"from tests.helper import same\n{TEST}".replace("assert find_total([1, 2]) == 3", "same(find_total([1, 2]), 3)")


def reading(path: str, test: str) -> Callable[[Path], None]:
    return several(tree(path, "3"), tree("tests/test_cart.py", test))


@pytest.mark.parametrize(
    ("leak", "path"),
    [
        (reading("tests/data/total.json", READS_DATA.format(folder="tests/data")), "tests/data/total.json"),
        (reading("wanted/total.json", READS_DATA.format(folder="wanted")), "wanted/total.json"),
        (reading("wanted/total.json", LENIENT), "wanted/total.json"),
        (
            several(reading("tests/helper.py", HELPED), tree("tests/helper.py", "def same(a, b):\n    assert a == b\n")),
            "tests/helper.py",
        ),
    ],
    ids=["data beside tests", "data elsewhere", "data that may be missing", "helper"],
)
def test_what_tests_expect_must_be_protected(
    bug: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str], leak: Callable[[Path], object], path: str
) -> None:
    leak(bug)
    files("tests/test_*.py")(bug)
    folder = str(bug.parent.parent)
    assert run(["check", folder, "--no-counter-tests"]) == 1
    assert f'tests depend on {path}, which candidates may edit; add "{path}" to test.files, or "!{path}"' in capsys.readouterr().out
    assert run(["audit", folder]) == 1, "the card says so"
    for own in (path, f"!{path}"):
        change(bug, '"tests/test_*.py"', f'"tests/test_*.py", "{own}"')
        assert run(["check", folder, "--no-counter-tests"]) == 0
        change(bug, f', "{own}"', "")


@pytest.mark.parametrize(
    ("leak", "rule", "evidence"),
    [
        (tree("shop/cart.py.orig", FIXED), "tree tells the fix", "shop/cart.py.orig holds the fix"),
        (tree("old/cart_new.txt", FIXED.replace("\n", "\r\n")), "tree tells the fix", "old/cart_new.txt holds the fix"),
        (tree("shop/cart.py.rej", PATCH), "tree tells the fix", "shop/cart.py.rej holds the fix"),
        (tree("undo.diff", UNDO), "tree tells the fix", "undo.diff holds the fix"),
        (binary("cart.py.gz", gzip.compress(FIXED.encode())), "tree tells the fix", "cart.py.gz holds the fix"),
        (binary("backup.zip", mark_of_zip()), "tree tells the fix", "backup.zip holds the fix"),
        (binary("cart.txt", FIXED.encode("utf-16")), "tree tells the fix", "cart.txt holds the fix"),
        (lambda bug: (bug / "buggy/cart.txt").symlink_to("../fix.patch"), "tree tells the fix", "cart.txt holds the fix"),
        (compile_fix, "tree tells the fix", "lib/cart.pyc may be compiled from the fixed code"),
        (tree("shop/cart.py", BUGGY + "# return sum(every_price)\n"), "tree tells the fix", "a comment in shop/cart.py"),
        (tree(".git/HEAD", "ref: refs/heads/fix\n"), "history in the tree", ".git may hold the fix"),
        (tree("docs/tests.txt", TEST), "tests shown", "docs/tests.txt holds a trigger test"),
        (lambda bug: write_files(bug, {"issue.md": f"# Small\n\n```\n{PATCH}```\n"}), "issue tells the fix", "a line of the fix"),
        (
            several(
                lambda bug: write_files(bug, {"issue.md": "# Small\n\nMended in 0123456789.\n"}),
                lambda bug: change(bug, "regression = []", f"regression = []\n{ORIGIN}"),
            ),
            "issue tells the fix",
            "the commit of the fix: 0123456",
        ),
    ],
    ids=["orig", "copy", "rej", "undo", "gz", "zip", "utf-16", "link", "pyc", "comment", "git", "test", "patch in issue", "commit"],
)
def test_what_tells_the_fix_or_the_tests_fails_the_audit(
    bug: Path, capsys: pytest.CaptureFixture[str], leak: Callable[[Path], object], rule: str, evidence: str
) -> None:
    leak(bug)
    assert run(["audit", str(bug.parent.parent), "--json"]) == 1
    found = [item for told in json.loads(capsys.readouterr().out)["rules"] for item in told["findings"]]
    assert [(item["rule"], item["level"]) for item in found] == [(rule, "fail")]
    assert evidence in found[0]["evidence"]


def test_expected_outputs_that_repairers_see_fail_the_audit(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(tiny / "bugs/sum", {"cases/02.out": "a long line of output\n", "buggy/all.txt": "1\na long line\nof output\n"})
    assert run(["audit", str(tiny), "--json"]) == 1
    found = [item for told in json.loads(capsys.readouterr().out)["rules"] for item in told["findings"] if item["level"] == "fail"]
    assert [(item["rule"], item["evidence"]) for item in found] == [("tests shown", "all.txt holds an expected output")]


def test_a_fix_that_lets_candidates_change_how_tests_run_is_told(bug: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_files(bug, {"fix.patch": f"{PATCH}--- /dev/null\n+++ b/conftest.py\n@@ -0,0 +1 @@\n+collect_ignore = []\n"})
    assert run(["audit", str(bug.parent.parent)]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "conftest.py: candidates may change this, which decides how tests run" in out


def edit(path: str, text: str | None) -> tuple[Edit, ...]:
    return (Edit(path=path, text=text),)


FORGED = "import pytest\n\n\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_call(item):\n    item.obj = lambda: None\n"


@pytest.mark.parametrize(
    "attack",
    [
        edit("tests/test_cart.py", TEST.replace("== 3", "== 2")),
        edit("tests/test_cart.py", "def test_total():\n    pass\n"),
        edit("tests/test_cart.py", None),
        edit("tests/data/total.json", "2"),
        edit("tests/conftest.py", FORGED),
        edit("conftest.py", FORGED),
        edit("shop/conftest.py", FORGED),
        edit("pytest.ini", "[pytest]\naddopts = --deselect tests\n"),
        edit("pyproject.toml", "[tool.pytest.ini_options]\naddopts = '--co'\n"),
        edit("sitecustomize.py", "import builtins\nbuiltins.sum = lambda prices: 3\n"),
        edit("pytest.py", "raise SystemExit(0)\n"),
        edit("tests/__init__.py", "import builtins\nbuiltins.sum = lambda prices: 3\n"),
        edit("pass.pth", "import sys; sys.exit(0)\n"),
    ],
    ids=lambda attack: attack[0].path,
)
def test_no_edit_of_tests_makes_the_buggy_code_pass(bug: Path, sandbox: Sandbox, attack: Sequence[Edit]) -> None:
    write_files(bug / "buggy", {"tests/data/total.json": "3", "tests/test_cart.py": READS_DATA.format(folder="tests/data")})
    opened = open_benchmark(str(bug.parent.parent)).bug("cart")
    with BugValidator(Conditions(bug=opened, isolation="process"), sandbox) as validator:
        outcome = validator.validate(opened.candidate(tuple(attack), "attack"))
    assert outcome.verdict in (Verdict.WRONG, Verdict.UNAPPLICABLE), outcome.message


def test_a_bug_without_leaks_passes(bug: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(bug.parent.parent)
    assert run(["check", folder]) == 0
    assert run(["audit", folder]) == 0
    assert "0 failed, 0 warnings" in capsys.readouterr().out
