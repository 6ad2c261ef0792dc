"""What is published holds everything but what must stay hidden."""

import hashlib
import json
from pathlib import Path

import polars
import pytest

from repairlab.cli.main import run

MARK_FIX, MARK_TEST = "planted_in_the_fix", "planted_in_the_tests"


@pytest.fixture
def marked(tiny: Path) -> Path:
    """Plant marks into the fixes, the tests and the expected outputs of the tiny benchmark."""
    patch = tiny / "bugs/sum/fix.patch"
    patch.write_text(patch.read_text().replace("+    result = 0", f"+    result = 0  # {MARK_FIX}"))
    tests = tiny / "bugs/shop/buggy/tests/test_cart.py"
    tests.write_text(tests.read_text() + f"\n\n# {MARK_TEST}\n")
    (tiny / "bugs/sum/cases/02.in").write_text("5\n")
    (tiny / "bugs/sum/cases/02.out").write_text("5\n")
    return tiny


def rows(folder: Path, table: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "data" / f"{table}.jsonl").read_text(encoding="utf-8").splitlines()]


def test_problems_hold_nothing_of_tests_or_fixes(marked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    to = tmp_path / "out"
    assert run(["publish", str(marked), "--to", str(to), "--context", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == {"problems": 2, "pairs": 2, "labels": 2}
    for name in ("problems.jsonl", "problems.parquet", "labels.jsonl", "labels.parquet"):
        content = (to / "data" / name).read_bytes()
        assert MARK_FIX.encode() not in content and MARK_TEST.encode() not in content, name
    shown = polars.read_parquet(to / "data/problems.parquet")
    assert MARK_FIX not in str(shown.to_dicts()) and MARK_TEST not in str(shown.to_dicts()), "Parquet is compressed"
    assert MARK_FIX in (to / "data/pairs.jsonl").read_text(encoding="utf-8")
    assert not any(MARK_TEST.encode() in path.read_bytes() for path in to.rglob("*") if path.is_file())


def test_tables_are_equal_in_both_forms(marked: Path, tmp_path: Path) -> None:
    to = tmp_path / "out"
    assert run(["publish", str(marked), "--to", str(to)]) == 0
    assert not (to / "data/found_labels.jsonl").exists(), "an empty table is none"
    for table in ("problems", "pairs", "labels"):
        assert polars.read_parquet(to / "data" / f"{table}.parquet").to_dicts() == rows(to, table)
    card = (to / "README.md").read_text(encoding="utf-8")
    assert "config_name: problems" in card and "How it was made" in card and "Not checked" in card
    for line in (to / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((to / name).read_bytes()).hexdigest() == digest


def test_a_change_log_says_what_is_new(marked: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    assert run(["publish", str(marked), "--to", str(first), "--no-parquet"]) == 0
    (marked / "bugs/sum/issue.md").write_text("Sums are off\n\nBy one.\n")
    assert run(["publish", str(marked), "--to", str(second), "--previous", str(first), "--no-parquet"]) == 2
    assert "raise `version`" in capsys.readouterr().err
    head = marked / "benchmark.toml"
    head.write_text(head.read_text().replace('version = "1.0.0"', 'version = "1.1.0"'))
    assert run(["publish", str(marked), "--to", str(second), "--previous", str(first), "--no-parquet"]) == 0
    log = (second / "CHANGES.md").read_text()
    assert "changed: 1 (sum)" in log and "added: 0" in log
    assert log.index("## 1.1.0") < log.index("## 1.0.0")
    assert not list(second.rglob("*.parquet"))


def test_labels_that_rules_found_are_a_table(marked: Path, tmp_path: Path) -> None:
    found = {"bug": "sum", "rule": "actions", "values": ["assignExpChange"], "is_suggested": False, "by": "rules", "evidence": ""}
    (marked / "labels.jsonl").write_text(json.dumps({"schema": 1, **found}) + "\n")
    assert run(["publish", str(marked), "--to", str(tmp_path / "out")]) == 0
    assert polars.read_parquet(tmp_path / "out/data/found_labels.parquet").to_dicts() == [found]


def test_a_mined_benchmark_tells_its_funnel(marked: Path, tmp_path: Path) -> None:
    (marked / "funnel.json").write_text(json.dumps([{"stage": "message", "left": 3, "gone": {"no word of fixing": 7}}]))
    assert run(["publish", str(marked), "--to", str(tmp_path / "out"), "--no-parquet"]) == 0
    assert "| message | 3 | 7: no word of fixing |" in (tmp_path / "out/README.md").read_text()


def test_what_cannot_be_published_is_one_message(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/x").write_text("")
    assert run(["publish", str(tiny), "--to", str(tmp_path / "full")]) == 2
    assert "not an empty folder" in capsys.readouterr().err
    assert run(["publish", str(tiny), "--to", str(tmp_path / "o"), "--previous", str(tmp_path / "full")]) == 2
    assert "is no publication" in capsys.readouterr().err
    assert run(["publish", str(tmp_path / "no"), "--to", str(tmp_path / "o")]) == 2
    assert not (tmp_path / "o").exists()


def test_a_card_of_bugs_that_changed_since_is_not_published(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(tiny), "-i", "sum", "--card", str(tiny / "health.json")]) == 0
    assert run(["publish", str(tiny), "--to", str(tmp_path / "first"), "--no-parquet"]) == 0
    issue = tiny / "bugs/sum/issue.md"
    issue.write_text(issue.read_text() + "More.\n")
    assert run(["publish", str(tiny), "--to", str(tmp_path / "second"), "--no-parquet"]) == 2
    assert "1 bug of tiny changed since the check" in capsys.readouterr().err
    assert not (tmp_path / "second").exists()
