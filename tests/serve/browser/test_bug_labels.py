"""Bugs are labelled in the browser by a taxonomy of anybody's: the same pages as those of candidates, without a candidate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.serve.browser.open_runs import Workbench
from repairlab.study.assessment.store import FILE, AssessmentStore
from tests.serve.browser.conftest import Browser

pytest.importorskip("fastapi", reason="pages need the extra web: pip install 'repairlab[web]'")

from repairlab.serve.browser.app import ViewAccess, make_app


@pytest.fixture
def project(tiny: Path, tmp_path: Path) -> Path:
    (tmp_path / "kind.toml").write_text('[labels]\nlogic = "a wrong <condition>"\nvalue = "a wrong value"\n', encoding="utf-8")
    folder = tmp_path / "project"
    arguments = ["label", tiny, "--taxonomy", tmp_path / "kind.toml", "--raters", "ada,ben", "--to", folder]
    assert run(list(map(str, arguments))) == 0
    return folder


@pytest.fixture
def opened(project: Path, tmp_path: Path) -> Iterator[Browser]:
    bench = Workbench(tmp_path / "cache")
    bench.open([str(project)])
    yield Browser(make_app(bench, ViewAccess(hosts=("localhost",))))
    bench.close()


@pytest.fixture
def tokens(project: Path) -> dict[str, str]:
    store = AssessmentStore(project / FILE)
    store.prepare_desk()
    found = store.tokens()
    store.close()
    return found


def test_two_raters_label_bugs_and_a_third_person_settles(
    opened: Browser, project: Path, tiny: Path, tokens: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    for rater, labels in (("ada", ("logic", "logic")), ("ben", ("logic", "value"))):
        for label in labels:
            task = opened.get(f"/rate/{tokens[rater]}").headers["location"]
            page = opened.get(task).text
            assert "a wrong &lt;condition&gt;" in page and "Candidate" not in page and "R11" not in page
            assert "The developer" in page
            assert opened.post(task, {"label": label, "seconds": "3"}).status_code == 303
        assert opened.get(f"/rate/{tokens[rater]}").status_code == 200  # nothing is left, so no other page
    page = opened.get("/annotation").text
    assert "tiny by kind" in page and "2 / 2" in page
    sheet = opened.get("/annotation/project/rater/ada.csv").text
    assert sheet.startswith("task,bug,language,title,description,candidate,fix,label,rules,note,seconds\n")
    assert opened.request("PUT", "/annotation/project/rater/ada.csv", content=sheet.encode()).text == "0 new ratings"
    wrong = sheet.replace(",logic,", ",nonsense,")
    assert "unknown label" in opened.request("PUT", "/annotation/project/rater/ada.csv", content=wrong.encode()).text
    store = AssessmentStore(project / FILE)
    (question,) = {item.task for item in store.ratings() if item.label == "value"}
    answer = opened.post(f"/annotation/project/task/{question}", {"label": "value", "judge": "eva"})
    assert answer.status_code == 303
    assert [ruling.label for ruling in store.rulings()] == ["value"]
    store.close()
    capsys.readouterr()
    assert run(["label", str(tiny), "--to", str(project)]) == 0
    assert "2 bugs labelled, 0 disagreements open" in capsys.readouterr().out


def test_an_answer_that_is_no_label_is_refused(opened: Browser, tokens: dict[str, str]) -> None:
    task = opened.get(f"/rate/{tokens['ada']}").headers["location"]
    refused = opened.post(task, {"label": "", "seconds": "3"})
    assert refused.status_code == 400 and "choose logic, value or unsure" in refused.text
    assert opened.post(task, {"label": "correct", "seconds": "3"}).status_code == 400


def test_a_benchmark_that_changed_is_not_labelled_on(project: Path, tiny: Path, tmp_path: Path) -> None:
    path = tiny / "bugs" / "shop" / "issue.md"
    path.write_text("Another issue\n", encoding="utf-8")
    bench = Workbench(tmp_path / "cache")
    with pytest.raises(UserError, match="begin another project"):
        bench.open([str(project)])
    bench.close()
