"""A project that needs packages and plugins is tested in an environment of its own, made from wheels and locked."""

import json
import re
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.importer import ImportedBug, Settings
from repairlab.building.importers.python_environments import Needed, find_environment
from repairlab.building.importers.python_requirements import PythonProject
from repairlab.building.importers.swebench import read
from repairlab.building.importing import Imported, import_benchmark
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.text import Span
from repairlab.languages.python.environments import UvError, not_built, run_uv, sources
from repairlab.languages.python.interpreters import choose, installed
from repairlab.languages.python.locking import Locked, Requested, lock
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import provide
from repairlab.validation.validator import BugValidator, Conditions
from tests import builders
from tests.builders import git, write_files
from tests.building.importers.wheels import served, write_source_that_does_not_build, write_wheel, write_wheels_of_pytest

pytestmark = pytest.mark.slow

SETUP = """\
from setuptools import setup

NEEDS = ["units>=1"]
setup(name="mesh", version="4.2", install_requires=NEEDS, extras_require={"tests": ["pytest", "pytest-shout"]},
      entry_points={"mesh.kinds": ["plain = mesh.fields:label"]})
"""
FIELDS = "import units\n\n\ndef label(name):\n    return units.trim(name)\n"
TESTS = """\
import importlib.metadata
import subprocess
import sys

import mesh.fields


def test_upper(shouted):
    assert mesh.fields.label(" A") == shouted.lower()


def test_plain():
    assert mesh.fields.label("a ") == "a"


def test_the_project_is_as_if_installed():
    assert importlib.metadata.version("mesh") == "4.2"


def test_children_find_the_packages():
    found = subprocess.run([sys.executable, "-c", "import units; print(units.trim(' x '))"], capture_output=True, text=True)
    assert found.stdout.strip() == "x"
"""
TEST_PATCH = "--- a/tests/test_fields.py\n+++ b/tests/test_fields.py\n@@ -1,1 +1,2 @@\n+import os\n import importlib.metadata\n"
SHOUT = """\
import pytest


def pytest_addoption(parser):
    parser.addoption("--shout")


@pytest.fixture
def shouted(request):
    return request.config.getoption("--shout")
"""
RELEASES = {"pytest": ("5.4.3",), "typed": ("1.2", "1.5"), "gone": ("2.1", "2.3"), "packed": ("3.1",), "free": ("1.0", "2.0")}


@pytest.fixture
def libs(tmp_path: Path) -> Path:
    """Return a folder of wheels: a package, a plugin that the project names, and one that comes along unasked and must not load."""
    folder = tmp_path / "libs"
    write_wheels_of_pytest(folder)
    write_wheel(folder, "units", {"units.py": "def trim(name):\n    return name.strip()\n"}, requires=("pytest-noisy",))
    write_wheel(folder, "pytest-shout", {"shout.py": SHOUT}, entry_points="[pytest11]\nshout = shout\n")
    noisy = "def pytest_configure():\n    raise SystemExit('not asked for')\n"
    write_wheel(folder, "pytest-noisy", {"noisy.py": noisy}, entry_points="[pytest11]\nnoisy = noisy\n")
    return folder


@pytest.fixture
def instances(tmp_path: Path) -> Path:
    """Return a file with one instance of SWE-bench's form, whose project has requirements."""
    clone = tmp_path / "clones/mesh"
    files = {
        "setup.py": SETUP,
        "tox.ini": "[pytest]\naddopts = --shout=A\n",
        "mesh/__init__.py": "",
        "mesh/fields.py": FIELDS,
        "tests/test_fields.py": TESTS,
        "docs/conftest.py": "import sphinx_of_the_docs\n",
    }
    write_files(clone, files)
    git(clone, "init", "-q")
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "one")
    patch = (
        "--- a/mesh/fields.py\n+++ b/mesh/fields.py\n@@ -4,2 +4,2 @@\n def label(name):\n"
        "-    return units.trim(name)\n+    return units.trim(name).lower()\n"
    )
    entry = {
        "instance_id": "someone__mesh-1",
        "repo": "someone/mesh",
        "base_commit": git(clone, "rev-parse", "HEAD"),
        "patch": patch,
        "test_patch": TEST_PATCH,
        "problem_statement": "Labels keep capitals",
        "FAIL_TO_PASS": ["tests/test_fields.py::test_upper"],
        "PASS_TO_PASS": [],
    }
    path = tmp_path / "instances.jsonl"
    path.write_text(json.dumps(entry) + "\n")
    return path


