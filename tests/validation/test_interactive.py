"""Programs that talk with their checker: a guessing game, in all the ways in which either side can misbehave."""

from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import BugValidator, Conditions, validate
from tests import builders
from tests.builders import write_files

pytestmark = pytest.mark.slow  # whoever waits for the other waits for a limit

JUDGE = """\
import pathlib, sys
secret = int(open(sys.argv[1]).read())
def stop(code, message=""):
    pathlib.Path(sys.argv[3], "judgemessage.txt").write_text(message + "\\n")
    sys.exit(code)
assert sys.argv[4:] == ["--most", "12"]
for _ in range(12):
    line = sys.stdin.readline()
    if not line.strip().isdigit():
        stop(43, f"no guess: {line[:20]!r}")
    guess = int(line)
    print("right" if guess == secret else "higher" if guess < secret else "lower", flush=True)
    if guess == secret:
        stop(42)
stop(43, "too many guesses")
"""
PYTHON = """\
low, high = 1, 1000
while True:
    guess = (low + high) // 2
    print(guess, flush=True)
    answer = input()
    if answer == "right":
        break
    if answer == "higher":
        low = guess + 1
    else:
        high = guess - 1
"""
CPP = """\
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
int main() {
    int low = 1, high = 1000;
    while (true) {
        int guess = (low + high) / 2;
        std::cout << guess << std::endl;
        std::string answer;
        if (!(std::cin >> answer)) return 1;
        if (answer == "right") return 0;
        (answer == "higher" ? low : high) = guess + (answer == "higher" ? 1 : -1);
    }
}
"""
# How many files the host's own folders have must not decide how long the cheat looks: it has half a second.
CHEAT = """\
import os, sys
host = {"/proc", "/sys", "/usr", "/lib", "/dev", "/etc", sys.base_prefix}
for root, folders, files in os.walk("/"):
    folders[:] = [folder for folder in folders if os.path.join(root, folder) not in host]
    for name in files:
        try:
            text = open(os.path.join(root, name)).read(20).strip()
        except Exception:
            continue
        if text == "777":
            print(777, flush=True)
            raise SystemExit
print("no secret anywhere", flush=True)
"""
LOOK = """\
std::ifstream f("../case/input"); int s;
if (f >> s) { std::cout << s << std::endl; return 0; }
std::cout << "?" << std::endl;
"""
PROGRAMS = {
    "right": (PYTHON, CPP, Verdict.PLAUSIBLE),
    "one after the other": (
        "for n in range(1, 1001):\n    print(n, flush=True)\n    if input() == 'right':\n        break\n",
        CPP.replace("(low + high) / 2", "low"),
        Verdict.WRONG,
    ),
    "says nothing of the kind": ("print('hello', flush=True)\ninput()\n", CPP.replace("<< guess", '<< "hello"'), Verdict.WRONG),
    "waits without a word": ("input()\n", CPP.replace("std::cout << guess << std::endl;", ""), Verdict.TIMEOUT),
    "does not flush": (
        "import sys\n" + PYTHON.replace(", flush=True", "").replace("input()", "sys.stdin.readline().strip()"),
        CPP.replace("<< std::endl", "<< '\\n'").replace("int low", "std::cin.tie(nullptr); int low"),
        Verdict.TIMEOUT,
    ),
    "computes for ever": (
        "while True: pass\n",
        CPP.replace("int low", "for (volatile long i = 0;; ++i) {} int low"),
        Verdict.TIMEOUT,
    ),
    "crashes at first": ("raise ValueError(1)\n", CPP.replace("int low", "abort(); int low"), Verdict.CRASH),
    "crashes in between": (
        PYTHON.replace("low = guess + 1", "1 // 0"),
        CPP.replace('(answer == "higher" ? low', 'abort(); (answer == "higher" ? low'),
        Verdict.CRASH,
    ),
    "crashes after the end": (PYTHON + "raise ValueError(1)\n", CPP.replace("return 0;", "abort();"), Verdict.CRASH),
    "goes on after the end": (
        PYTHON + "while True: pass\n",
        CPP.replace("return 0;", "for (volatile long i = 0;; ++i) {}"),
        Verdict.TIMEOUT,
    ),
    "says goodbye": (
        PYTHON + "print('goodbye')\n",
        CPP.replace("return 0;", '{ std::cout << "goodbye" << std::endl; return 0; }'),
        Verdict.PLAUSIBLE,
    ),
    "leaves at once": ("", CPP.replace("int low", "return 0; int low"), Verdict.WRONG),
    "floods": (
        "while True: print('x' * 1000)\n",
        CPP.replace("int low", 'while (true) std::cout << "xxxxxxxxxxxxxxx\\n"; int low'),
        Verdict.WRONG,
    ),
    "floods after the end": (
        PYTHON + "while True: print('x' * 1000)\n",
        CPP.replace("return 0;", 'while (true) std::cout << "xxxxxxx\\n";'),
        Verdict.OUTPUT_LIMIT,
    ),
    "looks for the secret": (
        CHEAT,
        CPP.replace("int low", LOOK + " int low"),
        Verdict.WRONG,
    ),
}


