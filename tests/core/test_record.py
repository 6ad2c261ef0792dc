import dataclasses
import subprocess
import sys
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError, unknown
from repairlab.core.execution import Limits
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.core.record import digest, to_data, to_json
from repairlab.core.text import Span
from tests import builders

texts = st.text(max_size=20)
spans = st.tuples(st.integers(0, 50), st.integers(0, 50)).map(lambda pair: Span(start=min(pair), end=max(pair)))
edits = st.builds(Edit, path=texts, text=st.none() | texts, span=st.none() | spans)
origins = st.builds(Origin, repairer=texts, model=st.none() | texts, seed=st.none() | st.integers(), cost_usd=st.floats(0, 10))
candidates = st.builds(
    Candidate,
    bug_id=texts,
    edits=st.lists(edits, max_size=3).map(tuple),
    rank=st.integers(1, 99),
    origin=origins,
    problem=st.none() | texts,
)
outcomes = st.builds(
    Outcome,
    candidate_id=texts,
    bug_id=texts,
    verdict=st.sampled_from(Verdict),
    stage=st.sampled_from(["apply", "build", "trigger", "regression", "cases"]),
    policy=st.sampled_from(["first-failure", "full"]),
    tests=st.lists(st.builds(TestResult, id=texts, verdict=st.sampled_from(TestVerdict)), max_size=3).map(tuple),
)


@given(candidates)
def test_candidates_survive_a_json_round_trip(candidate: Candidate) -> None:
    assert TypeAdapter(Candidate).validate_json(to_json(candidate)) == candidate


@given(outcomes)
def test_outcomes_survive_a_json_round_trip(outcome: Outcome) -> None:
    assert TypeAdapter(Outcome).validate_json(to_json(outcome)) == outcome


@given(candidates, st.integers(1, 99))
def test_the_id_of_a_candidate_does_not_depend_on_its_rank_or_origin(candidate: Candidate, rank: int) -> None:
    other = dataclasses.replace(candidate, rank=rank, origin=Origin(repairer="x"))
    assert other.id == candidate.id


def test_candidates_that_differ_only_in_letter_case_have_different_ids() -> None:
    one, two = (builders.candidate("b", Edit(path="a", text=t)) for t in ("A", "a"))
    assert one.id != two.id


def test_digests_are_equal_in_another_process_with_another_hash_seed() -> None:
    program = "from repairlab.core.record import digest; print(digest('bug', {'b': 1, 'a': (2, None)}))"
    run = subprocess.run([sys.executable, "-c", program], env={"PYTHONHASHSEED": "77"}, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == digest("bug", {"a": (2, None), "b": 1})


def test_unknown_keys_are_refused() -> None:
    with pytest.raises(ValidationError, match="cpu_seconds"):
        TypeAdapter(Limits).validate_python({"cpu_seconds": 1})


def test_enums_and_tuples_become_plain_data() -> None:
    assert to_data(TestResult(id="t", verdict=TestVerdict.WRONG))["verdict"] == "WRONG"
    assert to_data((1, (2,))) == [1, [2]]


def test_unknown_names_suggest_the_nearest_one() -> None:
    assert str(unknown("language", "pyhton", ["python", "java"])).endswith("Did you mean 'python'? Known: java, python.")
    assert "Did you mean" not in str(unknown("language", "cobol", ["python"]))
    assert "and 13 more: list them" in str(unknown("bug", "x", [f"b{n:02}" for n in range(25)], listing="list them"))
    assert "Known: none" in str(unknown("bug", "x", []))


def test_every_verdict_has_a_judge_code() -> None:
    assert {verdict.code for verdict in Verdict} == {"AC", "WA", "PE", "RE", "TLE", "MLE", "OLE", "CE", "–", "IE"}


def test_a_span_that_is_no_range_is_refused() -> None:
    with pytest.raises(UserError, match=r"5\.\.3"):
        Span(start=5, end=3)


def test_a_test_that_was_called_plausible_has_passed() -> None:
    old = {"id": "t", "verdict": "PLAUSIBLE"}
    assert TypeAdapter(TestResult).validate_python(old).verdict is TestVerdict.PASSED
    assert TypeAdapter(TestResult).validate_json('{"id": "t", "verdict": "PLAUSIBLE"}').passed
    assert to_data(TestResult(id="t", verdict=TestVerdict.PASSED))["verdict"] == "PASSED"
    with pytest.raises(ValidationError):
        TypeAdapter(TestResult).validate_python(old | {"verdict": "UNAPPLICABLE"})


def test_a_candidate_gets_the_verdict_of_the_test_it_fails_by() -> None:
    assert {Verdict(verdict) for verdict in TestVerdict if verdict is not TestVerdict.PASSED} < set(Verdict)


def test_any_sequence_of_records_becomes_a_list() -> None:
    assert to_data(deque([Span(start=1, end=2)])) == to_data([Span(start=1, end=2)]) == [{"start": 1, "end": 2}]
