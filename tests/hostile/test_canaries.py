"""Reports with canaries: tests that must fail stand among the real ones, and a report in which one does not is disbelieved."""

import json

import pytest

from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import Verdict
from repairlab.languages.language import Batch
from repairlab.languages.toolchain import reports

NONCE = reports.new_nonce()
WORDS = reports.canaries(NONCE)


def verdicts(*ends: tuple[str, str], done: bool = True) -> dict[str, tuple[Verdict, str]]:
    lines = [{"nonce": NONCE, "event": "end", "test": test, "status": status} for test, status in ends]
    text = "".join(json.dumps(line) + "\n" for line in [*lines, *([{"nonce": NONCE, "event": "done"}] if done else [])])
    execution = Execution(
        ending=Ending.EXITED, exit_code=0, signal=None, stdout=b"", stderr=b"", report=text.encode(), cpu_s=0, wall_s=0, peak_mb=0
    )
    batch = Batch(command=Command(argv=("x",)), tests=("a", "b"), nonce=NONCE)
    return {result.id: (result.verdict, result.message) for result in reports.read_events(batch, execution).results}


def sung(status: str = "failed", *, n: int = 4) -> list[tuple[str, str]]:
    return [(f"tests/test_x.py::test_{word}", status) for word in WORDS[:n]]


def test_every_process_has_canaries_of_its_own() -> None:
    assert len(WORDS) == len(set(WORDS)) == 4
    assert not set(WORDS) & set(reports.canaries(reports.new_nonce()))


def test_a_report_with_all_canaries_failing_is_believed() -> None:
    assert verdicts(("a", "passed"), *sung(), ("b", "passed")) == {"a": (Verdict.PLAUSIBLE, ""), "b": (Verdict.PLAUSIBLE, "")}


@pytest.mark.parametrize("status", ["passed", "skipped", "xpassed", "missing", ""])
def test_a_canary_that_does_not_fail_makes_every_pass_wrong(status: str) -> None:
    found = verdicts(("a", "passed"), *sung("failed", n=3), (f"T::{WORDS[3]}", status), ("b", "failed"))
    assert found["a"] == (Verdict.WRONG, f"tampering: a test that must fail was reported as {status}")
    assert found["b"] == (Verdict.WRONG, "")


def test_a_complete_pass_without_all_canaries_is_wrong() -> None:
    found = verdicts(("a", "passed"), *sung(n=3), ("b", "passed"))
    assert found["a"] == found["b"] == (Verdict.WRONG, "tampering: a test that must fail was not reported")


def test_a_run_that_stopped_at_a_failure_need_not_have_met_its_canaries() -> None:
    assert verdicts(("a", "passed"), ("b", "failed")) == {"a": (Verdict.PLAUSIBLE, ""), "b": (Verdict.WRONG, "")}


def test_a_canary_that_passed_counts_even_when_the_process_died_later() -> None:
    assert verdicts(("a", "passed"), *sung("passed", n=1), done=False)["a"][0] is Verdict.WRONG
