"""`repairlab verify` on an honest run and on doctored ones."""

import dataclasses
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.outcome import Outcome, Verdict
from repairlab.runs.experiment import make_experiment
from repairlab.runs.integrity import SEAL, write_seal
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import FILES, BugEnd, Store
from repairlab.validation.machine import Machine
from tests.conftest import write_tiny

Capture = pytest.CaptureFixture[str]
Doctor = Callable[[Path], None]


@pytest.fixture(scope="module")
def honest(machine: Machine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a repairer that fixes nothing."""
    root = tmp_path_factory.mktemp("verify")
    benchmark, folder = str(write_tiny(root / "tiny")), root / "honest"
    opened = open_benchmark(benchmark)
    start_run(make_experiment({"benchmark": benchmark, "repairer": "copy", "n": 2}), opened, folder, machine)
    finish_run(opened, folder, machine, lambda step: None)
    assert run(["score", str(folder)]) == 0
    return folder


def rewrite(folder: Path, change: Callable[[Candidate | Outcome | BugEnd], Candidate | Outcome | BugEnd | None]) -> None:
    """Write all records of a run anew, with checks and seal as an honest run has them."""
    store = Store(folder)
    (folder / SEAL).unlink()
    (folder / "scores.json").unlink()
    kinds: tuple[type[Candidate] | type[Outcome] | type[BugEnd], ...] = (Candidate, Outcome, BugEnd)
    for kind in kinds:
        records = [item for _, item in store.scan(kind)]
        (folder / FILES[kind]).unlink()
        for item in records:
            if (changed := change(item)) is not None:
                store.append(changed)
    write_seal(store)


def claim_fixes(folder: Path) -> None:
    rewrite(folder, lambda item: dataclasses.replace(item, verdict=Verdict.PLAUSIBLE) if isinstance(item, Outcome) else item)


def drop_verdicts(folder: Path) -> None:
    rewrite(folder, lambda item: None if isinstance(item, Outcome) and item.bug_id == "sum" else item)


def other_text(folder: Path) -> None:
    """Put a fix under the name of another candidate."""
    path = folder / "candidates.jsonl"
    store = Store(folder)
    names = [candidate.id for candidate in store.candidates()]
    rewrite(
        folder,
        lambda item: dataclasses.replace(item, edits=(Edit(path="main.py", text=""),)) if isinstance(item, Candidate) else item,
    )
    new = [candidate.id for candidate in store.candidates()]
    (folder / SEAL).unlink()
    bodies = list(store.bodies_at(Candidate, [place for place, _ in store.scan_data(Candidate)]).values())
    path.unlink()
    for body, was, now in zip(bodies, names, new, strict=True):
        store.append_body(Candidate, body.replace(now.encode(), was.encode()).rstrip(b"\n"))
    write_seal(store)


def edit_line(folder: Path) -> None:
    path = folder / "outcomes.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"WRONG"', b'"CRASH"', 1))


def edit_settings(folder: Path) -> None:
    path = folder / "run.json"
    path.write_text(path.read_text(encoding="utf-8").replace('"n": 2', '"n": 1'), encoding="utf-8")


def edit_scores(folder: Path) -> None:
    data = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    data["scores"][0]["value"] = 0.9
    (folder / "scores.json").write_text(json.dumps(data), encoding="utf-8")


def unseal(folder: Path) -> None:
    (folder / SEAL).unlink()


DOCTORED: dict[str, tuple[Doctor, str]] = {
    "a line": (edit_line, "outcomes.jsonl, line 1: it was changed"),
    "settings": (edit_settings, "run.json was changed"),
    "scores": (edit_scores, "scores.json says pass@1 0.9000, its records give 0.0000"),
    "no seal": (unseal, "it has no seal"),
    "verdicts missing": (drop_verdicts, "bug sum: the candidate of rank 1 has no verdict"),
    "another text": (other_text, "is not the one of its name"),
    "fixes that are none": (claim_fixes, "2 differ"),
}


def test_an_honest_run_is_verified(honest: Path, capsys: Capture) -> None:
    assert run(["verify", str(honest), "-j", "2"]) == 0
    said = capsys.readouterr().out
    assert "2 bugs; 2 of 2 verdicts made again (seed 0): 0 differ, 0 unsteady, 0 undecided" in said
    assert "at most 0.0 % of the verdicts are wrong" in said


@pytest.mark.parametrize("which", DOCTORED)
def test_a_doctored_run_is_found_out(which: str, honest: Path, tmp_path: Path, capsys: Capture) -> None:
    doctor, words = DOCTORED[which]
    folder = tmp_path / "doctored"
    shutil.copytree(honest, folder)
    doctor(folder)
    sample = "10" if which == "fixes that are none" else "0"
    assert run(["verify", str(folder), "-j", "2", "--sample", sample]) == 1
    assert words in capsys.readouterr().out.replace("\n", " ")


def test_json_holds_every_verdict_made_again(honest: Path, capsys: Capture) -> None:
    assert run(["verify", str(honest), "--sample", "1", "--seed", "5", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["honest"], said["seed"], len(said["rechecks"])) == (True, 5, 1)
    assert said["rechecks"][0]["state"] == "same"
    assert said["most_wrong"] == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--sample", "-1"), "--sample is -1"),
        (("--benchmark", "starter"), "is a run on tiny 1.0.0"),
        (("--benchmark", "nowhere"), "nowhere"),
    ],
)
def test_wrong_input_is_named(arguments: tuple[str, ...], words: str, honest: Path, capsys: Capture) -> None:
    assert run(["verify", str(honest), *arguments]) == 2
    assert words in capsys.readouterr().err


def test_what_is_no_run_folder_is_wrong_input(tmp_path: Path, capsys: Capture) -> None:
    assert run(["verify", str(tmp_path)]) == 2
    assert "no run folder" in capsys.readouterr().err
