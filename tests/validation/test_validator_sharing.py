"""What candidates of one bug share on a validator changes no verdict."""

import dataclasses
import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import open_validator, validate


@pytest.fixture
def bug(tiny: Path, tmp_path: Path) -> Bug:
    """Return a bug whose tree has a second source file, with an error in it."""
    known = open_benchmark(str(tiny)).bug("sum")
    shutil.copytree(known.tree.source, tmp_path / "tree")
    (tmp_path / "tree/other.py").write_text("def broken(:\n")
    return dataclasses.replace(known, tree=dataclasses.replace(known.tree, source=str(tmp_path / "tree")))


def candidate(bug: Bug, *, mended: str | None, rank: int) -> Candidate:
    """Return a candidate that changes main.py, and perhaps the other file."""
    main = Path(bug.tree.source, "main.py").read_text() + f"variant = {rank}\n"
    edits = (Edit(path="main.py", text=main), *((Edit(path="other.py", text=mended),) if mended is not None else ()))
    return Candidate(bug_id=bug.id, edits=edits, rank=rank, origin=Origin(repairer="test"))


def test_a_file_that_does_not_compile_counts_until_a_candidate_mends_it(bug: Bug, sandbox: Sandbox) -> None:
    candidates = [candidate(bug, mended=text, rank=rank) for rank, text in enumerate((None, "x = 1\n", None, "x = (\n", "x = 2\n"))]
    with open_validator(bug, sandbox) as validator:
        warm = [validator.validate(one) for one in candidates]
    broken = [outcome.verdict is Verdict.UNCOMPILABLE for outcome in warm]
    assert broken == [True, False, True, True, False]
    fresh = [validate(one, bug, sandbox) for one in candidates]
    assert [(one.verdict, one.message) for one in warm] == [(one.verdict, one.message) for one in fresh]


def test_only_what_a_candidate_changes_is_compiled_again(tiny: Path, sandbox: Sandbox) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    with open_validator(bug, sandbox) as validator:
        outcomes = [
            validator.validate(candidate(bug, mended=text, rank=rank)) for rank, text in enumerate(("x = 1\n", "x = (\n", "x\n"))
        ]
    assert [outcome.verdict is Verdict.UNCOMPILABLE for outcome in outcomes] == [False, True, False]


GOOD = """\
class Cart:
    def __init__(self, prices):
        self.prices = prices

    def total(self):
        return sum(self.prices)
"""
TEXTS = {
    "sound": {},
    "no Python": {"shop/cart.py": "class Cart(:\n"},
    "spaces and tabs": {"shop/cart.py": "if True:\n        x = 1\n\ty = 2\n"},
    "a NUL": {"shop/cart.py": GOOD + "x = '\0'\n"},
    "an unknown encoding": {"shop/cart.py": "# -*- coding: no-such -*-\n" + GOOD},
    "too deep for a parser": {"shop/cart.py": GOOD + "x = " + "(" * 500 + ")" * 500 + "\n"},
    "too deep for a compiler": {"shop/cart.py": GOOD + "x = " + "-" * 20_000 + "1\n"},
    "a warning": {"shop/cart.py": GOOD + "x = 1 is 1\n"},
    "a warning and an error": {"shop/cart.py": GOOD + "x = 1 is 1\nx = (\n"},
    "a file that nobody imports": {"shop/cart.py": GOOD + "# 1\n", "shop/new.py": "def broken(:\n"},
    "two files": {"shop/cart.py": "x = (\n", "shop/new.py": "def broken(:\n"},
    "ends while it is loaded": {"shop/cart.py": GOOD + "import os\nos._exit(0)\n"},
    "a folder of tests": {"shop/cart.py": GOOD + "# 2\n", "tests/test_new.py": "def broken(:\n"},
}


def test_a_test_process_says_what_the_build_would(tiny: Path, sandbox: Sandbox) -> None:
    shop = open_benchmark(str(tiny)).bug("shop")

    def made(texts: dict[str, str], rank: int) -> Candidate:
        edits = tuple(Edit(path=path, text=text) for path, text in ({"shop/cart.py": GOOD} | texts).items())
        return Candidate(bug_id=shop.id, edits=edits, rank=rank, origin=Origin(repairer="test"))

    candidates = [made(texts, rank) for rank, texts in enumerate(TEXTS.values())]
    with open_validator(shop, sandbox) as validator:
        warm = [validator.validate(one) for one in candidates]
    fresh = [validate(one, shop, sandbox) for one in candidates]
    for name, one, other in zip(TEXTS, warm, fresh, strict=True):
        assert (one.verdict, one.stage, one.message) == (other.verdict, other.stage, other.message), name
        if one.verdict is Verdict.UNCOMPILABLE:
            assert (one.evidence, one.tests) == (other.evidence, ()), name
    assert sum(one.verdict is Verdict.UNCOMPILABLE for one in warm) >= 8
