"""Hostile candidates get through HTTP the verdict that they get from `validate`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra web is not installed")

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.sandbox.sandbox import Sandbox
from tests.hostile.test_hostile import CASES, Case, read_case
from tests.serve.http.conftest import Running, running

NAMES = (
    *("python-pytest-always-equal", "python-pytest-conftest", "python-pytest-edits-tests", "python-pytest-os-exit-import"),
    *("python-pytest-prints-passed", "python-stdio-cpu-loop", "python-stdio-endless-output", "python-stdio-memory-bomb"),
    *("python-stdio-path-dots", "python-stdio-sitecustomize", "python-stdio-wrong-answer", "python-unittest-assert-equal"),
)


@pytest.fixture(scope="module")
def hostile(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    del sandbox
    with running(CASES, "--state", tmp_path_factory.mktemp("state"), "--no-cache") as service:
        yield service


@pytest.mark.parametrize("name", NAMES)
def test_a_hostile_candidate_fares_no_better_over_http(hostile: Running, name: str) -> None:
    case: Case = read_case(Path(CASES, name))
    bug = open_benchmark(str(CASES)).bug(f"{case.language}-{case.kind}")
    edits = [{"path": edit.path, "text": edit.text} for edit in case.candidate(bug).edits]
    answer = hostile.validate(bug=bug.id, edits=edits).json()
    assert answer["verdict"] in [str(verdict) for verdict in case.verdicts]
    assert case.secret == "" or case.secret not in str(answer)
