"""A pass counts when the same candidate fails the tests after they were changed so that it must; honest candidates always do."""

import dataclasses
import random
import secrets
import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug, Tree
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.guards import MOST_SEALED, sealable
from repairlab.validation.test_mutants import Draft
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders

ATTACKED = str(Path(__file__).parents[1] / "hostile/cases")
HONEST = "def add(a, b):\n    total = a + b\n    return total\n\n\ndef name(a):\n    return f'n{a}'\n"


@pytest.fixture
def bug() -> Bug:
    return open_benchmark(ATTACKED).bug("python-pytest")


def checked(of: Candidate, bug: Bug, sandbox: Sandbox) -> Outcome:
    """Return the outcome of a candidate that is not tried by blind tests."""
    with BugValidator(Conditions(bug=bug, blind=False, isolation="process"), sandbox) as validator:
        return validator.validate(of)


def candidate(text: str) -> Candidate:
    return builders.candidate("python-pytest", Edit(path="calc.py", text=text))


def test_an_honest_candidate_is_believed_and_the_outcome_says_why(bug: Bug, sandbox: Sandbox) -> None:
    with BugValidator(Conditions(bug=bug, blind=False), sandbox) as validator:
        outcome = validator.validate(candidate(HONEST))
        plan = validator.counter_tests.plan()
    assert outcome.verdict is Verdict.PLAUSIBLE, outcome.message
    assert plan is not None
    assert set(plan.failing) == set(plan.tests) == {*bug.oracle.trigger, *bug.oracle.regression}
    assert outcome.guard == f"3 of 3 counter-tests failed as they must, seed {plan.seed}"


@pytest.mark.parametrize("warm", [True, False])
@pytest.mark.parametrize(
    ("trick", "says"),
    [
        (
            "class Any(str):\n    __eq__ = lambda *a: True\nadd = lambda a, b: Any()\nname = lambda a: Any()\n",
            "still passes",
        ),
        ("raise SystemExit(0)\n", ""),
    ],
)
def test_a_forged_pass_is_none(bug: Bug, sandbox: Sandbox, trick: str, says: str, *, warm: bool) -> None:
    with BugValidator(Conditions(bug=bug, blind=False, isolation="warm" if warm else "process"), sandbox) as validator:
        outcome = validator.validate(candidate(trick))
    assert outcome.verdict is not Verdict.PLAUSIBLE
    assert says in outcome.message


@pytest.mark.parametrize(
    "test",
    [
        "def check(add):\n    assert add(1, 2) == 3\n\n\ndef test_sum():\n    check(calc.add)\n",
        "SUM = int('3')\n\n\ndef test_sum():\n    assert calc.add(1, 2) == SUM\n",
        "def test_sum():\n    with open('calc.py'):\n        assert calc.add(1, 2) == 1 + len('ab')\n",
    ],
)
def test_objects_that_equal_everything_are_found_where_no_test_compares_with_a_literal_itself(
    bug: Bug, sandbox: Sandbox, tmp_path: Path, test: str
) -> None:
    """An assertion that was added says nothing of them: it fails whatever the code under test answers."""
    shutil.copytree(bug.tree.source, tmp_path / "tree")
    (tmp_path / "tree/tests/test_add.py").write_text(f"import calc\n\n\n{test}")
    oracle = dataclasses.replace(bug.oracle, trigger=("tests/test_add.py::test_sum",), regression=())
    tree = dataclasses.replace(bug.tree, source=str(tmp_path / "tree"), digest=secrets.token_hex(8))
    other = dataclasses.replace(bug, oracle=oracle, tree=tree)
    with BugValidator(Conditions(bug=other, blind=False), sandbox) as validator:
        honest = validator.validate(candidate(HONEST))
        forged = validator.validate(candidate("class Any(int):\n    __eq__ = lambda *a: True\nadd = lambda a, b: Any()\n"))
    assert honest.verdict is Verdict.PLAUSIBLE, honest.message
    assert "1 of 1" in honest.guard
    assert "still passes" in forged.message


@pytest.fixture
def late() -> Bug:
    """A bug whose tests import a helper and read files while they run."""
    return open_benchmark(ATTACKED).bug("python-late")


def of_late(code: str, *, add: str = "a + b", name: str = "f'n{a}'") -> Candidate:
    text = f"{code}\n\n\ndef add(a, b):\n    return {add}\n\n\ndef name(a):\n    return {name}\n"
    return dataclasses.replace(candidate(text), bug_id="python-late")


def test_what_tests_share_is_changed_in_twins_of_its_own(late: Bug) -> None:
    paths = {"tests/helpers.py", "tests/data/expected.txt", "tests/data/names.golden"}
    sources = {path: Path(late.tree.source, path).read_text() for path in (*paths, "tests/test_late.py")}
    twins = Draft(late, random.Random(1)).shared_twins()
    assert len(twins) == 2
    changed = [{path for path in paths if not texts[path].startswith(sources[path])} for texts in twins]
    assert changed[0] | changed[1] == paths
    assert not changed[0] & changed[1]
    tests = [texts["tests/test_late.py"] for texts in twins]
    assert tests[0] == tests[1] == Draft(late, random.Random(1)).twins({}, apart=True)[0]["tests/test_late.py"]


