"""`repairlab label`: labels beside a benchmark, read with its bugs, never instead of what a bug states."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.labels_file import LABELS_NAME, FoundLabel, read_labels, write_labels
from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.formats.bug_types import read_bug_types
from repairlab.repairers.llm.client.model import ScriptedModel
from repairlab.study.labelling.category import read_answer
from repairlab.study.labelling.label import RULES, label_bugs


def labels_of(folder: Path) -> dict[tuple[str, str], FoundLabel]:
    return {(label.bug, label.rule): label for label in read_labels(folder / LABELS_NAME)}


def test_labels_are_written_and_read_with_the_bugs(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = open_benchmark(str(tiny))
    digest = before.digest
    assert run(["label", str(tiny)]) == 0
    assert "Labels written" in capsys.readouterr().out
    found = labels_of(tiny)
    assert found["sum", "type"].values == ("IncorrectNumberValue",)
    assert found["sum", "actions"].values == ("assignExpChange",)
    assert "1 lines at 1 places of 1 files" in found["sum", "difficulty"].evidence
    assert found["sum", "category"].is_suggested and found["sum", "cwe"].is_suggested
    bug = open_benchmark(str(tiny)).bug("sum")
    assert (bug.labels.location, bug.labels.state, bug.labels.element, bug.labels.difficulty) == (
        "line",
        "incorrect",
        "token",
        "easy",
    )
    assert bug.labels.category is None, "what is suggested is not decided"
    assert open_benchmark(str(tiny)).digest == digest, "labels change no verdict"
    assert before.bug("sum").digest == bug.digest


def test_what_a_bug_states_counts_more(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tiny / "bugs/shop/bug.toml"
    path.write_text(path.read_text(encoding="utf-8") + '\n[labels]\nstate = "missing"\nelement = "partial"\n', encoding="utf-8")
    for _ in range(2):  # labels of the first time are none that the bug states
        assert run(["label", str(tiny), "--json"]) == 0
        made = json.loads(capsys.readouterr().out)
        agreement = {item["rule"]: (item["n"], item["same"], item["others"]) for item in made["agreement"]}
        assert agreement["state"] == (1, 0, {"missing → redundant": 1})
        assert agreement["element"] == (1, 1, {}) and "difficulty" not in agreement
    labels = open_benchmark(str(tiny)).bug("shop").labels
    assert (labels.state, labels.difficulty) == ("missing", "easy")


def test_labels_are_in_the_tables(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["label", str(tiny)]) == 0
    capsys.readouterr()
    assert run(["list", str(tiny), "--json"]) == 0
    assert [bug["difficulty"] for bug in json.loads(capsys.readouterr().out)] == ["easy", "easy"]


def test_types_can_be_used_by_rescore(tiny: Path, tmp_path: Path) -> None:
    assert run(["label", str(tiny), "--to", str(tmp_path / "all.jsonl"), "--types", str(tmp_path / "types.csv")]) == 0
    assert not (tiny / LABELS_NAME).exists()
    groups = read_bug_types(tmp_path / "types.csv", ["tiny/sum"]).groups
    assert {name: values["tiny/sum"] for name, values in groups.items()} == {
        "type": "IncorrectNumberValue", "element": "token", "state": "incorrect", "ingredients": "outside",
    }  # fmt: skip
    assert read_bug_types(tmp_path / "all.jsonl", ["tiny/sum"]).groups == groups


def test_difficulty_goes_by_the_systems_that_tried(tiny: Path, tmp_path: Path) -> None:
    for name in ("reference", "copy"):
        assert run(["run", str(tiny), "--repairer", name, "-n", "1", "-i", "sum", "--to", str(tmp_path / name), "-j", "1"]) == 0
    solved = ["--run", str(tmp_path / "reference"), "--run", str(tmp_path / "copy"), "--run", str(tmp_path / "copy")]
    assert run(["label", str(tiny), *solved]) == 0
    found = labels_of(tiny)["sum", "difficulty"]
    assert found.values == ("medium",) and "1 of 3 systems solve it" in found.evidence


def test_a_model_suggests_and_rules_do_not_depend_on_it(tiny: Path) -> None:
    model = ScriptedModel(["category: A.4\ncwe: CWE-665\nreason: the sum begins with 1", "I do not know"])
    bugs = list(open_benchmark(str(tiny)))
    found = label_bugs([bugs[0]], solved={}, model=model)
    said = [label for label in found.labels if label.by == "scripted"]
    assert {(label.rule, label.values[0], label.is_suggested) for label in said} == {
        ("category", "A.4", True),
        ("cwe", "CWE-665", True),
    }
    assert "C.1 Null Pointer Dereference" in model.asked[0].messages[1].content
    assert [label for label in found.labels if label.by == "rules"] == list(label_bugs([bugs[0]], solved={}).labels)


@pytest.mark.parametrize("text", ["", "category: Z.9", "no idea", "category"])
def test_an_answer_without_category_says_nothing(text: str) -> None:
    assert read_answer(text) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "unknown benchmark 'nowhere'"),
        (["starter"], "is built in"),
        (["{tiny}", "-i", "sum"], "name a file for that with --to"),
        (["{tiny}", "--base-url", "http://localhost:1"], "without --model"),
        (["{tiny}", "--model", "nobody/x"], "nobody"),
        (["{tiny}", "--run", "{tiny}"], "run"),
        (["{tiny}", "--to", "{tiny}/no/such/folder.jsonl"], "cannot write"),
    ],
)
def test_bad_arguments_have_one_message(tiny: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert run(["label", *(part.format(tiny=tiny) for part in arguments)]) == 2
    err = capsys.readouterr().err
    assert message in err and "Traceback" not in err
    assert not (tiny / LABELS_NAME).exists()


def test_a_bug_whose_fix_cannot_be_read_is_left_out_by_name(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / "bugs/shop/fix.patch").write_text(
        "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -5,3 +5,3 @@\n     def total(self):\n         # all of them\n"
        "-        return sum(self.prices[:-1])\n+        return sum(self.prices[:-1])\n",
        encoding="utf-8",
    )
    assert run(["label", str(tiny)]) == 0
    assert "no labels for shop: its fix changes no code" in capsys.readouterr().err
    assert {bug for bug, _ in labels_of(tiny)} == {"sum"}


def test_a_damaged_file_is_named(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tiny / LABELS_NAME).write_text('{"schema": 1, "bug"', encoding="utf-8")
    assert run(["info", str(tiny)]) == 2
    assert "labels.jsonl, line 1: not valid JSON" in capsys.readouterr().err
    (tiny / LABELS_NAME).write_text('{"schema": 7}', encoding="utf-8")
    with pytest.raises(UserError, match="schema is 7"):
        read_labels(tiny / LABELS_NAME)
    assert run(["label", str(tiny)]) == 0, "and can be made anew"


def test_labels_survive_the_way_to_disk(tmp_path: Path) -> None:
    labels = [FoundLabel(bug="a", rule="actions", values=("x", "y"), evidence="ü\n"), FoundLabel(bug="b", rule="cwe", values=())]
    write_labels(tmp_path / "labels.jsonl", labels)
    assert read_labels(tmp_path / "labels.jsonl") == labels


def test_every_rule_says_something_of_the_built_in_bugs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["label", "starter", "--to", str(tmp_path / "starter.jsonl"), "--json"]) == 0
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert made["skipped"] == {} and {label["rule"] for label in made["labels"]} == set(RULES)
    agreement = {item["rule"]: item["same"] / item["n"] for item in made["agreement"]}
    assert agreement["location"] > 0.9 and agreement["state"] > 0.9
