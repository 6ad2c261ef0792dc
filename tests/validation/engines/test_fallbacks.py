"""Where an engine cannot tell, it says so and another one is asked; what goes wrong on our side never becomes a verdict."""

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Execution
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.languages.language import Warmable, language
from repairlab.sandbox.resident import Resident, ResidentLost
from repairlab.sandbox.sandbox import FakeSandbox, Sandbox, exited
from repairlab.validation.apply import changed_files
from repairlab.validation.engines import IncrementalEngine
from repairlab.validation.resident import (
    CompiledTree,
    ResidentEngine,
    TwinEngine,
    Within,
    _CompiledBase,
    _Replaying,
    _write_products,
    close_compilers,
)
from repairlab.validation.tree_tester import TreeTester
from repairlab.validation.validator import BugValidator, Conditions
from repairlab.validation.worktree import WorkTree, files_below

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
    with BugValidator(Conditions(bug=bug), sandbox) as validator:
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
    for _ in range(2):  # that it notices is known the second time
        found = engine.judge({bug.problem.path: "int x;\n"}, "full")
        assert found is not None
        assert found.verdict is Verdict.UNCOMPILABLE
    engine.close()


def test_a_program_that_runs_again_is_not_built_again(sandbox: Sandbox) -> None:
    bug = open_benchmark("starter").bug("cpp-rational-sign")
    engine = IncrementalEngine(bug, sandbox)
    fixed = changed_files(bug.fix, bug)
    other = {bug.problem.path: f"{fixed[bug.problem.path]}\n"}

    def built(changed: Mapping[str, str | None]) -> dict[str, int]:
        found = engine.judge(changed, "full", within=lambda runner: runner)
        assert found is not None and found.verdict is Verdict.PLAUSIBLE, found
        assert engine._tree is not None
        return {path.name: path.stat().st_mtime_ns for path in (engine._tree.work / "build").rglob("*") if path.is_file()}

    first = built(fixed)
    assert built(fixed) == first
    assert built(other) != first
    assert built(fixed) != first
    engine.close()


class _Failing(ResidentEngine):
    """Has compiled a tree, on which no test can be run."""

    def tester(self, bug: Bug, changed: Mapping[str, str | None], policy: Policy, **_: object) -> TreeTester | None:
        return TreeTester(bug, FakeSandbox(_raise), policy, Path(bug.tree.source))


def _raise(command: Command) -> Execution:
    raise HarnessError("gone")


def test_an_engine_that_fails_has_no_verdict_and_nor_has_its_twin(java: Bug, tmp_path: Path) -> None:
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    engine = _Failing(java, FakeSandbox(_raise), toolchain, tmp_path)
    assert engine.judge({}, "full") is None
    assert TwinEngine(java, {}, engine).judge({}, "full") is None


def test_products_that_cannot_be_written_are_our_failure(tmp_path: Path) -> None:
    (tmp_path / "build").touch()
    with pytest.raises(HarnessError, match="cannot write the files of a build"):
        _write_products({"build/A.class": b""}, tmp_path)


def test_what_is_known_of_a_case_is_told_once() -> None:
    known = _Replaying(FakeSandbox(lambda _: exited(3)), exited(2), [(b"1", exited(1)), (b"2", exited())])
    codes = [known.run(Command(argv=("program",), stdin=text), Path()).exit_code for text in (b"2", b"2", b"1", b"5")]
    assert codes == [0, 3, 1, 3]
    assert known.run(Command(argv=("compile",)), Path()).exit_code == 2


def test_a_java_fix_in_other_words_is_believed_after_its_twins(java: Bug, sandbox: Sandbox) -> None:
    fixed = changed_files(java.fix, java)[java.problem.path]
    with BugValidator(Conditions(bug=java, blind=False), sandbox) as validator:
        outcome = validator.validate(java.candidate((Edit(path=java.problem.path, text=f"{fixed}// in other words\n"),), "test"))
        resident = validator._guard().engines.resident
        assert resident is not None
        assert resident.n_judged > 0
    assert outcome.verdict is Verdict.PLAUSIBLE, outcome.message
    assert "counter-tests failed as they must" in outcome.guard


def test_classes_that_a_candidate_does_away_with_are_taken_away(tmp_path: Path) -> None:
    work = WorkTree(tmp_path)
    work.work.mkdir()
    _write_products({"A.class": b"a", "A$1.class": b"b"}, work.work)
    work.keep()
    base = _CompiledBase(work=work, runner=FakeSandbox(_raise), base={"A.class": b"a", "A$1.class": b"b"})
    base.lay_out({}, {"A.class": b"c"})
    assert {path.name: path.read_bytes() for path in base.tree.iterdir()} == {"A.class": b"c"}


class _Unlaid(ResidentEngine):
    """Has compiled a tree that cannot be laid out."""

    def _compile(self, changed: Mapping[str, str | None]) -> Execution | None:
        return exited()

    def _runner(self, changed: Mapping[str, str | None], compiled: Execution, within: Within | None) -> _Replaying:
        raise HarnessError("no room")


def test_a_compiled_tree_that_cannot_be_laid_out_is_left_to_another_engine(java: Bug, tmp_path: Path) -> None:
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    assert _Unlaid(java, FakeSandbox(_raise), toolchain, tmp_path).judge({}, "full") is None


def test_classes_that_cannot_be_looked_for_are_compiled(java: Bug, tmp_path: Path) -> None:
    toolchain = language("java").toolchain
    assert isinstance(toolchain, Warmable)
    tools = toolchain.warm(java.oracle.build, java.oracle.test, files_below(Path(java.tree.source)))
    tree = CompiledTree(java, FakeSandbox(_raise), tools)
    assert tree._kept() is not None
    tree._source = str(tmp_path / "gone")
    assert tree._kept() is None
    tree.close()
