"""Tasks, ratings and what follows from them, without a run."""

import multiprocessing
import sqlite3
import tempfile
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.core.errors import UserError
from repairlab.study.assessment.labels import agreement_of, disagreements, final_labels, rater_agreement
from repairlab.study.assessment.ratings import CORRECTNESS, LABELS, RULES, AssessmentTask, Label, Rating, Ruling, as_rules
from repairlab.study.assessment.sheets import TaskView, disagreement_sheet, draw, read_ratings, read_rulings, sheet
from repairlab.study.assessment.store import FILE, AssessmentStore, open_assessment

NOW = "2026-01-01T10:00:00+00:00"
names = st.lists(st.text("abcdef", min_size=1, max_size=4), min_size=1, max_size=5, unique=True)


def rating(task: str, rater: str, label: Label, *rules: str, note: str = "") -> Rating:
    return Rating(task=task, rater=rater, label=label, rules=rules, note=note, time=NOW)


def ruling(task: str, label: Label) -> Ruling:
    return Ruling(task=task, judge="cleo", label=label, time=NOW)


def view(task: str, title: str = "Wrong sum") -> TaskView:
    return TaskView(
        task=task, bug_id="sum", language="python", title=title, description="", candidate="--- a/x\n+++ b/x\n", fix="--- a/x\n+y\n"
    )


@given(st.integers(0, 40), names, st.floats(0, 1), st.integers(0, 9), st.data())
def test_every_task_is_drawn_and_loads_are_even(n: int, raters: list[str], overlap: float, seed: int, data: st.DataObject) -> None:
    tasks = [f"t{i}" for i in range(n)]
    per_task = data.draw(st.integers(1, len(raters)))
    drawn = draw(tasks, raters, overlap=overlap, per_task=per_task, seed=seed)
    counted = Counter(task for mine in drawn.values() for task in mine)
    assert set(counted) == set(tasks)
    assert all(len(set(mine)) == len(mine) for mine in drawn.values())
    assert Counter(counted.values())[per_task] >= round(overlap * n)
    loads = [len(mine) for mine in drawn.values()]
    assert max(loads) - min(loads) <= 1
    assert draw(tasks[::-1], raters[::-1], overlap=overlap, per_task=per_task, seed=seed) == drawn


@pytest.mark.parametrize(
    ("raters", "overlap", "per_task", "said"),
    [([], 1.0, 1, "name each of them once"), (["a", "a"], 1.0, 2, "once"), (["a"], 2.0, 1, "overlap is 2"), (["a"], 1.0, 2, "1")],
)
def test_a_draw_that_cannot_be_is_refused(raters: list[str], overlap: float, per_task: int, said: str) -> None:
    with pytest.raises(UserError, match=said):
        draw(["t"], raters, overlap=overlap, per_task=per_task)


def test_labels_and_rules_are_read_as_people_write_them() -> None:
    assert [CORRECTNESS.label_of(text) for text in ("CORRECT", "over", "unsure ")] == ["correct", "overfitting", "unsure"]
    assert as_rules("R8-UnnecessaryUnclean, 11;r2") == ("R2", "R8", "R11")
    with pytest.raises(UserError, match="unknown label 'maybe'"):
        CORRECTNESS.label_of("maybe")
    with pytest.raises(UserError, match="unknown rule 'R20'"):
        as_rules("R20")


def test_raters_who_agree_make_a_label_and_others_a_disagreement() -> None:
    ratings = [
        rating("a", "ada", "correct", "R7"),
        rating("a", "ben", "correct", "R11", "R7"),
        rating("b", "ada", "correct"),
        rating("b", "ben", "overfitting"),
        rating("c", "ada", "unsure"),
        rating("d", "ben", "overfitting"),
    ]
    found = {label.task: label for label in final_labels("abcdef", ratings, identical=frozenset("e"))}
    assert [(found[task].label, found[task].source) for task in "abcdef"] == [
        ("correct", "agreed"),
        (None, "open"),
        (None, "open"),
        ("overfitting", "one rater"),
        ("correct", "identical"),
        (None, "open"),
    ]
    assert found["a"].rules == ("R7", "R11")
    assert [label.task for label in disagreements(found.values())] == ["b", "c"]
    strict = {label.task: label for label in final_labels("abcd", ratings, either_rejects=True)}
    assert [(strict[task].label, strict[task].source) for task in "abcd"] == [
        ("correct", "agreed"),
        ("overfitting", "one rejects"),
        (None, "open"),
        ("overfitting", "one rater"),
    ]
    (label,) = final_labels("b", ratings, [ruling("b", "correct")], either_rejects=True)
    assert (label.label, label.source) == ("correct", "adjudicated")


