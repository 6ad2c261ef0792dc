"""The tables of FixEval and of NPR4J's ranks, on runs whose every candidate is written by hand."""

import dataclasses
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.study.papers.facts import PaperFacts
from repairlab.study.papers.ranks import ranks
from repairlab.study.papers.rates import by_length, by_verdict, execution
from tests.study.papers.conftest import BUGS, FIX, LIKE, LOST, UNBUILT, WRONG, Bench

HALF = dict.fromkeys(BUGS[:3], (FIX, WRONG)) | dict.fromkeys(BUGS[3:], (WRONG, WRONG))


def changed(facts: PaperFacts, **fields: list[Any]) -> PaperFacts:
    """Return facts whose bugs have other values, one after the other."""
    run = facts.runs[0]
    bugs = [
        dataclasses.replace(bug, **{name: values[place] for name, values in fields.items()}) for place, bug in enumerate(run.bugs)
    ]
    return dataclasses.replace(facts, runs=(dataclasses.replace(run, bugs=tuple(bugs)),))


def test_execution_has_pass_at_k_and_test_case_average_of_each_language(bench: Bench) -> None:
    table = execution(bench.facts(bench.run("a", HALF)))
    assert table.columns == ("system", "language", "bugs", "pass@1 %", "pass@2 %", "TCA@1 %", "TCA@2 %")
    # A wrong candidate passes two of three tests.
    assert table.rows == (("a · acme/large", "python", 6, 25.0, 50.0, 83.333333, 75.0),)


def test_a_run_that_stops_at_the_first_failure_has_no_test_case_average(bench: Bench) -> None:
    table = execution(bench.facts(bench.run("a", HALF, policy="first-failure")))
    assert table.rows[0][3:] == (25.0, 50.0, None, None)


def test_by_verdict_groups_what_the_judge_said(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", HALF))
    with pytest.raises(UserError, match="no bug of these runs is a submission"):
        by_verdict(facts)
    table = by_verdict(changed(facts, submission_verdict=["WRONG", "WRONG", "TIMEOUT", "WRONG", "TIMEOUT", None]))
    assert [row[1:5] for row in table.rows] == [("TIMEOUT", 2, 25.0, 50.0), ("WRONG", 3, 33.333333, 66.666667)]


def test_by_length_groups_by_tokens_and_leaves_empty_groups_out(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", HALF))
    assert facts.runs[0].bugs[0].n_tokens == 13  # def answer ( value ) : result = value - 1 return result, without the imports
    table = by_length(changed(facts, n_tokens=[1, 50, 51, 400, 401, 9000]))
    assert [row[1:4] for row in table.rows] == [("1–50", 2, 50.0), ("51–100", 1, 50.0), ("201–400", 1, 0.0), ("over 400", 2, 0.0)]
    with pytest.raises(UserError, match="not at hand"):
        by_length(changed(facts, n_tokens=[None] * 6))


def test_ranks_count_decided_bugs_and_fixes_within_so_many_candidates(bench: Bench) -> None:
    draws = {"Cli-1": (FIX,), "Cli-2": (WRONG,) * 5 + (LIKE,), "Csv-1": (UNBUILT,) * 7, "Csv-2": (LOST,)}
    table = ranks(bench.facts(bench.run("a", draws), bench.run("b", {"Cli-1": (WRONG, FIX)})))
    assert table.columns == ("system", "fixed", "bugs", "mean rank", "median rank", "within 1", "within 5", "within 7")
    assert table.rows == (
        ("a · acme/large", 2, 5, 3.5, 3.5, 1, 1, 2),
        ("b · acme/large", 1, 6, 2.0, 2.0, 0, None, None),
    )
    with pytest.raises(UserError, match="no run has a plausible candidate"):
        ranks(bench.facts(bench.run("c", {"Cli-1": (WRONG,)})))
