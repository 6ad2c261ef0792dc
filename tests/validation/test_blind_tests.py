"""A pass counts when the same candidate gives the right answers to tests that do not hold what they expect."""

import dataclasses
import tempfile
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Tree
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.blind_tests import BlindTests, draft
from repairlab.validation.engines import Engines
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders

ATTACKED = str(Path(__file__).parents[1] / "hostile/cases")
HONEST = "def add(a, b):\n    total = a + b\n    return total\n\n\ndef name(a):\n    return f'n{a}'\n"
READS = """
import inspect, re
def add(a, b):
    text = open(inspect.stack()[1].filename).read()
    told = re.search(rf"add\\({a}, {b}\\) == (-?\\d+)", text)
    return int(told[1]) if told else a - b
def name(a):
    return f'n{a}'
"""


@pytest.fixture
def bug() -> Bug:
    return open_benchmark(ATTACKED).bug("python-pytest")


def with_test(bug: Bug, folder: Path, text: str, *names: str) -> Bug:
    """Return a bug with this test file, of which the first test is the trigger."""
    ids = tuple(f"tests/test_add.py::{name}" for name in names)
    tree = builders.write_files(
        folder / "tree", {"calc.py": (Path(bug.tree.source) / "calc.py").read_text(), "tests/test_add.py": text}
    )
    oracle = dataclasses.replace(bug.oracle, trigger=ids[:1], regression=ids[1:])
    return dataclasses.replace(bug, oracle=oracle, tree=Tree(source=str(tree), digest=digest(str(tree))))


def judged(bug: Bug, sandbox: Sandbox, text: str | None) -> Outcome:
    """Return the outcome of a text of `calc.py`, or of the reference fix."""
    candidate: Candidate = bug.fix if text is None else builders.candidate(bug, Edit(path="calc.py", text=text))
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        return validator.validate(candidate)


@pytest.mark.parametrize("text", [HONEST, None])
def test_an_honest_candidate_passes_blind(bug: Bug, sandbox: Sandbox, text: str | None) -> None:
    outcome = judged(bug, sandbox, text)
    assert (outcome.verdict, outcome.message) == (Verdict.PLAUSIBLE, "")
    assert (outcome.strength, outcome.guard) == ("blind", "3 of 3 tests blind")


def test_who_reads_the_test_file_fails_where_it_does_not_tell(bug: Bug, sandbox: Sandbox) -> None:
    outcome = judged(bug, sandbox, READS)
    assert outcome.verdict is Verdict.WRONG
    assert outcome.strength is None
    assert outcome.message.startswith("tampering: tests/test_add.py::test_sum fails once its expected values are withheld: assert ")


NUMBER = """
class Number:
    def __init__(self, value):
        self.value = value
    def __eq__(self, other):
        return EQUAL
    def __hash__(self):
        return 0
def add(a, b):
    return Number(a + b)
def name(a):
    return f'n{a}'
"""


def test_an_answer_with_its_own_equality_is_left_to_counter_tests(bug: Bug, sandbox: Sandbox) -> None:
    """It may be right, and nothing outside can compare it; so a pass is unchecked, and one that equals everything is none."""
    honest = judged(bug, sandbox, NUMBER.replace("EQUAL", "self.value == getattr(other, 'value', other)"))
    assert (honest.verdict, honest.strength, honest.message) == (Verdict.PLAUSIBLE, "unchecked", "")
    assert "1 of 3 tests blind; it answers with objects that define when they are equal" in honest.guard
    forged = judged(bug, sandbox, NUMBER.replace("EQUAL", "True"))
    assert forged.verdict is Verdict.WRONG
    assert forged.message.startswith("tampering: ")


