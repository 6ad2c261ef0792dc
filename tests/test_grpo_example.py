"""The example of docs/guides/serving.md that trains a model on verdicts: its bugs are healthy, and it runs."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import repairlab as rl
from repairlab.sandbox.sandbox import Sandbox

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"


def comparisons() -> ModuleType:
    spec = importlib.util.spec_from_file_location("comparisons", EXAMPLES / "comparisons.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_every_comparison_but_one_fails(tmp_path: Path, sandbox: Sandbox) -> None:
    module = comparisons()
    bench = rl.load(module.write(tmp_path / "comparisons"))
    assert len(bench.ids) == len(module.THINGS) * len(module.OPERATORS)
    for number, right in enumerate(module.OPERATORS):
        bug = bench[f"age-{number}"]
        wrong = re.findall(r" if age (\S+) ", bug.problem.source)[0]
        for operator in module.OPERATORS:
            patch = bug.problem.target.text.replace(f" {wrong} ", f" {operator} ")
            verdict = rl.validate(bug, patch).verdict
            assert (verdict == "PLAUSIBLE") == (operator == right), (right, operator)


@pytest.mark.slow
def test_the_example_trains(tmp_path: Path, sandbox: Sandbox) -> None:
    pytest.importorskip("trl", reason="TRL is not installed; get it with: pip install trl")
    command = [sys.executable, str(EXAMPLES / "grpo.py"), "--steps", "2", "--form-steps", "4"]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    rewards = [float(value) for value in re.findall(r"^step +\d+  reward (\S+)$", done.stdout, re.MULTILINE)]
    assert len(rewards) == 2 and all(0 <= reward <= 1 for reward in rewards)
    assert re.search(r"plausible on 12 other bugs: \d+% before, \d+% after", done.stdout)
    counts = re.search(r"^\{'[A-Z_]+': .*\}$", done.stdout, re.MULTILINE)
    assert counts and sum(map(int, re.findall(r": (\d+)", counts[0]))) == 2 * 32 + 2 * 12 * 8
