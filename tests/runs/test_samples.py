"""Joining candidates and outcomes: only a few facts of each record are read, and wrong records are still named."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.samples import read_sampled, read_samples
from repairlab.runs.store import BugEnd, Store
from tests import builders


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Write a run with three candidates, two of them equal, and one that was never judged."""
    store = Store(tmp_path / "run")
    store.create(
        Manifest(
            experiment=Experiment(benchmark="toy", repairer="me", n=4),
            benchmark_name="toy",
            benchmark_version="1",
            benchmark_digest="0",
            bug_ids=("a", "b"),
            languages=("c", "java"),
            repairlab="0",
            environment={},
            environment_digest="0",
            created="",
        )
    )
    texts = ("one", "two\ud800", "one", "three")
    for rank, text in enumerate(texts, start=1):
        candidate = builders.candidate("a", Edit(path="x.c", text=text), rank=rank, repairer="me")
        store.append(candidate)
        if rank < 3:
            tests = (TestResult(id="1", verdict=TestVerdict.PASSED), TestResult(id="2", verdict=TestVerdict.WRONG))
            verdict = Verdict.WRONG if rank == 1 else Verdict.CRASH
            store.append(builders.outcome(verdict, candidate, stage="trigger", tests=tests, n_tests=4))
    store.append(BugEnd(bug_id="a", ended="asked"))
    return store


def test_samples_come_by_rank_with_duplicates(store: Store) -> None:
    a, b = read_samples(store)
    assert a.verdicts == (Verdict.WRONG, Verdict.CRASH, Verdict.WRONG)
    assert a.passed == (0.25, 0.25, 0.25)
    assert (a.distinct, a.ended, a.language) == (2, "asked", "c")
    assert (b.verdicts, b.ended) == ((), "unfinished")


def test_candidates_are_joined_with_their_outcomes(store: Store) -> None:
    sampled = read_sampled(store)["a"]
    assert {item.rank: store.at(Candidate, item.place) for item in sampled} == {item.rank: item for item in store.candidates()}
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes()}
    found = [item.judged and store.at(Outcome, item.judged.place) for item in sampled]
    assert found == [outcomes.get(item.id) for item in sampled]


def changed(store: Store, name: str, **values: Any) -> None:
    """Change the first record of a file."""
    path = store.folder / name
    first, _, rest = path.read_bytes().partition(b"\n")
    data = {**json.loads(first), **values}
    path.write_bytes(json.dumps({key: value for key, value in data.items() if value is not None}).encode() + b"\n" + rest)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("candidates.jsonl", {"id": None}, "candidates.jsonl: a record has no 'id'"),
        ("candidates.jsonl", {"rank": None}, "candidates.jsonl: rank"),
        ("candidates.jsonl", {"schema": 9}, "schema is 9"),
        ("outcomes.jsonl", {"verdict": "GOOD"}, "outcomes.jsonl: verdict"),
        ("outcomes.jsonl", {"tests": 3}, "outcomes.jsonl: tests"),
        ("outcomes.jsonl", {"schema": None}, "schema is None"),
    ],
)
def test_a_record_of_another_form_is_named(store: Store, name: str, values: dict[str, Any], message: str) -> None:
    changed(store, name, **values)
    with pytest.raises(UserError, match=message):
        read_samples(store)
