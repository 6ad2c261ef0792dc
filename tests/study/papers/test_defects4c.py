"""The tables of Defects4C and those of cost, on runs whose every candidate is written by hand."""

import functools

import pytest

from repairlab.benchmarks.labels_file import FoundLabel, write_labels
from repairlab.core.errors import UserError
from repairlab.repairers.ledger import FILE, Ledger, Request
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.store import Store, append_line
from repairlab.study.papers.bug_groups import categories, distribution, domains, faults, locations
from repairlab.study.papers.cost import bug_cost, cost
from repairlab.study.papers.ranks import conversation
from repairlab.study.papers.rates import single_round
from tests.study.papers.conftest import BUGS, FIX, LIKE, WRONG, Bench


def test_single_round_has_greedy_first_and_then_each_temperature(bench: Bench) -> None:
    half = dict.fromkeys(BUGS, (FIX, WRONG))
    runs = [
        bench.run("1", half, llm=LlmSettings(model="acme/a", temperature=0.2)),
        bench.run("2", dict.fromkeys(BUGS, (FIX, LIKE)), llm=LlmSettings(model="acme/a", temperature=0.8)),
        bench.run("3", dict.fromkeys(BUGS, (WRONG,)), llm=LlmSettings(model="acme/a", temperature=0.0), k=(1,)),
        bench.run("4", half, llm=LlmSettings(model="acme/b", temperature=0.2)),
    ]
    table = single_round(bench.facts(*runs))
    assert table.columns[2:7] == ("greedy pass@1", "T=0.2 pass@1", "T=0.2 pass@2", "T=0.8 pass@1", "T=0.8 pass@2")
    assert table.columns[7:] == ("best pass@1", "T* of 1", "best pass@2", "T* of 2")
    assert table.rows == (
        ("acme/a", "zero-shot", 0.0, 50.0, 100.0, 100.0, 100.0, 100.0, 0.8, 100.0, 0.2),
        ("acme/b", "zero-shot", None, 50.0, 100.0, None, None, 50.0, 0.2, 100.0, 0.2),
    )
    assert len(single_round(bench.facts(*runs[2:])).columns) == 5  # one temperature, nothing to choose
    with pytest.raises(UserError, match="no run is single-round"):
        single_round(bench.facts(bench.run("5", half)))


def test_categories_count_bugs_and_vulnerabilities_apart(bench: Bench) -> None:
    draws = {"Cli-1": (FIX,), "Cli-2": (WRONG, FIX), "Csv-1": (WRONG, WRONG), "Math-2": (LIKE,)}
    table = categories(bench.facts(bench.run("a", draws)))
    cells = dict(zip(table.columns, table.rows[0], strict=True))
    assert cells["bugs: signature"] == "2/2"
    assert cells["bugs: signature, tries"] == 1.5
    assert cells["bugs: sanitizer"] == "0/1"
    assert cells["bugs: sanitizer, tries"] is None
    assert cells["bugs: memory error"] == "0/1"
    assert cells["bugs: logic"] == "0/1"
    assert cells["bugs: all"] == "2/5"
    assert cells["vulnerabilities: logic"] == "1/1"
    assert cells["vulnerabilities: all"] == "1/1"


