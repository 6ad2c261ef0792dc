"""The analyses: values worked out by hand on a small file, and what must hold for any results."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.published.analyses import ANALYSES, Beside, analyse
from repairlab.published.candidates import curve, fixed_within, round_numbers
from repairlab.published.checks import checks, enough_checks
from repairlab.published.fixes import best_per_type, counts_by_type, first_ranks, mean_first_rank, shared_fixes, union, unique_fixes
from repairlab.published.judgement import Count, Judgement, Results, Ruling, choose, merge, only, results
from repairlab.published.labels import read_labels
from repairlab.published.ranked import ranked
from repairlab.published.table import format_of

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="module")
def npr4j() -> Results:
    found = format_of("npr4j").read([DATA / "all_result.json"])
    assert isinstance(found, Results)
    return found


def test_first_ranks_are_of_the_lowest_accepted_candidate(npr4j: Results) -> None:
    source = ranked(npr4j)
    assert first_ranks(source, "beta") == {"defects4j/Lang-1": 12, "defects4j/Math-3": 30}
    assert [mean_first_rank(source, system) for system in source.systems] == [2.5, 21.0, 2.5]


def test_systems_table(npr4j: Results) -> None:
    grid = analyse("systems", ranked(npr4j), Beside())
    assert grid.rows == {"Alpha": (5, 3, 2, 2.5, 1), "beta": (7, 3, 2, 21.0, 0), "Gamma": (2, 2, 2, 2.5, 1)}
    assert [analyse("totals", ranked(npr4j), Beside()).cell(row, "number") for row in ("systems", "bugs", "fixes")] == [3, 5, 7]


def test_plausible_candidates_can_be_counted_instead(npr4j: Results) -> None:
    source = ranked(npr4j, count="plausible")
    assert {system: len(bugs) for system, bugs in source.fixed.items()} == {"Alpha": 3, "beta": 3, "Gamma": 2}
    with pytest.raises(UserError, match="checks needs candidates that a person accepted"):
        analyse("checks", source, Beside())


def test_overlap_has_unique_fixes_on_its_diagonal(npr4j: Results) -> None:
    grid = analyse("overlap", ranked(npr4j), Beside())
    assert grid.rows == {"Alpha": (1, 50.0, 0.0), "beta": (50.0, 0, 50.0), "Gamma": (0.0, 50.0, 1)}


def test_coverage_is_a_share_of_the_other_tools_fixes(npr4j: Results) -> None:
    other = format_of("apr-fixes").read([DATA / "APR_fixes_all.json"])
    assert isinstance(other, Results)
    grid = analyse("coverage", ranked(npr4j), Beside(against=ranked(other)))
    assert grid.rows["Old"] == (3, 100 / 3, 200 / 3, 100 / 3)
    assert grid.rows["Older"] == (0, None, None, None)


def test_checks_end_at_the_first_correct_candidate(npr4j: Results) -> None:
    grid = analyse("checks", ranked(npr4j), Beside(top=(1, 2, 3)))
    assert grid.columns == ("top-1", "top-2", "top-3", "all", "PM_K")
    assert grid.rows["Alpha"] == ("1/3", "2/4", "2/4", "2/4", 2)
    assert grid.rows["beta"] == ("0/3", "1/5", "2/6", "2/6", 3)
    assert analyse("precision", ranked(npr4j), Beside(top=(2,))).rows["beta"] == (20.0, 100 / 3)
    assert analyse("first-plausible", ranked(npr4j), Beside()).rows == {"Alpha": (1, 2), "beta": (0, 3), "Gamma": (2, 1)}


def test_ranks_that_are_text_can_be_sorted_as_text(npr4j: Results) -> None:
    # "101" (accepted) < "11" (rejected) < "12": the mistake behind a row of NPR4J's table 9.
    grid = analyse("checks", ranked(npr4j, order="written"), Beside(top=(1, 2)))
    assert grid.rows["beta"] == ("1/3", "1/4", "2/5", 3)
    assert grid.rows["Alpha"] == ("1/3", "2/4", "2/4", 2)


def test_candidate_numbers(npr4j: Results) -> None:
    source = ranked(npr4j)
    assert round_numbers(source)[-1] == 200
    assert curve(source, "beta") == ((12, 1), (30, 2))
    assert fixed_within(source, "Alpha", (1, 3, 4)) == (1, 1, 2)


def test_ensembles_need_labels_for_the_best_per_type(npr4j: Results) -> None:
    labels = read_labels(DATA / "types.csv", npr4j.bugs)
    assert labels.n_unlabelled == 1
    grid = analyse("ensembles", ranked(npr4j), Beside(labels=labels.types))
    assert {name: cells[0] for name, cells in grid.rows.items()} == {"best system alone": 2, "best system per type": 4, "union": 4}
    assert grid.rows["best system per type"][1] == "Alpha, Gamma"
    assert analyse("types", ranked(npr4j), Beside(labels=labels.types)).rows == {"swap": (2, 2, 1, 0), "null check": (2, 0, 1, 2)}
    assert "best system per type" not in analyse("ensembles", ranked(npr4j), Beside()).rows


def test_labels_may_be_json_and_must_fit(npr4j: Results, tmp_path: Path) -> None:
    path = tmp_path / "labels.json"
    path.write_text('{"sieve": "loop"}', encoding="utf-8")
    assert read_labels(path, npr4j.bugs).types == {"quixbugs/sieve": "loop"}
    path.write_text('{"other": "loop"}', encoding="utf-8")
    with pytest.raises(UserError, match="labels none of the 5 bugs"):
        read_labels(path, npr4j.bugs)
    path.write_text('{"sieve": 1}', encoding="utf-8")
    with pytest.raises(UserError, match="entry 'sieve': the type should be text"):
        read_labels(path, npr4j.bugs)


def test_results_without_ranks_have_no_curves() -> None:
    source = format_of("apr-fixes").read([DATA / "APR_fixes_all.json"])
    assert isinstance(source, Results)
    for name in ("candidates", "checks", "precision"):
        with pytest.raises(UserError, match="needs ranks, but the candidates of Old have none"):
            analyse(name, ranked(source), Beside())
    assert analyse("systems", ranked(source), Beside()).rows["Old"] == (4, 4, 3, None, 3)


def test_unknown_names_are_errors(npr4j: Results) -> None:
    for call, message in (
        (lambda: analyse("magic", ranked(npr4j), Beside()), "unknown analysis"),
        (lambda: choose(npr4j, ["Beta"], {}), "unknown system 'Beta'"),
        (lambda: choose(npr4j, [], {"x": "y"}), "unknown system 'x'"),
        (lambda: only(npr4j, ["bears/*", "cobol/*"]), "unknown bug 'cobol/"),
        (lambda: analyse("systems", ranked(npr4j), Beside()).cell("Delta", "fixed bugs"), "unknown row of systems 'Delta'"),
        (lambda: analyse("systems", ranked(npr4j), Beside()).cell("Alpha", "fixd bugs"), "Did you mean 'fixed bugs'"),
        (lambda: merge({}), "no results are given"),
    ):
        with pytest.raises(UserError, match=message):
            call()


def test_systems_are_renamed_chosen_and_kept_apart_when_formats_share_a_name(npr4j: Results) -> None:
    chosen = choose(npr4j, ["Beta", "Alpha"], {"beta": "Beta"})
    assert chosen.systems == ("Beta", "Alpha")
    assert {item.system for item in chosen.judgements} == {"Beta", "Alpha"}
    assert only(npr4j, ["quixbugs/*"]).bugs == ("quixbugs/sieve",)
    both = merge({"one": npr4j, "two": choose(npr4j, ["Alpha"], {})})
    assert both.systems == ("Alpha", "beta", "Gamma", "Alpha (two)")


BUGS = [f"b/{n}" for n in range(6)]
SYSTEMS = ["A", "B", "C"]
judgements = st.builds(
    Judgement,
    system=st.sampled_from(SYSTEMS),
    bug=st.sampled_from(BUGS),
    rank=st.integers(min_value=1, max_value=12),
    ruling=st.sampled_from(list(Ruling)),
)
some_results = st.lists(judgements, min_size=1, max_size=40).map(lambda items: results(items, BUGS))
counts: st.SearchStrategy[Count] = st.sampled_from(["correct", "plausible"])


@given(some_results, counts)
def test_more_candidates_never_fix_fewer_bugs(source: Results, count: Count) -> None:
    ready = ranked(source, count=count)
    for system in ready.systems:
        found = fixed_within(ready, system, range(1, 13))
        assert list(found) == sorted(found)
        assert found[-1] == len(ready.fixed[system])
        assert len(first_ranks(ready, system)) == len(ready.fixed[system])


@given(some_results)
def test_checks_grow_until_everything_is_found(source: Results) -> None:
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
def test_ensembles_lie_between_the_best_system_and_the_union(source: Results, count: Count, types: list[str]) -> None:
    ready = ranked(source, count=count)
    best = max(len(bugs) for bugs in ready.fixed.values())
    by_type = sum(item.fixed for item in best_per_type(counts_by_type(ready, dict(zip(BUGS, types, strict=True)))))
    assert best <= by_type <= len(union(ready)) <= sum(len(bugs) for bugs in ready.fixed.values())


@given(some_results, counts)
def test_overlap_is_symmetric_in_bugs_and_unique_fixes_are_disjoint(source: Results, count: Count) -> None:
    ready = ranked(source, count=count)
    unique = [bug for system in ready.systems for bug in unique_fixes(ready, system)]
    assert len(unique) == len(set(unique))
    for a in ready.systems:
        for b in ready.systems:
            assert set(shared_fixes(ready, a, ready, b)) == set(shared_fixes(ready, b, ready, a))
            if a != b:
                assert not set(shared_fixes(ready, a, ready, b)) & set(unique)


@given(some_results, st.randoms(use_true_random=False))
def test_the_order_of_a_file_does_not_matter(source: Results, random: object) -> None:
    items = list(source.judgements)
    random.shuffle(items)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
    other = choose(results(items, BUGS), source.systems, {})
    one, two = ranked(source, count="correct"), ranked(other, count="correct")
    for name in set(ANALYSES) - {"coverage", "types"}:
        assert analyse(name, one, Beside()) == analyse(name, two, Beside())
