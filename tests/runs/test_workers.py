"""The number of workers changes nothing but the time: four languages, one worker against eight."""

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.core.outcome import Outcome
from repairlab.core.record import to_data
from repairlab.runs.store import Store

REPAIRLAB = [sys.executable, "-m", "repairlab"]
BUGS = ("python-config-merge", "java-lru-refresh", "c-ini-quoted-value", "cpp-utf8-decode")


def facts(outcome: Outcome) -> str:
    """Return an outcome without times, memory, repeats on their account, and the addresses that a crash prints."""
    tests = tuple(dataclasses.replace(test, cpu_s=0.0, wall_s=0.0, peak_mb=0.0, runs=1, flips=0) for test in outcome.tests)
    return repr(to_data(dataclasses.replace(outcome, tests=tests, cpu_s=0.0, wall_s=0.0, peak_mb=0.0, evidence="")))


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), pytest.param(("--stop-when-fixed",), marks=pytest.mark.differential)])
def test_one_worker_and_eight_find_the_same(tmp_path: Path, options: tuple[str, ...]) -> None:
    chosen = [part for bug in BUGS for part in ("-i", bug)]
    command = [*REPAIRLAB, "run", "starter", "--repairer", "templates", "-n", "12", *chosen, *options, "--no-cache", "--to", "run"]
    found, printed = [], []
    for workers in ("1", "8"):
        folder = tmp_path / workers
        folder.mkdir()
        subprocess.run([*command, "-j", workers], cwd=folder, check=True, capture_output=True)
        store = Store(folder / "run")
        found.append(
            (
                sorted(map(repr, store.candidates())),
                sorted(map(facts, store.outcomes())),
                sorted((end.bug_id, end.ended) for end in store.ends()),
            )
        )
        done = subprocess.run([*REPAIRLAB, "score", "run", "--json"], cwd=folder, check=True, capture_output=True)
        printed.append(done.stdout)
    assert found[0] == found[1]
    assert printed[0] == printed[1]
