"""How the runs of a report are named."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.store import Store
from repairlab.study.comparison import compare_runs
from repairlab.study.scores import scores_of
from repairlab.study.systems import read_systems

MakeRun = Callable[..., Path]


def with_model(folder: Path, settings: LlmSettings | CommandSettings, repairer: str = "llm") -> Path:
    manifest = Store(folder).manifest()
    Store(folder).create(
        dataclasses.replace(manifest, experiment=dataclasses.replace(manifest.experiment, repairer=repairer, settings=settings))
    )
    return folder


def test_models_are_named_by_strategy_and_model_then_by_temperature_then_by_folder(make_run: MakeRun) -> None:
    warm = LlmSettings(model="acme/large")
    cold = dataclasses.replace(warm, temperature=0.2)
    runs = [with_model(make_run(name, n=2, bugs=2), warm) for name in ("a", "b", "c")]
    assert [item.name for item in read_systems(runs[:1])] == ["zero-shot · acme/large"]
    assert scores_of(runs[0]).title == "zero-shot · acme/large on toy 1.0.0"
    assert compare_runs(*runs[:2]).names[0].startswith("A: zero-shot · acme/large, ")
    assert [item.name for item in read_systems(runs[:2])] == ["zero-shot · acme/large (a)", "zero-shot · acme/large (b)"]
    with_model(runs[2], cold)
    assert [item.name for item in read_systems([runs[0], runs[2]])] == [
        "zero-shot · acme/large · T=0.8",
        "zero-shot · acme/large · T=0.2",
    ]
    assert [item.name for item in read_systems(runs)] == [
        "zero-shot · acme/large · T=0.8 (a)",
        "zero-shot · acme/large · T=0.8 (b)",
        "zero-shot · acme/large · T=0.2",
    ]


def test_agents_are_named_by_preset_and_model(make_run: MakeRun) -> None:
    run = with_model(make_run("a", n=2, bugs=2), CommandSettings(preset="codex", model="acme/large"), "command")
    assert [item.name for item in read_systems([run])] == ["codex · acme/large"]
