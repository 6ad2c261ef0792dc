"""From a history to a benchmark: with a real sandbox, real tests and the verb itself."""

import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.learning.pairs.pair_files import read_pairs
from tests.building.mining.conftest import PRICE, TESTS, TOTAL_TEST, History


def mine(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the verb; return exit code and what it printed."""
    code = run(["mine", *map(str, arguments), "-j", "1"])
    said = capsys.readouterr()
    return code, said.out, said.err


def test_a_fix_in_a_history_becomes_a_bug_with_its_tests(shop: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "issues").mkdir()
    (tmp_path / "issues" / "1.md").write_text("The total is too small\n\nBy the first price.\n", encoding="utf-8")
    code, out, _ = mine(capsys, shop.folder, "--to", tmp_path / "bench", "--issues", tmp_path / "issues", "--json")
    assert code == 0
    made = json.loads(out)
    (name,) = made["bugs"]
    bug = open_benchmark(str(tmp_path / "bench")).bug(name)
    assert name == f"shop@{shop.git('rev-parse', 'HEAD~5')[:12]}"
    assert bug.problem.target.name == "total"
    assert bug.oracle.trigger == ("tests/test_price.py::test_total",)
    assert bug.oracle.regression == ("tests/test_price.py::test_label",)
    assert "prices[1:]" in bug.problem.source
    assert str(bug.problem.error).startswith("tests/test_price.py::test_total: assert ")
    assert (bug.problem.title, bug.problem.description.strip()) == ("The total is too small", "By the first price.")
    assert not list((tmp_path / "bench").rglob(".git"))
    assert [(stage["name"], stage["n"]) for stage in made["funnel"]][-2:] == [("recipe", 1), ("tests", 1)]
    assert json.loads((tmp_path / "bench" / "funnel.json").read_text(encoding="utf-8"))[0] == {
        "stage": "commits",
        "left": 6,
        "gone": {"a merge, or the first of all": 1},
    }
    assert (tmp_path / "bench" / "funnel.svg").read_text(encoding="utf-8").startswith("<svg")
    code, _, err = mine(capsys, shop.folder, "--to", tmp_path / "more", "--since-benchmark", tmp_path / "bench")
    assert code == 2
    assert "no bug could be imported" in err and "left by each stage: commits 6" in err
    assert not (tmp_path / "more").exists()


def test_a_fix_that_no_test_shows_is_dropped_with_the_reason(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin", shop__price_py=PRICE, tests__test_price_py=TESTS)
    history.commit(
        "Fix nothing", shop__price_py=PRICE.replace("sum(prices[1:])", "sum(list(prices[1:]))"), tests__test_price_py=TESTS + "\n"
    )
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench")
    assert code == 2
    assert "no trigger test fails on the buggy and passes on the fixed tree" in err


def test_an_issue_that_tells_a_line_of_any_file_of_the_fix_drops_it(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    history.commit("Begin", shop__price_py=PRICE, shop__tax_py="RATE = 0.19\n", tests__test_price_py=TESTS)
    history.commit(
        "Fix #1",
        shop__price_py=PRICE.replace("prices[1:]", "prices"),
        shop__tax_py="RATE = load_rate('germany')\n",
        tests__test_price_py=TOTAL_TEST,
    )
    (tmp_path / "1.md").write_text("Write RATE = load_rate('germany')\n\nPlease.\n", encoding="utf-8")
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench", "--issues", tmp_path, "--extent", "files")
    assert code == 2
    assert "the title of the issue tells the fix" in err


@pytest.mark.slow
def test_a_java_fix_needs_no_more_than_its_own_tests(history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sums = "package a;\n\npublic class Sums {\n    public static int of(int x, int y) {\n        return x - y;\n    }\n}\n"
    test = "package a;\n\nimport org.junit.*;\n\npublic class SumsTest {\n    @Test public void sum() {\n        "
    test += "Assert.assertEquals(3, Sums.of(1, 2));\n    }\n}\n"
    other = "package a;\n\nimport com.example.missing.Bench;\n\npublic class BenchTest extends Bench {}\n"
    source, tests = "src/main/java/a/Sums.java", "src/test/java/a/{}.java"
    history.commit("Begin", **{source: sums, tests.format("BenchTest"): other})
    history.commit("Fix sums", **{source: sums.replace("x - y", "x + y"), tests.format("SumsTest"): test})
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench", "--repeat", 1)
    assert code == 0, err
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert bug.oracle.trigger == ("a.SumsTest::sum",)
    assert not list((tmp_path / "bench").rglob("BenchTest.java"))


@pytest.mark.slow
def test_a_go_fix_is_tested_in_the_packages_that_came_with_it(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "package sums\n\nfunc Of(x, y int) int {\n\treturn x - y\n}\n"
    tests = 'package sums\n\nimport "testing"\n\nfunc TestZero(t *testing.T) {\n\tif Of(0, 0) != 0 {\n\t\tt.Fatal()\n\t}\n}\n'
    more = "\nfunc TestOf(t *testing.T) {\n\tif Of(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"
    broken = "package other\n\nfunc TestNothing() int {\n"
    module = "module example.org/shop\n\ngo 1.18\n"
    history.commit(
        "Begin",
        **{
            "go.mod": module,
            "sums/sums.go": source,
            "sums/sums_test.go": tests,
            "other/o.go": "package other\n",
            "other/o_test.go": broken,
        },
    )
    history.commit("Fix sums", **{"sums/sums.go": source.replace("x - y", "x + y"), "sums/sums_test.go": tests + more})
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench")
    assert code == 0, err
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert (bug.oracle.trigger, bug.oracle.regression) == (("sums::TestOf",), ("sums::TestZero",))


def test_a_go_module_that_needs_others_is_dropped(history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = "package sums\n\nfunc Of() int {\n\treturn 1\n}\n"
    history.commit("Begin", **{"go.mod": "module a\n\nrequire example.org/b v1.0.0\n", "a.go": source})
    history.commit("Fix it", **{"a.go": source.replace("1", "2"), "a_test.go": "package sums\n"})
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench")
    assert code == 2
    assert "its go.mod names modules of others" in err


@pytest.mark.slow
def test_a_hook_beside_the_clone_says_how_a_c_project_is_tested(
    history: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = "int sum(int x, int y) {\n    return x - y;\n}\n"
    test = "int sum(int x, int y);\nint main(void) {{\n    return sum({0}) != {1};\n}}\n"
    history.commit("Begin", **{"sum.c": source, "tests/zero.c": test.format("0, 0", 0)})
    history.commit("Fix sums", **{"sum.c": source.replace("x - y", "x + y"), "tests/some.c": test.format("1, 2", 3)})
    (tmp_path / "shop.toml").write_text(
        """build = "for test in zero some; do gcc -o $test sum.c tests/$test.c; done"
list = "echo zero; echo some"
test = 'for test; do if ./$test; then echo "$test: passed"; else echo "$test: FAILED"; fi; done'
""",
        encoding="utf-8",
    )
    code, _, err = mine(capsys, history.folder, "--to", tmp_path / "bench")
    assert code == 0, err
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert (bug.oracle.trigger, bug.oracle.regression) == (("some",), ("zero",))


def test_what_is_no_clone_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "plain").mkdir()
    code, _, err = mine(capsys, tmp_path / "plain", "--to", tmp_path / "bench")
    assert code == 2
    assert "is no clone" in err
    assert not (tmp_path / "bench").exists()


def test_pairs_need_no_tests_and_hold_the_functions(shop: History, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mine(capsys, shop.folder, "--pairs", "--language", "python", "--to", tmp_path / "pairs")
    assert code == 0
    assert "2 pairs written" in out
    found = list(read_pairs(tmp_path / "pairs", "all"))
    assert [(pair.buggy.splitlines()[-1], pair.fixed.splitlines()[-1]) for pair in found] == [
        ("    return sum(iter(prices))", "    return sum(list(prices))"),
        ("    return sum(prices[1:])", "    return sum(prices)"),
    ]
    assert mine(capsys, shop.folder, "--pairs", "--to", tmp_path / "more")[0] == 2
    assert mine(capsys, shop.folder, "--pairs", "--language", "python", "--extent", "file", "--to", tmp_path / "more")[0] == 2
    code, _, err = mine(capsys, shop.folder, "--pairs", "--language", "java", "--to", tmp_path / "more")
    assert code == 2 and "no pair is found" in err
    assert not (tmp_path / "more").exists()
