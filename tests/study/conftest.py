"""Synthetic runs: a small benchmark on disk and three systems whose candidates have all ten verdicts, some of them hostile."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, TestResult, TestVerdict, Verdict
from repairlab.core.score import Ended
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.store import BugEnd, Store
from tests import builders

HOSTILE = (
    "</pre></script><script>alert('owned')</script>"
    "<img src=\"https://evil.example/x.png\" onerror='alert(1)'>{{ 7 * 7 }}\u202e\x00\ud800"
)
TITLES = (
    "Totals are rounded twice",
    "Cache forgets the newest entry",
    "Reader drops the last line",
    "Parent of a relative path is empty",
    "Ring buffer overwrites unread items",
    "Versions sort as text",
    "Discount is applied to gift cards",
    "Queue blocks for ever when empty",
    "Matrix product reads past the row",
    "Timetable prints every train",
    "Decoder accepts overlong forms",
    "Counter leaks one node per turn",
)
SOURCES = {
    "python": (
        "main.py",
        "def answer(value):\n    total = 0\n    for item in range(value):\n        total += item\n    return total\n",
    ),
    "java": ("Main.java", "class Main {\n    static int answer(int value) {\n        return value - 1;\n    }\n}\n"),
    "c": ("main.c", "int answer(int value)\n{\n    return value - 1;\n}\n"),
    "cpp": ("main.cpp", "int answer(int value)\n{\n    return value - 1;\n}\n"),
}
LANGUAGES = tuple(SOURCES)
BUGS = tuple(f"{LANGUAGES[index % 4]}-{title.lower().replace(' ', '-')}" for index, title in enumerate(TITLES))
WORDS = {
    Verdict.WRONG: "expected 10, got 9",
    Verdict.PRESENTATION: "line 1 ends with a blank",
    Verdict.CRASH: "SIGSEGV in answer",
    Verdict.TIMEOUT: "more than 1.0 s of CPU time",
    Verdict.OUT_OF_MEMORY: "more than 64 MB",
    Verdict.OUTPUT_LIMIT: "more than 16 MB of output",
    Verdict.UNCOMPILABLE: "main: error: expected ';' before 'return'",
    Verdict.UNAPPLICABLE: "no code found in the answer",
    Verdict.UNDECIDED: "the sandbox did not start",
}
MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def bug_ids() -> tuple[str, ...]:
    """Return the bugs of the benchmark."""
    return BUGS


@pytest.fixture(scope="session")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write twelve bugs in four languages."""
    folder = tmp_path_factory.mktemp("benchmark") / "toy"
    for index, (bug_id, title) in enumerate(zip(BUGS, TITLES, strict=True)):
        language = LANGUAGES[index % 4]
        path, source = SOURCES[language]
        bug = folder / "bugs" / bug_id
        (bug / "buggy").mkdir(parents=True)
        (bug / "cases").mkdir()
        (bug / "buggy" / path).write_text(source, encoding="utf-8")
        (bug / "cases" / "01.in").write_text("1\n", encoding="utf-8")
        (bug / "cases" / "01.out").write_text("1\n", encoding="utf-8")
        old = source.split("\n")[2]
        (bug / "fix.patch").write_text(f"--- a/{path}\n+++ b/{path}\n@@ -3,1 +3,1 @@\n-{old}\n+{_fixed(old)}\n", encoding="utf-8")
        (bug / "issue.md").write_text(f"# {title}\n\nSteps: call it with 5.\nExpected 10 & <b>not</b> 9.\n", encoding="utf-8")
        (bug / "bug.toml").write_text(
            f'schema = 1\nlanguage = "{language}"\npath = "{path}"\nsubmission_verdict = "WRONG"\n[test]\nframework = "stdio"\n'
            '[labels]\nlocation = "line"\ndifficulty = "easy"\nsymptom = "wrong answer"\n',
            encoding="utf-8",
        )
    (folder / "benchmark.toml").write_text('schema = 1\nname = "toy"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")
    return folder


def _fixed(line: str) -> str:
    return line.replace("range(value)", "range(value + 1)").replace("value - 1", "value")


@pytest.fixture
def make_run(tmp_path: Path) -> MakeRun:
    """Return a function that writes a run below the test's folder; every setting has a default."""
    return _maker(tmp_path)


def _maker(root: Path) -> MakeRun:

    def make(  # the settings of a run
        name: str,
        *,
        strength: float = 0.3,
        n: int = 20,
        model: str | None = None,
        digest: str = "feedfacefeedface",
        stop: bool = False,
        unfinished: int = 0,
        bugs: int = len(BUGS),
        benchmark: str = "toy",
        policy: str = "full",
        folder: str = "",
    ) -> Path:
        store = Store(root / (folder or name))
        ids = (*BUGS, *(f"python-more-{number}" for number in range(len(BUGS), bugs)))[:bugs]
        settings = Experiment(
            benchmark=benchmark, repairer=name, n=n, k=(1, 5, 10), policy="full" if policy == "full" else "first-failure",
            stop_when_fixed=stop,
        )  # fmt: skip
        store.create(
            Manifest(
                experiment=settings,
                benchmark_name="toy",
                benchmark_version="1.0.0",
                benchmark_digest=digest,
                bug_ids=ids,
                languages=tuple(LANGUAGES[index % 4] for index in range(bugs)),
                repairlab="0.1.0",
                environment={"gcc": "12.2.0", "python": "3.11.2", "sandbox": "bubblewrap"},
                environment_digest="0123456789abcdef",
                created="2026-01-02T03:04:05+00:00",
            )
        )
        for index, bug_id in enumerate(ids):
            ended = _write_bug(store, settings, bug_id, index, strength=strength, model=model)
            if index < len(ids) - unfinished:
                store.append(BugEnd(bug_id=bug_id, ended=ended))
        return store.folder

    return make


def _write_bug(store: Store, settings: Experiment, bug_id: str, index: int, *, strength: float, model: str | None) -> Ended:
    draw = random.Random(f"{settings.repairer} {index}")
    chance = strength * draw.choice((0.0, 0.5, 1.0, 2.0))
    kinds = [verdict for verdict in Verdict if verdict is not Verdict.PLAUSIBLE]
    weights = [12 if verdict is Verdict.WRONG else 5 if verdict is Verdict.UNCOMPILABLE else 1 for verdict in kinds]
    for rank in range(1, settings.n + 1):
        if draw.random() < 0.01:
            return "exhausted"
        verdict = Verdict.PLAUSIBLE if draw.random() < chance else draw.choices(kinds, weights)[0]
        candidate = _candidate(bug_id, rank, verdict, Origin(repairer=settings.repairer, model=model), draw)
        store.append(candidate)
        store.append(_outcome(candidate, verdict, settings))
        if settings.stop_when_fixed and verdict is Verdict.PLAUSIBLE:
            return "solved"
    return "asked"


def _candidate(bug_id: str, rank: int, verdict: Verdict, origin: Origin, draw: random.Random) -> Candidate:
    path, source = SOURCES[bug_id.split("-", maxsplit=1)[0]]
    if verdict is Verdict.UNAPPLICABLE:
        return Candidate(bug_id=bug_id, edits=(), rank=rank, origin=origin, problem="no code found", answer=HOSTILE)
    lines = source.split("\n")
    if verdict is Verdict.PLAUSIBLE:
        lines[2] = _fixed(lines[2])
        if draw.random() < 0.5:
            lines[2] += "  "  # equal to the reference fix but for white space
            lines.insert(1, "")
    else:
        lines[2] = f"{lines[2]} /* {verdict} {draw.randrange(40)} {HOSTILE} */"
    return Candidate(bug_id=bug_id, edits=(Edit(path=path, text="\n".join(lines)),), rank=rank, origin=origin)


def _outcome(candidate: Candidate, verdict: Verdict, settings: Experiment) -> Outcome:
    fine = verdict is Verdict.PLAUSIBLE
    ran = verdict not in (Verdict.UNAPPLICABLE, Verdict.UNCOMPILABLE, Verdict.UNDECIDED)
    tests = (
        TestResult(id="01", verdict=TestVerdict.PASSED),
        TestResult(id="02 <b>bold</b>", verdict=TestVerdict(verdict) if ran else TestVerdict.WRONG, message=WORDS.get(verdict, "")),
    )
    return builders.outcome(
        verdict,
        candidate,
        stage="cases" if ran else "build" if verdict is Verdict.UNCOMPILABLE else "apply",
        policy=settings.policy,
        message="" if fine else f"{WORDS[verdict]} {HOSTILE}",
        tests=tests if ran else (),
        n_tests=2,
        environment="0123456789abcdef",
        evidence="" if fine else "\n".join(f"line {number} of the log" for number in range(12)) + HOSTILE,
    )


@pytest.fixture(scope="session")
def three_runs(benchmark: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write three comparable runs on the benchmark on disk."""
    digest = open_benchmark(str(benchmark)).digest
    make = _maker(tmp_path_factory.mktemp("runs"))
    return [
        make("templates", strength=0.12, digest=digest, benchmark=str(benchmark)),
        make("chat", strength=0.5, model="acme/large-2", digest=digest, benchmark=str(benchmark)),
        make("neural", strength=0.25, digest=digest, benchmark=str(benchmark)),
    ]
