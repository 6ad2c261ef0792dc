"""Bugs of BugsInPy are the fixed commit with the patched files from before; what its scripts run are the trigger tests."""

from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.bugsinpy import read
from repairlab.building.importers.importer import Dropped, ImportedBug, Settings
from repairlab.building.importing import import_benchmark
from repairlab.core.errors import UserError
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from tests.builders import git, write_files
from tests.building.importers.wheels import write_wheel

pytestmark = pytest.mark.imports

CLOCK = "class Clock:\n    def hours(self, minutes):\n        return minutes // 60\n"
TEST = """\
import unittest
from clock.clock import Clock


class ClockTest(unittest.TestCase):
    def test_one(self):
        self.assertEqual(Clock().hours(60), 1)

    def test_none(self):
        self.assertEqual(Clock().hours(0), 0)
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a checkout with one bug."""
    clone = tmp_path / "clones/clock"
    write_files(clone, {"clock/__init__.py": "", "clock/clock.py": CLOCK.replace("60", "61"), "tests/__init__.py": ""})
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "before")
    write_files(clone, {"clock/clock.py": CLOCK, "tests/test_clock.py": TEST})
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "SECRET: the fix")
    before, after = (git(clone, "rev-parse", name) for name in ("HEAD~1", "HEAD"))
    bug = {
        "bug.info": f'python_version="3.7.0"\nbuggy_commit_id="{before}"\nfixed_commit_id="{after}"\n',
        "bug_patch.txt": git(clone, "diff", "HEAD~1", "HEAD", "--", "clock", raw=True),
        "run_test.sh": "python -m unittest -q tests.test_clock.ClockTest.test_one\n",
    }
    write_files(tmp_path / "checkout/projects/clock/bugs/1", bug)
    write_files(
        tmp_path / "checkout/projects/clock", {"project.info": 'github_url="https://example.org/someone/clock/"\nstatus="OK"\n'}
    )
    return tmp_path / "checkout"


def bug_of(checkout: Path) -> ImportedBug | Dropped:
    (bug,) = read([checkout], Settings(clones=checkout.parent / "clones")).bugs
    return bug


def test_a_bug_is_the_fixed_tree_with_the_patched_files_from_before(checkout: Path) -> None:
    bug = bug_of(checkout)
    assert isinstance(bug, ImportedBug)
    assert bug.id == "clock-1"
    assert bug.tree["clock/clock.py"].content.decode() == CLOCK.replace("60", "61")
    assert bug.tree["tests/test_clock.py"].content.decode() == TEST
    assert (bug.facts["path"], bug.facts["target"]) == ("clock/clock.py", "Clock.hours")
    assert bug.facts["test"]["trigger"] == ("tests.test_clock.ClockTest.test_one",)
    assert bug.discover == ("tests.test_clock",)
    assert bug.notes == ("made for Python 3.7.0",)
    assert "SECRET" not in f"{bug}"


def test_scripts_in_other_words_name_the_same_tests(checkout: Path) -> None:
    script = checkout / "projects/clock/bugs/1/run_test.sh"
    for line in ("pytest -q {}", "tox {}", "python3 -m pytest {}", "py.test {}"):
        script.write_text(line.format("tests/test_clock.py::ClockTest::test_one"))
        bug = bug_of(checkout)
        assert isinstance(bug, ImportedBug)
        assert bug.facts["test"]["framework"] == "pytest"
        assert bug.discover == ("tests/test_clock.py",)


def test_empty_files_that_the_script_for_setting_up_makes_are_part_of_both_trees(checkout: Path) -> None:
    write_files(checkout / "projects/clock/bugs/1", {"setup.sh": "touch tests/unit/__init__.py\ntouch tests/__init__.py"})
    bug = bug_of(checkout)
    assert isinstance(bug, ImportedBug)
    assert bug.tree["tests/unit/__init__.py"].content == b"" and "tests/unit" not in bug.patch


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("make test\n", "'make test' names no test of pytest or unittest"),
        ("pytest a.py::b\npython -m unittest a.b.c\n", "pytest and unittest; one framework is needed"),
        ("\n", "runs no tests"),
    ],
)
def test_scripts_that_cannot_be_read_drop_the_bug(checkout: Path, script: str, reason: str) -> None:
    (checkout / "projects/clock/bugs/1/run_test.sh").write_text(script)
    dropped = bug_of(checkout)
    assert isinstance(dropped, Dropped) and reason in dropped.reason