def imported(path: Path, libs: Path, machine: Machine, **more: Any) -> Imported:
    settings = Settings(clones=path.parent / "clones", libraries=libs, **more)
    return import_benchmark("swebench", [path], path.parent / "benchmark", settings, print, print, machine=machine)


@pytest.mark.imports
def test_a_project_with_packages_and_plugins_is_healthy_and_judged_the_same_in_forks(
    instances: Path, libs: Path, sandbox: Sandbox, machine: Machine
) -> None:
    made = imported(instances, libs, machine)
    (lock_file,) = (made.folder / "environments").iterdir()
    assert "units==1.0" in lock_file.read_text() and "--hash=sha256:" in lock_file.read_text()
    (bug,) = open_benchmark(str(made.folder))
    assert bug.oracle.build.environment == lock_file.stem
    assert len(bug.oracle.regression) == 3
    health = check_bug(bug, sandbox)
    assert (health.problems, health.unguarded) == ((), ())
    line = bug.problem.source.index("    return")
    texts = (
        "    return units.trim(name).casefold()\n",
        "    return units.trim(name).title()\n",
        "    return (\n",
        "    raise ValueError\n",
    )
    edits = [(Edit(path=bug.problem.path, span=Span(start=line, end=len(bug.problem.source)), text=text),) for text in texts]
    candidates = [builders.candidate(bug, *edit) for edit in edits]
    with (
        BugValidator(Conditions(bug=bug), sandbox) as warm,
        BugValidator(Conditions(bug=bug, isolation="process"), sandbox) as fresh,
    ):
        verdicts = [
            [(test.id, test.verdict) for test in v.validate(c, policy="full").tests] for v in (warm, fresh) for c in candidates
        ]
        found = [warm.validate(candidate).verdict for candidate in candidates]
    assert found == [Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE, Verdict.WRONG]
    assert verdicts[: len(texts)] == verdicts[len(texts) :]


COMPILES = """\
import subprocess
import sys
import sysconfig

ext_modules = ["mesh.fast"]
if sys.argv[1:] == ["build_ext", "--inplace"]:
    include, suffix = sysconfig.get_path("include"), sysconfig.get_config_var("EXT_SUFFIX")
    subprocess.run(["cc", "-shared", "-fPIC", "-I", include, "mesh/fast.c", "-o", f"mesh/fast{suffix}"], check=True)
"""
FAST = """\
#include <Python.h>
static struct PyModuleDef fast = {PyModuleDef_HEAD_INIT, "fast"};
PyMODINIT_FUNC PyInit_fast(void) { return PyModule_Create(&fast); }
"""


@pytest.mark.imports
def test_extension_modules_of_a_project_are_built_once_and_what_fails_then_is_the_reason(
    instances: Path, libs: Path, machine: Machine, sandbox: Sandbox
) -> None:
    (libs / "mesh.txt").write_text("units\npytest\npytest-shout\n")
    clone, entry = instances.parent / "clones/mesh", json.loads(instances.read_text())
    tests = TESTS.replace("import mesh.fields", "import mesh.fast\nimport mesh.fields", 1).partition("def test_plain")[0]
    for setup, fast in ((COMPILES, FAST), (COMPILES, "#include <Nowhere.h>\n")):
        files = {"setup.py": setup, "mesh/fast.c": fast, "tests/test_fields.py": tests}
        write_files(clone, files)
        git(clone, "add", "-A")
        git(clone, "commit", "-qm", "more")
        instances.write_text(json.dumps(entry | {"base_commit": git(clone, "rev-parse", "HEAD")}) + "\n")
        if fast != FAST:
            with pytest.raises(UserError, match=r"mesh/fast\.c:1:10: fatal error: Nowhere\.h: .*; then no trigger test"):
                imported(instances, libs, machine)
        else:
            made = imported(instances, libs, machine)
            (bug,) = open_benchmark(str(made.folder))
            assert len(list(made.folder.rglob("mesh/fast.*.so"))) == 1
            assert "**/*.so" in bug.oracle.test.files
            assert check_bug(bug, sandbox).problems == ()
            shutil.rmtree(made.folder)


