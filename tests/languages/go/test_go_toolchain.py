"""Go trees: built, run as programs, and tested; what test programs print is read."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.execution import Ending, Execution
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build, Test
from repairlab.languages.facts import facts
from repairlab.languages.go.toolchain import GoToolchain, read_report
from repairlab.languages.language import Batch, Tools
from repairlab.languages.reports import first_error
from tests.languages.conftest import Project

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
MODULE = "module example.com/shop\n\ngo 1.18\n"
SHOP = """\
package shop

import "fmt"

func Total(values ...int) int {
	total := 0
	for _, value := range values {
		total += value
	}
	fmt.Print("noise")
	return total
}
"""
SUITE = """\
package shop

import "testing"

func TestPasses(t *testing.T) { if Total(1, 2) != 3 { t.Fatal() } }
func TestFails(t *testing.T)  { if Total(1, 2) != 4 { t.Errorf("got %d", 3) } }
func TestSkips(t *testing.T)  { t.Skip("not here") }
func TestSubs(t *testing.T) {
	t.Run("good one", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Error("bad luck") })
}
func TestPanics(t *testing.T) { var m map[string]int; m["a"] = 1 }
func TestLast(t *testing.T)   {}
"""


@pytest.fixture
def project(tmp_path: Path, tools: Tools) -> Callable[[str], Any]:
    def made(framework: str) -> Project:
        return Project(tmp_path, GoToolchain(tools), Build(tool="go"), Test(framework=framework, files=("**/shop_test.go",)))

    return made


@needs_go
def test_programs_are_built_with_and_without_a_module(project: Callable[[str], Any]) -> None:
    stdio = project("stdio")
    stdio.write({"main.go": facts("go").self_test})
    stdio.must_build()
    assert stdio.program(b"line\nmore\n").stdout == b"line\n"
    stdio.write({"go.mod": MODULE})
    stdio.must_build()
    assert stdio.program(b"other\n").stdout == b"other\n"


@needs_go
def test_what_does_not_compile_is_told(project: Callable[[str], Any]) -> None:
    stdio = project("stdio")
    stdio.write({"main.go": "package main\n\nfunc main() {\n\tx := 1\n}\n"})
    failed = stdio.build()
    assert failed is not None
    said = first_error(failed.stdout + failed.stderr, facts("go").error_line)
    assert re.match(r"\./main\.go:4:2: .*\bdeclared\b", said), "Go 1.20 changed the order of the words"


@needs_go
def test_each_kind_of_end_has_its_verdict(project: Callable[[str], Any]) -> None:
    suite = project("go-test")
    lies = 'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { os.Exit(0) }\n'
    suite.write({"go.mod": MODULE, "shop/shop.go": SHOP, "shop/shop_test.go": SUITE, "shop/evil_test.go": lies})
    suite.must_build()
    names = ["TestPasses", "TestFails", "TestSkips", "TestSubs/good_one", "TestSubs/bad", "TestNowhere"]
    found = suite.verdicts([f"shop::{name}" for name in names])
    passed = {name.partition("::")[2] for name, verdict in found.items() if verdict is TestVerdict.PASSED}
    assert passed == {"TestPasses", "TestSubs/good_one"}
    assert "shop::TestNowhere" not in found
    ended = suite.report(["shop::TestPasses", "shop::TestPanics", "shop::TestLast"])
    assert ended.unfinished == "shop::TestPanics" and "nil map" in ended.error
    assert [result.id for result in ended.results] == ["shop::TestPasses"]


def read(text: str, *, code: int = 0, stderr: bytes = b"") -> tuple[dict[str, str], str | None]:
    batch = Batch(command=GoToolchain(Tools(cache="unused")).program(Build(), Test()), tests=(".::TestA", ".::TestB"), nonce="")
    execution = Execution(
        ending=Ending.EXITED,
        exit_code=code,
        signal=None,
        stdout=b"",
        stderr=stderr,
        report=text.encode(),
        cpu_s=0,
        wall_s=0,
        peak_mb=0,
    )
    told = read_report(batch, execution)
    return {result.id: f"{result.verdict} {result.message}".strip() for result in told.results}, told.unfinished


A, B = "=== RUN   TestA\n--- PASS: TestA (0.00s)\n", "=== RUN   TestB\n--- PASS: TestB (0.01s)\n"


def test_a_pass_needs_the_proper_end_of_the_program() -> None:
    assert read(f"{A}{B}PASS\n") == ({".::TestA": "PASSED", ".::TestB": "PASSED"}, None)
    assert read(f"{A}{B}")[1] == ".::TestB"
    assert read(f"{A}{B}PASS\n", code=1)[1] == ".::TestB"
    assert read(f"{A}") == ({".::TestA": "PASSED"}, ".::TestB")


def test_a_failure_counts_whatever_else_is_said() -> None:
    text = "=== RUN   TestA\n    a_test.go:3: wrong\n--- FAIL: TestA (0.00s)\n--- PASS: TestA (0.00s)\n"
    assert read(f"{text}{B}FAIL\n", code=1)[0] == {".::TestA": "WRONG a_test.go:3: wrong", ".::TestB": "PASSED"}
