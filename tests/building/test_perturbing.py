"""Perturbed bugs still fail, and pass with their fixes; others are left out."""

import json
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.perturbing import MADE
from repairlab.cli.main import run
from repairlab.core.outcome import Verdict
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.validator import validate
from tests.building.test_minimise import write_bench


def perturbed_run(bench: Path | str, to: Path, *more: str, repairer: str = "reference") -> int:
    return run(["run", str(bench), "--repairer", repairer, "-n", "1", "-k", "1", "-j", "1", "--to", str(to), *more])


def test_a_run_on_perturbed_bugs_has_a_table_beside_the_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = tmp_path / "bench"
    write_bench(bench, {"one": ""})
    assert perturbed_run(bench, tmp_path / "before") == 0
    assert perturbed_run(bench, tmp_path / "after", "--perturb", "reorder,rename,dead-code") == 0
    assert "reorder in 0" in capsys.readouterr().err
    made = json.loads((tmp_path / "b+rename+dead-code+reorder" / MADE).read_text())
    assert made["made"] == {"one": ["rename", "dead-code"]}
    bug = open_benchmark(str(tmp_path / "b+rename+dead-code+reorder")).bug("one")
    assert "var1 = 1\n    return items[var1]" in bug.problem.source and "unused1" in bug.problem.source
    assert run(["report", "--tables", str(tmp_path / "before"), str(tmp_path / "after"), "--only", "robustness", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert row[1:] == ["rename+dead-code+reorder", 1, 1, 100.0, 1, 100.0, 0, 0, 1.0]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--perturb", "shuffle"), "unknown perturbation 'shuffle'"),
        (("--perturb", "rename", "-i", "go-*"), "variables of Go"),
    ],
)
def test_what_cannot_be_perturbed_is_an_error(
    more: tuple[str, ...], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert perturbed_run("starter", tmp_path / "run", *more) == 2
    assert message in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("language", ["python", "java", "c", "cpp", "go", "javascript"])
def test_perturbed_bugs_fail_and_pass_as_before(language: str, tmp_path: Path, sandbox: Sandbox) -> None:
    assert (
        perturbed_run("starter", tmp_path / "run", "--perturb", "rename,dead-code,reorder", "-i", f"{language}-*", "--limit", "3")
        == 0
    )
    (folder,) = tmp_path.glob("starter-*+rename+dead-code+reorder")
    bugs = list(open_benchmark(str(folder)))
    assert len(bugs) >= 2
    for bug in bugs:
        assert validate(bug.unpatched, bug, sandbox).verdict is not Verdict.PLAUSIBLE
        assert validate(bug.fix, bug, sandbox).verdict is Verdict.PLAUSIBLE
