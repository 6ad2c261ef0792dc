"""Rating in the browser: blind, saved as it goes, taken back, settled; the same records as sheets."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.outcome import Verdict
from repairlab.runs.store import Store
from repairlab.serve.browser.open_runs import Workbench
from repairlab.study.assessment.labels import rater_agreement
from repairlab.study.assessment.ratings import AssessmentTask
from repairlab.study.assessment.sheets import draw
from repairlab.study.assessment.store import FILE, AssessmentStore
from tests.serve.browser.conftest import Browser
from tests.study.conftest import MakeRun

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.serve.browser.app import ViewAccess, make_app


def make_tasks(folder: Path, raters: tuple[str, ...] = ("ada", "ben"), *, overlap: float = 1.0) -> None:
    run = Store(folder)
    found = {item.candidate_id: item for item in run.outcomes() if item.verdict is Verdict.PLAUSIBLE}
    store = AssessmentStore(folder / FILE)
    tasks = [
        AssessmentTask(id=f"task{number:04}", run=run.manifest().id, bug_id=item.bug_id, candidate_id=item.candidate_id)
        for number, item in enumerate(found.values())
    ]
    store.add_tasks(tasks)
    store.assign(draw([task.id for task in tasks], raters, overlap=overlap))
    store.close()


class Desk:
    """A server over one run with tasks."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.bench = Workbench(cache)
        self.bench.open([str(folder)])
        self.bench.open_all()
        self.bench.catch_up()
        self.browser = Browser(make_app(self.bench, ViewAccess(hosts=("localhost",))))
        self.store = AssessmentStore(folder / FILE)
        self.store.prepare_desk()
        self.tokens = self.store.tokens()

    def task_of(self, rater: str) -> str:
        answer = self.browser.get(f"/rate/{self.tokens[rater]}")
        return answer.headers["location"].rpartition("/")[2] if answer.status_code == 303 else ""

    def rate(self, rater: str, task: str, label: str, **more: object) -> int:
        data = {"label": label, "seconds": "7", **more}
        return self.browser.post(f"/rate/{self.tokens[rater]}/task/{task}", data).status_code

    def draft(self, rater: str, task: str, **data: object) -> int:
        return self.browser.post(f"/rate/{self.tokens[rater]}/task/{task}/draft", data).status_code


@pytest.fixture
def folder(benchmark: Path, make_run: MakeRun) -> Path:
    digest = open_benchmark(str(benchmark)).digest
    made = make_run("chat", n=6, bugs=8, strength=0.6, digest=digest, benchmark=str(benchmark), model="acme/large-2")
    make_tasks(made)
    return made


@pytest.fixture
def desk(folder: Path, tmp_path: Path) -> Iterator[Desk]:
    made = Desk(folder, tmp_path / "cache")
    yield made
    made.store.close()
    made.bench.close()


def test_a_rater_is_led_through_all_tasks(desk: Desk) -> None:
    n, _ = desk.store.progress("ada")
    seen = []
    while task := desk.task_of("ada"):
        seen.append(task)
        assert desk.rate("ada", task, "correct", rule=["R7", "R11"], note="fine") == 303
    assert seen == desk.store.assignments()["ada"] and len(seen) == n > 3
    assert {(item.label, item.rules, item.note, item.seconds) for item in desk.store.ratings()} == {
        ("correct", ("R7", "R11"), "fine", 7.0)
    }
    done = desk.browser.get(f"/rate/{desk.tokens['ada']}")
    assert done.status_code == 200 and "Nothing left to do" in done.text


def test_raters_see_neither_the_system_nor_each_other(desk: Desk) -> None:
    task = desk.task_of("ada")
    desk.rate("ada", task, "correct", note="ada's own words")
    html = desk.browser.get(f"/rate/{desk.tokens['ben']}/task/{task}").text
    for secret in ("acme", "chat", "ada", "rank", "PLAUSIBLE", "/run/", "/annotation"):
        assert secret not in html, secret
    assert "Issue" in html and "The developer's fix" in html and "diff-split" in html