def game(tmp_path: Path, language: str, judge: str = JUDGE) -> Bug:
    """Return the guessing game as a bug, whose program guesses wrongly."""
    folder = tmp_path / "game"
    source = "print(0, flush=True)\n" if language == "python" else "int main() { return 0; }\n"
    path = "main.py" if language == "python" else "main.cpp"
    build = "" if language == "python" else '[build]\ntool = "compile"\nsources = ["*.cpp"]\n'
    fixed = (PYTHON if language == "python" else CPP).split("\n")[:-1]
    texts = {
        "benchmark.toml": 'schema = 1\nname = "game"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
        "bugs/one/bug.toml": (
            f'schema = 1\nlanguage = "{language}"\npath = "{path}"\n{build}[test]\nframework = "stdio"\nchecker = "program"\n'
            '[checker]\nlanguage = "python"\nprogram = "judge.py"\ninteractive = true\narguments = ["--most", "12"]\n'
            "[checker.limits]\ncpu_s = 1.0\n[limits]\ncpu_s = 0.5\nwall_s = 3.0\noutput_mb = 1.0\n"
        ),
        "bugs/one/issue.md": "It does not guess\n",
        f"bugs/one/buggy/{path}": source,
        "bugs/one/checker/judge.py": judge,
        "bugs/one/fix.patch": f"--- a/{path}\n+++ b/{path}\n@@ -1 +1,{len(fixed)} @@\n-{source}"
        + "".join(f"+{line}\n" for line in fixed),
        "bugs/one/cases/1.in": "777\n",
        "bugs/one/cases/1.out": "",
        "bugs/one/cases/2.in": "1\n",
        "bugs/one/cases/2.out": "",
    }
    write_files(folder, texts)
    return open_benchmark(str(folder)).bug("one")


def judged(bug: Bug, sandbox: Sandbox, text: str, policy: Policy = "first-failure") -> Outcome:
    edit = Edit(path=bug.problem.path, text=text)
    return validate(builders.candidate(bug, edit), bug, sandbox, policy=policy)


WAYS = [
    *(pytest.param(name, "python", id=f"python: {name}") for name in PROGRAMS),
    *(
        pytest.param(name, "cpp", id=f"cpp: {name}", marks=() if number % 4 == 0 else pytest.mark.hostile)
        for number, name in enumerate(PROGRAMS)
    ),
]
"""A few in C++; `make test-hostile` runs all."""


@pytest.mark.parametrize(("name", "language"), WAYS)
def test_every_way_to_talk_has_its_verdict(tmp_path: Path, sandbox: Sandbox, name: str, language: str) -> None:
    python, cpp, verdict = PROGRAMS[name]
    outcome = judged(game(tmp_path, language), sandbox, python if language == "python" else cpp)
    assert outcome.verdict is verdict, outcome.message
    if verdict is Verdict.WRONG:
        assert outcome.message.startswith("1: the checker says no: ")


def test_the_reference_is_plausible_in_a_validator_that_stays_and_under_either_policy(tmp_path: Path, sandbox: Sandbox) -> None:
    bug = game(tmp_path, "python")
    fix = builders.reference(bug)
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        assert validator.validate(fix, policy="full").verdict is Verdict.PLAUSIBLE
        assert validator.validate(fix).verdict is Verdict.PLAUSIBLE


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("raise ValueError(1)\n", "ValueError"),
        ("import os\nos.abort()\n", "exit code 134"),
        ("import sys\nsys.exit(0)\n", "exit code 0"),
        ("while True: pass\n", "cpu limit"),
        ("import sys\nsys.stdin.read()\nsys.exit(1)\n", "exit code 1"),
    ],
)
def test_a_checker_that_fails_leaves_the_candidate_undecided(tmp_path: Path, sandbox: Sandbox, judge: str, message: str) -> None:
    outcome = judged(game(tmp_path, "python", judge), sandbox, "print(1, flush=True)\n")
    assert outcome.verdict is Verdict.UNDECIDED
    assert message in outcome.message


@pytest.mark.parametrize("crash", ["int(line)", "while True: pass", "import os; os.abort()", "sys.exit(1)", "x = [0] * 10**10"])
def test_a_program_that_crashes_the_checker_is_wrong(tmp_path: Path, sandbox: Sandbox, crash: str) -> None:
    bug = game(tmp_path, "python", JUDGE.replace('stop(43, f"no guess: {line[:20]!r}")', crash))
    for program in ("print('x', flush=True)\n", "print('x', flush=True)\ninput()\n"):
        outcome = judged(bug, sandbox, program)
        assert outcome.verdict is Verdict.WRONG, outcome
        assert outcome.message.startswith("1: the checker crashed over this output: ")


LATE = "import time\nbegin = time.process_time()\nwhile time.process_time() - begin < 0.55: pass\n"
LEARNS = "print(500, flush=True)\ninput()\n"


@pytest.mark.parametrize("end", ["", LATE, "raise ValueError\n"])
def test_a_conversation_that_failed_is_not_held_again(tmp_path: Path, sandbox: Sandbox, end: str) -> None:
    """The program would know the first one: how long it took, for example, can say what it heard."""
    bug = game(tmp_path, "python")
    edit = Edit(path=bug.problem.path, text=LEARNS + end)
    candidate = builders.candidate(bug, edit)
    outcome = validate(candidate, bug, sandbox, policy="full", confirm=2)
    assert outcome.verdict is (Verdict.CRASH if "raise" in end else Verdict.WRONG)
    assert [(test.runs, test.flips) for test in outcome.tests] == [(1, 0)] * 2


def test_a_checker_that_floods_stops_nothing(tmp_path: Path, sandbox: Sandbox) -> None:
    bug = game(tmp_path, "python", "import sys\ntry:\n    while True: print('x' * 1000)\nexcept OSError: pass\nsys.exit(43)\n")
    assert judged(bug, sandbox, "input()\n").verdict is Verdict.UNDECIDED
