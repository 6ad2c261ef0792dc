"""What is planted into a benchmark is found, and a clean one passes."""

import json
from pathlib import Path

import pytest

from repairlab.cli.main import run
from repairlab.sandbox.sandbox import Sandbox

SOURCE = "def total(prices):\n    return sum(prices[1:])\n\n\ndef other{name}(value):\n    return value\n"
PATCH = "--- a/main.py\n+++ b/main.py\n@@ -2,1 +2,{n} @@\n-    return sum(prices[1:])\n{added}"
PLAIN = "+    return sum(price{name} for price{name} in prices)\n"
TESTS = "from main import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


def write_bug(root: Path, name: str, **changes: str) -> None:
    """Write a bug of its own, but for what is changed."""
    own = name.title().replace("-", "")
    added = changes.get("added", PLAIN.format(name=own))
    bug = root / "bugs" / name
    (bug / "buggy").mkdir(parents=True)
    (bug / "buggy" / "main.py").write_text(changes.get("source", SOURCE.format(name=own)), encoding="utf-8")
    (bug / "buggy" / "test_main.py").write_text(changes.get("tests", TESTS), encoding="utf-8")
    if "notes" in changes:
        (bug / "buggy" / "notes.txt").write_text(changes["notes"], encoding="utf-8")
    (bug / "fix.patch").write_text(PATCH.format(n=added.count("\n"), added=added), encoding="utf-8")
    (bug / "issue.md").write_text(changes.get("issue", f"# {own} totals are too small\n\nBy the first price.\n"), encoding="utf-8")
    (bug / "bug.toml").write_text(
        'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "total"\n[test]\nframework = "pytest"\n'
        'files = ["test_main.py"]\n'
        f'trigger = ["test_main.py::test_total"]\nregression = []\n{changes.get("origin", "")}',
        encoding="utf-8",
    )