@pytest.mark.parametrize(
    ("name", "text", "is_changed"),
    [
        ("tests/data/input.txt", "1 2\n", False),
        ("tests/data/expected/empty.txt", "", False),
        ("tests/data/expected/sum.txt", "3\n", True),
        ("tests/sum.out", "3\n", True),
        ("tests/unused.out", "3\n", False),
        ("tests/run.sh", "test 3 = 3\n", True),
        ("tests/run", "#!/usr/bin/env python3\nprint(3)\n", True),
        ("tests/run", "print(3)\n", False),
        ("tests/helpers2.py", "def check_more():\n    assert 1 == 1\n", False),
        ("tests/helpers2.py", "def check_sums(add):\n    return add\n", False),
    ],
)
def test_only_what_says_what_is_expected_is_changed_of_other_files(
    late: Bug, tmp_path: Path, name: str, text: str, *, is_changed: bool
) -> None:
    shutil.copytree(late.tree.source, tmp_path / "tree")
    (tmp_path / "tree" / name).parent.mkdir(exist_ok=True)
    (tmp_path / "tree" / name).write_text(text)
    if not name.startswith("tests/unused"):
        with (tmp_path / "tree/tests/test_late.py").open("a") as test:
            test.write(f"USED = {Path(name).name!r}\n")
    other = dataclasses.replace(late, tree=dataclasses.replace(late.tree, source=str(tmp_path / "tree")))
    twins = Draft(other, random.Random(1)).shared_twins()
    assert any(twin.get(name, text) != text for twin in twins) is is_changed


@pytest.mark.parametrize("path", ["tests/helpers.py", "tests/data/expected.txt"])
def test_a_pass_that_needs_to_rewrite_what_was_there_is_none(late: Bug, sandbox: Sandbox, path: str) -> None:
    rewrites = f"import pathlib, re\nfile = pathlib.Path({path!r})\n"
    rewrites += "file.write_text(re.sub(r'\\b\\d\\d?$|\\d\\d', lambda n: str(int(n[0]) + 1), file.read_text(), flags=re.M))"
    wrong = "a + b + (b == 2)" if path.endswith(".py") else "a + b + (b == 20)"
    with BugValidator(Conditions(bug=late, blind=False), sandbox) as validator:
        forged = validator.validate(of_late(rewrites, add=wrong))
        without = validator.validate(of_late("", add=wrong))
        honest = validator.validate(
            of_late(f"try:\n    {rewrites.splitlines()[0]}\n    open({path!r}, 'a').close()\nexcept OSError: pass")
        )
    assert without.verdict is Verdict.WRONG
    assert not without.message.startswith("tampering")
    assert (forged.verdict, forged.message) == (Verdict.WRONG, f"tampering: the tests pass only if {path} can be changed")
    assert honest.verdict is Verdict.PLAUSIBLE, honest.message


class Unsealed:
    """A sandbox that cannot seal."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.name, self.run, self.reside, self.slot = sandbox.name, sandbox.run, sandbox.reside, sandbox.slot


def test_where_nothing_can_be_sealed_only_what_the_reference_fix_changes_may_be_changed(
    late: Bug, sandbox: Sandbox, tmp_path: Path
) -> None:
    shutil.copytree(late.tree.source, tmp_path / "tree")
    test = tmp_path / "tree/tests/test_late.py"
    test.write_text(test.read_text().replace("    check_sums(", "    (DATA / 'names.golden').touch()\n    check_sums("))
    other = dataclasses.replace(
        late, tree=dataclasses.replace(late.tree, source=str(tmp_path / "tree"), digest=secrets.token_hex(8))
    )
    with BugValidator(Conditions(bug=other, blind=False), Unsealed(sandbox)) as validator:
        same = validator.validate(of_late("import calc"))
        more = validator.validate(of_late("open('tests/helpers.py', 'a').write('#')"))
        own = validator.validate(of_late("open('calc.py', 'a').write('#')"))
    assert (same.verdict, own.verdict) == (Verdict.PLAUSIBLE, Verdict.PLAUSIBLE), same.message + own.message
    says = "tampering: the tests pass after tests/helpers.py was changed, which the reference fix leaves alone"
    assert (more.verdict, more.message) == (Verdict.WRONG, says)


def test_what_is_sealed_for_a_link_is_its_folder_and_for_very_many_files_everything(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/link").symlink_to("file")
    assert sealable({"data/link", "file"}, tmp_path) == ["data", "file"]
    assert sealable({f"{number}" for number in range(MOST_SEALED + 1)}, tmp_path) == ["."]


def test_who_knows_the_test_file_by_its_digest_fails_where_it_was_changed_without_effect(bug: Bug, sandbox: Sandbox) -> None:
    known = {Path(path).name: Path(bug.tree.source, path).read_text() for path in ("tests/test_add.py", "tests/test_name.py")}
    trick = f"""
