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
