"""Issues that a model writes: from the failing test and its message alone, marked, and never told the fix."""

import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.importers.importer import Settings
from repairlab.building.mining.issues import Issues
from repairlab.building.mining.mine import Mined, MiningPlan, mine
from repairlab.building.mining.settings import preset
from repairlab.cli.main import run
from repairlab.languages.language import default_cache
from repairlab.repairers.llm.client.model import ScriptedModel
from repairlab.validation.machine import Machine
from tests.building.mining.conftest import History
from tests.llm_server.llama_server import Endpoint

WRITTEN = "title: Totals leave out a price\n\ndescription: I added 1 and 2 and got 2. I expected 3."


def mined(shop: History, to: Path, model: ScriptedModel, issues: Issues | None = None) -> Mined:
    plan = MiningPlan(
        repositories=(shop.folder,), name="b", settings=preset("functions"), build=Settings(repeat=1), issues=issues or Issues(())
    )
    machine = Machine(cache=default_cache(), workers=1)
    return mine(plan, to, started=lambda n: None, done=lambda name: None, machine=machine, model=model)


def test_a_model_is_shown_the_failing_test_and_never_the_fix(shop: History, tmp_path: Path) -> None:
    model = ScriptedModel([WRITTEN])
    made = mined(shop, tmp_path / "bench", model)
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert bug.problem.title == "Totals leave out a price"
    assert bug.problem.description.strip() == "I added 1 and 2 and got 2. I expected 3."
    assert bug.origin.issue == "written by model scripted" and bug.origin.commit
    (prompt,) = model.asked
    asked = "\n".join(message.content for message in prompt.messages)
    assert "assert total([1, 2]) == 3" in asked and "assert 2 == 3" in asked and "test_label" not in asked
    assert "sum(prices" not in asked and "the first price was lost" not in asked
    assert not made.imported.notes


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("I cannot say.", "its answer has no title and description"),
        ("title: Use `return sum(prices)`\n\ndescription: Then all is well.", "tells the fix, and is left out"),
        ("title: Totals\n\ndescription: Write return sum(prices) instead.", "tells the fix, and is left out"),
    ],
)
def test_an_answer_that_is_none_or_tells_the_fix_is_left_out(shop: History, tmp_path: Path, answer: str, told: str) -> None:
    made = mined(shop, tmp_path / "bench", ScriptedModel([answer]))
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert "does not do what its tests expect" in bug.problem.title and bug.origin.issue is None
    assert told in made.imported.notes[-1]


def test_a_tracker_comes_before_the_model(shop: History, tmp_path: Path) -> None:
    (tmp_path / "1.json").write_text(json.dumps([{"number": 1, "title": "Too small", "html_url": "https://example.org/1"}]))
    model = ScriptedModel([WRITTEN])
    mined(shop, tmp_path / "bench", model, Issues([tmp_path / "1.json"]))
    (bug,) = open_benchmark(str(tmp_path / "bench"))
    assert bug.problem.title == "Too small" and not model.asked


@pytest.mark.slow
def test_a_real_server_is_asked_by_the_verb(
    shop: History, tmp_path: Path, llama_server: Endpoint, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "bench"
    asked = ("--issue", "llm", "--model", "llamacpp/tiny", "--base-url", llama_server.base_url)
    assert run(["mine", str(shop.folder), "--to", str(to), "-j", "1", "--repeat", "1", *asked, "--json"]) == 0
    (bug,) = open_benchmark(str(to))
    noted = any("wrote no issue" in note or "tells the fix" in note for note in json.loads(capsys.readouterr().out)["notes"])
    # What so small a model says is noise; either it had the form, or the bug has no issue and that is said.
    assert noted == (bug.origin.issue is None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--issue", "llm"], "--issue llm needs a model"),
        (["--model", "llamacpp/tiny"], "has nothing to write"),
        (["--issue", "lmm"], "unknown source of issues 'lmm'"),
        (["--base-url", "http://localhost:1"], "without --model"),
    ],
)
def test_options_that_do_not_fit_are_refused(
    shop: History, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    assert run(["mine", str(shop.folder), "--to", str(tmp_path / "bench"), *options]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "bench").exists()
