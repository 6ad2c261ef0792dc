"""The tables of docs/results/labels.md, on records of our own; on the published ones where they are at hand."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from repairlab.core.diff import apply_edits, edits_of_patch
from scripts.label_tables import defects4c, dissection, implied_element, reversed_patch
from tests.builders import git

ROOT = Path(__file__).parent.parent.parent
PUBLISHED = ROOT.parent / "shared/data/defects4c"
PATCH = "--- a/A.java\n+++ b/A.java\n@@ -1,3 +1,4 @@\n class A {\n-    int f = 1;\n+    int f = 2;\n+    int g;\n }\n"
FIXED = "class A {\n    int f = 2;\n    int g;\n}\n"


def test_a_reversed_patch_undoes_the_fix() -> None:
    back = apply_edits(edits_of_patch(reversed_patch(PATCH), {"A.java": FIXED}), {"A.java": FIXED})
    assert back == {"A.java": "class A {\n    int f = 1;\n}\n"}
    assert apply_edits(edits_of_patch(PATCH, {"A.java": back["A.java"] or ""}), {"A.java": back["A.java"] or ""}) == {
        "A.java": FIXED
    }


def test_actions_are_counted_for_all_and_for_those_that_were_not_read(tmp_path: Path) -> None:
    labels: dict[str, object] = {"repairActions": ["assignExpChange", "varAdd", "mcAdd"], "repairPatterns": ["constChange"]}
    labels |= {"metrics": {"chunks": 2}}
    bugs = [{"project": project, "bugId": 1, "diff": PATCH, **labels} for project in ("Closure", "Lang")]
    (tmp_path / "bugs.json").write_text(json.dumps(bugs), encoding="utf-8")
    clone = tmp_path / "clones/commons-lang"
    (clone / "src").mkdir(parents=True)
    (clone / "src/A.java").write_text(FIXED, encoding="utf-8")
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "fixed")
    project = tmp_path / "d4j/framework/projects/Lang"
    project.mkdir(parents=True)
    head = git(clone, "rev-parse", "HEAD")
    (project / "active-bugs.csv").write_text(f"bug.id,revision.id.fixed\n1,{head}\n", encoding="utf-8")
    text = "".join(dissection(tmp_path / "bugs.json", tmp_path / "d4j", tmp_path / "clones"))
    assert text.startswith("2 bugs, 1 of them with whole files, the rest by the lines of their patch; 1 are of projects")
    assert "| assignExpChange | 2 | 1.00 | 1.00 | 1 | 1.00 | 1.00 |" in text
    assert "| mcAdd | 2 | – | 0.00 | 1 | – | 0.00 |" in text
    assert text.endswith("| multi | 1 | 100% | 1 | 100% |\n| all | 1 | 100% | 1 | 100% |\n")


@pytest.mark.parametrize(
    ("patterns", "actions", "chunks", "element"),
    [
        ("singleLine wrongVarRef", "varReplVar", 1, "token"),
        ("singleLine expLogicExpand missNullCheckN", "condExpExpand", 1, "partial"),
        ("condBlockRetAdd", "condBranIfAdd retBranchAdd", 1, "whole"),
        ("copyPaste", "mcAdd", 1, "multi"),
        ("notClassified", "assignAdd varAdd loopAdd", 1, "multi"),
        ("singleLine", "mcAdd", 1, None),
    ],
)
def test_hand_labels_imply_an_element_where_they_leave_no_choice(
    patterns: str, actions: str, chunks: int, element: str | None
) -> None:
    bug = {"repairPatterns": patterns.split(), "repairActions": actions.split(), "metrics": {"chunks": chunks}}
    assert implied_element(bug) == element


def test_records_of_defects4c_are_counted(tmp_path: Path) -> None:
    place = {"line_is_single": True, "hunk_is_single": True}
    entries = [
        {
            "commit_after": sha,
            "files": {"src": ["a.c"], "src0_location": place | more},
            "type": {"id": "B", "type": "bug"},
        }
        for sha, more in (("one", {}), ("two", {"patch_md5": "0"}))
    ]
    (tmp_path / "p").mkdir()
    (tmp_path / "p/bugs_list_new.json").write_text(json.dumps(entries), encoding="utf-8")
    patch = "@@ -1,3 +1,3 @@\n int f(int n) {\n-    if (n < 1) g();\n+    if (n <= 1) g();\n }"
    lines = [json.dumps({"sha": sha, "files": [{"filename": "a.c", "patch": patch}]}) for sha in ("one", "two")]
    (tmp_path / "patches.jsonl").write_text("\n".join(lines), encoding="utf-8")
    text = "".join(defects4c(tmp_path / "p", tmp_path / "patches.jsonl"))
    assert "location: 1 of 2 records the same" in text and "| later | line | hunk | 1 |" in text
    assert "category: 2 bugs; first suggestion 100%" in text and "| B | 2 | 2 | – |" in text


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts/label_tables.py"), "dissection", *[str(tmp_path / "no")] * 3]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr.startswith("label_tables: ") and "is missing" in done.stderr


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"the published records of Defects4C are not at {PUBLISHED}")
def test_locations_are_the_published_ones() -> None:
    text = "".join(defects4c(PUBLISHED, PUBLISHED / "data/fix_patches_trimmed.jsonl"))
    assert "location: 359 of 359 records the same" in text
