"""The generic form: two trees and tests of any of three kinds."""

from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

PYTHON = "def total(numbers):\n    return {}\n\n\ndef first(numbers):\n    return numbers[0]\n"
JAVA = "package bank;\n\npublic class Account {{\n    public int add(int a, int b) {{\n        return {};\n    }}\n}}\n"
JAVA_TEST = """\
package bank;

import static org.junit.jupiter.api.Assertions.assertEquals;
import org.junit.jupiter.api.Test;

class AccountTest {
    @Test void adds() { assertEquals(5, new Account().add(2, 3)); }
    @Test void addsNothing() { assertEquals(2, new Account().add(2, 0)); }
}
"""
FILES = {
    "echo/buggy/main.c": '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", n + 1); return 0; }\n',
    "echo/fixed/main.c": '#include <stdio.h>\nint main(void) { int n; scanf("%d", &n); printf("%d\\n", n); return 0; }\n',
    "echo/tests/1.in": "3\n",
    "echo/tests/1.ans": "3\n",
    "echo/issue.md": "# Echo is off by one\n\n3 gives 4.\n",
    "echo/bug.toml": 'submission_verdict = "WRONG"\n[limits]\ncpu_s = 1.0\n[labels]\ndifficulty = "easy"\n',
    "total/buggy/shop.py": PYTHON.format("sum(numbers[1:])"),
    "total/fixed/shop.py": PYTHON.format("sum(numbers)"),
    "total/tests/test_shop.py": (
        "import pytest\nfrom shop import first, total\n\n\n@pytest.mark.parametrize('n', range(2))\ndef test_total(n):\n"
        "    assert total([n]) == n\n\n\ndef test_first():\n    assert first([4]) == 4\n"
    ),
    "account/buggy/src/bank/Account.java": JAVA.format("a - b"),
    "account/fixed/src/bank/Account.java": JAVA.format("a + b"),
    "account/tests/bank/AccountTest.java": JAVA_TEST,
}


@pytest.mark.imports
@pytest.mark.timeout(300)
def test_cases_pytest_and_junit_are_all_healthy(importing: Any, machine: Machine) -> None:
    importing.write({**FILES, "benchmark.toml": 'name = "mine"\nlicence = "MIT"\n'})
    made = importing.run("programs", machine=machine)
    assert sorted(made.bugs) == ["account", "echo", "total"] and not made.dropped
    benchmark = importing.benchmark
    assert (benchmark.name, benchmark.version, benchmark.licence) == ("mine", "1.0.0", "MIT")
    echo, total, account = (benchmark.bug(name) for name in ("echo", "total", "account"))
    assert echo.problem.title == "Echo is off by one" and echo.oracle.limits.cpu_s == 1.0 and echo.labels.difficulty == "easy"
    assert total.oracle.trigger == ("tests/test_shop.py::test_total[1]",)
    assert set(total.oracle.regression) == {"tests/test_shop.py::test_total[0]", "tests/test_shop.py::test_first"}
    assert total.problem.target.name == "total" and not total.problem.context
    assert account.oracle.test.framework == "junit5" and account.oracle.trigger == ("bank.AccountTest::adds",)
    assert importing.problems(machine) == {"account": (), "echo": (), "total": ()}


def test_tests_that_are_named_are_taken_as_they_are(importing: Any) -> None:
    files = {path: text for path, text in FILES.items() if path.startswith("total/")}
    importing.write({**files, "total/bug.toml": '[test]\ntrigger = ["tests/test_shop.py::test_total[1]"]\n'})
    importing.run("programs")
    assert importing.benchmark.bug("total").oracle.trigger == ("tests/test_shop.py::test_total[1]",)


def test_bugs_whose_fix_extends_too_far_are_dropped(importing: Any) -> None:
    both = PYTHON.format("sum(numbers)").replace("numbers[0]", "numbers[-1]")
    files = {path: text for path, text in FILES.items() if path.startswith("total/")}
    wide = {path.replace("total/", "wide/"): text for path, text in files.items()} | {"wide/fixed/shop.py": both}
    importing.write(files | wide)
    made = importing.run("programs", extent="method")
    assert made.bugs == ("total",)
    assert [(item.id, item.reason) for item in made.dropped] == [("wide", "2 existing functions are changed")]
    with pytest.raises(UserError, match=r"unknown extent of a fix 'methods'.*Did you mean 'method'"):
        importing.run("programs", extent="methods")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"echo/bug.toml": "limits = \n"}, "bug.toml is not valid TOML"),
        ({"echo/bug.toml": "[limits]\ncpus = 1\n"}, "unknown key of .limits. 'cpus'"),
        ({"echo/bug.toml": "test = 1\n"}, "test is 1, but it must be a table"),
        ({"echo/fixed/main.c": FILES["echo/buggy/main.c"]}, "changes no source file"),
        ({"echo/tests/1.ans": None}, r"name them as test\.trigger"),
        ({"echo/fixed/main.c": None}, "fixed is missing"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_written(importing: Any, changes: dict[str, str | None], message: str) -> None:
    files = {**{path: text for path, text in FILES.items() if path.startswith("echo/")}, **changes}
    importing.write({path: text for path, text in files.items() if text is not None})
    with pytest.raises(UserError, match=message):
        importing.run("programs")
    assert not (importing.folder / "benchmark").exists()


def test_an_empty_folder_is_an_error(importing: Any) -> None:
    importing.write({"a.txt": ""})
    with pytest.raises(UserError, match=r"see docs/guides/import\.md"):
        importing.run("programs")
