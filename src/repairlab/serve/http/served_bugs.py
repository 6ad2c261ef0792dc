"""The bugs of a service, from its benchmarks or a request, and what clients may see of them and of verdicts.

Nothing shows a hidden test, an expected output or a fix.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.benchmarks.folder import find_target
from repairlab.building.importers.small_programs import program_place
from repairlab.core.bug import Bug, Case, Checker, CheckerProgram, Labels, Oracle, Provenance, Tree
from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.core.execution import Limits
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.problem import TOLD, Localisation, Problem, SourceFile, Visibility, shown
from repairlab.core.recipe import Test
from repairlab.core.record import digest, to_data
from repairlab.languages.facts import facts, names
from repairlab.metrics.reward import RewardScale, reward_of
from repairlab.repairers.llm.factory import preview
from repairlab.repairers.llm.prompts.table import STRATEGIES
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.validator_pool import JudgedPatch, OpenBug
from repairlab.serve.http.requests import CheckerEntry, InlineProblem, RequestRefused, bad_request
from repairlab.validation.paths import check_path, check_together

_NO_MODEL = "none/none"


class ServedBenchmarks:
    """Benchmarks by name; a bug is found by `BENCHMARK/BUG`, or by `BUG` if only one benchmark has it."""

    def __init__(self, names: Sequence[str | Path], localisation: Localisation = "line") -> None:
        """Open benchmarks, each by its name or folder."""
        self._finest = localisation
        self._by_name: dict[str, Benchmark] = {}
        self._of_bug: dict[str, list[str]] = {}
        for name in names:
            opened = open_benchmark(name)
            if opened.name in self._by_name:
                raise UserError(f"two benchmarks are called {opened.name!r}; serve one of them")
            self._by_name[opened.name] = opened
            for bug_id in opened.ids:
                self._of_bug.setdefault(bug_id, []).append(opened.name)

    @property
    def all(self) -> Mapping[str, Benchmark]:
        """All benchmarks by name."""
        return self._by_name

    def benchmark(self, name: str) -> Benchmark:
        """Return a benchmark by name."""
        if name not in self._by_name:
            raise RequestRefused(404, "unknown_benchmark", str(unknown("benchmark", name[:200], self._by_name)))
        return self._by_name[name]

    def place(self, reference: str) -> tuple[str, str]:
        """Return the benchmark and id of a bug, without reading it."""
        name, slash, bug_id = reference.rpartition("/")
        if not slash:
            found = self._of_bug.get(reference, [])
            if len(found) > 1:
                raise RequestRefused(404, "unknown_bug", f"{reference!r} is a bug of {', '.join(found)}: write BENCHMARK/BUG")
            name = found[0] if found else ""
        if slash and name not in self._by_name:
            raise RequestRefused(404, "unknown_benchmark", str(unknown("benchmark", name[:200], self._by_name)))
        if name not in self._of_bug.get(bug_id, ()):
            known = self._by_name[name].ids if name else self._of_bug
            raise RequestRefused(404, "unknown_bug", str(unknown("bug", bug_id[:200], known)))
        return name, bug_id

    def bug(self, reference: str) -> Bug:
        """Read a bug; this may take a moment."""
        name, bug_id = self.place(reference)
        try:
            return self._by_name[name].bug(bug_id)
        except (UserError, HarnessError, OSError) as error:
            raise _unreadable(f"{name}/{bug_id}") from error

    def problem(self, bug: Bug, localisation: Localisation | None) -> Problem:
        """Return a bug as a repairer may see it, no more precisely than the service allows."""
        return shown(bug.problem, Visibility(localisation=self.finest(localisation)))

    def finest(self, localisation: Localisation | None) -> Localisation:
        """Return the requested precision, or the service's if that is less."""
        if localisation is not None and localisation not in TOLD:
            raise bad_request(f"unknown localisation {str(localisation)[:100]!r}. Known: {', '.join(TOLD)}")
        return min(localisation or self._finest, self._finest, key=TOLD.index)

    def described(self, reference: str, *, localisation: Any, strategy: str | None, context: bool) -> dict[str, Any]:
        """Return what a client may see of a bug; with a strategy, also the prompt for a model."""
        bug = self.bug(reference)
        try:
            problem = self.problem(bug, localisation)
            data: dict[str, Any] = to_data(problem)
            data["context"] = data["context"] if context else [file.path for file in problem.context]
            if strategy is not None:
                data["prompt"] = messages(problem, strategy)
            return data
        except (UserError, HarnessError, OSError):
            raise _unreadable(bug.id) from None


def _unreadable(bug: str) -> RequestRefused:
    return RequestRefused(503, "benchmark_unreadable", f"bug {bug} cannot be read any more; the server's log says why")


