"""Requests to the JVM that stays, and its replies; what it does with candidates is tested with validation."""

import struct

import pytest

from repairlab.core.execution import Command, Limits
from repairlab.core.recipe import Build, Test
from repairlab.languages.language import Tools, Warmable, WarmTools
from repairlab.languages.toolchain.java import JavaToolchain

STDIO = Build(tool="javac")
SUITE = Build(tool="javac", sources=("src/**/*.java",), tests=("test/**/*.java",), release=11, class_path=("lib/a.jar",))


@pytest.fixture
def warm(toolchain: JavaToolchain) -> WarmTools:
    return toolchain.warm(SUITE, Test(framework="junit4"), ["src/B.java", "src/A.java", "test/ATest.java", "README.md"])


@pytest.fixture(scope="module")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> JavaToolchain:
    return JavaToolchain(Tools(cache=str(tmp_path_factory.mktemp("cache"))))


def blob(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def reply(*, nonce: bytes = b"n", odd: bytes = b"", tainted: bytes = b"", report: bytes = b"", code: int = 0) -> bytes:
    texts = [blob(text) for text in (odd, tainted, b"out", b"err", report)]
    return blob(nonce) + struct.pack(">i", code) + b"".join(texts) + struct.pack(">qq", 1_500_000_000, 2_000_000_000)


def test_java_can_work_in_a_process_that_stays(toolchain: JavaToolchain) -> None:
    assert isinstance(toolchain, Warmable)


def test_the_process_has_the_class_path_of_the_tests_but_not_of_programs(toolchain: JavaToolchain, warm: WarmTools) -> None:
    path = warm.command.argv[warm.command.argv.index("-cp") + 1]
    assert "junit" in path
    assert warm.command.writable
    program = toolchain.warm(STDIO, Test(program="app.Main"), ["app/Main.java"]).command
    assert "junit" not in program.argv[program.argv.index("-cp") + 1]
    assert "app.Main" in program.argv
    assert not program.writable


def test_the_opening_names_all_sources_in_order(warm: WarmTools) -> None:
    assert warm.opening().stdin == struct.pack(">I", 3) + blob(b"src/A.java") + blob(b"src/B.java") + blob(b"test/ATest.java")


def test_changes_of_other_files_are_not_for_it(warm: WarmTools) -> None:
    assert warm.toolchain({"src/A.java": "class A {}", "src/B.java": None}) is not None
    assert warm.toolchain({"src/A.java": "class A {}", "src/New.java": "class New {}"}) is None
    assert warm.toolchain({"src/data.txt": ""}) is None
    assert warm.toolchain({"elsewhere/A.java": ""}) is None
    assert warm.toolchain({"src/A.java": "\ud800"}) is None


def test_a_request_carries_nonce_verb_limits_and_body(warm: WarmTools) -> None:
    command = Command(argv=("case",), stdin=b"1 2", limits=Limits(cpu_s=0.5, output_mb=1))
    assert warm.request(command, "n") == blob(b"n") + blob(b"case") + struct.pack(">qI", 500_000_000, 1 << 20) + blob(b"1 2")


def test_builds_programs_and_batches_become_requests(warm: WarmTools) -> None:
    tools = warm.toolchain({"src/A.java": "x", "src/B.java": None})
    assert tools is not None
    (build,) = tools.build(SUITE, Test(framework="junit4"), [])
    changes = blob(b"src/A.java") + b"\1" + blob(b"x") + blob(b"src/B.java") + b"\0"
    assert (build.argv, build.stdin) == (("compile",), struct.pack(">I", 2) + changes)
    assert tools.program(SUITE, Test()).argv == ("case",)
    (batch,) = tools.batches(SUITE, Test(framework="junit4"), ["ATest::a"], stop=True)
    assert batch.command.argv == ("tests",)
    assert batch.command.stdin == f"{batch.nonce}\nstop\nATest::a".encode()


def test_a_reply_becomes_an_execution(warm: WarmTools) -> None:
    answer = warm.answer(Command(argv=("case",)), "n", reply(code=1))
    execution = answer.execution
    assert (execution.exit_code, execution.stdout, execution.stderr) == (1, b"out", b"err")
    assert (execution.cpu_s, execution.wall_s) == (1.5, 2.0)
    assert (answer.odd, answer.tainted) == ("", False)


@pytest.mark.parametrize("text", [reply(nonce=b"another"), reply()[:-1], b"", struct.pack(">I", 1 << 31)])
def test_nonsense_is_no_reply(warm: WarmTools, text: bytes) -> None:
    with pytest.raises(ValueError, match="the reply"):
        warm.answer(Command(argv=("case",)), "n", text)


def test_what_taints_the_process_is_odd_too(warm: WarmTools) -> None:
    assert warm.answer(Command(argv=("tests",)), "n", reply(odd=b"strange")).odd == "strange"
    tainted = warm.answer(Command(argv=("tests",)), "n", reply(tainted=b"a thread is left over"))
    assert (tainted.odd, tainted.tainted) == ("a thread is left over", True)


@pytest.mark.parametrize(
    ("message", "odd"),
    [
        ("java.lang.AssertionError: expected:<1> but was:<2>", False),
        ("java.lang.NullPointerException", False),
        ("java.lang.NoClassDefFoundError: a/B", True),
        ("java.lang.StackOverflowError", True),
        ("org.junit.runners.model.TestTimedOutException: test timed out after 100 milliseconds", True),
        ("org.opentest4j.AssertionFailedError: execution exceeded timeout of 5 ms by 3 ms", True),
    ],
)
def test_failures_that_may_come_from_sharing_a_jvm_are_odd(warm: WarmTools, message: str, odd: bool) -> None:
    report = b'{"event":"end","test":"A::a","status":"error","message":"%s"}\n' % message.encode()
    assert bool(warm.answer(Command(argv=("tests",)), "n", reply(report=report)).odd) is odd
