import pickle
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.benchmarks import bug_files
from repairlab.benchmarks.bug_files import CaseFiles, TreeContext, open_cases, read_tree
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Case, Checker
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import digest
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import validate

CHECKER = Checker(kind="lines")
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)


def write(folder: Path, texts: list[tuple[str, str]]) -> tuple[str, ...]:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for number, (given_, expected) in enumerate(texts):
        (folder / f"{number}.in").write_bytes(given_.encode())
        (folder / f"{number}.out").write_bytes(expected.encode())
    return tuple(str(number) for number in range(len(texts)))


def forget() -> None:
    """Forget what is kept in memory."""
    bug_files._kept.cache_clear()


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5))
def test_cases_on_disk_are_what_a_tuple_of_them_is(tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str]]) -> None:
    folder = tmp_path_factory.mktemp("made") / "cases"
    plain = tuple(
        Case(id=str(number), input=given_, expected=expected, checker=CHECKER) for number, (given_, expected) in enumerate(texts)
    )
    cases = open_cases(folder, write(folder, texts), CHECKER)
    for _ in range(2):
        assert cases == plain and tuple(cases) == plain and len(cases) == len(plain)
        assert cases[0] == plain[0] and cases[::-1] == plain[::-1]
        assert digest(cases) == digest(plain)
        forget()


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3))
def test_other_cases_are_never_taken_for_those_that_were_opened(
    tmp_path_factory: pytest.TempPathFactory, before: list[tuple[str, str]], after: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("made") / "cases"
    opened = open_cases(folder, write(folder, before), CHECKER)
    write(folder, after)
    forget()
    if before == after[: len(before)]:
        assert [(case.input, case.expected) for case in opened] == before
    else:
        with pytest.raises(HarnessError, match="has changed since its benchmark was opened; begin again"):
            list(opened)


@pytest.mark.parametrize("content", [None, b"\xff\n"])
def test_a_file_that_is_gone_or_no_text_is_named_at_first_and_a_change_later(tmp_path: Path, content: bytes | None) -> None:
    folder = tmp_path / "cases"
    ids = write(folder, [("1\n", "2\n")])
    opened = open_cases(folder, ids, CHECKER)
    if content is None:
        (folder / "0.out").unlink()
    else:
        (folder / "0.out").write_bytes(content)
    with pytest.raises(UserError, match=r"0\.out is (missing|not UTF-8 text)"):
        open_cases(folder, ids, CHECKER)
    forget()
    with pytest.raises(HarnessError, match="has changed"):
        opened[0]


def test_cases_travel_to_other_processes_without_their_texts(tmp_path: Path) -> None:
    folder = tmp_path / "cases"
    opened = open_cases(folder, write(folder, [("x" * 10_000, "y" * 10_000)]), CHECKER)
    sent = pickle.dumps(opened)
    forget()
    there: CaseFiles = pickle.loads(sent)
    assert len(sent) < 1000 and there == opened and hash(there) == hash(opened)
    assert there[0].input == "x" * 10_000


def test_only_a_few_bugs_have_their_cases_in_memory(tmp_path: Path) -> None:
    for number in range(20):
        folder = tmp_path / str(number)
        list(open_cases(folder, write(folder, [("1\n", "2\n")]), CHECKER))
    assert bug_files._kept.cache_info().currsize <= 4


def test_cases_are_equal_in_other_folders_and_not_with_another_checker(tmp_path: Path) -> None:
    one, two = (open_cases(tmp_path / name, write(tmp_path / name, [("1\n", "2\n")]), CHECKER) for name in ("one", "two"))
    other = open_cases(tmp_path / "two", two.ids, Checker())
    shutil.rmtree(tmp_path / "one")
    assert one == two and two != other and one != 1


def test_no_candidate_is_blamed_for_cases_that_changed(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    (tiny / "bugs/sum/cases/01.out").write_text("4\n")
    forget()
    outcome = validate(bug.fix, bug, sandbox)
    assert outcome.verdict is Verdict.UNDECIDED and "has changed since its benchmark was opened" in outcome.message


def test_contexts_of_equal_trees_are_equal_when_one_tree_is_gone(tmp_path: Path) -> None:
    trees = [tmp_path / name for name in ("one", "two")]
    for tree in trees:
        tree.mkdir()
        (tree / "main.py").write_text("x = 1\n")
        (tree / "other.py").write_text("y = 2\n")
    one, two = (TreeContext(tree, read_tree(tree).digest, without="main.py", hidden=()) for tree in trees)
    fewer = TreeContext(trees[1], read_tree(trees[1]).digest, without="main.py", hidden=("other.py",))
    shutil.rmtree(trees[0])
    assert one == two and hash(one) == hash(two)
    assert one != fewer
    assert two == tuple(two)
