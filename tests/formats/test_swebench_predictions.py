"""A run folder as predictions for SWE-bench's own harness: its three fields, one line per instance, patches that git applies."""

import json
import subprocess
from pathlib import Path

from repairlab.cli.main import run


def test_a_run_gives_predictions_that_the_official_harness_reads(tiny: Path, tmp_path: Path) -> None:
    to, predictions = tmp_path / "run", tmp_path / "predictions.jsonl"
    assert run(["run", str(tiny), "--repairer", "reference", "--to", str(to)]) == 0
    assert run(["publish", str(to), "--format", "swebench", "--to", str(predictions)]) == 0
    entries = [json.loads(line) for line in predictions.read_text(encoding="utf-8").splitlines()]
    assert [entry["instance_id"] for entry in entries] == ["shop", "sum"]
    for entry in entries:
        assert set(entry) == {"instance_id", "model_name_or_path", "model_patch"} and all(map(str.strip, entry.values()))
        work = tmp_path / entry["instance_id"]
        subprocess.run(["cp", "-r", tiny / "bugs" / entry["instance_id"] / "buggy", work], check=True)
        subprocess.run(["git", "init", "-q", work], check=True)
        apply = ["git", "apply", "--verbose", "-"]
        done = subprocess.run(apply, cwd=work, input=entry["model_patch"], text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
        fixed = (tiny / "bugs" / entry["instance_id"] / "fix.patch").read_text(encoding="utf-8")
        added = [line[1:] for line in fixed.splitlines() if line.startswith("+") and not line.startswith("+++")]
        texts = "".join(path.read_text(encoding="utf-8") for path in work.rglob("*.py"))
        assert all(line in texts for line in added)
