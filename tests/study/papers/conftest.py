"""A benchmark of six bugs on disk, and runs over it that are written candidate by candidate, so that every answer is known."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, Stage, TestResult, TestVerdict, Verdict
from repairlab.core.record import record
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.store import BugEnd, Store
from repairlab.study.bugs import read_texts
from repairlab.study.papers.facts import PaperFacts, read_facts
from repairlab.study.systems import read_systems
from tests import builders

BUGGY = "import math\n\n\ndef answer(value):\n    result = value - 1\n    return result\n"
FIXED = BUGGY.replace("value - 1", "value")
BUGS = ("Cli-1", "Cli-2", "Csv-1", "Csv-2", "Math-1", "Math-2")
CATEGORIES = ("A.1", "A.2", "B", "C.1", "D.1", "D.2")
LOCATIONS = ("line", "line", "hunk", "hunk", "function", "function")
VULNERABLE = "Math-2"
REGRESSION = ("test_main.py::test_zero", "test_main.py::test_one")
TRIGGER = "test_main.py::test_two"

FIX = (FIXED, Verdict.PLAUSIBLE)
"""The developer's fix."""
LIKE = (BUGGY.replace("value - 1", "value + 0"), Verdict.PLAUSIBLE)
"""Another plausible one."""
WRONG = (BUGGY.replace("value - 1", "value - 2"), Verdict.WRONG)
BROKEN = (BUGGY.replace("value - 1", "value * 1 - 0"), Verdict.CRASH)
"""Passes the trigger test and breaks a regression test."""
UNBUILT = (BUGGY.replace("value - 1", "value -"), Verdict.UNCOMPILABLE)
UNREAD = (None, Verdict.UNAPPLICABLE)
LOST = (BUGGY.replace("value - 1", "value - 3"), Verdict.UNDECIDED)

Drawn = tuple[str | None, Verdict]
Draws = Mapping[str, Sequence[Drawn]]


@record
class Bench:
    """Makes runs and reads them back."""

    root: Path
    benchmark: Path
    digest: str

    def run(self, name: str, draws: Draws, *, llm: LlmSettings | None = None, turns: int = 1, **settings: Any) -> Path:
        """Write a finished run; bugs without draws have no candidates."""
        store = Store(self.root / name)
        n = max(map(len, draws.values()))
        experiment = Experiment(
            **{
                "benchmark": str(self.benchmark),
                "repairer": "llm" if llm else name,
                "n": n,
                "k": (1, 2),
                "policy": "full",
                "settings": llm,
                **settings,
            }
        )
        store.create(_manifest(experiment, self.digest))
        for bug_id in BUGS:
            judged: set[str] = set()
            drawn = draws.get(bug_id, ())
            for index, (text, verdict) in enumerate(drawn):
                candidate = _candidate(bug_id, index, text, turns)
                store.append(candidate)
                if candidate.id not in judged:
                    store.append(_outcome(candidate, text, verdict, experiment))
                judged.add(candidate.id)
            is_solved = experiment.stop_when_fixed and any(verdict is Verdict.PLAUSIBLE for _, verdict in drawn)
            store.append(BugEnd(bug_id=bug_id, ended="solved" if is_solved else "asked" if len(drawn) == n else "exhausted"))
        return store.folder

    def facts(self, *folders: Path) -> PaperFacts:
        """Read runs as the verb does."""
        systems = read_systems(folders)
        return read_facts(systems, read_texts(systems))


def _manifest(experiment: Experiment, digest: str) -> Manifest:
    return Manifest(
        experiment=experiment,
        benchmark_name="six",
        benchmark_version="1.0.0",
        benchmark_digest=digest,
        bug_ids=BUGS,
        languages=("python",) * len(BUGS),
        repairlab="0.1.0",
        environment={},
        environment_digest="0" * 16,
        created="2026-01-02T03:04:05+00:00",
    )


def _candidate(bug_id: str, index: int, text: str | None, turns: int) -> Candidate:
    origin = Origin(
        repairer="llm", model="acme/large", attempt=index // turns, turn=index % turns, tokens_in=100, tokens_out=10, cost_usd=0.5
    )
    if text is None:
        return Candidate(bug_id=bug_id, edits=(), rank=index + 1, origin=origin, problem="no code", answer="Sorry.")
    return Candidate(bug_id=bug_id, edits=(Edit(path="main.py", text=text),), rank=index + 1, origin=origin)


def _outcome(candidate: Candidate, text: str | None, verdict: Verdict, experiment: Experiment) -> Outcome:
    stage: Stage = "trigger"
    if verdict in (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE, Verdict.UNDECIDED):
        stage = "build" if verdict is Verdict.UNCOMPILABLE else "apply"
    elif verdict is Verdict.PLAUSIBLE or text == BROKEN[0]:
        stage = "regression"
    tests = [TestResult(id=TRIGGER, verdict=TestVerdict(verdict if stage == "trigger" else "PASSED"))]
    if stage == "regression" or experiment.policy == "full":
        tests += [TestResult(id=name, verdict=TestVerdict(verdict if text == BROKEN[0] else "PASSED")) for name in REGRESSION]
    return builders.outcome(
        verdict,
        candidate,
        stage=stage,
        policy=experiment.policy,
        tests=tuple(tests) if stage in ("trigger", "regression") else (),
        n_tests=3,
    )


@pytest.fixture(scope="session")
def six_bugs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the benchmark."""
    folder = tmp_path_factory.mktemp("six") / "six"
    for bug_id, category, location in zip(BUGS, CATEGORIES, LOCATIONS, strict=True):
        bug = folder / "bugs" / bug_id
        (bug / "buggy").mkdir(parents=True)
        (bug / "buggy" / "main.py").write_text(BUGGY, encoding="utf-8")
        (bug / "buggy" / "test_main.py").write_text("def test_two():\n    assert True\n", encoding="utf-8")
        (bug / "fix.patch").write_text(
            "--- a/main.py\n+++ b/main.py\n@@ -5,1 +5,1 @@\n-    result = value - 1\n+    result = value\n", encoding="utf-8"
        )
        (bug / "issue.md").write_text("# The answer is too small\n\nBy one.\n", encoding="utf-8")
        origin = '[origin]\ncve = "CVE-2020-1"\n' if bug_id == VULNERABLE else ""
        (bug / "bug.toml").write_text(
            'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "answer"\n[test]\nframework = "pytest"\n'
            f'files = ["test_main.py"]\ntrigger = ["{TRIGGER}"]\nregression = {list(REGRESSION)}\n'
            f'[labels]\nlocation = "{location}"\ncategory = "{category}"\n{origin}',
            encoding="utf-8",
        )
    (folder / "benchmark.toml").write_text('schema = 1\nname = "six"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")
    return folder


@pytest.fixture
def bench(six_bugs: Path, tmp_path: Path) -> Bench:
    """Return a maker of runs on the six bugs."""
    return Bench(root=tmp_path, benchmark=six_bugs, digest=open_benchmark(str(six_bugs)).digest)


MakeFacts = Callable[..., PaperFacts]
