"""Tasks of Harbor, our own and those of others, as bugs."""

from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.validation.machine import Machine

TOML = 'schema_version = "1.1"\n[verifier]\ntimeout_sec = 60.0\n[environment]\nmemory_mb = 1024\n'
REWARD = "if [ $? -eq 0 ]; then echo 1 > /logs/verifier/reward.txt; else echo 0 > /logs/verifier/reward.txt; fi\n"
C = """\
#include <stdio.h>

int main(void) {
    int a, b;
    scanf("%d %d", &a, &b);
    printf("%d\\n", a - b);
    return 0;
}
"""
JAVA_TEST = """\
public class AddTest {
    @org.junit.Test public void adds() { org.junit.Assert.assertEquals(5, Add.add(2, 3)); }
}
"""
SHOP = "def total(numbers):\n    return sum({})\n\n\ndef first(numbers):\n    return numbers[0]\n"
SHOP_TEST = """\
import sys

sys.path.insert(0, '/app')
from shop import first, total


def test_total():
    assert total([1, 2]) == 3


def test_first():
    assert first([4]) == 4
"""
SUM_TEST = 'gcc -o /tmp/sum /app/main.c && [ "$(echo 2 3 | /tmp/sum)" = "$(cat /opt/sum.txt)" ]\n'
FILES = {
    # tests that can be listed, and a solution that writes a file
    "total/task.toml": TOML,
    "total/instruction.md": "# The total is wrong\n\n`total` in /app/shop.py drops an item.\n",
    "total/environment/Dockerfile": "FROM python:3.12-slim\nWORKDIR /app\nCOPY shop.py \\\n    ./\nCOPY data/ /app/data/\n",
    "total/environment/shop.py": SHOP.format("numbers[1:]"),
    "total/environment/data/numbers.txt": "1 2\n",
    "total/solution/solve.sh": f"cat > /app/shop.py <<'EOF'\n{SHOP.format('numbers')}EOF\n",
    "total/tests/test.sh": f"cd /app\npytest /tests/test_outputs.py -rA\n{REWARD}",
    "total/tests/test_outputs.py": SHOP_TEST,
    "adder/task.toml": TOML,
    "adder/instruction.md": "Add two numbers\n",
    "adder/environment/Dockerfile": 'FROM eclipse-temurin:17\nCOPY --chown=1:1 ["src/", "/work/"]\nWORKDIR /work\n',
    "adder/environment/src/Add.java": "class Add {\n    static int add(int a, int b) {\n        return a - b;\n    }\n}\n",
    "adder/solution/fix.patch": "--- a/Add.java\n+++ b/Add.java\n@@ -3 +3 @@\n-        return a - b;\n+        return a + b;\n",
    "adder/solution/solve.sh": "cd /work && patch -p1 < /solution/fix.patch\n",
    "adder/tests/test.sh": f"cp /tests/AddTest.java /work/test/AddTest.java\nmvn test\n{REWARD}",
    "adder/tests/AddTest.java": JAVA_TEST,
    # a verifier whose tests have no names
    "program/task.toml": TOML,
    "program/instruction.md": "Print a sum\n",
    "program/environment/Dockerfile": "FROM gcc:13\nWORKDIR /app\nCOPY main.c .\nCOPY sum.txt /opt/sum.txt\n",
    "program/environment/main.c": C,
    "program/solution/solve.sh": "sed -i 's/a - b/a + b/' /app/main.c\n",
    "program/tests/test.sh": SUM_TEST + REWARD,
    "program/environment/sum.txt": "5\n",
    "script/task.toml": TOML,
    "script/instruction.md": "Print a sum\n",
    "script/environment/Dockerfile": "FROM node:20\nWORKDIR /app\nCOPY sum.js .\n",
    "script/environment/sum.js": "const [a, b] = process.argv.slice(2).map(Number);\nconsole.log(a - b);\n",
    "script/solution/solve.sh": "sed -i 's/a - b/a + b/' /app/sum.js\n",
    "script/tests/test.sh": f'[ "$(node /app/sum.js 2 3)" = 5 ]\n{REWARD}',
    "module/task.toml": TOML,
    "module/instruction.md": "Print a sum\n",
    "module/environment/Dockerfile": "FROM golang:1.19\nWORKDIR /app\nCOPY go.mod main.go ./\n",
    "module/environment/go.mod": "module example.org/sum\n\ngo 1.19\n",
    "module/environment/main.go": "package main\n\nfunc main() {\n\tprintln(2 - 3)\n}\n",
    "module/solution/solve.sh": "sed -i 's/2 - 3/2 + 3/' /app/main.go\n",
    "module/tests/test.sh": f'cd /app && [ "$(go run . 2>&1)" = 5 ]\n{REWARD}',
    # what is no bug, each for another reason
    "cloned/task.toml": TOML,
    "cloned/instruction.md": "Fix it\n",
    "cloned/environment/Dockerfile": "FROM debian\nRUN git clone https://example.org/a /testbed\nWORKDIR /testbed\n",
    "cloned/tests/config.json": '{"base_commit": "1"}',
    "text/task.toml": TOML,
    "text/instruction.md": "Write a file\n",
    "text/environment/Dockerfile": "FROM debian\nWORKDIR /app\nCOPY Dockerfile .\n",
    "text/solution/solve.sh": "echo done > /app/done.txt\n",
    "broken/task.toml": TOML,
    "broken/instruction.md": "Install it\n",
    "broken/environment/Dockerfile": "FROM debian\nWORKDIR /app\nCOPY Dockerfile .\n",
    "broken/solution/solve.sh": "echo no network >&2; exit 1\n",
    "open/task.toml": TOML,
    "open/instruction.md": "Go\n",
    "open/environment/Dockerfile": "FROM debian\nWORKDIR /app\nCOPY Dockerfile .\n",
}


