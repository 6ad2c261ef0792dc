"""The tables of FixEval and of NPR4J's ranks, on runs whose every candidate is written by hand."""

import dataclasses
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.learning.neural import NeuralSettings
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.study.papers.facts import PaperFacts
from repairlab.study.papers.ranks import ranks
from repairlab.study.papers.rates import by_difficulty, by_edits, by_length, by_verdict, curves, decoding, execution
from repairlab.study.papers.similarity import match
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


def test_by_difficulty_goes_from_a_to_e_with_bleu_and_a_picture(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", HALF))
    with pytest.raises(UserError, match="no bug of these runs says how hard it is"):
        by_difficulty(facts)
    table = by_difficulty(changed(facts, difficulty=["E", "A", "A", "E", "E", None]))
    assert table.columns[-1] == "BLEU"
    assert [row[1:4] for row in table.rows] == [("A", 2, 50.0), ("E", 3, 16.666667)]
    assert table.rows[0][-1] == 100.0, "the first candidates of both are the fix"
    assert table.figure and "TCA@1: A: 100.0 %, E:" in table.figure.words and "BLEU: A: 100.0 %" in table.figure.words
    assert {"A", "E"} <= {shape.text for shape in table.figure.shapes if shape.kind == "text"}


def test_a_picture_of_several_systems_has_the_lowest_k_of_each(bench: Bench) -> None:
    one, other = (changed(bench.facts(bench.run(name, HALF)), difficulty=["A", "E"] * 3).runs[0] for name in "ab")
    table = by_difficulty(dataclasses.replace(bench.facts(), runs=(one, dataclasses.replace(other, name="b"))))
    assert table.figure is not None
    assert "pass@1 a" in table.figure.words and "TCA@1 b" in table.figure.words and "pass@2" not in table.figure.words


def test_by_edits_has_bins_and_the_rank_correlation(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", HALF))
    assert facts.runs[0].bugs[0].likeness == pytest.approx(0.9, abs=0.05), "of the fix, which takes four signs away"
    table = by_edits(changed(facts, likeness=[0.95, 0.91, 0.85, 0.2, 0.3, None]))
    assert [row[1:4] for row in table.rows] == [
        ("below 0.5", 2, 0.0), ("from 0.8", 1, 50.0), ("from 0.9", 2, 50.0), ("Spearman's ρ", 5, 0.866025),
    ]  # fmt: skip
    assert table.figure and "ρ" not in table.figure.words
    with pytest.raises(UserError, match="no fix of these runs is at hand"):
        by_edits(changed(facts, likeness=[None] * 6))


def test_by_verdict_and_pass_at_k_have_pictures(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", HALF))
    assert by_verdict(changed(facts, submission_verdict=["WRONG", "CRASH"] * 3)).figure
    picture = curves(facts).figure
    assert picture is not None and "k = 1: 25.0 %" in picture.words
    assert execution(facts).figure is None


def test_decoding_goes_from_greedy_over_beams_to_temperatures(bench: Bench) -> None:
    drawn: list[dict[str, Any]] = [{"temperature": 1.2}, {"temperature": 0.2, "top_p": 0.95}, {"beam": 10}, {"beam": 1}]
    folders = [
        bench.run(f"run-{number}", HALF, repairer="neural", settings=NeuralSettings(model="models/plbart", **settings))
        for number, settings in enumerate(drawn)
    ]
    table = decoding(bench.facts(*folders, bench.run("llm", HALF, llm=LlmSettings(model="acme/large", temperature=0.0))))
    assert [row[:4] for row in table.rows] == [
        ("plbart", "greedy", 6, 25.0), ("acme/large · zero-shot", "greedy", 6, 25.0), ("plbart", "beam 10", 6, 25.0),
        ("plbart", "T=0.2 top-p 0.95", 6, 25.0), ("plbart", "T=1.2", 6, 25.0),
    ]  # fmt: skip
    assert table.figure and "TCA@1 plbart: greedy: 83.3 %, beam 10: 83.3 %" in table.figure.words
    with pytest.raises(UserError, match="no run has a model"):
        decoding(bench.facts(bench.run("copy", HALF)))


def test_match_has_syntax_data_flow_and_what_compiles(bench: Bench) -> None:
    draws = {**dict.fromkeys(BUGS[:3], (FIX,)), "Csv-2": (UNBUILT,), "Math-1": (WRONG,), "Math-2": (LOST,)}
    table = match(bench.facts(bench.run("a", draws)))
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert table.source == "FixEval, table 3" and cells["compiles %"] == pytest.approx(100 * 4 / 6)
    assert isinstance(cells["syntax match %"], float) and isinstance(cells["data flow match %"], float)
