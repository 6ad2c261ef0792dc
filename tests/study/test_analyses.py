"""The analyses: values worked out by hand on a small file, and what must hold for any results."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.formats.bug_types import read_bug_types
from repairlab.formats.table import recognise_results, result_format
from repairlab.metrics.published import (
    FixCriterion,
    PublishedOutcome,
    PublishedResults,
    PublishedVerdict,
    choose,
    make_results,
    merge,
    only,
)
from repairlab.metrics.ranked_results import (
    best_per_type,
    checks,
    counts_by_type,
    curve,
    enough_checks,
    first_ranks,
    fixed_within,
    mean_first_rank,
    ranked,
    round_numbers,
    shared_fixes,
    union,
    unique_fixes,
)
from repairlab.study.analyses import ANALYSES, GROUPS, AnalysisInputs, analyse

DATA = Path(__file__).parents[1] / "formats" / "data"


@pytest.fixture(scope="module")
def npr4j() -> PublishedResults:
    found = result_format("npr4j").read_results([DATA / "all_result.json"])
    assert isinstance(found, PublishedResults)
    return found


def test_first_ranks_are_of_the_lowest_accepted_candidate(npr4j: PublishedResults) -> None:
    source = ranked(npr4j)
    assert first_ranks(source, "beta") == {"defects4j/Lang-1": 12, "defects4j/Math-3": 30}
    assert [mean_first_rank(source, system) for system in source.systems] == [2.5, 21.0, 2.5]


def test_systems_table(npr4j: PublishedResults) -> None:
    table = analyse("systems", ranked(npr4j), AnalysisInputs())
    assert table.by_row == {"Alpha": (5, 3, 2, 2.5, 1), "beta": (7, 3, 2, 21.0, 0), "Gamma": (2, 2, 2, 2.5, 1)}
    assert [analyse("totals", ranked(npr4j), AnalysisInputs()).cell(row, "number") for row in ("systems", "bugs", "fixes")] == [
        3,
        5,
        7,
    ]


def test_plausible_candidates_can_be_counted_instead(npr4j: PublishedResults) -> None:
    source = ranked(npr4j, count="plausible")
    assert {system: len(bugs) for system, bugs in source.fixed.items()} == {"Alpha": 3, "beta": 3, "Gamma": 2}
    with pytest.raises(UserError, match="checks needs candidates that a person accepted"):
        analyse("checks", source, AnalysisInputs())


def test_overlap_has_unique_fixes_on_its_diagonal(npr4j: PublishedResults) -> None:
    table = analyse("overlap", ranked(npr4j), AnalysisInputs())
    assert table.by_row == {"Alpha": (1, 50.0, 0.0), "beta": (50.0, 0, 50.0), "Gamma": (0.0, 50.0, 1)}


def test_coverage_is_a_share_of_the_other_tools_fixes(npr4j: PublishedResults) -> None:
    other = result_format("apr-fixes").read_results([DATA / "APR_fixes_all.json"])
    assert isinstance(other, PublishedResults)
    table = analyse("coverage", ranked(npr4j), AnalysisInputs(against=ranked(other)))
    assert table.by_row["Old"] == (3, 100 / 3, 200 / 3, 100 / 3)
    assert table.by_row["Older"] == (0, None, None, None)


def test_checks_end_at_the_first_correct_candidate(npr4j: PublishedResults) -> None:
    table = analyse("checks", ranked(npr4j), AnalysisInputs(top=(1, 2, 3)))
    assert table.columns[1:] == ("top-1", "top-2", "top-3", "all", "PM_K")
    assert table.by_row["Alpha"] == ("1/3", "2/4", "2/4", "2/4", 2)
    assert table.by_row["beta"] == ("0/3", "1/5", "2/6", "2/6", 3)
    assert analyse("precision", ranked(npr4j), AnalysisInputs(top=(2,))).by_row["beta"] == (20.0, 100 / 3)


def test_ranks_that_are_text_can_be_sorted_as_text(npr4j: PublishedResults) -> None:
    # "101" (accepted) < "11" (rejected) < "12": the mistake behind a row of NPR4J's table 9.
    table = analyse("checks", ranked(npr4j, order="written"), AnalysisInputs(top=(1, 2)))
    assert table.by_row["beta"] == ("1/3", "1/4", "2/5", 3)
    assert table.by_row["Alpha"] == ("1/3", "2/4", "2/4", 2)


def test_candidate_numbers(npr4j: PublishedResults) -> None:
    source = ranked(npr4j)
    assert round_numbers(source)[-1] == 200
    assert curve(source, "beta") == ((12, 1), (30, 2))
    assert fixed_within(source, "Alpha", (1, 3, 4)) == (1, 1, 2)


def test_ensembles_need_labels_for_the_best_per_type(npr4j: PublishedResults) -> None:
    labels = read_bug_types(DATA / "types.csv", npr4j.bugs)
    assert labels.n_unlabelled == 1
    table = analyse("ensembles", ranked(npr4j), AnalysisInputs(labels=labels.groups))
    assert {name: cells[0] for name, cells in table.by_row.items()} == {
        "best system alone": 2,
        "best system per type": 4,
        "union": 4,
    }
    assert table.by_row["best system per type"][1] == "Alpha, Gamma"
    assert analyse("types", ranked(npr4j), AnalysisInputs(labels=labels.groups)).by_row == {
        "swap": (2, 2, 1, 0, 100.0, 50.0, 0.0),
        "null check": (2, 0, 1, 2, 0.0, 50.0, 100.0),
    }
    assert "best system per type" not in analyse("ensembles", ranked(npr4j), AnalysisInputs()).by_row


def test_labels_may_be_json_and_must_fit(npr4j: PublishedResults, tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"sieve": "loop"}', encoding="utf-8")
    assert read_bug_types(path, npr4j.bugs).groups == {"type": {"quixbugs/sieve": "loop"}}
    path.write_text('{"other": "loop"}', encoding="utf-8")
    with pytest.raises(UserError, match="labels none of the 5 bugs"):
        read_bug_types(path, npr4j.bugs)
    path.write_text('{"sieve": 1}', encoding="utf-8")
    with pytest.raises(UserError, match="entry 'sieve': the type should be text"):
        read_bug_types(path, npr4j.bugs)


def test_labels_of_bugs_group_fixes_by_element_state_and_ingredients(npr4j: PublishedResults, tmp_path: Path) -> None:
    path = tmp_path / "labels.jsonl"
    said = {
        "sieve": {"element": "multi", "state": "missing", "ingredients": "file"},
        "Lang-1": {"element": "token", "cwe": "CWE-1"},
    }
    lines = [{"bug": bug, "rule": rule, "values": [value]} for bug, rules in said.items() for rule, value in rules.items()]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    labels = read_bug_types(path, npr4j.bugs)
    assert (list(labels.groups), labels.n_unlabelled) == (["element", "state", "ingredients"], 3)
    inputs = AnalysisInputs(labels=labels.groups)
    table = analyse("elements", ranked(npr4j), inputs)
    assert table.columns == ("element", "bugs", "Alpha", "beta", "Gamma", "Alpha %", "beta %", "Gamma %")
    assert list(table.by_row) == ["token", "multi"], "in the order of the taxonomy"
    assert table.by_row["token"] == (1, 1, 1, 0, 100.0, 100.0, 0.0)
    assert analyse("ingredients", ranked(npr4j), inputs).by_row == {"file": (1, 0, 0, 1, 0.0, 0.0, 100.0)}
    with pytest.raises(UserError, match="types needs the type of each bug"):
        analyse("types", ranked(npr4j), inputs)


def test_counts_by_type_give_the_rates_of_elements_and_states(npr4j: PublishedResults) -> None:
    counts = {"MissingNullCheck": {"Alpha": 1, "beta": 0, "Gamma": 2}, "MissingKeyword": {"Alpha": 1, "beta": 0, "Gamma": 0}}
    inputs = AnalysisInputs(counts=counts, sizes={"MissingNullCheck": 4, "MissingKeyword": 1})
    assert analyse("types", ranked(npr4j), inputs).by_row["MissingNullCheck"] == (4, 1, 0, 2, 25.0, 0.0, 50.0)
    assert analyse("states", ranked(npr4j), inputs).by_row["missing"] == (5, 2, 0, 2, 40.0, 0.0, 40.0)
    assert analyse("elements", ranked(npr4j), inputs).by_row["token"] == (1, 1, 0, 0, 100.0, 0.0, 0.0)
    with pytest.raises(UserError, match="unknown type 'MissingNull'"):
        analyse("types", ranked(npr4j), AnalysisInputs(counts={"MissingNull": {}}, sizes={"MissingNull": 1}))


def test_benchmarks_have_rates_and_places(npr4j: PublishedResults) -> None:
    table = analyse("benchmarks", ranked(npr4j), AnalysisInputs())
    assert {name: cells[:4] for name, cells in table.by_row.items()} == {
        "defects4j": (3, 2, 2, 1),
        "quixbugs": (1, 0, 0, 1),
        "bears": (1, 0, 0, 0),
    }
    places = analyse("first-plausible", ranked(npr4j), AnalysisInputs())
    assert {system: cells[:2] for system, cells in places.by_row.items()} == {"Alpha": (1, 2), "beta": (0, 3), "Gamma": (2, 1)}
    assert "place on quixbugs" in places.columns


def test_rules_are_those_of_accepted_candidates(npr4j: PublishedResults, tmp_path: Path) -> None:
    path = tmp_path / "checks.csv"
    rows = ["defects4j<SEP>Lang-1,ALPHA,4,accepted,R16", "defects4j<SEP>Lang-1,Old,9,accepted,R0"]
    path.write_text("\n".join(["bug,tool,index,verdict,rule", *rows]), encoding="utf-8")
    assert recognise_results(path) == "npr4j"
    alone = result_format("npr4j").read_results([path])
    assert isinstance(alone, PublishedResults)
    assert analyse("rules", ranked(alone), AnalysisInputs()).by_row["Old, defects4j"] == (1, "R0", 100.0, None, None, None, None)
    both = result_format("npr4j").read_results([DATA / "all_result.json", path])
    assert isinstance(both, PublishedResults)
    assert {item.rules for item in both.outcomes if item.rules} == {("R16",)}
    assert "1 checked candidate in none of the other files; left out" in both.notes
    with pytest.raises(UserError, match="rules needs candidates that a person accepted by a rule"):
        analyse("rules", ranked(npr4j), AnalysisInputs())
    path.write_text("bug,tool,index,verdict,rule\na<SEP>b,c,1,maybe,\n", encoding="utf-8")
    with pytest.raises(UserError, match="the verdict is 'maybe'"):
        result_format("npr4j").read_results([path])


def test_results_without_ranks_have_no_curves() -> None:
    source = result_format("apr-fixes").read_results([DATA / "APR_fixes_all.json"])
    assert isinstance(source, PublishedResults)
    for name in ("candidates", "checks", "precision"):
        with pytest.raises(UserError, match="needs ranks, but the candidates of Old have none"):
            analyse(name, ranked(source), AnalysisInputs())
    assert analyse("systems", ranked(source), AnalysisInputs()).by_row["Old"] == (4, 4, 3, None, 3)


def test_unknown_names_are_errors(npr4j: PublishedResults) -> None:
    for call, message in (
        (lambda: analyse("magic", ranked(npr4j), AnalysisInputs()), "unknown analysis"),
        (lambda: choose(npr4j, ["Beta"], {}), "unknown system 'Beta'"),
        (lambda: choose(npr4j, [], {"x": "y"}), "unknown system 'x'"),
        (lambda: only(npr4j, ["bears/*", "cobol/*"]), "unknown bug 'cobol/"),
        (lambda: analyse("systems", ranked(npr4j), AnalysisInputs()).cell("Delta", "fixed bugs"), "unknown row of systems 'Delta'"),
        (lambda: analyse("systems", ranked(npr4j), AnalysisInputs()).cell("Alpha", "fixd bugs"), "Did you mean 'fixed bugs'"),
        (lambda: merge({}), "no results are given"),
    ):
        with pytest.raises(UserError, match=message):
            call()


def test_systems_are_renamed_chosen_and_kept_apart_when_formats_share_a_name(npr4j: PublishedResults) -> None:
    chosen = choose(npr4j, ["Beta", "Alpha"], {"beta": "Beta"})
    assert chosen.systems == ("Beta", "Alpha")
    assert {item.system for item in chosen.outcomes} == {"Beta", "Alpha"}
    assert only(npr4j, ["quixbugs/*"]).bugs == ("quixbugs/sieve",)
    both = merge({"one": npr4j, "two": choose(npr4j, ["Alpha"], {})})
    assert both.systems == ("Alpha", "beta", "Gamma", "Alpha (two)")


BUGS = [f"b/{n}" for n in range(6)]
SYSTEMS = ["A", "B", "C"]
outcomes = st.builds(
    PublishedOutcome,
    system=st.sampled_from(SYSTEMS),
    bug=st.sampled_from(BUGS),
    rank=st.integers(min_value=1, max_value=12),
    verdict=st.sampled_from(list(PublishedVerdict)),
)
some_results = st.lists(outcomes, min_size=1, max_size=40).map(lambda items: make_results(items, BUGS))
counts: st.SearchStrategy[FixCriterion] = st.sampled_from(["correct", "plausible"])


@given(some_results, counts)
def test_more_candidates_never_fix_fewer_bugs(source: PublishedResults, count: FixCriterion) -> None:
    ready = ranked(source, count=count)
    for system in ready.systems:
        found = fixed_within(ready, system, range(1, 13))
        assert list(found) == sorted(found)
        assert found[-1] == len(ready.fixed[system])
        assert len(first_ranks(ready, system)) == len(ready.fixed[system])


@given(some_results)
def test_checks_grow_until_everything_is_found(source: PublishedResults) -> None:
    ready = ranked(source, count="correct")
    for system in ready.systems:
        found = checks(ready, system, range(1, 41))
        assert [item.correct for item in found] == sorted(item.correct for item in found)
        assert [item.checks for item in found] == sorted(item.checks for item in found)
        assert all(0 <= item.correct <= item.checks for item in found)
        assert (found[-1],) == checks(ready, system, (None,))
        assert found[-1].correct == len(ready.fixed[system])
        enough = enough_checks(ready, system)
        least = next((k for k, item in enumerate(found, start=1) if item.correct == found[-1].correct), None)
        assert enough == (least if found[-1].correct else None)


@given(some_results, counts, st.lists(st.sampled_from(["x", "y"]), min_size=6, max_size=6))
def test_ensembles_lie_between_the_best_system_and_the_union(
    source: PublishedResults, count: FixCriterion, types: list[str]
) -> None:
    ready = ranked(source, count=count)
    best = max(len(bugs) for bugs in ready.fixed.values())
    by_type = sum(item.fixed for item in best_per_type(counts_by_type(ready, dict(zip(BUGS, types, strict=True)))))
    assert best <= by_type <= len(union(ready)) <= sum(len(bugs) for bugs in ready.fixed.values())


@given(some_results, counts)
def test_overlap_is_symmetric_in_bugs_and_unique_fixes_are_disjoint(source: PublishedResults, count: FixCriterion) -> None:
    ready = ranked(source, count=count)
    unique = [bug for system in ready.systems for bug in unique_fixes(ready, system)]
    assert len(unique) == len(set(unique))
    for a in ready.systems:
        for b in ready.systems:
            assert set(shared_fixes(ready, a, ready, b)) == set(shared_fixes(ready, b, ready, a))
            if a != b:
                assert not set(shared_fixes(ready, a, ready, b)) & set(unique)


@given(some_results, st.randoms(use_true_random=False))
def test_the_order_of_a_file_does_not_matter(source: PublishedResults, random: object) -> None:
    items = list(source.outcomes)
    random.shuffle(items)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    other = choose(make_results(items, BUGS), source.systems, {})
    one, two = ranked(source, count="correct"), ranked(other, count="correct")
    for name in set(ANALYSES) - {"coverage", "rules", *GROUPS}:
        assert analyse(name, one, AnalysisInputs()) == analyse(name, two, AnalysisInputs())