@pytest.mark.imports
@pytest.mark.timeout(300)
def test_tests_are_listed_where_they_have_names_and_else_the_verifier_is_the_test(importing: Any, machine: Machine) -> None:
    importing.write(FILES)
    made = importing.run("harbor", machine=machine)
    assert sorted(made.bugs) == ["adder", "module", "program", "script", "total"]
    reasons = {bug.id: bug.reason for bug in made.dropped}
    assert "repairlab import swebench" in reasons["cloned"] and "no network" in reasons["broken"]
    assert reasons["text"] == "its solution changes no source file that is there, but done.txt"
    assert reasons["open"] == "it has no solution/solve.sh, so its fix is not known"
    adder, program, total = (importing.benchmark.bug(name) for name in ("adder", "program", "total"))
    assert total.oracle.trigger == ("harbor_task/tests/test_outputs.py::test_total",)
    assert total.oracle.regression == ("harbor_task/tests/test_outputs.py::test_first",)
    assert {file.path for file in total.problem.context} == {"data/numbers.txt"}
    assert total.problem.target.name == "total" and total.problem.title == "The total is wrong"
    assert adder.oracle.trigger == ("AddTest::adds",) and "test/AddTest.java" in adder.oracle.test.files
    assert program.oracle.trigger == ("verifier",) and program.problem.path == "main.c"
    assert [note for note in made.notes if "its one test, verifier" in note]
    wrapped = [importing.benchmark.bug(name).oracle.trigger for name in ("script", "module")]
    assert wrapped == [("harbor_task/verifier.test.cjs::verifier",), ("harbor_task::TestVerifier",)]
    assert importing.problems(machine) == dict.fromkeys(made.bugs, ())


@pytest.mark.imports
@pytest.mark.timeout(300)
def test_tasks_that_we_publish_come_back(tiny: Any, importing: Any, machine: Machine) -> None:
    assert run(["publish", str(tiny), "--harbor", str(importing.source)]) == 0
    made = importing.run("harbor", machine=machine)
    assert sorted(made.bugs) == ["shop", "sum"] and not made.remarks
    assert importing.problems(machine) == {"shop": (), "sum": ()}


def test_a_folder_without_tasks_is_refused(importing: Any) -> None:
    importing.write({"README.md": "nothing"})
    with pytest.raises(UserError, match=r"holds no task of Harbor: no task\.toml is in it"):
        importing.run("harbor")
