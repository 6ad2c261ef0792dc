"""A benchmark, a model that gives one answer of every kind about it, and what `repairlab run` makes of these."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox
from tests.conftest import write_tiny
from tests.serve.harnesses.answering_server import AnsweringServer, answering

_FUNCTION = "```python\ndef total(numbers):\n    {}\n```\n"
ANSWERS = {
    "Number 1:": "Zero it is.\n" + _FUNCTION.format("return sum(numbers)"),
    "Number 2:": _FUNCTION.format("return 2 + sum(numbers)"),
    "Number 3:": _FUNCTION.format("return sum(numbers"),
    "Number 4:": "Sorry, I cannot see what is wrong.",
    "Number 5:": _FUNCTION.format("raise ValueError(numbers)"),
}
"""By what stands in the title of a bug."""
VERDICTS = {"sum-1": "PLAUSIBLE", "sum-2": "WRONG", "sum-3": "UNCOMPILABLE", "sum-4": "UNAPPLICABLE", "sum-5": "CRASH"}


@pytest.fixture(scope="session")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a benchmark of five bugs that differ in their titles."""
    folder = write_tiny(tmp_path_factory.mktemp("several") / "several")
    for number in range(1, 6):
        bug = folder / "bugs" / f"sum-{number}"
        shutil.copytree(folder / "bugs/sum", bug)
        (bug / "issue.md").write_text(f"Number {number}: sum is one too large\n\nThe sum of 1 and 2 is printed as 4.\n")
    shutil.rmtree(folder / "bugs/sum")
    shutil.rmtree(folder / "bugs/shop")
    head = folder / "benchmark.toml"
    head.write_text(head.read_text().replace('"tiny"', '"several"'))
    return folder


@pytest.fixture(scope="session")
def model() -> Iterator[AnsweringServer]:
    """Return a running model."""
    with answering(ANSWERS) as server:
        yield server


@pytest.fixture(scope="session")
def own_run(several: Path, model: AnsweringServer, sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Return our own run of the same model on the same bugs."""
    del sandbox
    folder = tmp_path_factory.mktemp("own") / "run"
    asked = ["--repairer", "llm", "--model", "vllm/scripted", "--base-url", model.base_url, "-n", "1", "-k", "1"]
    assert run(["run", str(several), *asked, "-j", "1", "--to", str(folder)]) == 0
    return Store(folder)
