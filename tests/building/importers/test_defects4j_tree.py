"""A tree of Defects4J is made as its own tools and the project's build would make it, by rules that name no project."""

import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest

from repairlab.building.importers.defects4j import read
from repairlab.building.importers.defects4j_projects import ProjectLayout, hamcrest_jars, is_wanted, needed_jars
from repairlab.building.importers.defects4j_tree import (
    Roots,
    compilable,
    copied_resources,
    hoisted,
    more_roots,
    unbuildable_tests,
    unneeded_tests,
)
from repairlab.building.importers.importer import ImportedBug, Settings, TreeFile
from repairlab.building.importers.repository import Clones
from repairlab.core.errors import UserError

LAYOUT = ProjectLayout(sources="src/main/java", tests="src/test/java")
DIFF = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-{1}\n+{2}\n"


def tree(**files: str) -> dict[str, TreeFile]:
    return {path: TreeFile(content=text.encode()) for path, text in files.items()}


def test_a_project_within_one_folder_is_hoisted() -> None:
    found = hoisted(tree(**{"Joda/src/java/A.java": "a", "Joda/pom.xml": "p", "Other/readme": "r"}), "src/java")
    assert sorted(found) == ["pom.xml", "src/java/A.java"]
    at_root = tree(**{"src/java/A.java": "a", "Joda/src/java/B.java": "b"})
    assert hoisted(at_root, "src/java") == at_root


def test_a_diff_that_is_optional_may_fail_and_others_may_not(tmp_path: Path) -> None:
    (tmp_path / "compile-errors").mkdir()
    (tmp_path / "compile-errors/a-1-3.optional.diff").write_text(DIFF.format("A.java", "no such line", "x"))
    (tmp_path / "compile-errors/b-2-3.optional.diff").write_text(DIFF.format("A.java", "one", "two"))
    (tmp_path / "compile-errors/c-9-9.diff").write_text(DIFF.format("A.java", "no such line", "x"))
    given = tree(**{"A.java": "one\n"})
    assert compilable(given, tmp_path, 1)["A.java"].content == b"one\n"
    assert compilable(given, tmp_path, 3)["A.java"].content == b"two\n"
    with pytest.raises(UserError, match=r"c-9-9\.diff does not apply"):
        compilable(given, tmp_path, 9)


def test_patches_of_java_files_for_several_bugs_are_applied_where_they_fit(tmp_path: Path) -> None:
    (tmp_path / "runners.patch").write_text(DIFF.format("A.java", "one", "two"))
    (tmp_path / "build.xml.patch").write_text("this is no diff")
    assert compilable(tree(**{"A.java": "one\n"}), tmp_path, 1)["A.java"].content == b"two\n"
    assert compilable(tree(**{"A.java": "other\n"}), tmp_path, 1)["A.java"].content == b"other\n"


def test_a_package_whose_name_became_a_keyword_is_renamed(tmp_path: Path) -> None:
    given = tree(
        **{
            "src/java/a/enum/E.java": "package a.enum;\nclass E { }\n",
            "src/java/a/B.java": "package a;\nimport a.enum.E;\nenum Kind { ONE }\n",
            "src/site/enum/x.txt": "x",
        }
    )
    found = compilable(given, tmp_path, 1)
    assert sorted(found) == ["src/java/a/B.java", "src/java/a/oldenum/E.java", "src/site/enum/x.txt"]
    assert found["src/java/a/oldenum/E.java"].content.startswith(b"package a.oldenum;")
    assert b"import a.oldenum.E;" in found["src/java/a/B.java"].content and b"enum Kind" in found["src/java/a/B.java"].content


def test_packages_that_the_build_renames_in_jars_are_renamed_in_sources(tmp_path: Path) -> None:
    rule = '<jarjar><rule pattern="org.lib.**"\n result="my.lib.@1"/></jarjar>'
    source = "package org.lib;\nimport org.lib.sub.X;\nclass A { }"
    user = "package org.other;\nimport org.lib.A;\nclass B { }"
    files = {"lib/x/src/org/lib/A.java": source, "lib/x/src/org/lib/m.txt": "org.lib.", "lib/x/src/org/other/B.java": user}
    found = compilable(tree(**{"build.xml": rule, **files, "src/C.java": "// org.lib.A"}), tmp_path, 1)
    assert found["lib/x/src/org/other/B.java"].content == b"package org.other;\nimport my.lib.A;\nclass B { }"
    assert found["src/C.java"].content == b"// org.lib.A"
    assert found["lib/x/src/my/lib/A.java"].content == b"package my.lib;\nimport my.lib.sub.X;\nclass A { }"
    assert found["lib/x/src/my/lib/m.txt"].content == b"org.lib."