def test_what_was_begun_is_there_after_the_server_died(desk: Desk, folder: Path, tmp_path: Path) -> None:
    task = desk.task_of("ada")
    assert desk.draft("ada", task, label="overfitting", note="half a thou", seconds="31") == 204
    again = Desk(folder, tmp_path / "other-cache")  # nothing was closed
    html = again.browser.get(f"/rate/{desk.tokens['ada']}/task/{task}").text
    assert "half a thou" in html and 'value="overfitting" data-key="2" checked' in html and 'data-seconds="31.0"' in html
    assert again.store.ratings() == [] and again.task_of("ada") == task


def test_an_answer_is_taken_back(desk: Desk) -> None:
    first = desk.task_of("ada")
    desk.rate("ada", first, "correct", note="too quick")
    second = desk.task_of("ada")
    answer = desk.browser.post(f"/rate/{desk.tokens['ada']}/undo", {})
    assert second != first and answer.headers["location"].endswith(first)
    html = desk.browser.get(answer.headers["location"]).text
    assert "too quick" in html and 'value="correct" data-key="1" checked' in html
    assert desk.store.last_ratings("ada", task=first)[0].label == "unsure"
    desk.rate("ada", first, "overfitting")
    desk.rate("ada", first, "correct")
    desk.browser.post(f"/rate/{desk.tokens['ada']}/undo", {})
    assert desk.store.last_ratings("ada", task=first)[0].label == "overfitting"
    assert len(desk.store.ratings()) == 5  # nothing is ever deleted