@pytest.fixture
def bench(tmp_path: Path) -> Path:
    """Write a benchmark of two bugs without a fault."""
    folder = tmp_path / "bench"
    write_bug(folder, "one", source=SOURCE.format(name="One") + "\n\nKIND = 'metal-stamping-press-inventory'\n")
    write_bug(folder, "two", added="+    first, *others = prices\n+    return first + sum(others)\n")
    (folder / "benchmark.toml").write_text('schema = 1\nname = "b"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")
    return folder


def findings(folder: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, set[tuple[str, str, str]]]:
    code = run(["audit", str(folder), "--json", *more])
    rules = json.loads(capsys.readouterr().out)["rules"]
    return code, {(item["rule"], item["level"], item["bug_id"]) for rule in rules for item in rule["findings"]}


def test_a_clean_benchmark_passes(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert findings(bench, capsys) == (0, set())
    assert run(["audit", str(bench)]) == 0
    out = capsys.readouterr().out
    assert "0 failed, 0 warnings" in out and "not tried" in out


def test_what_is_planted_is_found(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    same = SOURCE.format(name="One") + "\n\nKIND = 'metal-stamping-press-inventory'\n"
    write_bug(bench, "three", source=same, added=PLAIN.format(name="One"))
    write_bug(bench, "four", issue="# Too small\n\nWrite `return sum(priceFour for priceFour in prices)`.\n")
    helper = "+    return add_all_up(prices)\n+\n+\n+def add_all_up(prices):\n+    return sum(prices)\n"
    write_bug(bench, "five", added=helper, tests=TESTS + "\n\ndef test_helper():\n    from main import add_all_up\n")
    write_bug(bench, "six", issue="# Too small\n", origin='[origin]\nrepository = "https://example.org/six"\n')
    telling = "    amounts = [price for price in prices]\n    return sum(amounts, start=0)\n"
    write_bug(bench, "seven", added="".join(f"+{line}\n" for line in telling.splitlines()), notes=telling)
    code, found = findings(bench, capsys)
    assert code == 1
    assert {
        ("duplicates", "fail", "three"),
        ("issue tells the fix", "fail", "four"),
        ("tests too narrow", "fail", "five"),
        ("no description", "warn", "six"),
        ("licence unknown", "warn", "six"),
        ("tree tells the fix", "warn", "seven"),
    } <= found
    assert {bug for rule, level, bug in found if level == "fail"} == {"three", "four", "five"}


@pytest.mark.parametrize(
    ("added", "tests", "issue", "evidence"),
    [
        (
            "+    return Totals(prices).amount\n+\n+\n+class Totals:\n+    amount = 3\n",
            "def test_total():\n    assert main.Totals([]).amount\n",
            "Totals of prices",
            "amount",
        ),
        (
            "+    raise ValueError('prices must not be negative')\n",
            "def test_total():\n    with raises(ValueError, match='prices must not be negative'):\n        total([-1])\n",
            "Negative prices",
            "“prices must not be negative”",
        ),
        (
            "+    return sum(prices)  # checks that pytest raises\n",
            "def test_total():\n    with pytest.raises(ValueError):\n        total()\n",
            "Small",
            "",
        ),
        ("+    amount = sum(prices)\n+    return amount\n", "def test_total():\n    amount = total([1])\n", "Small", ""),
        (
            "+    raise ValueError('prices must not be negative')\n",
            "def test_total():\n    assert total([]) == 0\n\n\ndef test_other():\n    match('prices must not be negative')\n",
            "Negative prices",
            "",
        ),
        (
            "+    raise ValueError('prices must not be negative')\n",
            "def test_total():\n    match('prices must not be negative')\n",
            "It should say: prices must not be negative",
            "",
        ),
    ],
    ids=["member", "text", "comment", "variable", "no trigger test", "issue says it"],
)
def test_trigger_tests_that_ask_for_more_than_the_issue_are_found(
    bench: Path, capsys: pytest.CaptureFixture[str], added: str, tests: str, issue: str, evidence: str
) -> None:
    write_bug(bench, "wide", added=added, tests=f"import main\n\n\n{tests}", issue=f"# {issue}\n\nIt is so.\n")
    run(["audit", str(bench), "--json"])
    rules = {rule["rule"]: rule["findings"] for rule in json.loads(capsys.readouterr().out)["rules"]}
    found = rules["tests too wide"]
    assert [(item["bug_id"], item["level"]) for item in found] == ([("wide", "warn")] if evidence else [])
    assert not evidence or evidence in found[0]["evidence"]


def test_code_of_training_pairs_is_found(bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "pairs"
    folder.mkdir()
    pair = {
        "id": "p1",
        "buggy": "def total(prices):\n    return sum(prices[1:])",
        "fixed": "def total(prices): pass  # nothing like it",
    }
    (folder / "train.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf-8")
    (folder / "pairs.toml").write_text(
        'schema = 1\nname = "p"\nversion = "1"\nlicence = "MIT"\ndescription = ""\nlanguage = "python"\n'
        'form = "method"\nabstract = false\n'
        "[splits]\ntrain = 1\n",
        encoding="utf-8",
    )
    code, found = findings(bench, capsys, "--pairs", str(folder))
    assert (code, found) == (1, {("in training pairs", "fail", "one"), ("in training pairs", "fail", "two")})


def test_a_card_that_is_none_is_refused(bench: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "card.json").write_text("{}", encoding="utf-8")
    assert run(["audit", str(bench), "--card", str(tmp_path / "card.json")]) == 2
    assert "is no health card" in capsys.readouterr().err


def test_places_of_a_fix_that_no_trigger_test_runs_are_found(bench: Path, capsys: pytest.CaptureFixture[str]) -> None:
    added = "+    if not prices:\n+        return 0\n+    return sum(prices)\n"
    write_bug(
        bench,
        "half",
        added=added,
        issue="# Half of it\n\nIs wrong.\n",
        source=SOURCE.format(name="Half") + "\n\nHALF = 'of it all'\n",
    )
    tests = "from main import other\n\n\ndef test_total():\n    assert other(1) == 1\n"
    source = SOURCE.format(name="") + "\n\nBESIDE = 'the point entirely'\n"
    write_bug(
        bench, "beside", tests=tests, source=source, issue="# Beside\n\nThe point.\n", added="+    return sum([*prices, 0])\n"
    )
    _, found = findings(bench, capsys, "--coverage", "-j", "1")
    covered = {item for item in found if item[0] == "fix not covered"}
    assert covered == {("fix not covered", "fail", "beside")}


@pytest.mark.parametrize(
    ("origin", "licence", "is_known"),
    [
        ("", "MIT", True),
        ("", "", False),
        ("", "the sources keep their projects' licences: unknown", False),
        ('commit = "0123abc"', "MIT", False),
        ('commit = "0123abc"\nlicence = "unknown"', "MIT", False),
        ('commit = "0123abc"\nlicence = "BSD"', "the sources keep their projects' licences: BSD", True),
        ('issue = "#1"', "MIT", False),
        ('repository = "https://example.org/one"', "MIT", False),
        ('repository = "https://example.org/one"\nlicence = "MIT"', "", True),
    ],
)
def test_a_clone_without_a_licence_does_not_pass(
    bench: Path, capsys: pytest.CaptureFixture[str], origin: str, licence: str, is_known: bool
) -> None:
    head = bench / "benchmark.toml"
    head.write_text(head.read_text().replace('"MIT"', f'"{licence}"'))
    for name in ("one", "two"):
        recipe = bench / "bugs" / name / "bug.toml"
        recipe.write_text(f"{recipe.read_text()}[origin]\n{origin}\n")
    assert findings(bench, capsys) == (0, set() if is_known else {("licence unknown", "warn", name) for name in ("one", "two")})


def test_a_bug_that_changed_since_it_was_checked_is_told(bench: Path, sandbox: Sandbox, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(bench), "--no-counter-tests"]) == 0
    assert "no health card" not in capsys.readouterr().err
    (bench / "bugs/one/issue.md").write_text("# Totals\n\nThey are too small.\n")
    assert findings(bench, capsys) == (0, {("health", "warn", "one")})