def test_sources_are_made_from_templates_with_the_version_of_the_project_itself(tmp_path: Path) -> None:
    pom = (
        "<project><parent><groupId>g</groupId><version>2.4</version></parent><artifactId>x</artifactId><version>2.4.0-rc4</version>"
    )
    given = tree(
        **{
            "pom.xml": pom,
            "src/main/java/a/b/V.java.in": "package @package@; // @projectversion@ @projectgroupid@ @projectartifactid@",
        }
    )
    assert compilable(given, tmp_path, 1)["src/main/java/a/b/V.java"].content == b"package a.b; // 2.4.0-rc4 g x"
    unknown = tree(**{"pom.xml": pom, "src/main/java/a/V.java.in": "@somethingelse@"})
    assert "src/main/java/a/V.java" not in compilable(unknown, tmp_path, 1)


def test_other_folders_of_sources_are_found_by_what_names_their_classes() -> None:
    given = tree(
        **{
            "src/main/java/a/A.java": "package a;\nimport c.C;\nclass A { Made made; }",
            "gen/a/Made.java": "package a;\nclass Made { }",
            "lib/c/src/c/C.java": "package c;\nimport d.D;\npublic class C { }",
            "lib/d/src/d/D.java": "package d;\npublic class D { }",
            "more/tests/a/HelpTest.java": "package a;\nclass HelpTest { }",
            "src/test/java/a/ATest.java": "package a;\nclass ATest { HelpTest help; }",
            "examples/e/E.java": "package e;\nimport a.A;\nclass E { }",
        }
    )
    assert more_roots(given, LAYOUT) == Roots(sources=("gen", "lib/c/src", "lib/d/src"), tests=("more/tests",))


def test_tests_that_import_what_nobody_has_are_left_out_with_those_that_name_them() -> None:
    given = tree(
        **{
            "src/main/java/a/A.java": "package a;\nimport nobody.has.It;\npublic class A { }",
            "src/test/java/a/GroovyTest.java": "package a;\nimport static groovy.lang.GroovyObject.x;\nclass GroovyTest { }",
            "src/test/java/a/GroovyHelpTest.java": "package a;\nclass GroovyHelpTest extends GroovyTest { }",
            "src/test/java/b/FarTest.java": "package b;\nimport a.GroovyHelpTest;\nclass FarTest { }",
            "src/test/java/b/FineTest.java": "package b;\nimport a.A;\nimport a.A.Inner;\nimport static org.junit.Assert.*;\n"
            "import org.junit.*;\nimport javax.swing.JFrame;\nimport jar.X;\nimport java.util.Map.Entry;\nclass FineTest { }",
        }
    )
    found = unbuildable_tests(given, LAYOUT.tests, ["jar.X", "jar.*"])
    left_out = ("a/GroovyTest", "a/GroovyHelpTest", "b/FarTest")
    assert found == {f"src/test/java/{name}.java": "groovy.lang" for name in left_out}


