"""Passes that are tried in other surroundings."""

import dataclasses
import os
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.execution import Command
from repairlab.core.outcome import Outcome, Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.luck import Surroundings, surroundings
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders

CASES = str(Path(__file__).parents[1] / "hostile/cases")
LUCKY = """
import os, time

def usual():
    return {}

def add(a, b):
    return a + b if usual() else 0

def name(a):
    return f'n{{a}}'
"""
HONEST = "def add(a, b):\n    total = a + b\n    return total\n\n\ndef name(a):\n    return f'n{a}'\n"


@pytest.fixture
def bug() -> Bug:
    return open_benchmark(CASES).bug("python-pytest")


def judged(text: str, bug: Bug, sandbox: Sandbox) -> Outcome:
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
        return validator.validate(builders.candidate(bug, Edit(path="calc.py", text=text)))


@pytest.mark.parametrize(
    ("usual", "fails_with"),
    [
        ("time.localtime(0).tm_hour == 0", "time zone"),
        ("hash('quote') % 256 in (17, 207)", "hash seed"),
        ("len(os.sched_getaffinity(0)) == {cpus}", "CPU"),
        ("id(str) >> 28 in (0, 0x15555, 0x2aaaa, 0x40000, 0x55555, 0x7ffff, 0xaaaaa, 0xfffff)", "random addresses"),
    ],
)
def test_a_pass_that_depends_on_its_surroundings_is_luck(usual: str, fails_with: str, bug: Bug, sandbox: Sandbox) -> None:
    cpus = len(os.sched_getaffinity(0))
    if fails_with == "CPU" and cpus == 1:
        pytest.skip("this machine has one CPU")
    outcome = judged(LUCKY.format(usual.format(cpus=cpus)), bug, sandbox)
    assert (outcome.verdict, outcome.message.partition(":")[0]) == (Verdict.WRONG, "passes by luck"), outcome.message
    assert fails_with in outcome.message


def test_what_the_reference_fix_does_not_survive_is_not_held_against_candidates(bug: Bug, sandbox: Sandbox) -> None:
    depending = LUCKY.format("time.localtime(0).tm_hour == 0")
    fix = (Edit(path="calc.py", text=depending),)
    local = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, reference=fix))
    assert judged(depending + "\n# another text\n", local, sandbox).verdict is Verdict.PLAUSIBLE
    with BugValidator(Conditions(bug=local), sandbox) as validator:
        named = validator.luck.not_survived()
    assert named
    assert all(text.startswith("time zone ") for text in named)


def test_a_candidate_that_fails_by_chance_is_lucky_unless_the_reference_fix_does_so_too(bug: Bug, sandbox: Sandbox) -> None:
    seldom, often = LUCKY.format("os.urandom(1)[0] > 60"), LUCKY.format("os.urandom(1)[0] < 10")
    for fix, is_lucky in ((HONEST, True), (seldom, False)):
        own = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, reference=(Edit(path="calc.py", text=fix),)))
        with BugValidator(Conditions(bug=own), sandbox) as validator:
            problem = validator.luck.problem({"calc.py": often})
        assert problem.startswith("passes by luck: failed 1 of ") if is_lucky else problem == ""


def test_an_honest_candidate_is_not_called_lucky(bug: Bug, sandbox: Sandbox) -> None:
    assert judged(HONEST, bug, sandbox).verdict is Verdict.PLAUSIBLE


def test_surroundings_are_the_same_tomorrow_and_for_each_candidate() -> None:
    drawn = list(surroundings({"a.py": "x"}))
    assert drawn == list(surroundings({"a.py": "y"}))
    assert len({there.hash_seed for there in drawn}) == len(drawn)


def test_the_date_stays_where_a_candidate_asks_for_the_times_of_files() -> None:
    plain, asking = (list(surroundings({"a.py": text})) for text in ("x = 1", "os.path.getmtime('x')"))
    assert all(there.clock_s for there in plain)
    assert asking == [dataclasses.replace(there, clock_s=0) for there in plain]


def test_what_a_bug_sets_itself_and_its_build_stay_as_they_are() -> None:
    there = Surroundings(hash_seed=7, zone="Asia/Kathmandu")
    own = there.of(Command(argv=("a",), env=(("TZ", "Europe/Rome"),)))
    assert dict(own.env) == {"TZ": "Europe/Rome", "PYTHONHASHSEED": "7"}
    build = Command(argv=("make",), writable=True)
    assert there.of(build) == build
