"""Where an engine cannot tell, it says so and another one is asked; what goes wrong on our side never becomes a verdict."""

import contextlib
import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Verdict
from repairlab.languages.language import Warmable
from repairlab.languages.table import language
from repairlab.sandbox.fake import FakeSandbox, exited
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.validation.compiling import CompiledTree, close_compilers
from repairlab.validation.engines.incremental import IncrementalEngine
from repairlab.validation.engines.resident import ResidentEngine
from repairlab.validation.validator import open_validator

ATTACKED = open_benchmark(str(Path(__file__).parents[2] / "hostile/cases"))


class _Answering(FakeSandbox):
    """Keeps a process whose answers are a function's."""

    def __init__(self, answer: bytes | Exception) -> None:
        super().__init__(lambda _: exited(1, stderr=b"nothing works here"))
        self._said = answer

    @contextlib.contextmanager
    def reside(self, command: Command, tree: Path) -> Iterator[Resident]:
        yield self  # type: ignore[misc]  # it has `ask`

    def ask(self, request: bytes, *, wall_s: float) -> bytes:
        if isinstance(self._said, Exception):
            raise self._said
        return self._said


@pytest.fixture(autouse=True)
def _no_compiler_left() -> Iterator[None]:
    yield
    close_compilers()


@pytest.fixture
def java() -> Bug:
    return ATTACKED.bug("java-junit4")


def engine_of(bug: Bug, sandbox: FakeSandbox, folder: Path) -> ResidentEngine:
    toolchain = language(bug.problem.language).toolchain
    assert isinstance(toolchain, Warmable)
    return ResidentEngine(bug, sandbox, toolchain, folder)


@pytest.mark.parametrize("answer", [ResidentLost("gone"), HarnessError("no"), b"no answer at all"])
def test_a_compiler_that_is_lost_is_asked_again_a_few_times_and_then_no_more(
    java: Bug, tmp_path: Path, answer: bytes | Exception
) -> None:
    engine = engine_of(java, _Answering(answer), tmp_path)
    assert [engine.judge({}, "full") for _ in range(6)] == [None] * 6
    assert engine.n_judged == 0
    engine.close()


def test_a_tree_with_links_is_compiled_without_touching_what_they_lead_to(java: Bug, tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "outside").write_text("")
    (tmp_path / "outside").chmod(0o600)
    (tmp_path / "tree/link").symlink_to(tmp_path / "outside")
    bug = dataclasses.replace(java, tree=dataclasses.replace(java.tree, source=str(tmp_path / "tree")))
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    tree = CompiledTree(bug, _Answering(ResidentLost("gone")), toolchain.warm(bug.oracle.build, bug.oracle.test, []))
    tree.close()
    assert (tmp_path / "outside").stat().st_mode & 0o777 == 0o600


def validated(bug: Bug, sandbox: FakeSandbox) -> Outcome:
    with open_validator(bug, sandbox) as validator:
        return validator.validate(bug.fix)


@pytest.mark.parametrize("bug_id", ["java-junit4", "python-pytest", "c-lit", "go-gotest"])
def test_a_sandbox_in_which_nothing_works_makes_no_candidate_plausible(bug_id: str) -> None:
    assert validated(ATTACKED.bug(bug_id), FakeSandbox(lambda _: exited(127, stderr=b"not found"))).verdict is not Verdict.PLAUSIBLE


def test_a_make_build_that_does_not_notice_a_change_is_not_used(tmp_path: Path) -> None:
    bug = ATTACKED.bug("c-lit")
    engine = IncrementalEngine(bug, FakeSandbox(lambda _: exited()))
    assert engine.built_tree is None
    assert engine.judge({bug.problem.path: "int x;\n"}, "full") is None, "an error in the file went unnoticed"
    engine.close()


def test_a_make_build_that_notices_is_used(tmp_path: Path) -> None:
    bug = ATTACKED.bug("c-lit")
    built: list[Command] = []

    def run(command: Command) -> Execution:
        built.append(command)
        return exited(0 if len(built) <= 1 else 2, stderr=b"main.c:1:2: error: changed")

    engine = IncrementalEngine(bug, FakeSandbox(run))
    found = engine.judge({bug.problem.path: "int x;\n"}, "full")
    assert found is not None
    assert found.verdict is Verdict.UNCOMPILABLE
    engine.close()