def test_the_last_word_counts_and_the_history_stays() -> None:
    ratings = [rating("a", "ada", "overfitting"), rating("a", "ben", "correct"), rating("a", "ada", "correct")]
    (label,) = final_labels("a", ratings)
    assert (label.label, label.source, len(label.ratings)) == ("correct", "agreed", 3)
    (label,) = final_labels("a", ratings, [ruling("a", "unsure")])
    assert label.source == "agreed"
    (label,) = final_labels("a", ratings, [ruling("a", "correct"), ruling("a", "overfitting")])
    assert (label.label, label.source, len(label.rulings)) == ("overfitting", "adjudicated", 2)


def test_agreement_counts_what_several_raters_saw() -> None:
    ratings = [rating(f"t{i}", rater, "correct" if i % 2 else "overfitting") for i in range(20) for rater in ("ada", "ben")]
    ratings += [rating("t0", "ben", "correct"), rating("alone", "ada", "unsure")]
    found = rater_agreement(ratings)
    assert (found.raters, found.n_rated, found.n_shared) == (("ada", "ben"), 21, 20)
    values = {item.name: item for item in found.overall}
    assert values["raw agreement"].value == 0.95
    assert values["Cohen's kappa"].value == 0.9
    interval = values["Krippendorff's alpha"].interval
    assert interval and interval.low < 0.9 < interval.high
    assert found.matrix == {"correct": {"correct": 10}, "overfitting": {"overfitting": 9, "correct": 1}}
    assert found.per_label["unsure"][1].value is None, "nobody who shares a task is unsure"


def test_nobody_agrees_on_nothing() -> None:
    found = rater_agreement([])
    assert [item.value for item in found.overall] == [None] * 3


def test_a_sheet_comes_back_as_it_was_filled_in(tmp_path: Path) -> None:
    text = sheet([view("t1"), view("t2", title='=HYPERLINK("x")')], {"t2": rating("t2", "ada", "correct", "R2", note="ja, »so«")})
    assert "'=HYPERLINK" in text
    path = tmp_path / "ada.csv"
    path.write_text(text, encoding="utf-8")
    (kept,) = read_ratings(path, "ada", ["t1", "t2"], NOW)
    assert kept == rating("t2", "ada", "correct", "R2", note="ja, »so«")


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_sheets_of_spreadsheets_are_read(tmp_path: Path, delimiter: str, mark: str) -> None:
    rows = [
        ["task", "note", "LABEL".lower(), "rules", "seconds"],
        ["t1", "fine", "Correct", "r7", "12,5" if delimiter != "," else "12.5"],
    ]
    path = tmp_path / "sheet.csv"
    path.write_text(mark + "\r\n".join(delimiter.join(row) for row in rows), encoding="utf-8", newline="")
    (kept,) = read_ratings(path, "ada", ["t1"], NOW)
    assert (kept.label, kept.rules, kept.seconds) == ("correct", ("R7",), 12.5)


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("t9,correct,,", "task 't9' is none of this run"),
        ("t1,fine,,", "unknown label 'fine'"),
        ("t1,correct,R77,", "unknown rule 'R77'"),
        ("t1,correct,,soon", "seconds is 'soon'"),
        ("t1,overfitting,R2,", "called overfitting"),
        ("t1,correct,,\nt1,overfitting,,", "two rows that differ"),
    ],
)
def test_a_sheet_that_cannot_be_understood_is_refused_whole(tmp_path: Path, row: str, said: str) -> None:
    path = tmp_path / "sheet.csv"
    path.write_text(f"task,label,rules,seconds\n{row}\n")
    with pytest.raises(UserError, match=said):
        read_ratings(path, "ada", ["t1"], NOW)