def messages(problem: Problem, strategy: str) -> list[dict[str, str]] | str | None:
    """Return the prompt about a problem: messages, or the text to continue."""
    if strategy not in STRATEGIES:
        raise bad_request(str(unknown("strategy", strategy[:100], STRATEGIES)))
    try:
        asked = preview(LlmSettings(strategy=strategy, model=_NO_MODEL), problem, seed=0, examples=())
    except UserError as error:
        raise RequestRefused(409, "strategy_unfit", str(error)) from None
    if len(asked) > 1:
        raise RequestRefused(
            409, "strategy_unfit", f"{strategy} asks {len(asked)} questions, each after the answer to the one before"
        )
    said = [{"role": message.role, "content": message.content} for message in asked[-1].messages] if asked else []
    return said or (asked[-1].text if asked else None)


BENCHMARK = "inline"


def inline_bug(problem: InlineProblem, folder: Path) -> Bug:
    """Return the bug, whose tree is in a folder from now on."""
    if problem.language not in names():
        raise bad_request(str(unknown("language", problem.language[:100], names())))
    stated = facts(problem.language)
    path, start = program_place(problem.language, problem.program)
    content = digest(problem.language, path, problem.program)
    tree = folder / content
    if not tree.is_dir():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(problem.program.encode("utf-8", "surrogatepass"))
    target, bare = find_target(problem.language, problem.program, None)
    checker = Checker(kind=problem.checker.kind, absolute=problem.checker.absolute, relative=problem.checker.relative)
    cases = tuple(
        Case(id=case.id or str(number), input=case.input, expected=case.expected, checker=checker)
        for number, case in enumerate(problem.cases, start=1)
    )
    if len({case.id for case in cases}) < len(cases):
        raise bad_request("problem.cases: two cases have the same id")
    return Bug(
        problem=Problem(
            id=f"inline-{content}",
            benchmark=BENCHMARK,
            language=problem.language,
            title="",
            description="",
            path=path,
            source=problem.program,
            target=target,
            target_without_comments=bare,
        ),
        oracle=Oracle(
            reference=(),
            build=stated.build,
            test=Test(framework="stdio", program=start),
            limits=Limits(**problem.limits.model_dump()),
            cases=cases,
            checker=_checker(problem.checker),
        ),
        tree=Tree(source=str(tree), digest=content),
        origin=Provenance(),
        labels=Labels(),
    )


def _checker(entry: CheckerEntry) -> CheckerProgram | None:
    if (entry.kind == "program") != bool(entry.files):
        raise bad_request("problem.checker: `files` are the sources of a checker of the kind `program`, which needs them")
    if entry.kind != "program":
        return None
    if entry.language not in names() or not facts(entry.language).can_check:
        possible = [name for name in names() if facts(name).can_check]
        raise bad_request(str(unknown("language of a checker", str(entry.language)[:100], possible)))
    for path in entry.files:
        check_path(path)
    check_together(entry.files)
    start = facts(entry.language).checker
    sources = tuple(SourceFile(path=path, text=text) for path, text in sorted(entry.files.items()))
    return CheckerProgram(language=entry.language, files=sources, program=start.program if start else "")


OUR_FAILURE = "the service could not decide this; ask again, or look at the server's log"


def answer(judged: JudgedPatch, opened: OpenBug, scale: RewardScale) -> dict[str, Any]:
    """Return the answer about one candidate.

    Tests are told by number, and what they say is not told at all: both may hold what is expected. Whoever brought the problem
    knows all that.
    """
    outcome, bug = judged.outcome, opened.bug
    is_own = bug.problem.benchmark == BENCHMARK
    tests = []
    for test in outcome.tests:
        kind, number = opened.numbers.get(test.id, ("test", 0))
        told: dict[str, Any] = {"test": number, "kind": kind, "verdict": test.verdict.value, "cpu_s": test.cpu_s}
        tests.append(told | ({"id": test.id, "message": test.message} if is_own else {}))
    return {
        "bug": f"{bug.problem.benchmark}/{bug.id}",
        "candidate": outcome.candidate_id,
        "verdict": outcome.verdict.value,
        "code": outcome.verdict.code,
        "stage": outcome.stage,
        "message": _message(outcome, is_own=is_own),
        "passed": outcome.n_passed,
        "n_tests": outcome.n_tests,
        "tests": tests,
        "reward": reward_of(outcome, scale, similarity=judged.similarity),
        "similarity": judged.similarity,
        "policy": outcome.policy,
        "cpu_s": outcome.cpu_s,
        "wall_s": outcome.wall_s,
        "peak_mb": outcome.peak_mb,
        "cached": outcome.cached,
    }


def undecided_answer(bug: str, message: str) -> dict[str, Any]:
    """Return the answer about a candidate that was not judged."""
    return {
        "bug": bug,
        "verdict": Verdict.UNDECIDED.value,
        "code": Verdict.UNDECIDED.code,
        "message": message,
        "tests": [],
        "reward": None,
        "cached": False,
    }


def _message(outcome: Outcome, *, is_own: bool) -> str:
    if outcome.verdict is Verdict.UNDECIDED:
        return OUR_FAILURE
    return outcome.message if is_own or outcome.stage == "apply" else ""
