"""The repairer `neural`: a model trained here fixes a bug, and what cannot work is said before a run begins."""

import dataclasses
import json
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.learning.networks.model import Ensemble, load_ensemble
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.neural import NeuralSettings
from repairlab.learning.neural_repairer import Neural
from repairlab.learning.representations.table import representation
from repairlab.learning.training.settings import load_system
from repairlab.learning.training.train import TrainOptions, train
from repairlab.sandbox.sandbox import Sandbox
from tests.conftest import write_tiny
from tests.learning.training.synthetic import python_pairs
from tests.learning.training.test_training import Quiet

BUG = "sum"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Train once for all tests."""
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("neural")
    pairs = python_pairs(folder / "pairs", {"train": 60, "valid": 10})
    settings = load_system("sequencer", preset="small", changes=["training.max_steps=120", "network.width=32"])
    return train(settings, pairs, folder / "model", TrainOptions(device="cpu"), Quiet()).folder


@pytest.fixture(scope="module")
def problem(tmp_path_factory: pytest.TempPathFactory) -> Problem:
    tiny = open_benchmark(str(write_tiny(tmp_path_factory.mktemp("bench") / "tiny")))
    return next(bug.problem for bug in tiny if bug.id == BUG)


def proposed(loaded: Ensemble, problem: Problem, beam: int) -> list[Candidate]:
    made = representation(loaded.representation, loaded.learnt)
    decoding = DecodingSettings(beam=beam, max_length=20)
    return list(Neural(loaded, made, decoding, Origin(repairer="neural")).propose(problem, ()))


def test_a_trained_model_fixes_a_bug_and_the_run_says_so(
    model: Path, tmp_path: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny = write_tiny(tmp_path / "tiny")
    options = ["--model", str(model), "-n", "3", "-k", "1,3", "-i", BUG, "--device", "cpu", "--to", str(tmp_path / "run"), "--json"]
    assert run(["run", str(tiny), "--repairer", "neural", *options]) == 0
    scores = {(item["metric"], item["k"]): item["value"] for item in json.loads(capsys.readouterr().out)["scores"]}
    assert scores["pass@k", 3] == 1
    lines = [json.loads(line) for line in (tmp_path / "run" / "candidates.jsonl").read_text().splitlines()]
    assert [line["rank"] for line in lines] == [1, 2, 3]
    chances = [line["origin"]["logprob"] for line in lines]
    assert chances == sorted(chances, reverse=True) and chances[0] < 0
    assert dict(lines[0]["origin"]["settings"])["system"] == "sequencer"


def test_a_model_that_edits_trees_fixes_a_bug(tmp_path: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    torch.set_num_threads(1)
    pairs = python_pairs(tmp_path / "pairs", {"train": 60, "valid": 10})
    settings = load_system("recoder", preset="small", changes=["training.max_steps=40", "network.width=32"])
    made = train(settings, pairs, tmp_path / "model", TrainOptions(device="cpu"), Quiet())
    options = ["--model", str(made.folder), "-n", "3", "-k", "1,3", "-i", BUG, "--device", "cpu", "--to", str(tmp_path / "run")]
    assert run(["run", str(write_tiny(tmp_path / "tiny")), "--repairer", "neural", *options, "--json"]) == 0
    scores = {(item["metric"], item["k"]): item["value"] for item in json.loads(capsys.readouterr().out)["scores"]}
    assert scores["pass@k", 3] == 1


def test_candidates_are_distinct_and_never_the_buggy_code(model: Path, problem: Problem) -> None:
    found = proposed(load_ensemble(model, device="cpu"), problem, 20)
    assert len({item.id for item in found}) == len(found) > 3
    assert [item.rank for item in found] == list(range(1, len(found) + 1))
    for item in found:
        (edit,) = item.edits
        assert edit.span is not None and edit.text != edit.span.of(problem.source)


def test_problems_asked_about_together_get_what_each_gets_alone(model: Path, problem: Problem) -> None:
    loaded = load_ensemble(model, device="cpu")
    hidden = shown(problem, Visibility(localisation="function"))
    made = representation(loaded.representation, loaded.learnt)
    asked = Neural(loaded, made, DecodingSettings(beam=5, max_length=20), Origin(repairer="neural"))
    found = asked.propose_together([problem, hidden])
    assert [[item.edits for item in part] for part in found] == [
        [item.edits for item in proposed(loaded, one, 5)] for one in (problem, hidden)
    ]
    assert found[0] and found[1]


def test_without_the_place_of_the_bug_every_line_is_asked_about(model: Path, problem: Problem) -> None:
    hidden = shown(problem, Visibility(localisation="function"))
    assert hidden.location is None
    found = proposed(load_ensemble(model, device="cpu"), hidden, 5)
    assert any("result = 0" in (item.edits[0].text or "") for item in found)
    chances = [item.origin.logprob or 0.0 for item in found]
    assert chances == sorted(chances, reverse=True)


def test_an_ensemble_proposes_what_one_of_its_members_does(model: Path, problem: Problem) -> None:
    one = load_ensemble(model, device="cpu")
    two = dataclasses.replace(one, members=(*one.members, *one.members))
    assert [item.edits for item in proposed(two, problem, 5)] == [item.edits for item in proposed(one, problem, 5)]


def test_what_cannot_work_is_said_before_the_run(tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tiny = str(write_tiny(tmp_path / "tiny"))
    for options, message in (
        (["--model", str(tmp_path)], "is no model"),
        (["--model", str(model), "--device", "gpu9"], "unknown device 'gpu9'"),
        (["--model", str(model), "--beam", "0"], "--beam is 0"),
        (["--model", str(model), "--top-p", "2"], "--top-p is 2"),
        (["--model", str(model), "--greedy", "--top-p", "0.9"], "--temperature 0 takes the likeliest tokens"),
        ([], "needs model"),
    ):
        assert run(["run", tiny, "--repairer", "neural", *options, "--to", str(tmp_path / "run")]) == 2
        assert message in capsys.readouterr().err
        assert not (tmp_path / "run").exists()


def test_candidates_proposed_into_a_file_are_those_of_a_run_and_can_be_validated_elsewhere(
    model: Path, tmp_path: Path, sandbox: Sandbox, problem: Problem, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny, to = str(write_tiny(tmp_path / "tiny")), tmp_path / "candidates.jsonl"
    assert (
        run(["predict", str(model), "--benchmark", tiny, "-n", "3", "-i", BUG, "--device", "cpu", "--to", str(to), "--json"]) == 0
    )
    assert json.loads(capsys.readouterr().out) == {"to": str(to), "n_bugs": 1, "n_candidates": 3, "unfit": {}}
    lines = [json.loads(line) for line in to.read_text().splitlines()]
    alike = proposed(load_ensemble(model, device="cpu"), problem, 3)
    assert [line["edits"][0]["text"] for line in lines] == [item.edits[0].text for item in alike[:3]]
    assert lines[0]["origin"]["logprob"] < 0
    assert run(["validate", tiny, str(to), "--to", str(tmp_path / "run"), "-j", "1"]) == 0
    assert run(["score", str(tmp_path / "run"), "--json"]) == 0
    assert '"fixed"' in capsys.readouterr().out


def test_what_cannot_be_predicted_is_said_and_nothing_is_written(
    tmp_path: Path, model: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tiny, to = str(write_tiny(tmp_path / "tiny")), tmp_path / "candidates.jsonl"
    for options, message in (
        ([], "either --pairs SET or --benchmark BENCH"),
        (["--pairs", tiny, "--benchmark", tiny], "either --pairs SET or --benchmark BENCH"),
        (["--benchmark", tiny, "-n", "0"], "-n is 0"),
        (["--benchmark", tiny, "-i", "no-such-bug"], "no-such-bug"),
        (["--benchmark", tiny, "--beam", "2000"], "--beam is 2000"),
    ):
        assert run(["predict", str(model), *options, "--device", "cpu", "--to", str(to)]) == 2
        assert message in capsys.readouterr().err
        assert not to.exists()


@pytest.mark.slow
def test_a_study_trains_its_models_once_and_compares_them(
    tmp_path: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]
) -> None:
    torch.set_num_threads(1)
    pairs, tiny = python_pairs(tmp_path / "pairs", {"train": 60, "valid": 10}), write_tiny(tmp_path / "tiny")
    lines = ["[study]", "name = 'tuned'", f"benchmarks = ['{tiny}']", "[settings]", "n = 3", "k = [1, 3]", f"include = ['{BUG}']"]
    for name, steps in (("before", "training.epochs=0"), ("after", "training.max_steps=120")):
        given = f"system = 'sequencer', preset = 'small', pairs = '{pairs}', set = ['{steps}', 'network.width=32'], device = 'cpu'"
        lines += ["[[systems]]", f"name = '{name}'", f"train = {{ {given} }}"]
    (tmp_path / "study.toml").write_text("\n".join(lines), encoding="utf-8")
    command = ["study", str(tmp_path / "study.toml"), "--to", str(tmp_path / "out"), "-k", "3"]
    assert run([*command, "--dry-run"]) == 0
    assert capsys.readouterr().err.count("trains sequencer on") == 2
    assert run([*command, "--json"]) == 0
    rates = {row[0]: row for row in json.loads(capsys.readouterr().out)["tables"][0]["rows"]}
    assert (rates["after"][4], rates["before"][4]) == (100, 0)
    assert run(command) == 0
    assert "done already" in capsys.readouterr().err


def test_a_temperature_draws_and_a_temperature_of_0_is_greedy() -> None:
    usual = DecodingSettings(beam=10, temperature=0.5, top_p=0.9)
    for settings, expected, name in (
        ({}, (10, False, 0.5, 0.9), "beam"),
        ({"temperature": 0.7, "top_p": 0.95}, (10, True, 0.7, 0.95), "T=0.7 top-p 0.95"),
        ({"sample": True}, (10, True, 0.5, 0.9), "sampled"),
        ({"temperature": 0.0}, (1, False, 0.5, 0.9), "greedy"),
    ):
        chosen = NeuralSettings(model="m", **settings)
        found = chosen.applied(usual, beam=10, at_once=64)
        assert (found.beam, found.sample, found.temperature, found.top_p, found.at_once) == (*expected, 64)
        assert chosen.decoding == name
