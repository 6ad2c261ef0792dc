"""Runs through the Python API, in a real sandbox."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import repairlab as rl
from repairlab.runs.messages import Progress, Step
from repairlab.sandbox.sandbox import Sandbox

FIX = {
    "shop": "def total(self):\n        return sum(self.prices)\n",
    "sum": "def total(numbers):\n    return sum(numbers)\n",
}


def two_tries(problem: rl.Problem) -> Iterator[object]:
    yield "no idea"
    yield FIX[problem.id]


def test_a_run_can_be_stopped_and_goes_on(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    steps: list[Step] = []

    def stop(step: Step) -> None:
        if isinstance(step, Progress) and step.verdict is None:
            raise ZeroDivisionError

    bench = rl.load(tiny)
    wanted = rl.repairer("templates", n=3, seed=1)
    with pytest.raises(ZeroDivisionError):
        rl.run(bench, wanted, to=tmp_path / "run", k=(1, 3), progress=stop, cache=False, workers=1)
    half = rl.open_run(tmp_path / "run")
    assert not half.is_finished and "unfinished" in repr(half)
    with pytest.raises(rl.UserError, match="unfinished"):
        rl.score(half)
    done = rl.run(bench, wanted, to=tmp_path / "run", k=(1, 3), progress=steps.append, cache=False, workers=1)
    assert done.is_finished and done.manifest.experiment.n == 3 and done.manifest.experiment.seed == 1
    assert {step.bug_id for step in steps if isinstance(step, Progress) and step.verdict is None} == {"shop", "sum"}
    assert len(done.candidates()) == 6 and {outcome.bug_id for outcome in done.outcomes()} == {"shop", "sum"}
    before = (tmp_path / "run" / "outcomes.jsonl").read_bytes()
    rl.run(bench, wanted, to=tmp_path / "run", k=(1, 3), cache=False, workers=1)
    assert (tmp_path / "run" / "outcomes.jsonl").read_bytes() == before
    with pytest.raises(rl.UserError, match="n was 3, now 2"):
        rl.run(bench, rl.repairer("templates", n=2, seed=1), to=tmp_path / "run", k=(1, 2))


def test_runs_of_a_function_and_of_a_part_of_a_benchmark_are_scored_and_compared(
    tiny: Path, tmp_path: Path, sandbox: Sandbox
) -> None:
    part = rl.load(tiny).filter("s[u]m")
    mine = rl.run(part, two_tries, to=tmp_path / "mine", n=2, k=(1, 2), workers=1)
    copied = rl.run(part, "copy", to=tmp_path / "copied", n=2, k=(1,), workers=1)
    assert mine.manifest.bug_ids == ("sum",) and mine.manifest.experiment.repairer == "two_tries"
    assert [line.outcome.verdict.code for line in mine.of_bug("sum") if line.outcome] == ["–", "AC"]
    assert "+    return sum(numbers)" in mine.candidate("sum", 2).diff
    scores = rl.score(mine, k=(1, 2))
    assert (scores["pass@1"].value, scores["pass@2"].value, scores["fixed"].value) == (0.5, 1.0, 1.0)
    assert rl.score(mine, k=2)["pass@2"] == scores["pass@2"]
    assert "two_tries on tiny 1.0.0" in repr(scores) and "<td>pass@1</td><td>50.0 %</td>" in scores._repr_html_()
    with pytest.raises(rl.UserError, match="unknown score 'pass@7'"):
        scores["pass@7"]
    with pytest.raises(rl.UserError, match="each k must be 1 or more"):
        rl.score(mine, k=0)
    found = rl.compare(mine, copied)
    assert found.overlap.only_a == ("sum",)
    assert "fixed only by A" in repr(found) and "McNemar" in found._repr_html_()
    assert "<td>sum</td><td>2</td><td>2</td>" in mine._repr_html_()
    frame = mine.to_polars()
    assert frame["verdict"].to_list() == ["UNAPPLICABLE", "PLAUSIBLE"] and frame["rank"].to_list() == [1, 2]
    assert mine.outcomes().to_polars().height == len(mine.outcomes()) == 2
    assert mine.candidates().to_polars()["bug_id"].unique().to_list() == ["sum"]


def test_what_a_repairer_does_not_know_is_an_error(tiny: Path, tmp_path: Path) -> None:
    def templates(problem: rl.Problem) -> list[object]:
        return []

    for chosen, message in (
        (rl.RepairerChoice(name="templates", settings={"temperature": 1}), "the repairer templates: unknown setting 'temperature'"),
        (rl.repairer("llm", n=2), "needs model"),
        (rl.repairer("llm", model="vllm/x", concurrency=0), "--concurrency is 0"),
        (templates, "as one of ours is"),
    ):
        with pytest.raises(rl.UserError, match=message):
            rl.run(tiny, chosen, to=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_bugs_are_checked(tiny: Path, sandbox: Sandbox) -> None:
    told: list[str] = []
    found = rl.check(rl.load(tiny), progress=lambda health: told.append(health.bug_id), workers=1)
    assert [health.bug_id for health in found] == ["shop", "sum"] and all(health.healthy for health in found)
    assert sorted(told) == ["shop", "sum"]


def test_without_polars_the_error_says_what_to_do(tiny: Path, tmp_path: Path, sandbox: Sandbox) -> None:
    rl.run(rl.load(tiny).filter("sum"), "copy", to=tmp_path / "run", n=1, k=(1,), workers=1)
    code = f"import sys; sys.modules['polars'] = None; import repairlab; repairlab.open_run({str(tmp_path / 'run')!r}).to_polars()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (
        f"UserError: to_polars needs polars, which is not installed: {sys.executable} -m pip install 'repairlab[frames]'"
        in done.stderr
    )


def test_how_a_model_is_reached_may_be_said_for_the_run(tiny: Path, tmp_path: Path) -> None:
    asked = rl.repairer("llm", model="vllm/x", base_url="http://localhost:9/v1", n=1)
    with pytest.raises(rl.UserError, match="--offline uses kept answers alone"):
        rl.run(str(tiny), asked, to=tmp_path / "run", access=rl.Access(offline=True, use_cache=False))
    with pytest.raises(rl.UserError, match="both"):
        rl.run(str(tiny), rl.repairer("llm", model="vllm/x", retries=1), to=tmp_path / "run", access=rl.Access())
