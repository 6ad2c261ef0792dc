"""Checker programs that come with a bug: any number with the right remainder is a right answer, which no comparison can say."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, CheckerProgram
from repairlab.core.candidate import Edit
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import BuildLimits, Command, Execution
from repairlab.core.outcome import Outcome, TestVerdict, Verdict
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.validation.custom_checker import checking
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.validator import validate
from tests import builders

PYTHON = """\
import sys
import numbers_of
given, output, answer = (open(path).read() for path in sys.argv[1:])
if not output.strip():
    sys.exit(2)
if numbers_of.first(output) % 10 == numbers_of.first(answer) % 10:
    sys.exit(0)
print(f"{output.strip()} ends in another digit than {answer.strip()}", file=sys.stderr)
sys.exit(1)
"""
HELPER = "def first(text):\n    return int(text.split()[0])\n"
C = """\
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    FILE *output = fopen(argv[2], "r"), *answer = fopen(argv[3], "r");
    long got, wanted;
    if (argc != 4 || fscanf(answer, "%ld", &wanted) != 1) { fprintf(stderr, "bad answer file\\n"); return 3; }
    int n = fscanf(output, "%ld", &got);
    if (n == EOF) return 2;
    if (n != 1) abort();
    if (got % 10 == wanted % 10) return 0;
    fprintf(stderr, "%ld ends in another digit than %ld\\n", got, wanted);
    return 1;
}
"""
CPP = """\
#include <cstdlib>
#include <fstream>
#include <iostream>
#include "digits.h"
int main(int, char **argv)
{
    std::ifstream output(argv[2]), answer(argv[3]);
    std::string got;
    long wanted;
    answer >> wanted;
    if (!(output >> got)) return 2;
    if (std::stol(got) % BASE == wanted % BASE) return EXIT_SUCCESS;  // stol throws: not a word of the checker's own
    std::cerr << got << " ends in another digit than " << wanted << "\\n";
    return 1;
}
"""
JAVA = """\
import java.nio.file.*;
class Checker {
    public static void main(String[] arguments) throws Exception {
        String got = Files.readString(Path.of(arguments[1])).strip(), wanted = Files.readString(Path.of(arguments[2])).strip();
        if (got.isEmpty()) System.exit(2);
        if (Long.parseLong(got) % 10 == Long.parseLong(wanted) % 10) return;
        System.err.println(got + " ends in another digit than " + wanted);
        System.exit(1);
    }
}
"""
CHECKERS = {
    "python": {"checker.py": PYTHON, "numbers_of.py": HELPER},
    "c": {"check.c": C},
    "cpp": {"check.cpp": CPP, "digits.h": "const long BASE = 10;\n"},
    "java": {"Checker.java": JAVA},
}


def with_checker(tiny: Path, language: str, files: dict[str, str], *, more: str = "") -> Path:
    folder = tiny / "bugs/sum"
    facts = folder / "bug.toml"
    text = facts.read_text().replace('framework = "stdio"\n', 'framework = "stdio"\nchecker = "program"\n')
    facts.write_text(f'{text}[checker]\nlanguage = "{language}"\n{more}')
    for name, source in files.items():
        (folder / "checker").mkdir(exist_ok=True)
        (folder / "checker" / name).write_text(source)
    return tiny


def judge(bug: Bug, sandbox: Sandbox, program: str) -> Outcome:
    candidate = builders.candidate(bug, Edit(path="main.py", text=program))
    return validate(candidate, bug, sandbox, policy="full")


@pytest.mark.parametrize("language", sorted(CHECKERS))
def test_a_checker_program_decides_what_is_right(tiny: Path, sandbox: Sandbox, language: str) -> None:
    bug = open_benchmark(str(with_checker(tiny, language, CHECKERS[language]))).bug("sum")
    assert judge(bug, sandbox, "print(sum(map(int, input().split())) + 30)").verdict is Verdict.PLAUSIBLE
    wrong = judge(bug, sandbox, "print(sum(map(int, input().split())) + 1)")
    assert (wrong.verdict, wrong.message) == (Verdict.WRONG, "01: the checker says no: 4 ends in another digit than 3")
    assert judge(bug, sandbox, "").verdict is Verdict.PRESENTATION
    crashed = judge(bug, sandbox, "print('x')")
    assert crashed.verdict is Verdict.WRONG, crashed
    assert crashed.message.startswith("01: the checker crashed over this output: ")
    assert [test.verdict for test in crashed.tests] == [TestVerdict.WRONG] * 2
    assert judge(bug, sandbox, "print(33); exit(1)").verdict is Verdict.CRASH  # the checker is not asked


@pytest.mark.parametrize(
    ("code", "verdict"),
    [
        ("sys.exit(0)", Verdict.PLAUSIBLE),
        ("sys.exit(1)", Verdict.WRONG),
        ("sys.exit(2)", Verdict.PRESENTATION),
        ("sys.exit(3)", Verdict.UNDECIDED),
        ("sys.exit(4)", Verdict.WRONG),
        ("sys.exit(7)", Verdict.WRONG),
        ("sys.exit(8)", Verdict.WRONG),
        ("sys.exit(42)", Verdict.UNDECIDED),
        ("raise ValueError('no')", Verdict.UNDECIDED),
        ("import os; os.kill(os.getpid(), 9)", Verdict.UNDECIDED),
        pytest.param("while True: pass", Verdict.UNDECIDED, marks=pytest.mark.slow),
        ("x = bytearray(10**11)", Verdict.UNDECIDED),
    ],
)
def test_exit_codes_mean_what_they_mean_in_testlib(tiny: Path, sandbox: Sandbox, code: str, verdict: Verdict) -> None:
    limits = "[checker.limits]\ncpu_s = 0.3\nmemory_mb = 128\n"
    files = {"judge.py": f"import sys\n{code}\n"}
    bug = open_benchmark(str(with_checker(tiny, "python", files, more=f'program = "judge.py"\n{limits}'))).bug("sum")
    outcome = judge(bug, sandbox, "print(3)")
    assert outcome.verdict is verdict, outcome


@pytest.mark.parametrize(
    "crash",
    [
        "raise ValueError('no')",
        "sys.exit(99)",
        "import os; os.abort()",
        pytest.param("while True: pass", marks=pytest.mark.slow),
        "x = bytearray(10**11)",
        "f = lambda: f()\n    f()",
        "while True: print('x' * 10000, file=sys.stderr)",
        "open(sys.argv[2], encoding='ascii').read()\n    int('x')",
    ],
)
@pytest.mark.parametrize("vouched_by", ["the expected output", "the reference fix"])
def test_an_output_that_crashes_the_checker_is_wrong(tiny: Path, sandbox: Sandbox, crash: str, vouched_by: str) -> None:
    """Else a candidate could have itself left out of the scores."""
    limits = "[checker.limits]\ncpu_s = 0.3\nmemory_mb = 128\noutput_mb = 1.0\n"
    empty = "not output or " if vouched_by == "the reference fix" else ""
    code = f"import sys\noutput = open(sys.argv[2]).read()\nif {empty}'x' in output:\n    {crash}\n"
    bug = open_benchmark(str(with_checker(tiny, "python", {"checker.py": code}, more=limits))).bug("sum")
    if vouched_by == "the reference fix":
        cases = tuple(dataclasses.replace(case, expected="") for case in bug.oracle.cases)
        bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, cases=cases))
    outcome = judge(bug, sandbox, "print('x')")
    assert outcome.verdict is Verdict.WRONG, outcome
    assert outcome.message.startswith("01: the checker crashed over this output: ")
    assert len(outcome.tests) == 2
    one_of_two = judge(bug, sandbox, "print(input().replace('1', 'x'))")
    assert [test.verdict for test in one_of_two.tests] == [TestVerdict.WRONG, TestVerdict.PASSED]


def test_a_checker_that_crashes_once_is_asked_again(tiny: Path) -> None:
    bug = open_benchmark(str(with_checker(tiny, "python", CHECKERS["python"]))).bug("sum")
    assert bug.oracle.checker is not None
    ends = [exited(139), exited(1, stderr=b"no\n")]
    sandbox = FakeSandbox(lambda command: ends.pop(0) if "case/answer" in command.argv else exited())
    with checking(bug.oracle.checker, sandbox, BuildLimits()) as checker:
        found = checker.judge(bug.oracle.cases[0], b"4")
    assert (found.verdict, found.message, found.doubt) == (TestVerdict.WRONG, "the checker says no: no", "")


def test_a_checker_that_says_it_failed_is_believed_whatever_the_output(tiny: Path, sandbox: Sandbox) -> None:
    """With testlib that is how a checker says that an answer is better than the one expected."""
    code = "import sys\nsys.exit(3 if 'x' in open(sys.argv[2]).read() else 0)\n"
    bug = open_benchmark(str(with_checker(tiny, "python", {"checker.py": code}))).bug("sum")
    assert judge(bug, sandbox, "print('x')").verdict is Verdict.UNDECIDED


def test_a_java_checker_that_an_output_fills_has_crashed(tiny: Path, sandbox: Sandbox) -> None:
    """Its JVM ends with 3, which is not its word."""
    fills = 'if (got.equals("x")) { var all = new java.util.ArrayList<long[]>(); while (true) all.add(new long[1 << 20]); }'
    code = JAVA.replace("if (got.isEmpty())", f"{fills} if (got.isEmpty())")
    bug = open_benchmark(str(with_checker(tiny, "java", {"Checker.java": code}))).bug("sum")
    outcome = judge(bug, sandbox, "print('x')")
    assert outcome.verdict is Verdict.WRONG, outcome


def test_what_a_checker_repeats_of_an_output_moves_no_cursor(tiny: Path, sandbox: Sandbox) -> None:
    code = "import sys\nsys.exit(open(sys.argv[2]).read())\n"
    bug = open_benchmark(str(with_checker(tiny, "python", {"checker.py": code}))).bug("sum")
    outcome = judge(bug, sandbox, "print('\\x1b[2K\\rPLAUSIBLE\\x07')")
    assert outcome.message == "01: the checker says no: �[2K"


def test_a_checker_that_does_not_build_leaves_candidates_undecided(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(with_checker(tiny, "c", {"check.c": "int main( {\n"}))).bug("sum")
    outcome = judge(bug, sandbox, "print(3)")
    assert outcome.verdict is Verdict.UNDECIDED
    assert outcome.message.startswith("the checker does not build: check.c:1:")


def test_the_checker_and_the_expected_output_never_meet_the_candidate(tiny: Path, tmp_path: Path) -> None:
    bug = open_benchmark(str(with_checker(tiny, "python", CHECKERS["python"]))).bug("sum")
    seen: list[tuple[Command, set[str]]] = []

    class Watching(FakeSandbox):
        def run(self, command: Command, tree: Path) -> Execution:
            seen.append((command, {path.name for path in tree.rglob("*")}))
            return super().run(command, tree)

    work = tmp_path / "work"
    work.mkdir()
    (work / "main.py").write_text("print(3)\n")
    sandbox = Watching(lambda command: exited(stdout=b"3\n"))
    trial = TreeTester(bug, sandbox, "full", work, checker_sandbox=sandbox)
    trial.run((), bug.oracle.cases)
    assert [test.verdict for test in trial.log.tests] == [TestVerdict.PASSED] * 2
    ours = [names for command, names in seen if "case/answer" in command.argv]
    theirs = [names for command, names in seen if "main.py" in command.argv]
    assert len(ours) == len(theirs) == 2
    assert all({"checker.py", "input", "output", "answer"} <= names and "main.py" not in names for names in ours)
    assert theirs == [{"main.py"}] * 2
    assert not any("checker" in file.path for file in bug.problem.context)


def test_a_checker_is_built_once_for_all_candidates(
    tiny: Path, sandbox: Sandbox, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPAIRLAB_CACHE", str(own_cache))
    bug = open_benchmark(str(with_checker(tiny, "c", CHECKERS["c"]))).bug("sum")
    judge(bug, sandbox, "print(3)")
    (built,) = (own_cache / "checkers").iterdir()
    before = (built / "build/program").stat().st_mtime_ns
    assert judge(bug, sandbox, "print(13)").tests[0].verdict is TestVerdict.PASSED
    assert [path.name for path in (own_cache / "checkers").iterdir()] == [built.name]
    assert (built / "build/program").stat().st_mtime_ns == before


def test_a_place_bound_to_the_candidates_tree_cannot_run_the_checker(tiny: Path, tmp_path: Path) -> None:
    class Bound:
        def run(self, command: Command, tree: Path) -> Execution:
            raise AssertionError(f"{command.argv} ran over {tree}")

    bug = open_benchmark(str(with_checker(tiny, "python", CHECKERS["python"]))).bug("sum")
    with pytest.raises(Exception, match="needs a sandbox apart"):
        TreeTester(bug, Bound(), "full", tmp_path).run((), bug.oracle.cases)


def test_the_checker_is_part_of_the_digest_of_a_bug(tiny: Path) -> None:
    bug = open_benchmark(str(with_checker(tiny, "python", CHECKERS["python"]))).bug("sum")
    (tiny / "bugs/sum/checker/numbers_of.py").write_text(HELPER.replace("[0]", "[-1]"))
    assert open_benchmark(str(tiny)).bug("sum").digest != bug.digest
    plain = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, checker=None))
    assert plain.digest != bug.digest


@pytest.mark.parametrize(
    ("language", "files", "more", "message"),
    [
        ("pascal", {}, "", "checker.language"),
        ("python", {}, "", r"the folder checker/ must hold the checker's sources \(\*.py\)"),
        ("cpp", {"check.c": C}, "", r"\(\*.cpp, \*.cc, \*.cxx\); it has none"),
        ("python", {"check.py": ""}, "", "the script checker/checker.py does not exist"),
        ("c", {"check.c": C}, 'program = "x"\n', "a checker in c is its only program"),
        ("c", {"check.c": C}, "[checker.limits]\ncpu_s = 0\n", "checker.limits.cpu_s is 0"),
        ("c", {"check.c": C}, 'testlib = "yes"\n', "unknown key of .checker. 'testlib'"),
    ],
)
def test_a_bad_recipe_of_a_checker_is_one_clear_error(
    tiny: Path, language: str, files: dict[str, str], more: str, message: str
) -> None:
    with_checker(tiny, language, files, more=more)
    with pytest.raises(UserError, match=message):
        list(open_benchmark(str(tiny)))


@pytest.mark.parametrize(
    ("test", "table", "message"),
    [
        ('checker = "program"', "", r"test.checker = 'program' needs a table \[checker\], too"),
        ("", '[checker]\nlanguage = "c"\n', r"\[checker\] needs test.checker = 'program', too"),
        ('checker = "flaot"', "", "test.checker"),
        ("absolute = 1e-9", "", "test.absolute is only for checker = \"float\", not for 'tokens'"),
        ('checker = "float-1e-8"\nrelative = 0.1', "", "test.relative is only for"),
        ('checker = "float"\nabsolute = -1.0', "", "test.absolute is -1.0; a tolerance is 0 or more"),
        ('checker = "float"\nabsolute = nan', "", "test.absolute is nan"),
        ('checker = "float"\nrelative = 1.0', "", "test.relative is 1.0; a tolerance is 0 or more and less than 1"),
        ('excluded = ["1"]', "", "test.excluded: unknown test '1'. Did you mean '01'"),
        ('excluded = ["01", "02"]', "", "at least one pair cases/NAME.in and cases/NAME.out; all are excluded"),
    ],
)
def test_a_bad_checker_is_one_clear_error(tiny: Path, test: str, table: str, message: str) -> None:
    facts = tiny / "bugs/sum/bug.toml"
    facts.write_text(facts.read_text().replace('framework = "stdio"\n', f'framework = "stdio"\n{test}\n') + table)
    with pytest.raises(UserError, match=message):
        list(open_benchmark(str(tiny)))


def test_projects_have_no_checker_and_need_a_trigger_test(tiny: Path) -> None:
    facts = tiny / "bugs/shop/bug.toml"
    plain = facts.read_text()
    facts.write_text(plain.replace("files =", 'checker = "program"\nfiles =') + '[checker]\nlanguage = "c"\n')
    with pytest.raises(UserError, match="only stdin/stdout programs have a checker"):
        list(open_benchmark(str(tiny)))
    facts.write_text(plain + 'excluded = ["tests/test_cart.py::test_total"]\n')
    with pytest.raises(UserError, match=r"test\.trigger is excluded"):
        list(open_benchmark(str(tiny)))


def test_a_checker_that_cannot_be_built_or_kept_is_no_fault_of_the_candidates(
    tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    works = FakeSandbox(lambda _: exited())
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    with pytest.raises(HarnessError, match="the checker does not build: there is no Go file"):
        checking(CheckerProgram(language="go", files=()), works, BuildLimits()).__enter__()
    (tmp_path / "file").touch()
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "file"))
    with pytest.raises(HarnessError, match="the checker cannot be kept in"):
        checking(CheckerProgram(language="python", files=(), program="judge.py"), works, BuildLimits()).__enter__()