def test_what_an_environment_lacks_is_the_reason(instances: Path, libs: Path, machine: Machine) -> None:
    (libs / "units-1.0-py3-none-any.whl").unlink()
    with pytest.raises(UserError, match=r"its packages cannot be had for Python .*units was not found"):
        imported(instances, libs, machine)


def test_what_environments_had_from_the_start_is_there_where_the_tree_imports_it(instances: Path, libs: Path) -> None:
    if "3.11" not in [found.release for found in installed()]:
        pytest.skip("Python 3.11 is not installed, the last before 3.12; the wheels of pytest are not for older ones")
    write_wheel(libs, "setuptools", {"pkg_resources.py": "def iter_entry_points():\n    return ()\n"})

    def locked() -> str:
        (bug,) = read([instances], Settings(clones=instances.parent / "clones", libraries=libs, python="3.11")).bugs
        assert isinstance(bug, ImportedBug)
        return "".join(bug.locks.values())

    assert "setuptools" not in locked()
    clone = instances.parent / "clones/mesh"
    write_files(clone, {"mesh/plugins.py": b"from pkg_resources import iter_entry_points\n"})
    git(clone, "add", "-A")
    git(clone, "commit", "-qm", "two")
    entry = json.loads(instances.read_text())
    instances.write_text(json.dumps(entry | {"base_commit": git(clone, "rev-parse", "HEAD")}) + "\n")
    assert "setuptools==1.0" in locked()


def test_what_came_along_with_an_older_pytest_may_be_missing(tmp_path: Path) -> None:
    write_wheel(tmp_path, "pytest", {}, version="5.4.3", requires=("pluggy",))
    write_wheel(tmp_path, "pluggy", {}, version="0.13")
    write_wheel(tmp_path, "six", {}, version="1.15")
    asked = ("pytest==3.10.1", "atomicwrites==1.4.0", "pluggy==0.7", "six==1.12")
    found = lock(Requested(python=installed()[0].release, requirements=asked, wheels=str(tmp_path)))
    assert re.findall(r"^[a-z]+==[0-9.]+", found.text, re.MULTILINE) == ["pluggy==0.13", "pytest==5.4.3", "six==1.15"]
    assert any(note.startswith("left out") and note.endswith(": atomicwrites") for note in found.notes)


def test_what_cannot_be_built_leaves_out_only_what_needs_it(tmp_path: Path) -> None:
    for name, requires in {"pytest": (), "listed": (), "clicks": (), "linter": ("typed",)}.items():
        write_wheel(tmp_path, name, {}, version="5.4.3", requires=requires)
    write_source_that_does_not_build(tmp_path, "typed")
    project = PythonProject(name="mesh", requirements=("clicks",), testing=("linter",))
    chosen = Settings(libraries=tmp_path)
    found = find_environment(project, "mesh", Needed(requirements=("listed",)), chosen, own_pytest=False)
    assert found is not None
    assert re.findall(r"^[a-z]+(?===)", found.text, re.MULTILINE) == ["clicks", "listed", "pytest"]
    assert any(note.startswith("left out") and note.endswith(": linter") for note in found.notes)
    with pytest.raises(UserError, match=r"Failed to build `typed==1\.0`"):
        find_environment(project, "mesh", Needed(requirements=("linter",)), chosen, own_pytest=False)


def use_no_other_index(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UV_INDEX", "UV_EXTRA_INDEX_URL", "UV_FIND_LINKS", "UV_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)


def versions(found: Locked | None) -> list[str]:
    assert found is not None
    return re.findall(r"^[a-z]+==[0-9.]+", found.text, re.MULTILINE)