def test_disagreements_are_settled_without_names(tmp_path: Path) -> None:
    ratings = [rating("t1", "ada", "correct", "R7"), rating("t1", "ben", "overfitting", note="fails at 0")]
    text = disagreement_sheet(final_labels(["t1"], ratings), {"t1": view("t1")})
    assert "fails at 0" in text
    assert "ada" not in text
    path = tmp_path / "open.csv"
    path.write_text(text.replace('fails at 0",', 'fails at 0",overfitting'), encoding="utf-8")
    (settled,) = read_rulings(path, "cleo", ["t1"], NOW)
    assert (settled.judge, settled.label) == ("cleo", "overfitting")


def test_the_store_keeps_everything(tmp_path: Path) -> None:
    task = AssessmentTask(id="t1", run="r", bug_id="b", candidate_id="c")
    with open_assessment(tmp_path) as store:
        store.add_tasks([task, task])
        store.assign({"ada": ["t2", "t1"], "ben": ["t1"]})
        assert store.add_ratings([rating("t1", "ada", "correct", "R7")]) == 1
        assert store.add_ratings([rating("t1", "ada", "correct", "R7")]) == 0, "it says the same again"
        assert store.add_ratings([rating("t1", "ada", "unsure")]) == 1
        assert store.add_rulings([ruling("t1", "correct")]) == 1
        assert store.add_rulings([ruling("t1", "correct")]) == 0
        store.put_evidence("t1", {"x": 1})
        store.put_evidence("t1", {"x": 2})
    with open_assessment(tmp_path) as store:
        assert store.tasks() == [task]
        assert store.assignments() == {"ada": ["t2", "t1"], "ben": ["t1"]}
        assert [item.label for item in store.ratings()] == ["correct", "unsure"]
        assert store.ratings()[0] == rating("t1", "ada", "correct", "R7")
        assert store.rulings() == [ruling("t1", "correct")]
        assert store.evidence() == {"t1": {"x": 2}}


def _rate_much(folder: Path, rater: str) -> None:
    with open_assessment(folder) as store:
        for number in range(25):
            store.add_ratings([rating(f"t{number}", rater, LABELS[number % 3])])


def test_two_raters_write_at_once_and_nothing_is_lost(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_rate_much, args=(tmp_path, rater)) for rater in ("ada", "ben")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with open_assessment(tmp_path) as store:
        assert Counter(item.rater for item in store.ratings()) == {"ada": 25, "ben": 25}


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    AssessmentStore(tmp_path / FILE).close()
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UserError, match="later version of repairlab"):
        AssessmentStore(tmp_path / FILE)


def test_ratings_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"this is no database, but it may be somebody's ratings" * 50)
    with pytest.raises(UserError, match="damaged"):
        AssessmentStore(tmp_path / FILE)
    assert any("damaged" in path.name for path in tmp_path.iterdir())


def test_the_rules_are_those_of_the_paper() -> None:
    assert list(RULES) == [f"R{number}" for number in range(20)]


@settings(max_examples=15)  # each writes a database
@given(
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["ada", "ben", "eva"]), st.sampled_from(LABELS)), max_size=25),
    st.lists(st.tuples(st.integers(0, 4), st.sampled_from(LABELS)), max_size=4),
)
def test_the_file_tells_open_tasks_and_last_words_as_the_functions_do(
    said: list[tuple[int, str, Label]], settled: list[tuple[int, Label]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = AssessmentStore(Path(folder) / FILE)
        tasks = [AssessmentTask(id=f"t{number}", run="r", bug_id="b", candidate_id=str(number)) for number in range(5)]
        store.add_tasks(tasks)
        for task, rater, label in said:
            store.add_ratings([rating(f"t{task}", rater, label)])
        for task, label in settled:
            store.add_rulings([ruling(f"t{task}", label)])
        expected = disagreements(final_labels([task.id for task in tasks], store.ratings(), store.rulings()))
        assert store.open_tasks() == [label.task for label in expected]
        assert agreement_of(store.last_words()) == rater_agreement(store.ratings())
        store.close()
