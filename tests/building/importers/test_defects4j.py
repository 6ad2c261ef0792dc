"""Bugs of Defects4J come from its lists, its patches and a clone; they tell nothing of their fixes."""

import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.check import check_bug
from repairlab.building.importers.defects4j import read
from repairlab.building.importers.defects4j_projects import PROJECTS, ProjectLayout, needed_jars, usual_layout
from repairlab.building.importers.importer import Dropped, ImportedBug, Settings
from repairlab.building.importing import import_benchmark
from repairlab.core.diff import unified_diff
from repairlab.core.errors import HarnessError, UserError
from repairlab.languages.language import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

GREETER = "src/main/java/demo/Greeter.java"


def bugs_of(small: Any, **settings: Any) -> dict[str, ImportedBug | Dropped]:
    given = Settings(**{"clones": small.clones, **settings})
    return {bug.id: bug for bug in read([small.checkout], given).bugs}


def bug_of(small: Any, name: str, **settings: Any) -> ImportedBug:
    found = bugs_of(small, include=(name,), **settings)[name]
    assert isinstance(found, ImportedBug), found
    return found


@pytest.fixture
def java() -> None:
    try:
        language("java").toolchain.versions()
    except HarnessError as error:
        pytest.skip(str(error))


def test_a_bug_is_the_fixed_revision_with_the_patch_and_has_one_target(defects4j: Any) -> None:
    bug = bug_of(defects4j, "Csv-2")
    assert b"// count" in bug.tree["src/main/java/demo/Counter.java"].content
    assert "+        count++;\n" in bug.patch
    assert "-        // count\n" in bug.patch
    assert bug.facts["path"] == "src/main/java/demo/Counter.java"
    assert bug.facts["target"] == "Counter.next"
    assert bug.facts["test"]["trigger"] == ["demo.CounterTest::testBeginsWithOne"]
    assert bug.discover == ("demo.CounterTest",)
    assert bug.facts["origin"]["commit"] == defects4j.fixes[2]
    assert bug.facts["error"] == "org.junit.ComparisonFailure: no"


def test_latin_1_sources_become_utf_8_and_resources_stay(defects4j: Any) -> None:
    bug = bug_of(defects4j, "Csv-1")
    assert 'return "Grüezi ";' in bug.tree[GREETER].content.decode()
    assert '+        return "Grüezi " + name;' in bug.patch
    assert bug.tree["src/test/resources/words.txt"].content == "über\n".encode("iso-8859-1")
    assert bug.notes == (f"sources in ISO-8859-1 are now UTF-8: {GREETER}",)


def test_of_two_functions_with_one_name_the_parameters_tell(defects4j: Any) -> None:
    assert bug_of(defects4j, "Csv-1").facts["target"] == "Greeter.greet(String name)"


@pytest.mark.parametrize(
    ("hunk", "target"),
    [
        ("@@ -6 +6 @@\n-    public int next() {\n+    protected int next() {\n", "Counter.next"),
        ("@@ -4 +4,2 @@\n     private int count;\n+    private int more;\n", None),
        ("@@ -5,2 +5,3 @@\n \n+    // new\n     public int next() {\n", None),
    ],
)
def test_only_changes_within_one_function_make_it_the_target(defects4j: Any, hunk: str, target: str | None) -> None:
    path = "src/main/java/demo/Counter.java"
    (defects4j.project / "patches/2.src.patch").write_text(f"--- a/{path}\n+++ b/{path}\n{hunk}")
    assert bug_of(defects4j, "Csv-2").facts["target"] == target


def test_nothing_tells_of_the_fix(defects4j: Any) -> None:
    for name in ("Csv-1", "Csv-2"):
        bug = bug_of(defects4j, name)
        told = f"{bug.title}{bug.description}{bug.facts}".encode() + b"".join(file.content for file in bug.tree.values())
        assert b"SECRET" not in told
        assert not any(".git" in Path(path).parts for path in bug.tree)
    assert bug.title == "commons-csv does not do what its tests expect (CSV-2)"


def test_a_commit_that_the_clone_lacks_drops_the_bug_with_that_reason(defects4j: Any) -> None:
    dropped = bugs_of(defects4j)["Csv-3"]
    assert isinstance(dropped, Dropped)
    assert "lacks the commit 0123456789" in dropped.reason


