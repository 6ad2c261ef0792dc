"""A file of candidates is judged against the bugs that it was made for: what is missing or unreadable fails."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run as run_cli
from repairlab.core.errors import HarnessError
from repairlab.runs.store import Store
from repairlab.study.external_candidates import hold_against, read_external_candidates

FIXED = "def total(numbers):\n    return sum(numbers)\n"
DIFF = "--- a/main.py\n+++ b/main.py\n@@ -2 +2 @@\n-    result = 1\n+    result = 0\n"
GOOD = {"bug": "sum", "function": FIXED}
SHOP = {"bug": "shop", "function": "def total(self):\n    return sum(self.prices)\n"}
UNKNOWN = {"bug": "smu", "function": FIXED}
OUTPUT = {"input": "", "output": ["x"]}
CLM = {"config": "x", "data": {"shop": OUTPUT, "sum": {**OUTPUT, "function range": "1"}}}
EMPTY: dict[str, Any] = {"src_id": "shop", "generations": []}
MISSPELT = {"bug": "sum", "functoin": FIXED}


def write(path: Path, lines: list[Any]) -> Path:
    path.write_text("".join(line if isinstance(line, str) else json.dumps(line) + "\n" for line in lines))
    return path


@pytest.mark.parametrize(
    ("format_name", "lines", "usable", "counts"),
    [
        # usable: by bug, for each of its candidates whether it can be run; counts: given, unreadable, unknown
        ("repairlab", [GOOD, SHOP], {"sum": "+", "shop": "+"}, (2, 0, 0)),
        ("repairlab", [GOOD], {"sum": "+", "shop": "-"}, (1, 0, 0)),
        ("repairlab", [GOOD, UNKNOWN], {"sum": "+", "shop": "-"}, (1, 1, 1)),
        ("repairlab", [GOOD, UNKNOWN, UNKNOWN, "{\n"], {"sum": "+", "shop": "-"}, (1, 3, 2)),
        ("repairlab", [MISSPELT, GOOD, SHOP], {"sum": "-+", "shop": "+"}, (2, 1, 0)),
        ("repairlab", [GOOD, MISSPELT, GOOD, SHOP], {"sum": "+-+", "shop": "+"}, (2, 1, 0)),
        ("repairlab", [MISSPELT, SHOP], {"sum": "-", "shop": "+"}, (1, 1, 0)),
        ("repairlab", [GOOD, GOOD, SHOP], {"sum": "++", "shop": "+"}, (2, 0, 0)),
        ("repairlab", [{**GOOD, "function": " "}, SHOP], {"sum": "-", "shop": "+"}, (2, 0, 0)),
        ("swebench", [{"instance_id": "sum", "model_patch": DIFF}], {"sum": "+", "shop": "-"}, (1, 0, 0)),
        ("swebench", [{"instance_id": "sum", "model_patch": ""}], {"sum": "-", "shop": "-"}, (1, 0, 0)),
        ("swebench", [{"instance_id": "sum", "model_patch": None}], {"sum": "-", "shop": "-"}, (1, 0, 0)),
        (
            "swebench",
            [{"instance_id": "sum", "model_patch": 3}, {"instance_id": "shop", "model_patch": ""}],
            {"sum": "-", "shop": "-"},
            (1, 1, 0),
        ),
        ("evalplus", [{"task_id": "sum", "solution": FIXED}, {"task_id": "shop"}], {"sum": "+", "shop": "-"}, (1, 1, 0)),
        ("repairbench", [{"identifier": "sum", "generation": [FIXED, None]}], {"sum": "+-", "shop": "-"}, (1, 0, 0)),
        ("nl2fix", [{"sum": {"patches": [{"patch": FIXED}]}, "Math-5": {"patches": []}}], {"sum": "+", "shop": "-"}, (1, 1, 1)),
        ("npr4j-patches", [{"sum": {"0": FIXED}, "shop": {"x": "y"}}], {"sum": "+", "shop": "-"}, (1, 1, 0)),
        ("fixeval", [{"src_id": "sum", "generations": ["x"]}, EMPTY], {"sum": "+", "shop": "-"}, (1, 0, 0)),
        ("clm", [CLM], {"sum": "+", "shop": "-"}, (1, 1, 0)),
    ],
)  # fmt: skip
def test_what_is_missing_or_unreadable_is_a_failure(
    tiny: Path, tmp_path: Path, format_name: str, lines: list[Any], usable: dict[str, str], counts: tuple[int, int, int]
) -> None:
    benchmark = open_benchmark(str(tiny))
    path = write(tmp_path / "file.jsonl", lines)
    external, coverage = hold_against(read_external_candidates(path, benchmark, format_name), benchmark.ids, path)
    found = {bug: "".join("-" if item.problem else "+" for item in items) for bug, items in external.candidates.items()}
    assert found == usable
    assert all([item.rank for item in items] == list(range(1, len(items) + 1)) for items in external.candidates.values())
    assert (coverage.n_given, coverage.n_unreadable, coverage.n_unknown) == counts
    assert (coverage.n_bugs, coverage.only_given, len(coverage.missing)) == (2, False, 2 - counts[0])


def test_only_given_leaves_out_what_is_missing_or_unreadable(tiny: Path, tmp_path: Path) -> None:
    benchmark = open_benchmark(str(tiny))
    path = write(tmp_path / "file.jsonl", [MISSPELT, GOOD, UNKNOWN])
    external = read_external_candidates(path, benchmark)
    held, coverage = hold_against(external, benchmark.ids, path, only_given=True)
    assert held.candidates == external.candidates and list(held.candidates) == ["sum"]
    assert (coverage.n_bugs, coverage.n_unreadable, coverage.missing) == (1, 2, ())


def test_a_published_verdict_stays_with_its_candidate(tiny: Path, tmp_path: Path) -> None:
    benchmark = open_benchmark(str(tiny))
    path = write(tmp_path / "file.jsonl", [MISSPELT, {**GOOD, "verdict": "WRONG"}])
    held, _ = hold_against(read_external_candidates(path, benchmark), benchmark.ids, path)
    assert {key: known.word for key, known in held.known.items()} == {("sum", 2): "WRONG"}


def test_candidates_of_other_bugs_than_the_chosen_are_counted(tiny: Path, tmp_path: Path) -> None:
    benchmark = open_benchmark(str(tiny))
    path = write(tmp_path / "file.jsonl", [GOOD, GOOD, SHOP])
    external = read_external_candidates(path, benchmark)
    held, coverage = hold_against(external, ["shop"], path)
    assert list(held.candidates) == ["shop"] and (coverage.n_bugs, coverage.n_outside) == (1, 2)
    with pytest.raises(HarnessError, match="has some for sum"):
        hold_against(read_external_candidates(write(path, [GOOD]), benchmark), ["shop"], path)


def test_unknown_bugs_are_told_once_with_the_nearest(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path / "file.jsonl", [UNKNOWN, UNKNOWN, {"bug": "shpo", "function": "x"}])
    for command in (["validate", str(tiny), str(path)], ["publish", str(path), str(tiny), "--format", "diffs", "--to", "none"]):
        assert run_cli(command) == 3
        err = capsys.readouterr().err
        assert "3 entries name no bug of tiny: 'smu' (did you mean 'sum'?), 'shpo' (did you mean 'shop'?)" in err
    assert not Path("none").exists()


@pytest.mark.usefixtures("sandbox")
def test_the_denominator_stands_beside_every_score(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder = write(tmp_path / "file.jsonl", [{**GOOD, "model": "m"}, UNKNOWN]), tmp_path / "run"
    validate = ["validate", str(tiny), str(path), "-j", "1", "--no-cache", "--to", str(folder)]
    said = "bugs without a candidate count as failures: 1 of 2; unreadable entries: 1 (1 of them for unknown bugs)"
    assert run_cli(validate) == 0
    out = capsys.readouterr().out
    assert "1 of 1 candidate plausible" in out and said in out and "shop" not in out
    coverage = json.loads((folder / "run.json").read_text())["coverage"]
    assert (coverage["n_bugs"], coverage["missing"], coverage["n_unreadable"]) == (2, ["shop"], 1)
    assert run_cli(["score", str(folder)]) == 0
    assert said in capsys.readouterr().out
    assert run_cli(["score", str(folder), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["coverage"] == coverage
    shares = {item["metric"]: item["value"] for item in found["scores"]}
    assert {shares[name] for name in ("pass@k", "top@k", "fixed", "plausible rate", "apply rate")} == {0.5}
    assert run_cli(["report", str(folder), "-o", str(tmp_path / "r.html")]) == 0
    assert f"file · m: {said}" in capsys.readouterr().out and said in (tmp_path / "r.html").read_text()
    write(path, [{**GOOD, "model": "m"}])
    assert run_cli(validate) == 2
    assert "other candidates than the file has now" in capsys.readouterr().err
    assert run_cli([*validate[:-1], str(tmp_path / "given"), "--only-given"]) == 0
    capsys.readouterr()
    assert run_cli(["score", str(tmp_path / "given"), "--json"]) == 0
    given = {item["metric"]: (item["value"], item["n_bugs"]) for item in json.loads(capsys.readouterr().out)["scores"]}
    assert given["pass@k"] == (1.0, 1)


def test_a_run_without_counts_still_opens(tiny: Path, tmp_path: Path) -> None:
    write(tmp_path / "c.jsonl", [GOOD])
    run_cli(["validate", str(tiny), str(tmp_path / "c.jsonl"), "--to", str(tmp_path / "run"), "-j", "1", "--no-cache"])
    data = json.loads((tmp_path / "run/run.json").read_text())
    for key in ("coverage", "id", "check"):
        data.pop(key)
    (tmp_path / "run/run.json").write_text(json.dumps(data))
    assert Store(tmp_path / "run").manifest().coverage is None
