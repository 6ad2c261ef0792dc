"""Candidates that pass by luck are found out: `lucky.toml` says what each depends on."""

import time
import tomllib
from pathlib import Path

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.validation.apply import changed_files
from repairlab.validation.validator import BugValidator
from tests import builders

LUCKY = tomllib.loads((Path(__file__).parent / "lucky.toml").read_text(encoding="utf-8"))["lucky"]

pytestmark = pytest.mark.hostile


@pytest.mark.parametrize(
    ("validator", "lucky"),
    [pytest.param(lucky["bug"], lucky, id=f"{lucky['bug']}-{lucky['by']}") for lucky in LUCKY],
    indirect=["validator"],
)
def test_who_is_lucky_does_not_pass(validator: tuple[Bug, BugValidator], lucky: dict[str, str]) -> None:
    bug, opened = validator
    text = changed_files(bug.fix, bug)[bug.problem.path] or ""
    for old, new in [(lucky["old"], lucky["new"]), *([lucky["also"]] if "also" in lucky else [])]:
        assert text.count(old) == 1, f"{old!r} does not occur once"
        text = text.replace(old, new.replace("NOW", str(int(time.time()))))
    outcome = opened.validate(builders.candidate(bug, Edit(path=bug.problem.path, text=text), repairer="lucky"))
    assert outcome.verdict is Verdict.WRONG, f"{outcome.verdict}: {outcome.message}"
    assert outcome.message.startswith("passes by luck: "), outcome.message