def test_a_damaged_clone_drops_only_the_bugs_that_it_damages(defects4j: Any) -> None:
    clone = next(path.parent for path in defects4j.clones.rglob("HEAD") if (path.parent / "objects").is_dir())
    tree = subprocess.run(
        ["git", "-C", clone, "rev-parse", f"{defects4j.fixes[2]}^{{tree}}"], capture_output=True, text=True, check=True
    )
    (clone / "objects" / tree.stdout[:2] / tree.stdout.strip()[2:]).unlink()
    found = bugs_of(defects4j)
    assert isinstance(found["Csv-2"], Dropped) and isinstance(found["Csv-1"], ImportedBug)
    assert "git ls-tree failed in" in found["Csv-2"].reason


def test_a_project_without_a_clone_drops_its_bugs(defects4j: Any) -> None:
    chart = defects4j.checkout / "framework/projects/Chart"
    chart.mkdir()
    (chart / "active-bugs.csv").write_text("bug.id,revision.id.buggy,revision.id.fixed,report.id,report.url\n1,2264,2266,,\n")
    (chart / "trigger_tests").mkdir()
    (chart / "trigger_tests/1").write_text("--- a.B::c\nno\n")
    dropped = bugs_of(defects4j, include=("Chart-*",))["Chart-1"]
    assert isinstance(dropped, Dropped)
    assert "holds no clone called jfreechart" in dropped.reason


def test_a_patch_that_does_not_apply_is_named(defects4j: Any) -> None:
    patch = defects4j.project / "patches/2.src.patch"
    patch.write_text(patch.read_text().replace("count++", "count--"))
    dropped = bugs_of(defects4j)["Csv-2"]
    assert isinstance(dropped, Dropped)
    assert f"{patch} does not apply" in dropped.reason


def test_changes_that_make_a_revision_compile_come_before_the_patch(defects4j: Any) -> None:
    diff = "--- a/src/test/java/demo/CounterTest.java\n+++ b/src/test/java/demo/CounterTest.java\n@@ -1 +1 @@\n"
    folder = defects4j.project / "compile-errors"
    folder.mkdir()
    (folder / "test-2-4.diff").write_text(f"{diff}-package demo;\n+package  demo;\n")
    assert bug_of(defects4j, "Csv-2").tree["src/test/java/demo/CounterTest.java"].content.startswith(b"package  demo;")
    first = bug_of(defects4j, "Csv-1", tests="all")
    assert first.tree["src/test/java/demo/CounterTest.java"].content.startswith(b"package demo;")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (Settings(), "add --clones DIR"),
        (Settings(clones=Path("clones"), include=("Cvs-1",)), "unknown bug 'Cvs-1'"),
        (Settings(via="no-such-defects4j"), "'no-such-defects4j' of --via is not installed"),
    ],
)
def test_settings_that_cannot_work_are_refused(defects4j: Any, settings: Settings, message: str) -> None:
    with pytest.raises(UserError, match=message):
        read([defects4j.checkout], settings)


def test_a_folder_that_is_no_checkout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no folder framework/projects"):
        read([tmp_path], Settings(clones=tmp_path))


def test_all_17_projects_are_known() -> None:
    assert len(PROJECTS) == 17


def test_a_layout_that_no_list_has_is_seen_from_the_tree() -> None:
    assert usual_layout(["src/java/a/B.java", "src/test/a/BTest.java"]) == ProjectLayout(sources="src/java", tests="src/test")
    assert usual_layout(["main.c"]) is None


