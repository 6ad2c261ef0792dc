"""Wrong programs with tricks put together at random: none is PLAUSIBLE, and the honest candidate after it is.

`REPAIRLAB_FUZZ_SEED` and `REPAIRLAB_FUZZ_COUNT` say which compositions are tried, and how many.
"""

import os
import random
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, get_args

import pytest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Policy, Verdict
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders
from tests.hostile.test_hostile import back_end, bugs, fix_of

SEED = int(os.environ.get("REPAIRLAB_FUZZ_SEED", "1"))
COUNT = int(os.environ.get("REPAIRLAB_FUZZ_COUNT", "40"))
ATTACKED = ("python-pytest", "c-ctest", "python-unittest", "c-tap")
TABLE: dict[str, Any] = tomllib.loads(Path(__file__).with_name("tricks.toml").read_text(encoding="utf-8"))


def composed(bug: Bug, draw: random.Random) -> Candidate:
    """Return a wrong program with one to three tricks in random order and places."""
    language = bug.problem.language
    tricks = draw.sample(TABLE[language], draw.randint(1, 3))
    program = draw.choice(TABLE[f"{language}_bases"])
    inside = [trick["inside"] for trick in tricks if "inside" in trick]
    for _ in range(program.count("inside\n")):
        here = draw.sample(inside, len(inside)) or [";" if language == "c" else "pass"]
        program = program.replace("inside\n", "\n    ".join(here) + "\n", 1)
    outside = [trick["outside"].replace("NAME", f"trick{n}") for n, trick in enumerate(tricks) if "outside" in trick]
    cut = draw.randint(0, len(outside))
    text = "\n".join([*outside[:cut], program, *outside[cut:]])
    files = {bug.problem.path: TABLE["c_start"] + text if language == "c" else text}
    if header := "".join(trick.get("header", "") for trick in tricks):
        files["calc.h"] = TABLE["c_header"].replace("header", header)
    edits = tuple(Edit(path=path, text=text) for path, text in files.items())
    return builders.candidate(bug, *edits, repairer="hostile")


@pytest.fixture(scope="module")
def validators() -> Iterator[Callable[[str], BugValidator]]:
    """Validators that stay, so that every composition meets what the ones before it left behind."""
    with ExitStack() as stack:

        @cache
        def validator(bug_id: str) -> BugValidator:
            return stack.enter_context(BugValidator(Conditions(bug=bugs()[bug_id]), back_end("bubblewrap")))

        yield validator


@pytest.mark.hostile
@pytest.mark.parametrize("number", range(COUNT), ids=lambda number: f"seed{SEED}-{number}")
def test_no_composition_of_tricks_passes_or_harms_the_next(number: int, validators: Callable[[str], BugValidator]) -> None:
    bug_id = ATTACKED[number % len(ATTACKED)]
    bug, validator = bugs()[bug_id], validators(bug_id)
    candidate = composed(bug, random.Random(f"{SEED} {number}"))
    told = f"seed {SEED}, number {number}:\n" + "\n".join(f"--- {edit.path}\n{edit.text}" for edit in candidate.edits)
    for policy in get_args(Policy):
        outcome = validator.validate(candidate, policy=policy)
        assert outcome.verdict not in (Verdict.PLAUSIBLE, Verdict.UNDECIDED), f"{outcome.verdict} {outcome.message}, {told}"
        after = validator.validate(fix_of(bug), policy=policy)
        assert after.verdict is Verdict.PLAUSIBLE, f"the next candidate suffers: {after.message}, {told}"


def test_a_seed_always_gives_the_same_compositions() -> None:
    bug = bugs()["c-tap"]
    first, second = ([composed(bug, random.Random(f"{seed}")).edits for seed in range(9)] for _ in range(2))
    assert first == second
    assert len(set(first)) > 1
