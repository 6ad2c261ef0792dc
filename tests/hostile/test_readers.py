"""Candidates that do not fix a bug but learn from its tests what they expect, or forge the comparison: none may pass unnoticed.

`readers/BUG/NAME.EXT` is what such a candidate writes to the file of a bug of `starter`; its first comment says what it reads.
Each passes the tests where nothing is done about it.
"""

from pathlib import Path

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.validation.validator import BugValidator
from tests import builders

READERS = Path(__file__).parent / "readers"
FILES = sorted(path for path in READERS.glob("*/*") if path.is_file())
NOT_RUN = (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE, Verdict.UNDECIDED)

pytestmark = pytest.mark.hostile


@pytest.mark.parametrize(
    ("validator", "reader"),
    [pytest.param(path.parent.name, path, id=f"{path.parent.name}-{path.stem}") for path in FILES],
    indirect=["validator"],
)
def test_who_reads_the_tests_does_not_pass(validator: tuple[Bug, BugValidator], reader: Path) -> None:
    bug, opened = validator
    edit = Edit(path=bug.problem.path, text=reader.read_text(encoding="utf-8"))
    outcome = opened.validate(builders.candidate(bug, edit, repairer="hostile"))
    strength = getattr(outcome, "strength", "")
    assert outcome.verdict not in NOT_RUN, f"{outcome.verdict}: {outcome.message}"
    assert outcome.verdict is not Verdict.PLAUSIBLE or strength == "unchecked", f"passes, strength {strength!r}: {outcome.guard}"


def test_readers_attack_six_languages() -> None:
    assert len(FILES) >= 60
    assert len({path.parent.name.split("-")[0] for path in FILES}) == 6
