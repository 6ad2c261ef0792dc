"""Requests to the JVM that compiles and to the one that runs cases, and their replies."""

import dataclasses
import os
import struct
from collections.abc import Sequence
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.recipe import Build, Test
from repairlab.languages.java.toolchain import JavaToolchain
from repairlab.languages.language import Together, Tools, Warmable, WarmTools, default_cache

PAGE = os.sysconf("SC_PAGE_SIZE")
STDIO = Build(tool="javac")
SUITE = Build(tool="javac", sources=("src/**/*.java",), tests=("test/**/*.java",), release=11, class_path=("lib/a.jar",))


@pytest.fixture
def warm(toolchain: JavaToolchain) -> WarmTools:
    return toolchain.warm(SUITE, Test(framework="junit4"), ["src/B.java", "src/A.java", "test/ATest.java", "README.md"])


@pytest.fixture(scope="module")
def toolchain() -> JavaToolchain:
    return JavaToolchain(Tools(cache=str(default_cache())))


def blob(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def reply(*, nonce: bytes = b"n", odd: bytes = b"", code: int = 0) -> bytes:
    texts = [blob(text) for text in (odd, b"out", b"err", b"")]
    return (
        blob(nonce)
        + struct.pack(">i", code)
        + b"".join(texts)
        + struct.pack(">qqq", 1_500_000_000, 2_000_000_000, (3 << 20) // PAGE)
    )


def ended(*, code: int = 0, report: bytes = b"", stdout: bytes = b"") -> Execution:
    return Execution(
        ending=Ending.EXITED,
        exit_code=code,
        signal=None,
        stdout=stdout,
        stderr=b"",
        report=report,
        cpu_s=4.0,
        wall_s=4.0,
        peak_mb=50.0,
    )


def test_java_can_work_in_a_process_that_stays(toolchain: JavaToolchain) -> None:
    assert isinstance(toolchain, Warmable)


def test_bugs_share_one_compiler(toolchain: JavaToolchain, warm: WarmTools) -> None:
    other = toolchain.warm(STDIO, Test(program="app.Main"), ["app/Main.java"])
    assert other.compiler == warm.compiler
    assert not warm.compiler.writable


def test_the_opening_names_options_and_all_sources_in_order(warm: WarmTools) -> None:
    opening = warm.opening("t1")
    assert opening.stdin.startswith(blob(b"t1") + b"\1\0")
    assert b":t1/lib/a.jar" in opening.stdin
    sources = struct.pack(">I", 3) + blob(b"src/A.java") + blob(b"src/B.java") + blob(b"test/ATest.java")
    assert opening.stdin.endswith(sources + blob(b""))
    assert warm.opening("t1", b"known").stdin.endswith(sources + blob(b"known"))


def test_small_programs_are_not_compiled_ahead(toolchain: JavaToolchain) -> None:
    for n, ahead in ((3, b"\0\1"), (4, b"\1\1")):
        warm = toolchain.warm(STDIO, Test(), [f"A{number}.java" for number in range(n)])
        assert warm.opening("t").stdin.startswith(blob(b"t") + ahead)


def test_what_is_kept_of_a_tree_has_a_name_that_says_what_is_in_the_tree(warm: WarmTools, tmp_path: Path) -> None:
    for name in ("src/A.java", "src/B.java", "test/ATest.java", "lib/a.jar", "README.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("old")
    first = warm.kept(tmp_path)
    (tmp_path / "README.md").write_text("new")
    assert warm.kept(tmp_path) == first is not None
    (tmp_path / "lib/a.jar").write_text("new")
    second = warm.kept(tmp_path)
    (tmp_path / "test/ATest.java").write_text("new")
    assert len({first, second, warm.kept(tmp_path)}) == 3


def test_changes_of_other_files_are_not_for_it(warm: WarmTools) -> None:
    assert warm.compiling("t", {"src/A.java": "class A {}", "src/B.java": None}) is not None
    assert warm.compiling("t", {"src/A.java": "class A {}", "src/New.java": "class New {}"}) is None
    assert warm.compiling("t", {"src/data.txt": ""}) is None
    assert warm.compiling("t", {"elsewhere/A.java": ""}) is None
    assert warm.compiling("t", {"src/A.java": "\ud800"}) is None


@pytest.mark.parametrize(
    ("build", "files"),
    [
        (dataclasses.replace(STDIO, flags=("-Xplugin:a/b",)), ["A.java"]),
        (dataclasses.replace(STDIO, flags=("@options",)), ["A.java"]),
        (STDIO, ["A.java", "build/classes/Old.class"]),
    ],
    ids=["path", "file of options", "old classes"],
)
def test_trees_that_cannot_share_a_compiler_do_not(toolchain: JavaToolchain, build: Build, files: Sequence[str]) -> None:
    assert toolchain.warm(build, Test(), files).compiling("t", {"A.java": ""}) is None


def test_a_request_carries_nonce_verb_limits_and_body(warm: WarmTools) -> None:
    command = Command(argv=("case",), stdin=b"1 2", limits=Limits(cpu_s=0.5, output_mb=1))
    assert warm.request(command, "n") == blob(b"n") + blob(b"case") + struct.pack(">qI", 500_000_000, 1 << 20) + blob(b"1 2")


def test_a_compilation_is_a_request(warm: WarmTools) -> None:
    build = warm.compiling("t", {"src/A.java": "x", "src/B.java": None})
    assert build is not None
    changes = blob(b"src/A.java") + b"\1" + blob(b"x") + blob(b"src/B.java") + b"\0"
    assert (build.argv, build.stdin) == (("compile",), blob(b"t") + struct.pack(">I", 2) + changes)
    assert warm.closing("t").stdin == blob(b"t")


def test_a_tree_that_is_compiled_runs_as_ever(toolchain: JavaToolchain, warm: WarmTools) -> None:
    assert [command.argv for command in warm.compiled.build(SUITE, Test(framework="junit4"), [])] == [("compile",)]
    assert warm.compiled.program(SUITE, Test()) == toolchain.program(SUITE, Test())
    (batch,) = warm.compiled.batches(SUITE, Test(framework="junit4"), ["ATest::a"], stop=True)
    assert batch.command.argv == toolchain.batches(SUITE, Test(framework="junit4"), ["ATest::a"], stop=True)[0].command.argv
    assert warm.compiled.versions() == toolchain.versions()


def test_class_files_of_the_buggy_tree_come_by_name_alone(warm: WarmTools) -> None:
    first = blob(b"") + struct.pack(">I", 2) + blob(b"a.A") + b"\1" + blob(b"A.java") + blob(b"one")
    first += blob(b"B$1") + b"\1" + blob(b"B.java") + blob(b"two")
    base = warm.products(ended(report=first), {})
    assert base == {"build/classes/a/A.class": b"one", "build/classes/B$1.class": b"two"}
    second = blob(b"") + struct.pack(">I", 2) + blob(b"a.A") + b"\0" + blob(b"C") + b"\1" + blob(b"C.java") + blob(b"three")
    assert warm.products(ended(report=second), base) == {"build/classes/a/A.class": b"one", "build/classes/C.class": b"three"}
    assert warm.products(ended(code=1), base) == {}


def test_all_inputs_of_a_program_go_to_one_process_unless_something_lasts(toolchain: JavaToolchain, warm: WarmTools) -> None:
    program = toolchain.warm(STDIO, Test(program="app.Main"), ["app/Main.java"])
    classes = struct.pack(">I", 1) + blob(b"app.Main") + b"\1" + blob(b"Main.java") + blob(b"code")
    request = Together(nonce="n", limits=Limits(output_mb=0.5), patience_s=2.0)
    command = program.together(ended(report=blob(b"") + classes), {}, [b"1", b"2"], request)
    assert command is not None
    head = blob(b"n") + struct.pack(">Iq", 1 << 19, 2_000_000_000)
    sent = struct.pack(">I", 1) + blob(b"app.Main") + blob(b"code")
    assert command.stdin == head + sent + struct.pack(">I", 2) + blob(b"1") + blob(b"2")
    assert command.argv[-2:] == ("app.Main", "build/classes")
    assert not command.writable
    assert program.together(ended(report=blob(b"java/io/File.<init>") + classes), {}, [b"1", b"2"], request) is None
    assert warm.together(ended(report=blob(b"") + classes), {}, [b"1", b"2"], request) is None


def test_answers_count_up_to_the_first_that_is_odd(warm: WarmTools) -> None:
    said = blob(reply()) + blob(reply(code=1)) + blob(reply(odd=b"a daemon is left over")) + blob(reply())
    answers = warm.answers(ended(stdout=said), "n")
    assert [(answer.exit_code, answer.cpu_s, answer.peak_mb) for answer in answers] == [(0, 1.0, 50.0), (1, 1.0, 50.0)]
    assert warm.answers(ended(), "n") == []
    assert len(warm.answers(ended(stdout=said[:-1]), "n")) == 2
    assert warm.answers(ended(stdout=blob(reply(nonce=b"another")) + blob(reply())), "n") == []


def test_a_reply_becomes_an_execution(warm: WarmTools) -> None:
    answer = warm.answer(Command(argv=("case",)), "n", reply(code=1))
    execution = answer.execution
    assert (execution.exit_code, execution.stdout, execution.stderr) == (1, b"out", b"err")
    assert (execution.cpu_s, execution.wall_s, execution.peak_mb) == (1.5, 2.0, 3.0)
    assert answer.odd == ""
    assert warm.answer(Command(argv=("case",)), "n", reply(odd=b"strange")).odd == "strange"


@pytest.mark.parametrize("text", [reply(nonce=b"another"), reply()[:-1], b"", struct.pack(">I", 1 << 31)])
def test_nonsense_is_no_reply(warm: WarmTools, text: bytes) -> None:
    with pytest.raises(ValueError, match="the reply"):
        warm.answer(Command(argv=("case",)), "n", text)
