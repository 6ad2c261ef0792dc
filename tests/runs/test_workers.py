"""The number of workers changes nothing but the time: four languages, one worker against eight."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.outcome import Outcome
from repairlab.core.record import to_data
from repairlab.runs.store import Store

BUGS = ("python-config-merge", "java-lru-refresh", "c-ini-quoted-value", "cpp-utf8-decode")


def facts(outcome: Outcome) -> str:
    """Return an outcome without times, memory, repeats on their account, and the addresses that a crash prints."""
    tests = tuple(dataclasses.replace(test, cpu_s=0.0, wall_s=0.0, peak_mb=0.0, runs=1, flips=0) for test in outcome.tests)
    return repr(to_data(dataclasses.replace(outcome, tests=tests, cpu_s=0.0, wall_s=0.0, peak_mb=0.0, evidence="")))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bugs", "options"),
    [
        (("python-config-merge", "c-ini-quoted-value"), ("-n", "8")),
        pytest.param(BUGS, ("-n", "12"), marks=pytest.mark.differential),
        pytest.param(BUGS, ("-n", "12", "--stop-when-fixed"), marks=pytest.mark.differential),
    ],
    ids=["quick", "all", "stop when fixed"],
)
def test_one_worker_and_eight_find_the_same(
    tmp_path: Path,
    bugs: tuple[str, ...],
    options: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen = [part for bug in bugs for part in ("-i", bug)]
    command = ["run", "starter", "--repairer", "templates", *chosen, *options, "--no-cache", "--to", "run"]
    found, printed = [], []
    for workers in ("1", "8"):
        folder = tmp_path / workers
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert run([*command, "-j", workers]) == 0
        capsys.readouterr()
        store = Store(Path("run"))
        found.append(
            (
                sorted(map(repr, store.candidates())),
                sorted(map(facts, store.outcomes())),
                sorted((end.bug_id, end.ended) for end in store.ends()),
            )
        )
        assert run(["score", "run", "--json"]) == 0
        printed.append(capsys.readouterr().out)
    assert found[0] == found[1]
    assert printed[0] == printed[1]