def test_undo_without_an_answer_does_nothing(desk: Desk) -> None:
    assert desk.browser.post(f"/rate/{desk.tokens['ada']}/undo", {}).status_code == 303 and desk.store.ratings() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ({"label": ""}, "choose correct, overfitting or unsure"),
        ({"label": "overfitting", "rule": "R7"}, "called overfitting"),
        ({"label": "perfect"}, "unknown label"),
        ({"label": "correct", "rule": "R99"}, "unknown rule"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused_and_what_was_written_stays(desk: Desk, data: dict[str, str], words: str) -> None:
    task = desk.task_of("ada")
    desk.draft("ada", task, label="correct", note="long thoughts")
    answer = desk.browser.post(f"/rate/{desk.tokens['ada']}/task/{task}", {**data, "note": "long thoughts"})
    assert answer.status_code == 400 and words in answer.text and "long thoughts" in answer.text
    assert desk.store.ratings() == []


def test_a_wrong_token_or_task_opens_nothing(desk: Desk) -> None:
    assert desk.browser.get("/rate/wrong").status_code == 403
    assert desk.browser.post("/rate/wrong/task/task0000", {"label": "correct"}).status_code == 403
    assert desk.browser.get(f"/rate/{desk.tokens['ada']}/task/nope").status_code == 404
    assert desk.browser.post(f"/rate/{desk.tokens['ada']}/task/nope/draft", {"label": "correct"}).status_code == 404
    assert desk.store.ratings() == []


def test_another_site_cannot_write(desk: Desk) -> None:
    task = desk.task_of("ada")
    headers = {"origin": "http://evil.example"}
    url = f"/rate/{desk.tokens['ada']}/task/{task}"
    assert desk.browser.post(url, {"label": "correct"}, headers=headers).status_code == 403
    assert desk.browser.post(url, {"label": "correct"}, headers={"origin": "null"}).status_code == 403
    assert desk.browser.post(url, {"label": "correct"}, headers={"origin": "http://localhost"}).status_code == 303


def test_two_raters_who_save_at_once_lose_nothing(desk: Desk) -> None:
    def work(rater: str) -> None:
        for number in range(3):
            for task in desk.store.assignments()[rater]:
                desk.draft(rater, task, label="correct", note=f"{rater} {number}")
        for task in desk.store.assignments()[rater]:
            desk.rate(rater, task, "correct", note=f"{rater} last")

    threads = [threading.Thread(target=work, args=(rater,)) for rater in desk.tokens]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(desk.store.ratings()) == sum(map(len, desk.store.assignments().values()))
    assert {item.note for item in desk.store.ratings()} == {"ada last", "ben last"}


def test_agreement_is_live_and_disagreements_are_settled(desk: Desk) -> None:
    tasks = desk.store.assignments()["ada"]
    for number, task in enumerate(tasks):
        desk.rate("ada", task, "correct" if number % 2 else "overfitting")
        desk.rate("ben", task, "correct" if number % 2 or number == 0 else "overfitting", note="ben says")
    page = desk.browser.get("/annotation").text
    for item in rater_agreement(desk.store.ratings()).overall:
        assert item.value is None or f"{item.value:.3f}" in page
    url = f"/annotation/chat/task/{tasks[0]}"
    assert url in page and f"/annotation/chat/task/{tasks[1]}" not in page
    html = desk.browser.get(url).text
    assert "overfitting" in html and "ben says" in html and ">ada<" not in html
    assert desk.browser.post(url, {"label": "", "judge": "cleo"}).status_code == 400
    assert desk.browser.post(url, {"label": "correct", "judge": "cleo", "note": "as the fix"}).status_code == 303
    assert [(item.judge, item.label) for item in desk.store.rulings()] == [("cleo", "correct")]
    assert url not in desk.browser.get("/annotation").text


def test_sheets_go_out_and_come_back(desk: Desk) -> None:
    tasks = desk.store.assignments()["ben"]
    text = desk.browser.get("/annotation/chat/rater/ben.csv").text
    assert text.startswith("task,bug,language,title,") and text == desk.browser.get(f"/rate/{desk.tokens['ben']}/sheet.csv").text
    filled = "task,label,rules,note\n" + "".join(f"{task},correct,R8,ok\n" for task in tasks)
    answer = desk.browser.request("PUT", "/annotation/chat/rater/ben.csv", content=filled.encode())
    assert answer.text == f"{len(tasks)} new ratings" and {item.rater for item in desk.store.ratings()} == {"ben"}
    bad = desk.browser.request("PUT", "/annotation/chat/rater/ben.csv", content=b"task,label\nnope,correct\n")
    assert bad.status_code == 400 and "none of this run" in bad.text
    for task in tasks:
        desk.rate("ada", task, "overfitting")
    assert desk.browser.get("/annotation/chat/disagreements.csv").text.count("overfitting") == len(tasks)
    rulings = b"task,label\n" + f"{tasks[0]},correct\n".encode()
    assert desk.browser.request("PUT", "/annotation/chat/disagreements.csv?judge=cleo", content=rulings).text == "1 new rulings"


def test_a_run_without_tasks_says_how_to_make_them(make_run: MakeRun, tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(make_run("bare", n=1, bugs=1))])
    browser = Browser(make_app(bench, ViewAccess(hosts=())))
    assert "repairlab assess" in browser.get("/annotation").text
    assert browser.get("/annotation/bare/task/x").status_code == 400
    bench.close()


def test_a_hundred_thousand_tasks_stay_quick_to_ask_for(tmp_path: Path) -> None:
    store = AssessmentStore(tmp_path / FILE)
    store.prepare_desk()
    names = [f"{number:016x}" for number in range(100_000)]
    store.assign({"ada": names})
    plan = " ".join(
        str(row)
        for row in store._database.rows(
            "EXPLAIN QUERY PLAN SELECT task FROM assignments WHERE rater = 'ada' ORDER BY number LIMIT 1"
        )
    )
    assert "USING INDEX assignments_by_rater" in plan or "USING COVERING INDEX" in plan
    assert store.next_task("ada", after=names[70_000]) == names[70_001] and store.progress("ada") == (100_000, 0)
    store.close()