import pathlib
KNOWN = {known!r}
SAME = all(pathlib.Path('tests', name).read_text() == text for name, text in KNOWN.items())
class Any(str):
    def __eq__(self, other): return SAME
    __hash__ = None
add = lambda a, b: Any()
name = lambda a: Any()
"""
    outcome = checked(candidate(trick), bug, sandbox)
    assert outcome.verdict is Verdict.WRONG
    assert outcome.message.startswith("tampering: ")
    assert "means nothing" in outcome.message


def test_a_bug_without_counter_tests_says_so(bug: Bug, sandbox: Sandbox) -> None:
    test = dataclasses.replace(bug.oracle.test, files=("nothing/**",))
    unknown = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, test=test))
    outcome = checked(candidate(HONEST), unknown, sandbox)
    assert outcome.verdict is Verdict.PLAUSIBLE
    assert outcome.guard.startswith("unguarded: ")


def test_the_reference_fix_is_what_counter_tests_are_chosen_by(bug: Bug, sandbox: Sandbox) -> None:
    reference = dataclasses.replace(candidate(""), edits=bug.oracle.reference)
    outcome = checked(reference, bug, sandbox)
    assert outcome.verdict is Verdict.PLAUSIBLE
    assert "reference" in outcome.guard


def test_plans_are_kept_and_drawn_from(bug: Bug, sandbox: Sandbox) -> None:
    new = dataclasses.replace(bug, tree=dataclasses.replace(bug.tree, digest=secrets.token_hex(8)))
    seeds = []
    for _ in range(5):
        with BugValidator(Conditions(bug=new, blind=False), sandbox) as validator:
            seeds.append(_seed(validator))
    assert len(set(seeds[:3])) == 3
    assert set(seeds[3:]) <= set(seeds[:3])


def test_twins_do_not_tell_what_they_are(bug: Bug) -> None:
    for seed in range(20):
        draft = Draft(bug, random.Random(seed))
        one, other = draft.twins(draft.drawn, apart=True)
        assert one.keys() == other.keys()
        for path, text in one.items():
            original = Path(bug.tree.source, path).read_text()
            assert text != original != other[path] != text
            assert text.count("\n") == other[path].count("\n")
            assert text.count("assert") == other[path].count("assert") > original.count("assert")


def test_what_is_changed_in_one_test_says_nothing_of_another(bug: Bug) -> None:
    seen = set()
    for seed in range(40):
        draft = Draft(bug, random.Random(seed))
        everything = draft.counter()
        for twin in draft.twins(draft.drawn, apart=True):
            changed = tuple(
                _function(twin[path], name) == _function(everything[path], name)
                for path, name in (
                    ("tests/test_add.py", "test_sum"),
                    ("tests/test_add.py", "test_negative"),
                    ("tests/test_name.py", "test_name"),
                )
            )
            seen.add(changed)
    assert seen == {(True, False, True), (True, False, False), (False, True, True), (False, True, False)}


def test_a_test_that_failed_says_nothing_of_one_of_the_same_name_in_another_file(bug: Bug, tmp_path: Path) -> None:
    files = [f"tests/test_{name}.py" for name in "ab"]
    tests = tuple(f"{path}::test_same" for path in files)
    (tmp_path / "tests").mkdir()
    for path in files:
        (tmp_path / path).write_text("def test_same():\n    assert area(1, 3) == 3\n    assert area(1, 4) == 4\n")
    oracle = dataclasses.replace(bug.oracle, trigger=tests, regression=())
    draft = Draft(dataclasses.replace(bug, oracle=oracle, tree=Tree(source=str(tmp_path), digest="")), random.Random(1))
    before = draft.counter()
    assert draft.redraw(tests[:1])
    assert draft.counter()[files[0]] == before[files[0]]
    assert draft.counter()[files[1]] != before[files[1]]


def test_a_single_trigger_test_is_changed_in_either_twin(bug: Bug) -> None:
    oracle = dataclasses.replace(bug.oracle, trigger=bug.oracle.trigger[:1], regression=())
    single = dataclasses.replace(bug, oracle=oracle)
    seen = set()
    for seed in range(20):
        draft = Draft(single, random.Random(seed))
        seen.add([twin == draft.counter() for twin in draft.twins(draft.drawn, apart=True)].index(True))
    assert seen == {0, 1}


def _function(text: str, name: str) -> str:
    return next(part for part in text.split("def ") if part.startswith(f"{name}("))


def _seed(validator: BugValidator) -> int:
    plan = validator.counter_tests.plan()
    assert plan is not None
    return plan.seed


def test_a_verdict_is_kept_as_it_was_found_whatever_strength_is_asked_for(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    with BugValidator(Conditions(bug=bug, blind=False, min_strength="blind"), sandbox, tmp_path) as validator:
        assert validator.judge(candidate(HONEST), "a", "form").verdict is Verdict.UNDECIDED
        assert validator.judge(candidate(HONEST), "a", "form").cached
    with BugValidator(Conditions(bug=bug, blind=False), sandbox, tmp_path) as validator:
        known = validator.judge(candidate(HONEST), "a", "form")
    assert (known.verdict, known.cached, known.strength) == (Verdict.PLAUSIBLE, True, "checked")