def test_what_is_missing_is_named(checkout: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no checkout of BugsInPy"):
        read([tmp_path / "clones"], Settings())
    (checkout / "projects/clock/bugs/1/bug.info").write_text('fixed_commit_id="1"\n')
    dropped = bug_of(checkout)
    assert isinstance(dropped, Dropped) and "the line buggy_commit_id=… is missing; found are fixed_commit_id" in dropped.reason
    (checkout / "projects/clock/bugs/1/bug.info").write_text('buggy_commit_id="2"\nfixed_commit_id="1"\n')
    dropped = bug_of(checkout)
    assert isinstance(dropped, Dropped) and "has no commit 2" in dropped.reason


def test_a_bug_that_needs_packages_says_which_python_it_was_made_for(checkout: Path) -> None:
    clone = checkout.parent / "clones/clock"
    write_files(clone, {"tests/test_clock.py": f"import dials\n{TEST}"})
    git(clone, "commit", "-qam", "after")
    info = checkout / "projects/clock/bugs/1/bug.info"
    info.write_text(info.read_text().replace("fixed_commit_id", "old") + f'fixed_commit_id="{git(clone, "rev-parse", "HEAD")}"\n')
    dropped = bug_of(checkout)
    assert isinstance(dropped, Dropped)
    assert "clock needs the Python packages of dials" in dropped.reason and "made for Python 3.7.0" in dropped.reason


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_lists_of_packages_are_read_in_the_encoding_that_they_have(
    checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")  # a reason is told whole, however narrow the terminal
    (checkout / "projects/clock/bugs/1/requirements.txt").write_text("dials==1.5\r\n", encoding=encoding)
    write_wheel(tmp_path / "libs", "pytest", {}, version="5.4.3")
    write_files(checkout.parent / "clones/clock", {"tests/test_clock.py": f"import dials\n{TEST}"})
    git(checkout.parent / "clones/clock", "commit", "-qam", "with dials")
    info = checkout / "projects/clock/bugs/1/bug.info"
    fixed = git(checkout.parent / "clones/clock", "rev-parse", "HEAD")
    info.write_text(info.read_text().replace("fixed_commit_id", "old") + f'fixed_commit_id="{fixed}"\n')
    (dropped,) = read([checkout], Settings(clones=checkout.parent / "clones", libraries=tmp_path / "libs")).bugs
    assert isinstance(dropped, Dropped)
    assert "its packages cannot be had" in dropped.reason and "dials==1.5" in dropped.reason


def test_an_imported_bug_passes_the_check(checkout: Path, tmp_path: Path, sandbox: Sandbox, machine: Machine) -> None:
    chosen = Settings(clones=checkout.parent / "clones")
    made = import_benchmark("bugsinpy", [checkout], tmp_path / "b", chosen, print, print, machine=machine)
    (bug,) = open_benchmark(str(made.folder))
    assert bug.oracle.regression == ("tests.test_clock.ClockTest.test_none",)
    assert check_bug(bug, sandbox).problems == ()


def test_a_bug_of_encodings_is_tested_where_it_shows(tmp_path: Path, checkout: Path, sandbox: Sandbox, machine: Machine) -> None:
    clone, bugs = tmp_path / "clones/clock", checkout / "projects/clock/bugs/1"
    text = "def show():\n    with open('a.txt', 'w') as file:\n        file.write('\\u4e2d')\n"
    write_files(clone, {"clock/clock.py": text})
    git(clone, "commit", "-qam", "before")
    test = (
        "import clock.clock\n\n\ndef test_show(tmp_path, monkeypatch):\n    monkeypatch.chdir(tmp_path)\n    clock.clock.show()\n"
    )
    write_files(clone, {"clock/clock.py": text.replace("'w'", "'w', encoding='utf-8'"), "tests/test_clock.py": test})
    git(clone, "commit", "-qam", "SECRET: the fix")
    before, after = (git(clone, "rev-parse", name) for name in ("HEAD~1", "HEAD"))
    bug = {
        "bug.info": f'python_version="3.8.0"\nbuggy_commit_id="{before}"\nfixed_commit_id="{after}"\n',
        "bug_patch.txt": git(clone, "diff", "HEAD~1", "HEAD", "--", "clock", raw=True),
        "run_test.sh": "pytest tests/test_clock.py::test_show\n",
    }
    write_files(bugs, bug)
    settings = Settings(clones=tmp_path / "clones")
    folder = tmp_path / "bench"
    made = import_benchmark("bugsinpy", [checkout], folder, settings, lambda _: None, lambda _: None, machine=machine)
    assert any("PYTHONUTF8=0" in note for note in made.notes)
    (imported,) = open_benchmark(str(folder))
    assert check_bug(imported, sandbox, counter_tests=False).problems == ()