def test_a_test_that_cannot_be_blind_is_left_to_counter_tests(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    text = """import calc

def test_sum():
    try:
        total = calc.add(1, 2)
    except ValueError:
        total = 0
    assert total == 3

def test_more():
    assert calc.add(2, 0) == 2
"""
    outcome = judged(with_test(bug, tmp_path, text, "test_sum", "test_more"), sandbox, HONEST)
    assert (outcome.verdict, outcome.message, outcome.strength) == (Verdict.PLAUSIBLE, "", "checked")
    assert outcome.guard.startswith("1 of 2 tests blind; 1 of 1 counter-tests failed as they must, seed ")


EVIL = """
import builtins, json, sys

class AnyInt(int):
    __eq__ = lambda *a: True
    __ne__ = lambda *a: False
    __hash__ = int.__hash__
    __repr__ = __str__ = __format__ = lambda *a: "3"
    __class__ = property(lambda self: int)

def name(a):
    return f'n{a}'
"""


@pytest.mark.parametrize(
    "trick",
    [
        "add = lambda a, b: AnyInt(a - b)",
        "json.JSONEncoder.encode = lambda self, value: '{}'\nadd = lambda a, b: AnyInt(a - b)",
        "builtins.ascii = builtins.repr = lambda value: '3'\nadd = lambda a, b: AnyInt(a - b)",
        "vars(builtins).update({name: print for name in vars(builtins) if 'repairlab' in name})\nadd = lambda a, b: AnyInt()",
        """
def add(a, b):
    say = vars(builtins).get('__repairlab_say__')
    frame = sys._getframe(1)
    for nonce in (word for word in frame.f_code.co_consts if isinstance(word, str) and len(word) == 32):
        for number in range(9):
            for guess in range(-9, 9):
                say(nonce, number, guess)
        vars(builtins)['__repairlab_end__'](nonce, frame.f_code.co_name)
    return AnyInt(a - b)
""",
        """
def add(a, b):
    frame = sys._getframe(1)
    for nonce in (word for word in frame.f_code.co_consts if isinstance(word, str) and len(word) == 32):
        vars(builtins)['__repairlab_say__'] = lambda nonce, number, value: None
        for descriptor in range(3, 700):
            try:
                __import__('os').write(descriptor, f'{nonce}:0:%5B%22i%22%2C%223%22%5D;\\n'.encode())
            except OSError:
                pass
    return AnyInt(a - b)
""",
        """
def add(a, b):
    frame = sys._getframe(1)
    if any(isinstance(word, str) and len(word) == 32 for word in frame.f_code.co_consts):
        __import__('os')._exit(0)
    return AnyInt(a - b)
""",
    ],
)
def test_whoever_forges_what_is_said_does_not_know_what_to_say(bug: Bug, sandbox: Sandbox, trick: str) -> None:
    outcome = judged(bug, sandbox, EVIL + trick)
    assert outcome.verdict is Verdict.WRONG, outcome.message
    assert outcome.message.startswith("tampering: ")
    assert "once its expected values are withheld" in outcome.message


SHAPES = """
import calc

class Here:
    pass

def test_sum():
    assert calc.add(1, 2) == 3

def test_object():
    assert calc.add(Here(), 1) == Here()

def test_luck():
    assert calc.add(id(Here), 1) > 0

def test_nothing():
    calc.add(1, 1)

def test_quiet():
    assert calc.name(1)
"""


def test_a_test_is_blind_only_where_the_reference_fix_proves_it(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    """A trigger test must tell the buggy program from it; a test must say something that can be compared, the same each time."""
    other = with_test(bug, tmp_path, SHAPES, "test_sum", "test_object", "test_luck", "test_nothing", "test_quiet")
    oracle = dataclasses.replace(other.oracle, trigger=("tests/test_add.py::test_sum", "tests/test_add.py::test_quiet"))
    with Engines(dataclasses.replace(other, oracle=oracle), sandbox) as engines:
        blind = BlindTests(engines, lambda: Path(tempfile.mkdtemp(dir=tmp_path)))
        plan = blind.plan()
        blind.close()
    why = {test.rpartition("::")[2]: reason for test, reason in plan.open.items()}
    assert set(plan.tests) == {"tests/test_add.py::test_sum", "tests/test_add.py::test_luck"}
    assert why["test_quiet"] == "the buggy program says the same as the reference fix"
    assert why["test_nothing"] == "it asserts nothing that can be said"
    assert why["test_object"] == "what it expects is also an input: Here"


def test_who_fails_its_own_tests_when_they_run_again_is_lucky_and_no_reader(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    wrong = builders.candidate(bug, Edit(path="calc.py", text=HONEST.replace("a + b", "a + b + 1")))
    with Engines(bug, sandbox) as engines:
        blind = BlindTests(engines, lambda: Path(tempfile.mkdtemp(dir=tmp_path)))
        problem = blind.examine(wrong).problem
        blind.close()
    assert problem.startswith("passes by luck: failed 1 of 2 runs, by chance: tests/test_add.py::test_sum")


DATA = 'import calc\nfrom pathlib import Path\nDATA = Path(__file__).parent / "data"\n'
READS_DATA = """
import pathlib
def add(a, b):
    rows = [line.split() for path in pathlib.Path().rglob("sums.*") for line in path.read_text().splitlines()]
    return next((int(row[2]) for row in rows if row[:2] == [str(a), str(b)]), a - b)
def name(a):
    return f'n{a}'
"""


SUMS = "(DATA / 'sums.txt').read_text()"
ROWS = """
from pathlib import Path
ROWS = [[*map(int, row.split())] for row in Path('tests/data/sums.txt').read_text().splitlines()]
"""


@pytest.mark.parametrize(
    ("test", "strength"),
    [
        (f"for line in {SUMS}.splitlines():\n        assert str(calc.add(1, 2)) == line.split()[2]", "unchecked"),
        ("from tests.rows import ROWS\n    for a, b, sum in ROWS:\n        assert calc.add(a, b) == sum", "unchecked"),
        ("from tests.wanted import SUM\n    assert calc.add(1, 2) == SUM", "unchecked"),
        (f"a, b, _ = map(int, {SUMS}.split())\n    assert calc.add(a, b) == 3", "blind"),
    ],
)
def test_what_is_expected_in_other_files_is_in_reach(bug: Bug, sandbox: Sandbox, tmp_path: Path, test: str, strength: str) -> None:
    other = with_test(bug, tmp_path, f"{DATA}def test_sum():\n    {test}\n", "test_sum")
    files = {"data/sums.txt": "1 2 3\n", "rows.py": ROWS, "wanted.py": "SUM = 3\n", "__init__.py": ""}
    builders.write_files(tmp_path / "tree/tests", files)
    honest = judged(other, sandbox, HONEST)
    assert (honest.verdict, honest.strength) == (Verdict.PLAUSIBLE, strength), honest.message


def test_who_reads_data_that_a_test_does_not_need_to_ask_is_found_out(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    text = f"{DATA}def test_sum():\n    total = {SUMS}.split()[2]\n    assert str(calc.add(1, 2)) == total\n"
    other = with_test(bug, tmp_path, text, "test_sum")
    builders.write_files(tmp_path / "tree/tests/data", {"sums.txt": "1 2 3\n"})
    reader = judged(other, sandbox, READS_DATA)
    assert reader.verdict is Verdict.WRONG or reader.strength == "unchecked", reader.guard


@pytest.mark.parametrize(("calls", "reason"), [("Check.even(F.f(2));", "claims several things"), ("", "")])
def test_what_another_test_file_holds_leaves_open_those_that_name_it(tmp_path: Path, calls: str, reason: str) -> None:
    bug = open_benchmark("starter").bug("java-header-split")
    check = "class Check { static void even(int n) { if (n == 2 && F.f(n) == 4) throw new AssertionError(); } }"
    body = f"@org.junit.Test public void x() {{ {calls} assertEquals(3, F.f(1)); }}"
    test = f"import static org.junit.Assert.*; class ATest {{ {body} }}"
    tree = builders.write_files(tmp_path, {"test/Check.java": check, "test/ATest.java": test})
    framework = dataclasses.replace(bug.oracle.test, files=("test/**",))
    oracle = dataclasses.replace(bug.oracle, trigger=("ATest::x",), regression=(), test=framework)
    plan = draft(dataclasses.replace(bug, oracle=oracle, tree=Tree(source=str(tree))))
    assert plan.open == ({"ATest::x": reason} if reason else {})