def test_what_a_benchmark_is_made_of_counts_each_bug_once(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", {"Cli-1": (FIX,)}), bench.run("b", {"Cli-1": (WRONG,)}))
    assert faults(facts).rows[0] == ("A.1", "Incorrect Function Usage", 1, 0, 1)
    assert faults(facts).rows[-2:] == (("D.2", "Wrong Function Call Sequence", 0, 1, 1), ("all", None, 5, 1, 6))
    assert distribution(facts).columns[3:6] == ("line", "hunk", "function")
    assert distribution(facts).rows == (
        ("Cli", 2, 0, 2, 0, 0, 1.0),
        ("Csv", 2, 0, 0, 2, 0, 1.0),
        ("Math", 2, 1, 0, 0, 2, 1.0),
        ("all", 6, 1, 2, 2, 2, 1.0),
    )
    with pytest.raises(UserError, match=r"labels\.domain"):
        domains(facts)
    found = [FoundLabel(bug=name, rule="domain", values=("tools",), by="people") for name in BUGS[:4]]
    write_labels(
        bench.benchmark / "labels.jsonl", [*found, FoundLabel(bug=BUGS[4], rule="domain", values=("a",), is_suggested=True)]
    )
    table = domains(bench.facts(bench.root / "a"))
    assert table.rows == (("tools", 4, 66.666667), ("no label", 2, 33.333333), ("all", 6, 100.0))
    assert table.figure is not None and table.figure.words == "tools: 4 of 6 faults; no label: 2 of 6 faults"


def test_tries_of_a_conversation_are_its_fresh_starts(bench: Bench) -> None:
    # Two turns per start: the fourth answer belongs to the second start.
    draws = {"Cli-1": (WRONG, WRONG, WRONG, FIX), "Cli-2": (WRONG, FIX), "Csv-1": (WRONG,) * 6}
    llm = LlmSettings(model="acme/a", strategy="conversation", attempts=3, turns=2)
    folder = bench.run("a", draws, llm=llm, turns=2, rounds=6, feedback="message", stop_when_fixed=True)
    facts = bench.facts(folder)
    cells = dict(zip(categories(facts).columns, categories(facts).rows[0], strict=True))
    assert cells["bugs: signature, tries"] == 1.5
    table = conversation(facts)
    within = [f"within {r}" for r in (1, 2, 3, 5, 6)]
    assert table.columns[1:] == ("solved", "bugs", "solved %", "mean attempts", "mean rounds", *within)
    assert table.rows == (("conversation · acme/a", 2, 6, 33.333333, 1.5, 3.0, 0, 1, 1, 2, 2),)
    assert table.figure is not None
    assert "2 within 6" in table.figure.words


def test_single_draws_are_no_conversation(bench: Bench) -> None:
    with pytest.raises(UserError, match="no run is a conversation"):
        conversation(bench.facts(bench.run("a", {"Cli-1": (FIX,)})))


def test_locations_have_rates_and_the_rate_over_all(bench: Bench) -> None:
    table = locations(bench.facts(bench.run("a", {"Cli-1": (FIX,), "Csv-1": (FIX,), "Csv-2": (LIKE,)})))
    assert table.rows == (("a · acme/large", "–", "0/2", 0.0, "2/2", 100.0, "1/2", 50.0, 50.0),)


def test_cost_comes_from_candidates_and_what_was_paid_from_the_ledger(bench: Bench) -> None:
    folder = bench.run("a", {"Cli-1": (FIX, FIX, WRONG), "Cli-2": (FIX,)})
    cells = dict(zip(cost(bench.facts(folder)).columns, cost(bench.facts(folder)).rows[0], strict=True))
    assert (cells["tokens in"], cells["tokens out"], cells["USD"]) == (400, 40, 2.0)
    assert cells["USD per fixed bug"] == 1.0
    assert cells["USD per plausible candidate"] == 0.66666667
    assert cells["USD per bug"] == 0.33333333
    assert cells["requests"] is None
    assert cells["paid USD"] is None
    ledger = Ledger(folder / FILE, append=functools.partial(append_line, run_id=Store(folder).run_id))
    for bug_id, is_kept in (("Cli-1", False), ("Cli-1", True), (None, False)):
        paid = 0.0 if is_kept else 0.25
        ledger.add(Request(bug_id=bug_id, model="acme/large", kind="chat", prompt="0", cost_usd=paid, from_cache=is_kept))
    cells = dict(zip(cost(bench.facts(folder)).columns, cost(bench.facts(folder)).rows[0], strict=True))
    assert (cells["requests"], cells["from cache"], cells["paid USD"], cells["USD"]) == (3, 1, 0.5, 2.0)
    table = bug_cost(bench.facts(folder))
    assert table.rows[:3] == (("Cli-1", 300, 30, 1.5), ("Cli-2", 100, 10, 0.5), ("Csv-1", 0, 0, 0.0))


def test_a_run_that_nobody_asked_a_model_for_has_no_cost(bench: Bench) -> None:
    facts = bench.facts(bench.run("a", {"Cli-1": ()}, n=1))
    with pytest.raises(UserError, match="no run asked"):
        cost(facts)
