"""Fixes lose what their tests do not need, and keep what they do."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.minimise import LOOKED_AT, ORIGINAL, smallest
from repairlab.cli.main import run

BUGGY = "def first(items):\n    index = 1\n    return items[index]\n\n\ndef last(items):\n    return items[0]\n"
FIXED = '"""Ends."""\n\n' + BUGGY.replace("index = 1", "index = 0").replace("items[0]", "items[-1]")


@given(st.lists(st.integers(), unique=True, min_size=1, max_size=12), st.data())
def test_nothing_is_left_that_can_go(items: list[int], data: st.DataObject) -> None:
    needed = set(data.draw(st.lists(st.sampled_from(items), min_size=1, unique=True)))
    assert set(smallest(items, lambda part: needed <= set(part))) == needed


def write_bench(folder: Path, bugs: dict[str, str]) -> dict[str, str]:
    """Write a benchmark whose bugs have these tests behind their own; return the patches of their fixes."""
    folder.mkdir()
    (folder / "benchmark.toml").write_text('schema = 1\nname = "b"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")
    (folder / "fixed.py").write_text(FIXED, encoding="utf-8")
    patches = {}
    for name, more in bugs.items():
        bug = folder / "bugs" / name
        (bug / "buggy").mkdir(parents=True)
        (bug / "buggy" / "main.py").write_text(BUGGY, encoding="utf-8")
        tests = f"from main import first, last\n\n\ndef test_first():\n    assert first([4, 5]) == 4\n{more}"
        (bug / "buggy" / "test_main.py").write_text(tests, encoding="utf-8")
        diff = subprocess.run(["diff", "-u", bug / "buggy" / "main.py", folder / "fixed.py"], capture_output=True, check=False)
        patches[name] = "--- a/main.py\n+++ b/main.py\n" + diff.stdout.decode().split("\n", 2)[2]
        (bug / "fix.patch").write_text(patches[name], encoding="utf-8")
        (bug / "issue.md").write_text("# The second comes first\n", encoding="utf-8")
        (bug / "bug.toml").write_text(
            'schema = 1\nlanguage = "python"\npath = "main.py"\n[test]\nframework = "pytest"\nfiles = ["test_main.py"]\n'
            'trigger = ["test_main.py::test_first"]\nregression = []\n',
            encoding="utf-8",
        )
    return patches


def changed_lines(bug: Path) -> list[str]:
    lines = (bug / "fix.patch").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")]


def test_a_fix_loses_what_its_tests_do_not_need(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = tmp_path / "bench"
    patches = write_bench(bench, {"first": ""})
    assert run(["minimise", str(bench), "-j", "1"]) == 0
    assert "1 of 1 fix" in capsys.readouterr().out
    assert (bench / "bugs" / "first" / ORIGINAL).read_text(encoding="utf-8") == patches["first"]
    assert changed_lines(bench / "bugs" / "first") == ["-    index = 1", "+    index = 0"]
    assert open_benchmark(str(bench)).bug("first").oracle.reference


SLOW = "\n\nimport time\ntime.sleep(2)\n"


@pytest.mark.slow
def test_what_was_found_before_a_kill_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = tmp_path / "bench"
    patches = write_bench(bench, {"one": "", "two": SLOW})
    command = [sys.executable, "-m", "repairlab", "minimise", str(bench), "-j", "1"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None and not (bench / LOOKED_AT).exists():
            time.sleep(0.05)
        process.kill()
    one, two = bench / "bugs" / "one", bench / "bugs" / "two"
    assert changed_lines(one) == ["-    index = 1", "+    index = 0"]
    assert (one / ORIGINAL).read_text(encoding="utf-8") == patches["one"]
    assert (two / "fix.patch").read_text(encoding="utf-8") == patches["two"] and not (two / ORIGINAL).exists()
    known = one / "fix.patch"
    before = known.stat().st_mtime_ns
    assert run(["minimise", str(bench), "-j", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["bugs"]
    assert [(bug["bug_id"], bug["n_before"], bug["n_after"]) for bug in found] == [("one", 3, 1), ("two", 3, 1)]
    assert known.stat().st_mtime_ns == before, "what is done is not done again"
    assert changed_lines(two) == changed_lines(one)


@pytest.mark.slow
def test_a_fix_that_was_replaced_without_saying_so_is_put_back_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = tmp_path / "bench"
    patches = write_bench(bench, {"first": ""})
    bug = bench / "bugs" / "first"
    assert run(["minimise", str(bench), "-j", "1"]) == 0
    smaller = (bug / "fix.patch").read_text(encoding="utf-8")
    (bench / LOOKED_AT).write_bytes((bench / LOOKED_AT).read_bytes()[:40])
    capsys.readouterr()
    assert run(["minimise", str(bench), "-j", "1", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["bugs"]
    assert (found["n_before"], found["n_after"]) == (3, 1)
    assert (bug / ORIGINAL).read_text(encoding="utf-8") == patches["first"]
    assert (bug / "fix.patch").read_text(encoding="utf-8") == smaller