def make_jar(path: Path, *classes: str, names: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in classes:
            archive.writestr(f"{name.replace('.', '/')}.class", names)
    return path


def test_jars_are_those_that_sources_name_in_the_version_of_the_build_files(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    make_jar(first / "io-2.2.jar", "org.io.IOUtils", names="x Lorg/deep/Deep; y")
    newer = make_jar(first / "io-2.10.jar", "org.io.IOUtils", names="x Lorg/deep/Deep; y")
    deep = make_jar(first / "deep-1.jar", "org.deep.Deep")
    driver = make_jar(second / "driver-3.jar", "org.db.Driver")
    make_jar(second / "junit-3.8.jar", "junit.framework.TestCase")
    make_jar(second / "own-1.jar", "own.Thing")
    make_jar(second / "unused-1.jar", "org.unused.Unused")
    texts = [
        "package own;\nimport static org.io.IOUtils.copy;\nimport own.Thing;\nimport junit.framework.*;\n",
        'class X { String driver = "org.db.Driver"; }',
    ]
    assert needed_jars(texts, [first, second], "") == (deep, driver, newer)
    older = needed_jars(texts, [first, second], "<artifactId>io</artifactId>\n <version>2.2</version>")
    assert [jar.name for jar in older] == ["deep-1.jar", "driver-3.jar", "io-2.2.jar"]


def test_what_a_distribution_has_of_the_project_or_of_a_library_that_is_found_is_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, system = tmp_path / "first", tmp_path / "system"
    monkeypatch.setattr("repairlab.building.importers.defects4j_projects.SYSTEM_FOLDER", system)
    found = make_jar(first / "buddy-0.6.jar", "net.buddy.Buddy")
    make_jar(system / "buddy-dep.jar", "net.buddy.Buddy", "net.buddy.Later")
    make_jar(system / "own-2.jar", "own.Thing", "own.later.Other")
    split = make_jar(system / "notes.jar", "javax.notes.After", "module-info")
    beans = make_jar(first / "beans.jar", "org.beans.Bean", "org.heaps.Heap", "module-info")
    heaps = make_jar(system / "heaps.jar", *(f"org.heaps.{name}" for name in ("Heap", *"ABCDEFGHIJKL")))
    make_jar(first / "more-notes.jar", "javax.notes.Before")
    comment = "/** See own.later.Other and net.buddy.Later. */"
    imported = "".join(f"import {name};\n" for name in ("net.buddy.*", "javax.notes.After", "org.beans.Bean", "org.heaps.A"))
    texts = [f"package own;\n{imported}{comment}\npublic class Thing {{ }}"]
    assert needed_jars(texts, [first, system], "") == (beans, found, heaps, split)


def test_jars_that_only_the_buggy_tree_needs_are_found_too(defects4j: Any, tmp_path: Path) -> None:
    make_jar(tmp_path / "jars/extra-1.jar", "extra.Extra")
    path = "src/main/java/demo/Counter.java"
    hunk = "@@ -1 +1,2 @@\n package demo;\n+import extra.Extra;\n"
    (defects4j.project / "patches/2.src.patch").write_text(f"--- a/{path}\n+++ b/{path}\n{hunk}")
    bug = bug_of(defects4j, "Csv-2", libraries=tmp_path / "jars")
    assert "lib/extra-1.jar" in bug.facts["build"]["class_path"]
    assert "lib/extra-1.jar" in bug.tree


STAND_IN = """\
#!/bin/sh
# Speaks the protocol of the real command, which needs Perl, Ant and the network: checkout and export.
verb=$1; shift
while [ $# -gt 0 ]; do
    case $1 in -p) property=$2;; -v) version=$2;; -w) work=$2;; esac
    shift 2
done
case $verb-$property-$version in
checkout-Csv-2b) cp -r TREES/buggy "$work";;
checkout-Csv-2f) cp -r TREES/fixed "$work";;
export-dir.src.classes-) echo src/main/java;;
export-dir.src.tests-) echo src/test/java;;
export-cp.test-) echo "$work/target/classes:TREES/extra-1.jar:TREES/junit-4.jar";;
export-tests.trigger-) echo demo.CounterTest::testBeginsWithOne;;
export-tests.relevant-) echo demo.CounterTest;;
*) echo "no such thing: $verb $property $version" >&2; exit 1;;
esac
"""


def test_an_installed_command_gives_the_same_bug(defects4j: Any, tmp_path: Path) -> None:
    plain = bug_of(defects4j, "Csv-2")
    for version in ("buggy", "fixed"):
        for path, file in plain.tree.items():
            (tmp_path / "trees" / version / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "trees" / version / path).write_bytes(file.content)
    counter = tmp_path / "trees/fixed/src/main/java/demo/Counter.java"
    counter.write_text(counter.read_text().replace("// count", "count++;"))
    (tmp_path / "trees/buggy/.defects4j.config").write_text("pid=Csv\n")
    make_jar(tmp_path / "trees/extra-1.jar", "extra.Extra")
    make_jar(tmp_path / "trees/junit-4.jar", "org.junit.Test")
    command = tmp_path / "defects4j-stand-in"
    command.write_text(STAND_IN.replace("TREES", str(tmp_path / "trees")))
    command.chmod(0o755)
    bug = bug_of(defects4j, "Csv-2", clones=None, via=str(command))
    assert bug.patch == plain.patch
    assert {path: file.content for path, file in bug.tree.items() if path != "lib/extra-1.jar"} == {
        path: file.content for path, file in plain.tree.items()
    }
    assert bug.facts["build"]["class_path"] == ["lib/extra-1.jar", *plain.facts["build"]["class_path"]]
    assert {**bug.facts, "build": None} == {**plain.facts, "build": None}
    dropped = bugs_of(defects4j, clones=None, via=str(command))["Csv-1"]
    assert isinstance(dropped, Dropped)
    assert "no such thing: checkout Csv 1b" in dropped.reason


@pytest.mark.imports
@pytest.mark.usefixtures("java")
def test_imported_bugs_are_healthy_and_tests_that_never_pass_are_left_out(
    defects4j: Any, tmp_path: Path, machine: Machine, sandbox: Sandbox
) -> None:
    done: list[str] = []
    settings = Settings(clones=defects4j.clones)
    made = import_benchmark(
        "defects4j", [defects4j.checkout], tmp_path / "made", settings, lambda n: None, done.append, machine=machine
    )
    assert made.bugs == ("Csv-1", "Csv-2")
    assert [bug.id for bug in made.dropped] == ["Csv-3"]
    assert sorted(done) == ["Csv-1", "Csv-2", "Csv-3"]
    assert any("failsHereAlways" in note and "isIgnored" in note for note in made.notes)
    benchmark = open_benchmark(str(tmp_path / "made"))
    greeter, counter = benchmark
    tests = {f"demo.GreeterTest::{name}" for name in ("greetsNever", "livesInCalifornia", "findsItsWords")}
    assert set(greeter.oracle.regression) == tests
    assert greeter.oracle.trigger == ("demo.GreeterTest::greetsByName",)
    assert counter.oracle.regression == ("demo.CounterTest::testIsMade",)
    assert benchmark.version == "3.0.9"
    for bug in benchmark:
        assert check_bug(bug, sandbox).problems == ()


@pytest.mark.slow
@pytest.mark.usefixtures("java")
def test_what_is_no_java_8_is_built_as_java_7(
    defects4j: Any, tmp_path: Path, machine: Machine, sandbox: Sandbox, java: None
) -> None:
    sorter = """package demo;
import java.util.Comparator;
public class Sorter<E> {
    static final Comparator RAW = null;
    final Comparator<E> own;
    public Sorter(Comparator<? super E> given) { this.own = given == null ? RAW : given; }
}
"""
    lines = sorter.splitlines()
    (defects4j.project / "compile-errors").mkdir()
    (defects4j.project / "compile-errors/x-1-9.diff").write_text(
        f"--- /dev/null\n+++ b/src/main/java/demo/Sorter.java\n@@ -0,0 +1,{len(lines)} @@\n"
        + "".join(f"+{line}\n" for line in lines)
    )
    settings = Settings(clones=defects4j.clones, include=("Csv-2",))
    made = import_benchmark("defects4j", [defects4j.checkout], tmp_path / "b", settings, print, print, machine=machine)
    assert any("built as release 7" in note for note in made.notes)
    (bug,) = open_benchmark(str(tmp_path / "b"))
    assert bug.oracle.build.release == 7
    assert check_bug(bug, sandbox, counter_tests=False).healthy


@pytest.mark.usefixtures("java")
@pytest.mark.slow
def test_a_trigger_test_that_fails_only_before_others_counts_and_time_limits_are_what_tests_need(
    defects4j: Any, tmp_path: Path, machine: Machine
) -> None:
    path = "src/test/java/demo/CounterTest.java"
    old = bug_of(defects4j, "Csv-2").tree[path].content.decode()
    new = old.replace("assertEquals(1, ", "if (!made) assertEquals(1, ")
    new = new.replace("testIsMade() {", "testIsMade() {\n        made = true;").replace("{\n", "{\n    static boolean made;\n", 1)
    (defects4j.project / "compile-errors").mkdir()
    (defects4j.project / "compile-errors/x-2-2.diff").write_text(unified_diff(path, old, new))
    settings = Settings(clones=defects4j.clones, include=("Csv-2",))
    import_benchmark("defects4j", [defects4j.checkout], tmp_path / "made", settings, print, print, machine=machine)
    (bug,) = open_benchmark(str(tmp_path / "made"))
    assert bug.oracle.trigger == ("demo.CounterTest::testBeginsWithOne",)
    assert bug.oracle.limits.cpu_s < bug_of(defects4j, "Csv-2").facts["limits"]["cpu_s"]


def test_a_bug_whose_trigger_test_does_not_behave_is_dropped(defects4j: Any, tmp_path: Path, machine: Machine) -> None:
    listed = defects4j.project / "trigger_tests/2"
    listed.write_text("--- demo.CounterTest::testIsMade\nno\n")
    settings = Settings(clones=defects4j.clones, include=("Csv-2",))
    with pytest.raises(UserError, match=r"Csv-2: no trigger test fails .*testIsMade: passes on the buggy tree"):
        import_benchmark("defects4j", [defects4j.checkout], tmp_path / "made", settings, print, print, machine=machine)
    assert not (tmp_path / "made").exists()