def test_a_package_that_takes_too_long_to_be_built_cannot_be_built_and_its_build_is_ended(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    endless = f"import os, time; open({str(pid)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    write_source_that_does_not_build(tmp_path, "slow", instead=endless)
    places = sources(str(tmp_path), "", ())
    options = ("--no-cache", "--python", sys.executable, "--target", str(tmp_path / "there"))
    with pytest.raises(UvError) as told:
        run_uv("pip", "install", *options, *places, "slow", build_s=5.0)
    assert not_built(str(told.value)) == ("slow",)
    assert "it took longer than 5 s" in told.value.reason
    while Path("/proc", pid.read_text()).exists():
        time.sleep(0.05)


def test_of_a_list_of_all_that_was_installed_what_nothing_needs_may_be_missing(tmp_path: Path) -> None:
    for name in ("pytest", "wheeled"):
        write_wheel(tmp_path, name, {}, version="5.4.3")
    write_source_that_does_not_build(tmp_path, "typed")
    listed = ("typed==1.0", "elsewhere==227", "wheeled==5.4.3")

    def environment(project: PythonProject, **more: Any) -> Locked | None:
        return find_environment(
            project, "mesh", Needed(requirements=listed, **more), Settings(libraries=tmp_path), own_pytest=False
        )

    for windows in ((), ("elsewhere; sys_platform == 'win32'",)):
        found = environment(PythonProject(name="mesh", requirements=windows))
        assert found is not None and versions(found) == ["pytest==5.4.3", "wheeled==5.4.3"]
        assert any(note.startswith("left out") and note.endswith(": typed==1.0, elsewhere==227") for note in found.notes)
    for project, reached in ((PythonProject(requirements=("typed",)), ()), (PythonProject(), ("typed",))):
        with pytest.raises(UserError, match=r"Failed to build `typed==1\.0`"):
            environment(project, reached=frozenset(reached))


def test_what_nothing_needs_is_taken_from_wheels_of_an_index_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pytest", "wheeled"):
        write_wheel(tmp_path, name, {}, version="5.4.3", requires=("elsewhere",) if name == "wheeled" else ())
    use_no_other_index(monkeypatch)
    with served(tmp_path, {"pytest": "2020-06-02", "wheeled": "2020-06-02"}) as address:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        listed = ("elsewhere==227", "wheeled==5.4.3")
        found = lock(Requested(python=installed()[0].release, requirements=(), beside=listed, before="2020-12-31"))
    assert versions(found) == ["pytest==5.4.3", "wheeled==5.4.3"]
    assert [note for note in found.notes if "no wheel for Python" in note and note.endswith(": elsewhere==227")]


def test_of_a_list_of_all_that_was_installed_plugins_load_that_the_tree_speaks_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pytest", "pytest-shout", "pytest-noisy"):
        write_wheel(tmp_path, name, {}, version="5.4.3")
    use_no_other_index(monkeypatch)
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    dates = dict.fromkeys(("pytest", "pytest_shout", "pytest_noisy"), "2020-06-02")
    listed = ("pytest==5.4.3", "pytest-shout==5.4.3", "pytest-noisy==5.4.3")
    with served(tmp_path, dates) as address:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        needed = Needed(requirements=listed, date="2020-12-31", plugins=frozenset(["pytest-shout", "pytest-elsewhere"]))
        found = find_environment(PythonProject(), "mesh", needed, Settings(), own_pytest=False)
    assert found is not None and "# plugins of = pytest pytest-shout\n" in found.text


def test_versions_of_a_list_hold_for_what_comes_along(tmp_path: Path) -> None:
    write_wheel(tmp_path, "pytest", {}, version="5.4.3")
    write_wheel(tmp_path, "wanted", {}, version="1.0", requires=("under>=1",))
    for version in ("1.1", "1.2"):
        write_wheel(tmp_path, "under", {}, version=version)
    needed = Needed(requirements=("wanted==1.0", "under==1.1"), reached=frozenset(["wanted"]))
    found = find_environment(PythonProject(), "mesh", needed, Settings(libraries=tmp_path), own_pytest=False)
    assert versions(found) == ["pytest==5.4.3", "under==1.1", "wanted==1.0"]


def test_what_comes_along_for_an_extra_is_there_though_the_version_is_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    signals = "signals>=1; extra == 'signals'\nProvides-Extra: signals"
    packages = {
        "pytest": ("5.4.3", ()),
        "wanted": ("1.0", ("under[signals]",)),
        "under": ("1.1", (signals,)),
        "signals": ("1.5", ()),
    }
    for name, (version, requires) in packages.items():
        write_wheel(tmp_path, name, {}, version=version, requires=requires)
    use_no_other_index(monkeypatch)
    with served(tmp_path, dict.fromkeys(packages, "2020-06-02")) as address:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        held = ("under==1.1", "signals==1.4")
        python = installed()[0].release
        found = lock(Requested(python=python, requirements=("wanted==1.0",), beside=held, before="2020-12-31", relax=True))
    assert versions(found) == ["pytest==5.4.3", "signals==1.5", "under==1.1", "wanted==1.0"]


def test_versions_of_a_list_hold_against_what_packages_say(tmp_path: Path) -> None:
    write_wheel(tmp_path, "pytest", {}, version="5.4.3")
    write_wheel(tmp_path, "wanted", {}, version="1.0", requires=("under>=2",))
    for version in ("1.1", "2.0"):
        write_wheel(tmp_path, "under", {}, version=version)
    needed = Needed(requirements=("wanted==1.0", "under==1.1"), reached=frozenset(["wanted"]))
    found = find_environment(PythonProject(), "mesh", needed, Settings(libraries=tmp_path), own_pytest=False)
    assert versions(found) == ["pytest==5.4.3", "under==1.1", "wanted==1.0"]


def test_a_requirement_for_some_machines_is_no_pin_and_counts_on_these_alone(tmp_path: Path) -> None:
    for name, requires in {"pytest": (), "wanted": ("under",), "under": ()}.items():
        write_wheel(tmp_path, name, {}, version="5.4.3", requires=requires)
    lines = ("wanted>=1; sys_platform == 'linux'", "elsewhere; sys_platform == 'win32'")
    found = find_environment(PythonProject(requirements=lines), "mesh", Needed(), Settings(libraries=tmp_path), own_pytest=False)
    assert found is not None and found.notes == ()
    assert versions(found) == ["pytest==5.4.3", "under==5.4.3", "wanted==5.4.3"]


def test_what_a_tree_requires_on_some_systems_was_missing_where_the_list_of_its_record_has_it_not(tmp_path: Path) -> None:
    for name in ("pytest", "wanted", "fast"):
        write_wheel(tmp_path, name, {}, version="5.4.3")
    project = PythonProject(requirements=("wanted", "fast; sys_platform != 'win32'"))

    def environment(*listed: str) -> list[str]:
        needed = Needed(requirements=listed)
        return versions(find_environment(project, "mesh", needed, Settings(libraries=tmp_path), own_pytest=False))

    assert environment() == ["fast==5.4.3", "pytest==5.4.3", "wanted==5.4.3"]
    assert environment("pytest==5.4.3") == ["pytest==5.4.3", "wanted==5.4.3"]
    assert environment("fast==5.4.3") == ["fast==5.4.3", "pytest==5.4.3", "wanted==5.4.3"]


def test_beside_a_list_that_has_pytest_the_tree_adds_plugins_and_what_its_tests_get_to(tmp_path: Path) -> None:
    for name in ("pytest", "pytest-shout", "mocks", "linter", "proxy"):
        write_wheel(tmp_path, name, {}, version="5.4.3")
    project = PythonProject(testing=("pytest-shout", "mocks", "linter"))

    def environment(*listed: str) -> str:
        needed = Needed(requirements=listed, optional=("proxy",), reached=frozenset(["mocks"]))
        found = find_environment(project, "mesh", needed, Settings(libraries=tmp_path), own_pytest=False)
        assert found is not None
        return found.text

    assert "# plugins of = mocks pytest pytest-shout\n" in environment("pytest==5.4.3")
    assert "# plugins of = linter mocks proxy pytest pytest-shout\n" in environment("mocks==5.4.3")


def test_a_pin_that_cannot_be_had_becomes_the_next_version_with_a_wheel_and_others_the_last(tmp_path: Path) -> None:
    for name, releases in RELEASES.items():
        for version in releases:
            write_wheel(tmp_path, name, {}, version=version)
    write_source_that_does_not_build(tmp_path, "typed")
    (tmp_path / "packed-3.0.tar.bz2").write_bytes(b"a form that was given up")
    listed = ("typed==1.0", "gone==2.0", "packed==3.0")
    needed = Needed(requirements=listed, optional=("free",), reached=frozenset(["typed", "gone", "packed"]))
    found = find_environment(PythonProject(), "mesh", needed, Settings(libraries=tmp_path), own_pytest=False)
    assert found is not None
    assert versions(found) == ["free==2.0", "gone==2.1", "packed==3.1", "pytest==5.4.3", "typed==1.2"]
    assert sorted(found.notes) == [
        "gone==2.0 cannot be had here: gone==2.1, the next version that has a wheel, instead",
        "packed==3.0 cannot be had here: packed==3.1, the next version that has a wheel, instead",
        "typed==1.0 cannot be had here: typed==1.2, the next version that has a wheel, instead",
    ]
    with pytest.raises(UserError, match=r"gone==2\.0|typed==1\.0|packed==3\.0"):
        find_environment(PythonProject(), "mesh", needed, Settings(libraries=tmp_path, relax_pins=False), own_pytest=False)


def test_the_last_package_that_could_not_be_had_is_the_reason(tmp_path: Path) -> None:
    for name, version in {"pytest": "5.4.3", "typed": "1.2", "wished": "1.0"}.items():
        write_wheel(tmp_path, name, {}, version=version)
    write_source_that_does_not_build(tmp_path, "typed")
    write_source_that_does_not_build(tmp_path, "vectors", instead="import time; time.sleep(4); raise SystemExit(1)")
    project = PythonProject(name="mesh", requirements=("typed==1.0", "vectors"), testing=("wished",))
    with pytest.raises(UserError, match=r"Failed to build `vectors==1\.0`"):
        find_environment(project, "mesh", Needed(), Settings(libraries=tmp_path), own_pytest=False)


def test_what_builds_a_package_is_no_newer_than_what_the_environment_has_of_it(tmp_path: Path) -> None:
    for version in ("1.0", "2.0"):
        write_wheel(tmp_path, "tool", {"tool.py": f"VERSION = '{version}'\n"}, version=version)
    write_wheel(tmp_path, "pytest", {}, version="5.4.3")
    used = tmp_path / "used"
    saying = f"import tool; open({str(used)!r}, 'w').write(tool.VERSION); raise SystemExit(1)"
    write_source_that_does_not_build(tmp_path, "made", instead=saying, builder="tool")
    project = PythonProject(name="mesh", requirements=("made", "tool<2"))
    with pytest.raises(UserError, match=r"Failed to build `made==1\.0`"):
        find_environment(project, "mesh", Needed(), Settings(libraries=tmp_path), own_pytest=False)
    assert used.read_text() == "1.0"


def test_releases_that_were_published_anew_are_taken_in_spite_of_their_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_wheel(tmp_path, "pytest", {}, version="5.4.3")
    write_wheel(tmp_path, "anew", {}, version="1.4.1")
    use_no_other_index(monkeypatch)
    with served(tmp_path, {"pytest": "2020-06-02", "anew": "2022-07-08"}) as address:
        monkeypatch.setenv("UV_DEFAULT_INDEX", address)
        found = lock(Requested(python=installed()[0].release, requirements=("anew>=1",), before="2020-12-31"))
    assert re.findall(r"^[a-z]+==[0-9.]+", found.text, re.MULTILINE) == ["anew==1.4.1", "pytest==5.4.3"]
    assert found.notes == ("anew: the index has no release from before 2020-12-31, so a later one is taken",)


def test_a_plugin_that_is_not_named_is_missed_in_pytests_own_words(instances: Path, libs: Path, machine: Machine) -> None:
    (libs / "mesh.txt").write_text("units\npytest  # no plugin\n")
    with pytest.raises(UserError, match=r"pytest could not run \(USAGE_ERROR\): .*unrecognized arguments: --shout=A"):
        imported(instances, libs, machine)


def test_an_interpreter_that_is_not_installed_is_named_with_those_that_are(instances: Path, libs: Path, machine: Machine) -> None:
    with pytest.raises(UserError, match=r"Python 3\.99 is not installed here; there are .*3\.\d+"):
        imported(instances, libs, machine, python="3.99")
    assert choose(installed()[0].release) == installed()[0]


def test_a_lock_that_is_gone_or_was_changed_is_an_error(instances: Path, libs: Path, machine: Machine, sandbox: Sandbox) -> None:
    made = imported(instances, libs, machine)
    (bug,) = open_benchmark(str(made.folder))
    (lock_file,) = (made.folder / "environments").iterdir()
    lock_file.write_text(lock_file.read_text().replace("units==1.0", "units==1.1"))
    with pytest.raises(UserError, match=r"the lock of the environment .* was changed"):
        provide(bug)
    lock_file.unlink()
    with pytest.raises(UserError, match=r"the lock of the environment .* is missing"):
        provide(bug)
    text = made.folder / "bugs" / bug.id / "bug.toml"
    text.write_text(text.read_text().replace(bug.oracle.build.environment, f"{lock_file.stem[:-4]}0000"))
    (other,) = open_benchmark(str(made.folder))
    health = check_bug(other, sandbox)
    assert any("is not installed on this machine. Install it with: repairlab check" in problem for problem in health.problems)
