"""The compiler that candidates share: what it makes of one is what javac makes of it alone, whatever it compiled before."""

import contextlib
import dataclasses
import os
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Execution
from repairlab.languages.language import Warmable, language
from repairlab.sandbox.resident import ResidentLost
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import lay_out
from repairlab.validation.resident import CompiledTree, close_compilers, keep, make_room, read_kept
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.worktree import WorkTree, files_below
from tests.builders import write_files

HONEST = """\
package a;

public class A {
    enum Kind { ONE, TWO }

    public String text(Kind kind) {
        Runnable nothing = () -> { };
        nothing.run();
        switch (kind) {
            case ONE:
                return "one" + B.NUMBER;
            default:
                return new Object() { public String toString() { return "other"; } }.toString();
        }
    }
}
"""
FILES = {
    "benchmark.toml": 'schema = 1\nname = "compiled"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
    "bugs/a/bug.toml": (
        'schema = 1\nlanguage = "java"\npath = "a/A.java"\n[build]\ntool = "javac"\n[test]\nframework = "stdio"\nprogram = "a.A"\n'
    ),
    "bugs/a/issue.md": "# A\n\nA.\n",
    "bugs/a/buggy/a/A.java": "package a;\n\npublic class A { }\n",
    "bugs/a/buggy/a/B.java": "package a;\n\nfinal class B { static final int NUMBER = 2; Object b = new A(); }\n",
    "bugs/a/buggy/a/C.java": "package a;\n\n@Deprecated\nclass C { }\n",
    "bugs/a/buggy/a/D.java": "package a;\n\ninterface D { }\n",
    "bugs/a/fix.patch": "--- a/a/A.java\n+++ b/a/A.java\n@@ -3 +3 @@\n-public class A { }\n+public class A { int a; }\n",
    "bugs/a/cases/01.in": "",
    "bugs/a/cases/01.out": "",
}
HOSTILE = {
    "other class": "package a; public class A { } class B { static final int NUMBER = 3; }",
    "class of the JDK": "package java.lang; public class String { }",
    "own Object": "package a; public class A { } class Object { } class String { } class Runnable { } class Deprecated { }",
    "other package": "package b; public class A { static final int NUMBER = 7; }",
    "no class": "package a; import a.*; import static a.B.*; /*",
    "deep": f"package a; public class A {{ int a = {'(' * 20000}1{')' * 20000}; }}",
    "wide": f"package a; public class A {{ {' '.join(f'int a{n} = x{n};' for n in range(3000))} }}",
    "long constant": f'package a; public class A {{ String a = "{"x" * 70000}"; }}',
    "module": "module a { }",
    "annotation": "package a; @interface A { Class<?>[] value(); } @A({A.class, B.class}) class Kind { }",
    "cycle": "package a; public class A extends Kind { } class Kind extends A { }",
}


@pytest.fixture(scope="module")
def bug(tmp_path_factory: pytest.TempPathFactory) -> Bug:
    folder = tmp_path_factory.mktemp("compiled")
    write_files(folder, FILES)
    return open_benchmark(str(folder)).bug("a")


def opened(bug: Bug, sandbox: Sandbox) -> CompiledTree:
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    return CompiledTree(bug, sandbox, toolchain.warm(bug.oracle.build, bug.oracle.test, files_below(Path(bug.tree.source))))


def made(tree: CompiledTree, text: str) -> dict[str, bytes]:
    compiled = tree.compile({"a/A.java": text})
    assert isinstance(compiled, Execution)
    assert compiled.succeeded, compiled.stderr
    return tree.products(compiled)


def made_alone(bug: Bug, sandbox: Sandbox, folder: Path) -> dict[str, bytes]:
    """Return what javac makes in a process of its own."""
    folder.chmod(0o755)
    work = WorkTree(folder).work
    lay_out(bug, {"a/A.java": HONEST}, work)
    assert TreeTester(bug, sandbox, "full", work).build() == ""
    return {path: (work / path).read_bytes() for path in files_below(work) if path.endswith(".class")}


@pytest.mark.parametrize("release", [None, 11])
def test_nothing_of_one_compilation_reaches_the_next(bug: Bug, sandbox: Sandbox, tmp_path: Path, release: int | None) -> None:
    build = dataclasses.replace(bug.oracle.build, release=release)
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, build=build))
    alone = made_alone(bug, sandbox, tmp_path)
    assert {Path(path).name for path in alone} >= {"A.class", "A$1.class", "A$Kind.class", "B.class"}
    tree = opened(bug, sandbox)
    try:
        assert made(tree, HONEST) == alone
        for name, text in HOSTILE.items():
            with contextlib.suppress(HarnessError, ResidentLost):  # it may well be lost: what counts is what comes next
                tree.compile({"a/A.java": text})
            assert made(tree, HONEST) == alone, name
    finally:
        tree.close()
        close_compilers()


def test_trees_of_two_bugs_do_not_mix(bug: Bug, sandbox: Sandbox, tmp_path: Path) -> None:
    alone = made_alone(bug, sandbox, tmp_path)
    one, other = opened(bug, sandbox), opened(bug, sandbox)
    try:
        made(one, "package a; public class A { static final int NUMBER = 7; } class Kind { }")
        assert made(other, HONEST) == alone
    finally:
        one.close()
        other.close()


def test_classes_of_a_tree_are_kept_for_those_who_open_it_later_and_damage_is_noticed(
    bug: Bug, sandbox: Sandbox, tmp_path: Path
) -> None:
    alone = made_alone(bug, sandbox, tmp_path)
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    kept = toolchain.warm(bug.oracle.build, bug.oracle.test, files_below(Path(bug.tree.source))).kept(Path(bug.tree.source))
    assert kept is not None
    kept.unlink(missing_ok=True)
    for damage in (None, b"", b"x" * 100, None):
        tree = opened(bug, sandbox)
        try:
            assert made(tree, HONEST) == alone
            assert {Path(path).stem for path in tree.base} == {"A", "B", "C", "D"}
            assert read_kept(kept)
        finally:
            tree.close()
            close_compilers()
        if damage is not None:
            kept.write_bytes(damage)
            assert read_kept(kept) == b""


def test_what_was_not_used_for_the_longest_time_is_kept_no_longer(tmp_path: Path) -> None:
    keep(tmp_path / "a", b"a" * 1000)
    keep(tmp_path / "b", b"b" * 1000)
    os.utime(tmp_path / "a", (1, 1))
    make_room(tmp_path, largest=(tmp_path / "b").stat().st_size)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    assert read_kept(tmp_path / "b") == b"b" * 1000
    make_room(tmp_path, largest=0)
    assert not any(tmp_path.iterdir())
