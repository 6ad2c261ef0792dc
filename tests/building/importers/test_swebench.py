"""Instances of SWE-bench become bugs: the tests of the fix in the tree from before it, and the issue without its hints."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.importer import Dropped, ImportedBug, Settings
from repairlab.building.importers.swebench import read
from repairlab.building.importing import import_benchmark
from repairlab.core.errors import UserError
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from tests.builders import git, write_files
from tests.building.importers.wheels import write_wheel, write_wheels_of_pytest
from tests.published import DATA

pytestmark = pytest.mark.imports

FIELDS = "from mesh.names import clean\n\n\ndef label(name):\n    return clean(name)\n\n\ndef other():\n    return 1\n"
NAMES = "import units\n\n\ndef clean(name):\n    return units.trim(name)\n"
TEST = "from mesh.fields import label\n\n\ndef test_plain():\n    assert label('a') == 'a'\n"
TEST_PATCH = """\
diff --git a/tests/test_fields.py b/tests/test_fields.py
--- a/tests/test_fields.py
+++ b/tests/test_fields.py
@@ -3,3 +3,7 @@

 def test_plain():
     assert label('a') == 'a'
+
+
+def test_upper():
+    assert label('A') == 'a'
"""
PATCH = """\
diff --git a/src/mesh/fields.py b/src/mesh/fields.py
--- a/src/mesh/fields.py
+++ b/src/mesh/fields.py
@@ -3,3 +3,3 @@

 def label(name):
-    return clean(name)
+    return clean(name).lower()
"""


@pytest.fixture
def instances(tmp_path: Path) -> Path:
    """Return a file with one instance; its project needs a package `units`, of which libs has a wheel; libs/mesh.txt says so."""
    clone = tmp_path / "clones/mesh"
    sources = {"src/mesh/__init__.py": "", "src/mesh/fields.py": FIELDS, "src/mesh/names.py": NAMES}
    write_files(clone, {**sources, "tests/test_fields.py": TEST, "CHANGELOG.rst": "x\n"})
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "one")
    write_files(tmp_path / "libs", {"mesh.txt": "units\n"})
    write_wheels_of_pytest(tmp_path / "libs")
    write_wheel(tmp_path / "libs", "units", {"units/__init__.py": "def trim(name):\n    return name.strip()\n"})
    path = tmp_path / "instances.jsonl"
    path.write_text(json.dumps(instance(git(clone, "rev-parse", "HEAD"))) + "\n")
    return path


def instance(base: str) -> dict[str, Any]:
    return {
        "instance_id": "someone__mesh-1",
        "repo": "someone/mesh",
        "base_commit": base,
        "patch": PATCH,
        "test_patch": TEST_PATCH,
        "problem_statement": "Labels keep capitals\nThey should not.",
        "hints_text": "SECRET: call lower()",
        "FAIL_TO_PASS": '["tests/test_fields.py::test_upper"]',
        "PASS_TO_PASS": ["tests/test_fields.py::test_plain"],
    }


def settings(path: Path, **more: Any) -> Settings:
    return Settings(**{"clones": path.parent / "clones", "libraries": path.parent / "libs", **more})


def bug_of(path: Path, **more: Any) -> ImportedBug | Dropped:
    (bug,) = read([path], settings(path, **more)).bugs
    return bug


def test_a_bug_has_the_tests_of_the_fix_and_the_issue_without_hints(instances: Path) -> None:
    bug = bug_of(instances)
    assert isinstance(bug, ImportedBug)
    assert b"test_upper" in bug.tree["tests/test_fields.py"].content
    assert bug.tree["src/mesh/fields.py"].content.decode() == FIELDS
    assert "+    return clean(name).lower()" in bug.patch
    assert (bug.facts["path"], bug.facts["target"]) == ("src/mesh/fields.py", "label")
    assert (bug.title, bug.description) == ("Labels keep capitals", "They should not.")
    assert "SECRET" not in f"{bug}"
    assert bug.facts["test"]["trigger"] == ("tests/test_fields.py::test_upper",)
    assert bug.facts["test"]["env"] == {"PYTHONPATH": "src"}
    assert list(bug.locks) == [bug.facts["build"]["environment"]]


def test_packages_that_are_not_there_are_named(instances: Path) -> None:
    dropped = bug_of(instances, libraries=None)
    assert isinstance(dropped, Dropped)
    assert dropped.reason.startswith("mesh needs the Python packages of units, and neither record nor tree says which these are")
    assert "LIBS/mesh.txt and give LIBS as --libs" in dropped.reason


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"base_commit": "1" * 40}, "has no commit 111"),
        ({"patch": PATCH.replace("clean(name)\n", "dirty(name)\n")}, "its patch does not apply"),
        ({"test_patch": TEST_PATCH.replace("label('a')", "label('b')")}, "its test_patch does not apply"),
        ({"patch": TEST_PATCH.replace("test_upper", "test_x").replace("tests/test_fields", "README")}, "its patch does not apply"),
        ({"FAIL_TO_PASS": "[not a list"}, "the field 'FAIL_TO_PASS' holds no list"),
        ({"PASS_TO_PASS": [1]}, "the field 'PASS_TO_PASS' should be a list of tests"),
        ({"repo": 7}, "the field 'repo' should be text"),
    ],
)
def test_an_instance_that_does_not_fit_is_dropped_with_a_reason(instances: Path, change: dict[str, Any], reason: str) -> None:
    instances.write_text(json.dumps(json.loads(instances.read_text()) | change) + "\n")
    dropped = bug_of(instances)
    assert isinstance(dropped, Dropped) and reason in dropped.reason


def test_a_source_without_instances_or_without_clones_is_an_error(instances: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--clones"):
        bug_of(instances, clones=None)
    (tmp_path / "empty.jsonl").write_text("\n")
    with pytest.raises(UserError, match="holds no instance"):
        read([tmp_path / "empty.jsonl"], Settings())


def test_an_imported_instance_passes_the_check(instances: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine) -> None:
    made = import_benchmark("swebench", [instances], tmp_path / "b", settings(instances), print, print, machine=machine)
    assert made.bugs == ("someone__mesh-1",)
    (bug,) = open_benchmark(str(made.folder))
    assert bug.oracle.regression == ("tests/test_fields.py::test_plain",)
    assert check_bug(bug, sandbox).problems == ()
    seen = {file.path for file in bug.problem.context}
    assert "src/mesh/names.py" in seen and not any(path.startswith(("tests", "CHANGELOG")) for path in seen)


def test_instances_of_marshmallow_have_all_that_is_needed() -> None:
    path = DATA / "swebench_light/swebench_light.jsonl"
    if not path.exists():
        pytest.skip("the data of SWE-bench is not there")
    assert read([path], Settings(include=("marshmallow-code__*",))).n_bugs == 9