def jar(path: Path, *entries: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for entry in entries:
            archive.writestr(entry, "")
    return path


def test_no_jar_takes_the_place_of_the_parser_of_the_jdk(tmp_path: Path) -> None:
    jar(tmp_path / "xerces.jar", "org/apache/xerces/P.class", "META-INF/services/javax.xml.parsers.SAXParserFactory")
    wanted = jar(tmp_path / "jdom.jar", "org/jdom/Document.class")
    sources = ["import org.jdom.Document;\nimport org.apache.xerces.P;\nimport javax.xml.parsers.SAXParser;\nclass A { }"]
    assert needed_jars(sources, [tmp_path], "") == (wanted,)


def test_jars_that_offer_services_and_that_build_files_name_are_taken(tmp_path: Path) -> None:
    jar(tmp_path / "other-1.jar", "other/X.class", "META-INF/services/javax.xml.stream.XMLInputFactory")
    stax = jar(tmp_path / "stax-5.jar", "stax/X.class", "META-INF/services/javax.xml.stream.XMLInputFactory")
    jar(tmp_path / "stax-6.jar", "stax/X.class", "META-INF/services/javax.xml.stream.XMLInputFactory")
    jar(tmp_path / "named-1.jar", "named/X.class")
    build = '<pathelement location="${repo}/stax-5.jar"/><pathelement location="${repo}/named-1.jar"/>'
    assert needed_jars(["class A { }"], [tmp_path], build) == (stax,)


def test_jars_are_of_the_version_that_gradle_names(tmp_path: Path) -> None:
    old, new = (jar(tmp_path / f"hamcrest-core-{version}.jar", "org/hamcrest/Matcher.class") for version in ("1.1", "1.3"))
    assert hamcrest_jars(tmp_path, 'compile "org.hamcrest:hamcrest-core:1.1", "org.objenesis:objenesis:2.1"') == (old,)
    assert hamcrest_jars(tmp_path, "") == (new,)
    assert not is_wanted("lib/x-1-sources.jar", LAYOUT, hamcrest=True) and is_wanted("lib/hamcrest-1.jar", LAYOUT, hamcrest=True)
    assert not is_wanted("lib/hamcrest-1.jar", LAYOUT, hamcrest=False) and not is_wanted("lib/junit-4.jar", LAYOUT, hamcrest=True)


def test_jars_that_tests_read_are_not_on_the_class_path() -> None:
    assert is_wanted("lib/bla.jar", LAYOUT, hamcrest=True) and is_wanted("src/lib/bla.jar", LAYOUT, hamcrest=True)
    assert not is_wanted("src/test/resources/bla.jar", LAYOUT, hamcrest=True)
    assert not is_wanted("src/test/java/a/bla.jar", LAYOUT, hamcrest=True)


def test_files_that_ant_copies_to_the_classes_are_found_there() -> None:
    build = """<project><property name="src.dir" value="${basedir}/src"/><property name="src.dir" value="other"/>
    <property name="classes.dir"
       value="${build.dir}/classes"/><property name="build.dir" location="build" />
    <javac srcdir="${src.dir}" destdir="${classes.dir}" debug="on"><classpath/></javac>
    <copy file="${src.dir}/a/Words.properties"
          todir="${classes.dir}/deep/a/" />
    <copy file="src/a/x.txt" tofile="${classes.dir}/y.txt"/> <copy file="src/a/x.txt" todir="${unknown}/a"/>
    <copy file="src/a/gone.txt" todir="${classes.dir}"/> <copy todir="${classes.dir}"><fileset dir="src"/></copy></project>"""
    given = tree(**{"build.xml": build, "src/a/Words.properties": "w", "src/a/x.txt": "x"})
    assert copied_resources(given) == {
        "deep/a/Words.properties": given["src/a/Words.properties"],
        "y.txt": given["src/a/x.txt"],
    }
    assert copied_resources(tree(**{"A.java": ""})) == {}


def test_jars_of_what_the_jdk_has_no_more_are_found(tmp_path: Path) -> None:
    bind = jar(tmp_path / "jaxb-api.jar", "javax/xml/bind/JAXB.class")
    jar(tmp_path / "stream.jar", "javax/xml/stream/X.class")
    assert needed_jars(["import javax.xml.bind.JAXB;\nimport javax.xml.stream.X;"], [tmp_path], "") == (bind,)


def test_resources_lie_where_maven_would_put_them(defects4j: Any) -> None:
    test = "src/test/java/demo/CounterTest.java"
    (defects4j.project / "compile-errors").mkdir()
    (defects4j.project / "compile-errors/x-1-9.diff").write_text(
        DIFF.format(test, "package demo;", 'package demo; // "target/test-classes/words.txt" "target/test-classes/none"')
    )
    bug = next(iter(read([defects4j.checkout], Settings(clones=defects4j.clones, include=("Csv-2",))).bugs))
    assert isinstance(bug, ImportedBug)
    assert bug.tree["target/test-classes/words.txt"] == bug.tree["src/test/resources/words.txt"]
    assert "target/test-classes/none" not in bug.tree


def test_all_test_classes_are_looked_into_where_that_is_asked_for(defects4j: Any) -> None:
    settings = Settings(clones=defects4j.clones, include=("Csv-2",), tests="all")
    bug = next(iter(read([defects4j.checkout], settings).bugs))
    assert isinstance(bug, ImportedBug)
    assert set(bug.discover) > {"demo.CounterTest"}


def git(folder: Path, *arguments: str) -> str:
    identity = ("-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def test_clones_are_found_by_name_then_remote_then_history(tmp_path: Path) -> None:
    commits = {}
    for place in ("owner+one/repo", "two", "named"):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        git(folder, "init", "-q")
        (folder / "file").write_text(place)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", place)
        commits[place] = git(folder, "rev-parse", "HEAD")
    git(tmp_path / "two", "remote", "add", "origin", "git@github.com:Owner/second.git")
    clones = Clones(Settings(clones=tmp_path))
    assert clones.get("named", None).folder == tmp_path / "named"
    assert clones.get("second", "https://github.com/owner/second").folder == tmp_path / "two"
    assert clones.get("first", None, commits["owner+one/repo"]).folder == tmp_path / "owner+one/repo"
    with pytest.raises(UserError, match="nor another with its revisions"):
        clones.get("third", None, "0" * 40)
    with pytest.raises(UserError, match="nor another with its revisions"):
        clones.get("fourth", None, commits["two"][:7])


@pytest.mark.parametrize("named", ["other", "trigger"])
def test_a_test_without_its_library_is_told_and_left_out_unless_it_shows_the_bug(defects4j: Any, named: str) -> None:
    trigger = "src/test/java/demo/CounterTest.java"
    (defects4j.project / "compile-errors").mkdir()
    diff = DIFF.format(trigger, "package demo;", "package demo; import groovy.lang.Closure;")
    if named == "other":
        text = "package demo;\nimport groovy.lang.Closure;\nclass GroovyTest { }\n".splitlines()
        diff = "--- /dev/null\n+++ b/src/test/java/demo/GroovyTest.java\n@@ -0,0 +1,3 @@\n" + "".join(f"+{line}\n" for line in text)
    (defects4j.project / "compile-errors/x-1-9.diff").write_text(diff)
    settings = Settings(clones=defects4j.clones, include=("Csv-2",), tests="all")
    bug = next(iter(read([defects4j.checkout], settings).bugs))
    assert isinstance(bug, ImportedBug)
    assert trigger in bug.tree and "src/test/java/demo/GroovyTest.java" not in bug.tree
    assert any("demo.GroovyTest (groovy.lang)" in note for note in bug.notes) is (named == "other")


def test_test_sources_that_no_relevant_test_leads_to_are_not_needed() -> None:
    folder = "src/test/java"
    found = tree(
        **{
            f"{folder}/a/ATest.java": 'class ATest extends Base { String s = "b.ByName"; }',
            f"{folder}/a/Base.java": "abstract class Base { Second second; }",
            f"{folder}/a/First.java": "class First {}\nfinal class Second {}",
            f"{folder}/b/ByName.java": "class ByName {}",
            f"{folder}/b/Service.java": "class Service {}",
            f"{folder}/b/OtherTest.java": "class OtherTest { Other other; }",
            f"{folder}/b/Other.java": "class Other {}",
            f"{folder}/b/words.txt": "kept",
            "src/test/resources/META-INF/services/x.Y": "b.Service\n",
            "src/main/java/a/A.java": "class A {}",
        }
    )
    other = {f"{folder}/b/OtherTest.java", f"{folder}/b/Other.java"}
    assert unneeded_tests(found, folder, ["a.ATest"]) == other
    assert unneeded_tests(found, folder, ["a.ATest", "b.OtherTest$Inner"]) == set()
    elsewhere = tree(**{"more/test/java/c/CTest.java": "class CTest { Other other; }"})
    assert unneeded_tests(found | elsewhere, folder, ["a.ATest"]) == {f"{folder}/b/OtherTest.java"}
