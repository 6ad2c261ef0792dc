"""Settings of runs: those of the repairer among them, their forms on disk, and what may change while a run goes on."""

import dataclasses
import json
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.writing import toml
from repairlab.core.errors import UserError
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import config_data, experiment_data, identity, make_experiment, read_experiment
from repairlab.runs.store import CONFIG, Store

GOLDEN = Path(__file__).parent.parent / "golden" / "runs"
"""Folders whose run.json was written before repairers owned their settings."""


def llm(**settings: Any) -> dict[str, Any]:
    return {"benchmark": "starter", "repairer": "llm", "llm": {"model": "acme/a", **settings}}


def test_a_run_of_before_still_opens_and_has_the_same_form_when_it_is_written_again(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "llm", tmp_path / "run")
    store = Store(tmp_path / "run")
    manifest = store.manifest()
    assert isinstance(manifest.experiment.settings, LlmSettings)
    assert (manifest.experiment.settings.model, manifest.experiment.settings.stop) == ("vllm/small", ("###",))
    before = json.loads(store.manifest_path.read_bytes())
    store.create(manifest)
    after = json.loads(store.manifest_path.read_bytes())
    assert after["experiment"]["visibility"].pop("tests") is False  # added since
    assert after["experiment"].pop("min_strength") == "unchecked"  # added since
    assert [after["experiment"]["llm"].pop(name) for name in ("opening", "follow_up")] == ["function", "dialogue"]  # added since
    assert after["experiment"]["llm"].pop("effort") is None  # added since
    assert after.pop("cost_limit_usd") is None  # added since
    assert after.pop("coverage") is None  # added since
    assert before.pop("check") != after.pop("check")
    assert after == before
    assert make_experiment(read_experiment(tmp_path / "run" / CONFIG)) == manifest.experiment


@pytest.mark.parametrize(
    "settings",
    [
        {"benchmark": "starter", "repairer": "templates", "n": 3, "include": ["a*"], "visibility": {"error": True}},
        {"benchmark": "starter", "repairer": "templates", "rounds": 3, "feedback": "verdict"},
        {"benchmark": "starter", "repairer": "reference", "limit": 2},
        llm(temperature=0.0, stop=["a\n", '"'], prompt="--- user ---\n{{ code }}\n"),
        llm(strategy="conversation", attempts=2, turns=2) | {"feedback": "message"},
        {"benchmark": "starter", "repairer": "llm", "settings": {"model": "acme/a"}},
    ],
)
def test_the_file_in_a_run_folder_makes_the_same_experiment(settings: dict[str, Any]) -> None:
    made = make_experiment(settings)
    assert make_experiment(tomllib.loads(toml(config_data(made)))) == made


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"benchmark": "b", "repairer": "llm"}, "the repairer llm needs model. For example: --model openai/gpt-4o"),
        (llm(modle="x"), "the repairer llm: unknown setting 'modle'.*Did you mean 'model'"),
        (llm(temperature="hot"), "repairer llm: temperature is 'hot', but it must be a number"),
        (llm(temperature=3), "--temperature is 3"),
        (llm(comments="none"), "unknown comments 'none'. Known: original, stripped"),
        (llm(strategy="zero-shoot"), "Did you mean 'zero-shot'"),
        (llm(strategy="conversation"), "--feedback message"),
        (llm(strategy="conversation") | {"feedback": "verdict", "n": 4}, "10 attempts × 3 turns = 30 candidates"),
        (llm() | {"repairer": "templates"}, "the settings below llm are for --repairer llm, not for templates"),
        ({"benchmark": "b", "repairer": "templates", "settings": {"depth": 1}}, "unknown setting 'depth'"),
        ({"benchmark": "b", "repairer": "reference", "settings": {"depth": 1}}, "reference has no settings of its own"),
    ],
)
def test_wrong_settings_of_a_repairer_are_clear_errors(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        make_experiment(settings)


def test_only_what_says_where_things_are_may_change_while_a_run_goes_on() -> None:
    first = make_experiment(llm(base_url="http://a/v1"))
    moved = dataclasses.replace(first, k=(7,), settings=dataclasses.replace(first.settings, base_url="http://b/v1"))
    warmer = dataclasses.replace(first, settings=dataclasses.replace(first.settings, temperature=0.3))
    assert identity(first) == identity(moved)
    assert identity(first) != identity(warmer)


def test_settings_of_a_repairer_that_is_not_here_stay_as_they_are(tmp_path: Path) -> None:
    shutil.copytree(GOLDEN / "llm", tmp_path / "run")
    data = json.loads((tmp_path / "run/run.json").read_text())
    data["experiment"] |= {"repairer": "gone", "llm": None, "settings": {"depth": [1, 2]}}
    del data["check"], data["id"]
    (tmp_path / "run/run.json").write_text(json.dumps(data))
    experiment = Store(tmp_path / "run").manifest().experiment
    assert experiment.settings == {"depth": [1, 2]}
    assert experiment_data(experiment)["settings"] == {"depth": [1, 2]}
    data["experiment"] |= {"repairer": "llm", "llm": {"depth": 1}, "settings": None}
    (tmp_path / "run/run.json").write_text(json.dumps(data))
    with pytest.raises(UserError, match="the settings of the repairer llm are not those that it has: depth"):
        Store(tmp_path / "run").manifest()
