"""Fixes lose what their tests do not need, and keep what they do."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.mining.minimise import ORIGINAL, smallest

BUGGY = "def first(items):\n    index = 1\n    return items[index]\n\n\ndef last(items):\n    return items[0]\n"
FIXED = '"""Ends."""\n\n' + BUGGY.replace("index = 1", "index = 0").replace("items[0]", "items[-1]")


@given(st.lists(st.integers(), unique=True, min_size=1, max_size=12), st.data())
def test_nothing_is_left_that_can_go(items: list[int], data: st.DataObject) -> None:
    needed = set(data.draw(st.lists(st.sampled_from(items), min_size=1, unique=True)))
    assert set(smallest(items, lambda part: needed <= set(part))) == needed


def test_a_fix_loses_what_its_tests_do_not_need(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bug = tmp_path / "bench" / "bugs" / "first"
    (bug / "buggy").mkdir(parents=True)
    (bug / "buggy" / "main.py").write_text(BUGGY, encoding="utf-8")
    (bug / "buggy" / "test_main.py").write_text(
        "from main import first\n\n\ndef test_first():\n    assert first([4, 5]) == 4\n", encoding="utf-8"
    )
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "main.py").write_text(FIXED, encoding="utf-8")
    diff = subprocess.run(["diff", "-u", bug / "buggy" / "main.py", tmp_path / "old" / "main.py"], capture_output=True, check=False)
    patch = "--- a/main.py\n+++ b/main.py\n" + diff.stdout.decode().split("\n", 2)[2]
    (bug / "fix.patch").write_text(patch, encoding="utf-8")
    (bug / "issue.md").write_text("# The second comes first\n", encoding="utf-8")
    (bug / "bug.toml").write_text(
        'schema = 1\nlanguage = "python"\npath = "main.py"\n[test]\nframework = "pytest"\nfiles = ["test_main.py"]\n'
        'trigger = ["test_main.py::test_first"]\nregression = []\n',
        encoding="utf-8",
    )
    (tmp_path / "bench" / "benchmark.toml").write_text(
        'schema = 1\nname = "b"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8"
    )
    assert run(["minimise", str(tmp_path / "bench"), "-j", "1"]) == 0
    assert "1 of 1 fixes made smaller" in capsys.readouterr().out
    assert (bug / ORIGINAL).read_text(encoding="utf-8") == patch
    changed = [
        line
        for line in (bug / "fix.patch").read_text(encoding="utf-8").splitlines()
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    assert changed == ["-    index = 1", "+    index = 0"]
    assert open_benchmark(str(tmp_path / "bench")).bug("first").oracle.reference
    assert run(["minimise", str(tmp_path / "bench"), "-j", "1"]) == 0
    assert "0 of 0 fixes" in capsys.readouterr().out
