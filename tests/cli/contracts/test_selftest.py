"""Every part of ours keeps what its kind promises, and parts that do not are found out."""

import dataclasses

import pytest

from repairlab.cli.contracts.proposing import starter_problems, wrong_with
from repairlab.cli.contracts.running import HOSTILE
from repairlab.cli.contracts.scoring import drawn_samples
from repairlab.cli.contracts.selftest import CHECKS, NotTried, attempt, find_part, run_selftest
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.metrics.metric import Measured, Metric, ScoreSettings, Values
from repairlab.metrics.table import METRICS
from repairlab.registry import KINDS, parts_of
from repairlab.validation.machine import Machine
from tests import builders

QUICK = ("metrics", "strategies", "formats", "languages", "representations")
PARTS = [(kind, name) for kind in QUICK for name in parts_of(kind)]
NOT_TRIED = {("formats", "npr4j-results"), ("formats", "swebench-report"), ("formats", "defects4c")}
"""They have no place for bugs of the built-in benchmark; tests of their own try them."""


@pytest.mark.parametrize(("kind", "name"), PARTS)
def test_every_part_keeps_what_its_kind_promises(kind: str, name: str, machine: Machine) -> None:
    found = list(run_selftest(kind, name, machine))
    assert not [check for check in found if check.problem]
    assert any(check.not_tried for check in found) == ((kind, name) in NOT_TRIED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "name"), [("repairers", "templates"), ("repairers", "llm"), ("tables", "candidates"), ("importers", "programs")]
)
def test_slow_kinds_keep_theirs(kind: str, name: str, machine: Machine) -> None:
    assert not [check for check in run_selftest(kind, name, machine) if check.problem]


def test_every_kind_has_its_checks() -> None:
    assert CHECKS.keys() == KINDS.keys()


def test_a_part_is_found_by_its_name_or_by_kind_and_name() -> None:
    assert find_part("metrics/pass@k") == find_part("pass@k") == ("metrics", "pass@k")
    with pytest.raises(UserError, match="write one of importers/swebench, formats/swebench"):
        find_part("swebench")
    with pytest.raises(UserError, match="Did you mean 'templates'"):
        find_part("repairers/templatse")
    with pytest.raises(UserError, match="unknown part 'nothing'"):
        find_part("nothing")


def test_what_a_part_raises_is_a_problem_of_it() -> None:
    def fails() -> str:
        raise ZeroDivisionError("here")

    def lacks() -> str:
        raise NotTried("no tool")

    assert attempt("x", fails).problem == "ZeroDivisionError: here"
    assert attempt("x", lacks).not_tried == "no tool"


def test_candidates_that_are_not_valid_are_told() -> None:
    problem = starter_problems()[0]
    good = builders.candidate(problem.id, Edit(path=problem.path, text="", span=problem.target.span), repairer="mine")
    assert wrong_with([good], problem, "mine") == ""
    assert "ranks" in wrong_with([dataclasses.replace(good, rank=2)], problem, "mine")
    assert "is of bug" in wrong_with([good], problem, "other")
    far = dataclasses.replace(problem.target.span, end=10**9)
    beyond = dataclasses.replace(good, edits=(Edit(path=problem.path, text="", span=far),))
    assert "a place that" in wrong_with([beyond], problem, "mine")
    assert "neither edits" in wrong_with([dataclasses.replace(good, edits=())], problem, "mine")


@pytest.mark.parametrize(
    ("measure", "check"),
    [
        (lambda samples: Values(by_bug={"other": 1.0}, n_samples=1, n_undecided=0), "it takes samples of all kinds"),
        (lambda samples: Values(by_bug={samples[0].bug_id: 1.0}, n_samples=1, n_undecided=0), "it takes samples of all kinds"),
        (lambda samples: Values(by_bug={item.bug_id: 2.0 for item in samples}, n_samples=1, n_undecided=0), "a share lies"),
        (
            lambda samples: Values(by_bug={item.bug_id: 1 / (n + 1) for n, item in enumerate(samples)}, n_samples=1, n_undecided=0),
            "the order of bugs does not matter",
        ),
    ],
)
def test_a_bad_metric_is_found_out(measure: object, check: str, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(samples: Measured, settings: ScoreSettings, k: int) -> Values:
        return measure(samples)  # type: ignore[operator,no-any-return]  # one of the functions above

    part = next(iter(METRICS.findings())).part
    monkeypatch.setitem(METRICS._loaded, part, Metric(about="bad", measure=measured))
    failed = [item.name for item in run_selftest("metrics", part.name, machine) if item.problem]
    assert any(name.startswith(check) for name in failed)


def test_drawn_samples_hold_what_is_rare() -> None:
    drawn = [item for seed in range(40) for item in drawn_samples(seed)]
    assert any(not item.verdicts for item in drawn)
    assert any(item.verdicts and set(map(str, item.verdicts)) == {"UNDECIDED"} for item in drawn)
    assert "" in HOSTILE
