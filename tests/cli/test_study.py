"""`repairlab study`: a matrix that is killed and resumed, and its page."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.runs.integrity import find_damage
from repairlab.runs.store import Store

Capture = pytest.CaptureFixture[str]
MATRIX = """\
[study]
name = "matrix"
benchmarks = ["{benchmark}"]
seeds = [{seeds}]

[settings]
n = 2

[[systems]]
name = "patterns"
repairer = "templates"

[[systems]]
name = "nothing"
repairer = "copy"

[[systems]]
name = "developers"
repairer = "reference"

[conditions.line]

[conditions.function]
visibility = {{ localisation = "function" }}
"""


def write(folder: Path, benchmark: Path, seeds: str) -> Path:
    path = folder / "matrix.toml"
    path.write_text(MATRIX.format(benchmark=benchmark, seeds=seeds), encoding="utf-8")
    return path


def lines(folder: Path) -> dict[str, int]:
    return {path.parent.name: len(path.read_bytes().splitlines()) for path in folder.glob("cells/*/outcomes.jsonl")}


def test_a_study_resumes_and_makes_one_page(tiny: Path, tmp_path: Path, capsys: Capture) -> None:
    file, folder = write(tmp_path, tiny, "0"), tmp_path / "study"
    command = ["study", str(file), "--to", str(folder), "-j", "2"]
    assert run([*command, "--dry-run", "--json"]) == 0
    assert [item["n_left"] for item in json.loads(capsys.readouterr().out)] == [2] * 6
    assert run([*command, "--only", "*--line--*"]) == 0
    first = lines(folder)
    assert len(first) == 3 and "3 of 6 cells finished" in capsys.readouterr().err
    assert run([*command, "--json"]) == 0
    said = capsys.readouterr()
    assert said.err.count("done already") == 3
    assert {name: lines(folder)[name] for name in first} == first
    found = json.loads(said.out)
    systems, tests = found["tables"]
    assert (found["finished"], len(systems["rows"]), systems["rows"][0][0]) == (6, 6, "developers")
    assert len(tests["rows"]) == 4  # the developers' fixes compete with nobody
    html = (folder / "results.html").read_text(encoding="utf-8")
    assert "6 / 6" in html and "<svg" in html and "Paired tests" in html and "://" not in html.replace("http://www.w3.org", "")
    assert {path.suffix for path in (folder / "tables").iterdir()} == {".csv", ".svg"}


def test_a_cell_that_fails_leaves_the_others(tiny: Path, tmp_path: Path, capsys: Capture) -> None:
    file, folder, prices = write(tmp_path, tiny, "0"), tmp_path / "study", tmp_path / "prices.toml"
    limited = file.read_text(encoding="utf-8").replace("seeds = [0]", "seeds = [0]\ncost_limit_usd = 0.0")
    asking = f"""\
[[systems]]
name = "chat"
repairer = "llm"
llm = {{ model = "vllm/none", base_url = "http://127.0.0.1:9/v1" }}
access = {{ prices = "{prices}" }}

[conditions.line]"""
    file.write_text(limited.replace("[conditions.line]", asking), encoding="utf-8")
    command = ["study", str(file), "--to", str(folder), "-j", "2", "--only", "*nothing--line*", "--only", "*chat--line*"]
    prices.write_text('[models]\n"vllm/other" = { input = 10, output = 10 }\n', encoding="utf-8")
    assert run(command) == 2  # a limit without a price, known before anything runs
    assert "chat · line" in capsys.readouterr().err and not lines(folder)
    prices.write_text('[models]\n"vllm/none" = { input = 10, output = 10 }\n', encoding="utf-8")
    assert run(command) == 3
    said = capsys.readouterr().err
    assert "1 cell of 2 not finished" in said and "the study has spent its $0.0000" in said
    assert "1 of 8 cells finished" in said


def test_wrong_input_is_named(tmp_path: Path, tiny: Path, capsys: Capture) -> None:
    assert run(["study", str(tmp_path / "none.toml")]) == 2
    file = write(tmp_path, tiny, "0")
    assert run(["study", str(file), "--only", "chat*"]) == 2
    assert run(["study", str(file), "--to", str(tmp_path / "empty"), "--page"]) == 2
    said = capsys.readouterr().err
    assert "is missing" in said and "no cell matches chat*" in said and "no cell of matrix is finished" in said


@pytest.mark.slow
def test_a_study_of_24_cells_survives_two_kills(tiny: Path, tmp_path: Path) -> None:
    file, folder = write(tmp_path, tiny, "0, 1, 2, 3"), tmp_path / "study"
    command = [sys.executable, "-m", "repairlab", "study", str(file), "--to", str(folder), "-j", "2", "--no-cache"]
    for n_done in (5, 14):
        process = subprocess.Popen(command, start_new_session=True)
        until = time.monotonic() + 240
        while len(list(folder.glob("cells/*/seal.json"))) < n_done and time.monotonic() < until and process.poll() is None:
            time.sleep(0.05)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert n_done <= len(list(folder.glob("cells/*/seal.json"))) < 24
    subprocess.run(command, check=True, timeout=300)
    cells = list(folder.glob("cells/*"))
    assert len(cells) == 24 and all((cell / "seal.json").is_file() and not find_damage(Store(cell)) for cell in cells)
    ranks = [(cell.name, item.bug_id, item.rank) for cell in cells for item in Store(cell).candidates()]
    assert len(ranks) == len(set(ranks))
