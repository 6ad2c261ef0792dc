"""Our reporter in each release of pytest that projects bring along; packages come from the index that uv is set up for."""

from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build, Test
from repairlab.languages.language import Tools
from repairlab.languages.python.environments import UvError, run_uv
from repairlab.languages.python.interpreters import choose
from repairlab.languages.python.locking import Requested, lock
from repairlab.languages.python.toolchain import PythonToolchain
from tests.languages.conftest import Project

pytestmark = [pytest.mark.imports, pytest.mark.timeout(300)]

OLD = "3.8"
"""The last release of Python that all of them work with."""
SUITE = """\
import pytest
@pytest.mark.parametrize("n", [1, 2])
def test_each(n): assert n == 1
@pytest.mark.skip
def test_skipped(): pass
@pytest.fixture
def broken(): raise KeyError("x")
def test_broken(broken): pass
class TestIn:
    def test_passes(self, tmp_path, capsys): print(tmp_path)
def test_leaves(): import os; os._exit(0)
def test_after(): pass
"""
EXPECTED = {
    "test_each[1]": TestVerdict.PASSED,
    "test_each[2]": TestVerdict.WRONG,
    "test_skipped": TestVerdict.WRONG,
    "test_broken": TestVerdict.WRONG,
    "TestIn::test_passes": TestVerdict.PASSED,
}


def in_environment(folder: Path, *packages: str, test: Test, brings_pytest: bool = True) -> Project:
    """Return a tree whose tests run with these packages."""
    try:
        locked = lock(Requested(python=OLD, requirements=packages, brings_pytest=brings_pytest))
    except UserError as error:
        pytest.skip(f"no environment with {' '.join(packages)} for Python {OLD}: {error}")
    toolchain = PythonToolchain(Tools(cache=str(folder / "cache")))
    (folder / "lock.txt").write_text(locked.text, encoding="utf-8")
    build = Build(environment=locked.name)
    toolchain.provide(build, folder / "lock.txt")
    return Project(folder, toolchain, build, test)


def check(project: Project) -> None:
    project.write({"test_it.py": SUITE})
    names = {f"test_it.py::{name}": verdict for name, verdict in EXPECTED.items()}
    assert set(names) < set(project.listed(["test_it.py"]))
    assert project.verdicts(list(names)) == names
    report = project.report(["test_it.py::test_leaves", "test_it.py::test_after"])
    assert (report.results, report.unfinished) == ((), "test_it.py::test_leaves")


@pytest.mark.parametrize("release", ["5.0.1", "5.4.3", "6.2.5", "7.4.4", "8.3.5"])
def test_a_pytest_of_the_project_reports_as_ours(tmp_path: Path, release: str) -> None:
    check(in_environment(tmp_path, f"pytest=={release}", test=Test(framework="pytest")))


def test_a_tree_that_is_pytest_4_runs_its_own_tests(tmp_path: Path) -> None:
    needed = ("py", "six", "packaging", "attrs", "more-itertools", "atomicwrites", "pluggy<1", "importlib-metadata<5", "wcwidth")
    test = Test(framework="pytest", program="tree", env=(("PYTHONPATH", "src"),))
    project = in_environment(tmp_path, *needed, test=test, brings_pytest=False)
    python, place = str(choose(OLD).executable), str(project.root / "src")
    try:
        run_uv("pip", "install", "--no-deps", "--python", python, "--target", place, "pytest==4.6.11")
    except UvError as error:
        pytest.skip(f"pytest 4 cannot be had: {error.reason}")
    check(project)
