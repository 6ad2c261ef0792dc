"""Bears and Bugs.jar: small repositories in their layout become bugs that fail and pass."""

import json
import subprocess
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from tests.builders import write_files

SOURCE, TEST = "src/main/java/org/x/Adder.java", "src/test/java/org/x/AdderTest.java"
BUGGY = "package org.x;\n\npublic class Adder {\n    public int add(int a, int b) {\n        return a - b;\n    }\n}\n"
FIXED = BUGGY.replace("a - b", "a + b")
CHECK = (
    "package org.x;\n\nimport static org.junit.Assert.assertEquals;\nimport org.junit.Test;\n\npublic class AdderTest {\n"
    "    @Test public void adds() { assertEquals(5, new Adder().add(2, 3)); }\n"
    "    @Test public void addsNothing() { assertEquals(2, new Adder().add(2, 0)); }\n}\n"
)
BEARS = {
    "tests": {"failingClasses": [{"testClass": "org.x.AdderTest"}]},
    "commits": {"fixerBuild": {"sha": "f" * 40}},
    "repository": {"url": "https://github.com/x/adder"},
}


def git(folder: Path, *words: str) -> None:
    who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True)


def commit(folder: Path, message: str, files: dict[str, str]) -> None:
    write_files(folder, files)
    git(folder, "add", "-A")
    git(folder, "commit", "-m", message)


@pytest.fixture
def bears(tmp_path: Path) -> Path:
    folder = tmp_path / "bears-benchmark"
    folder.mkdir()
    git(folder, "init", "-b", "master")
    listed = [{"bugId": "Bears-1", "bugBranch": "x-adder-1-2"}, {"bugId": "Bears-2", "bugBranch": "gone"}]
    commit(folder, "Bugs", {"scripts/data/bug_id_and_branch.json": json.dumps(listed)})
    git(folder, "checkout", "--orphan", "x-adder-1-2")
    git(folder, "rm", "-rf", "--cached", ".")
    (folder / "scripts/data/bug_id_and_branch.json").unlink()
    commit(folder, "Bug commit from x/adder\n\nThis commit", {SOURCE: BUGGY, "classpath.info": "a.jar"})
    commit(folder, "Changes in the tests\n\nThis commit", {TEST: CHECK})
    commit(folder, "Human patch from x/adder\n\nThis commit", {SOURCE: FIXED})
    commit(folder, "End of the bug and patch reproduction process", {"bears.json": json.dumps(BEARS)})
    git(folder, "checkout", "master")
    return folder


@pytest.fixture
def bugs_jar(tmp_path: Path) -> Path:
    project = tmp_path / "bugs-dot-jar" / "adder"
    project.mkdir(parents=True)
    git(project, "init", "-b", "bugs-dot-jar_ADD-7_0123abcd")
    write_files(project, {SOURCE: BUGGY})
    git(project, "add", "-A")
    write_files(project, {SOURCE: FIXED, TEST: CHECK})
    git(project, "add", "-N", TEST)
    diff = subprocess.run(["git", "diff"], cwd=project, check=True, capture_output=True, text=True).stdout
    (project / TEST).unlink()
    said = "Results :\n\nFailed tests: \n  adds(org.x.AdderTest): expected:<5> but was:<-1>\n\nTests run: 2, Failures: 1\n"
    records = {".bugs-dot-jar/developer-patch.diff": diff, ".bugs-dot-jar/test-results.txt": said}
    commit(project, "ADD-7", {SOURCE: BUGGY, **records})
    return project.parent


@pytest.mark.parametrize(("name", "bug_id"), [("bears", "Bears-1"), ("bugs-jar", "ADD-7-0123abcd")])
def test_a_branch_becomes_a_bug(
    name: str, bug_id: str, tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    source = request.getfixturevalue(name.replace("-", "_"))
    assert run(["import", name, str(source), "--to", str(tmp_path / "made"), "-j", "1"]) in (0, 3), capsys.readouterr().err
    bug = open_benchmark(str(tmp_path / "made")).bug(bug_id)
    assert bug.problem.target.name == "Adder.add" and "a - b" in bug.problem.source
    assert [item.rpartition("::")[2].rpartition(".")[2] for item in bug.oracle.trigger] == ["adds"]
    assert len(bug.oracle.regression) == 1
    files = {path.name for path in Path(bug.tree.source).rglob("*") if path.is_file()}
    assert not files & {"bears.json", "classpath.info", "developer-patch.diff", "test-results.txt"}


@pytest.mark.parametrize("name", ["bears", "bugs-jar"])
def test_another_repository_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-b", "main")
    commit(other, "One", {"a.txt": "a"})
    assert run(["import", name, str(other), "--to", str(tmp_path / "made")]) == 2
    assert "no clone of bears-benchmark" in (said := capsys.readouterr().err) or "has a branch bugs-dot-jar" in said
