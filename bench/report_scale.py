"""Scores, reports, pages and sites of large runs: time, memory and size.

`one`: 283 bugs × 100 candidates, as nl2fix drew them, beside the naive way: every candidate and outcome in memory as a record.
`many`: 10 systems × 2,000 bugs × 10 candidates with prompts and answers, for `report` and `view`.
`site`: 200 systems × 2,000 bugs × 1 candidate.

Each verb runs in a process of its own. `--quick` takes a tenth of the bugs; `--keep DIR` leaves the runs there, and uses those that
are there already.
"""

import argparse
import dataclasses
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Self

import httpx

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.model import Message, Prompt
from repairlab.core.outcome import Outcome, Stage, TestResult, TestVerdict, Verdict
from repairlab.core.record import digest, record
from repairlab.core.storage.encoding import checked_line, encode, line_key
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.integrity import write_seal
from repairlab.runs.store import FILES, BugEnd, Store
from repairlab.runs.transcripts import TranscriptWriter

N_LINES = 30
PROJECTS = ("Chart", "Cli", "Codec", "Compress", "Csv", "JacksonCore", "JacksonDatabind", "Math", "Mockito")
TRIGGER, REGRESSION = "test_new", tuple(f"test_{number}" for number in range(40))
CHANCES = {
    Verdict.PLAUSIBLE: 12,
    Verdict.WRONG: 38,
    Verdict.CRASH: 4,
    Verdict.TIMEOUT: 2,
    Verdict.UNCOMPILABLE: 40,
    Verdict.UNAPPLICABLE: 4,
}
NAIVE = """
import sys
from pathlib import Path
from repairlab.runs.store import Store
store = Store(Path(sys.argv[1]))
candidates, outcomes = list(store.candidates()), list(store.outcomes())
ids = {candidate.id for candidate in candidates}
verdicts = {outcome.candidate_id: outcome.verdict for outcome in outcomes}
print(len(candidates), len(ids), len(verdicts))
"""


@record
class Shape:
    """How much is written."""

    n_systems: int
    n_bugs: int
    n: int
    is_full: bool = False
    """Whether every test is run, also behind a failing one."""
    has_texts: bool = False
    """Whether prompts and answers are kept."""


SHAPES = {
    "one": Shape(n_systems=1, n_bugs=283, n=100, is_full=True),
    "many": Shape(n_systems=10, n_bugs=2000, n=10, has_texts=True),
    "site": Shape(n_systems=200, n_bugs=2000, n=1),
}


@record
class Measured:
    """What one process cost."""

    wall_s: float
    cpu_s: float
    peak_mb: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--only", action="append", choices=tuple(SHAPES))
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="report-scale-") as name:
        for only in asked.only or SHAPES:
            shape = SHAPES[only]
            if asked.quick:
                shape = dataclasses.replace(shape, n_bugs=shape.n_bugs // 10)
            root = (asked.keep or Path(name)) / f"{only}-{shape.n_bugs}"
            runs = write_runs(root, shape)
            size = size_of(*runs) / 2**20
            print(f"\n{shape.n_systems} systems × {shape.n_bugs} bugs × {shape.n} candidates, {size:,.0f} MB on disk", flush=True)
            {"one": one, "many": many, "site": site}[only](root, runs)


def one(root: Path, runs: Sequence[Path]) -> None:
    run = str(runs[0])
    row("naive: all records in memory", measure([sys.executable, "-c", NAIVE, run]))
    verbs = {"score": [], "score --duplicates merged": [], "report --tables": [], "report": ["-o", str(root / "report.html")]}
    for verb, more in verbs.items():
        row(verb, measure([sys.executable, "-m", "repairlab", *verb.split(), run, "--json", *more]))


def many(root: Path, runs: Sequence[Path]) -> None:
    page = root / "report.html"
    cost = measure([sys.executable, "-m", "repairlab", "report", *map(str, runs), "-o", str(page), "--json"])
    row("report", cost, f"{size_of(page) / 2**20:.1f} MB")
    pages = (
        "/", "/benchmark/scale", "/benchmark/scale/Math-8", "/overlap", "/compare/system-1/system-2", "/run/system-1",
        "/run/system-1/bug/Math-8", "/run/system-1/bug/Math-8/2", "/run/system-1/candidates?verdict=WRONG&page=10",
        "/search?q=repaired",
    )  # fmt: skip
    for label in ("no index", "with index"):
        with Viewed(runs, root / "cache") as viewed:
            viewed.wait(*(run.name for run in runs))
            print(
                f"view, {label}: first page {viewed.first_s:.1f} s, all read {viewed.ready_s:.1f} s, {viewed.peak_mb():.0f} MB peak"
            )
            for path in pages if label == "with index" else ():
                row(f"  {path}", viewed.get(path), f"{viewed.n_bytes / 1000:.0f} kB")


def site(root: Path, runs: Sequence[Path]) -> None:
    to = root / "site"
    cost = measure([sys.executable, "-m", "repairlab", "site", *map(str, runs), "--to", str(to)])
    row("site", cost, f"{size_of(to) / 2**20:.1f} MB")
    for path in sorted(to.iterdir()):
        print(f"  {path.name:<36} {path.stat().st_size / 1000:8.0f} kB")
    first = sum((to / name).stat().st_size for name in ("scale-1.0.0.html", "site.css", "site.js"))
    print(f"  first view of a board                {first / 1000:8.0f} kB")


def row(label: str, cost: Measured, more: str = "") -> None:
    print(f"{label:<48} {cost.wall_s:6.2f} s wall {cost.cpu_s:6.2f} s CPU {cost.peak_mb:6.0f} MB peak  {more}", flush=True)


def size_of(*places: Path) -> int:
    """Return the bytes of files and of all files in folders."""
    return sum(path.stat().st_size for place in places for path in (place, *place.rglob("*")) if path.is_file())


def measure(command: Sequence[str]) -> Measured:
    """Run a command in a child of its own, so that the peak is that of this command alone."""
    watch = (
        "import resource,subprocess,sys\n"
        "done=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL)\n"
        "used=resource.getrusage(resource.RUSAGE_CHILDREN)\n"
        "print(used.ru_utime+used.ru_stime,used.ru_maxrss/1024,done.returncode)"
    )
    start = time.monotonic()
    done = subprocess.run([sys.executable, "-c", watch, *command], capture_output=True, text=True, check=True)
    wall_s = time.monotonic() - start
    cpu_s, peak_mb, code = done.stdout.split()
    if code != "0":
        raise SystemExit(f"{' '.join(command[:4])} … failed: {done.stderr[-2000:]}")
    return Measured(wall_s=wall_s, cpu_s=float(cpu_s), peak_mb=float(peak_mb))


class Viewed:
    """Runs that `repairlab view` shows, asked for pages over HTTP."""

    def __init__(self, runs: Sequence[Path], cache: Path) -> None:
        """Start the command and ask for the first page."""
        start = time.monotonic()
        env = {**os.environ, "REPAIRLAB_CACHE": str(cache)}
        command = [sys.executable, "-m", "repairlab", "view", *map(str, runs), "--port", "0", "--no-browser"]
        self._start, self.ready_s, self.n_bytes = start, 0.0, 0
        self._process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        self._client = httpx.Client(base_url=self._process.stdout.readline().split()[-1].rstrip("/"), timeout=300)
        self.get("/")
        self.first_s, self.first_cpu_s = time.monotonic() - start, _cpu_s(self._process.pid)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()
        self._process.terminate()
        self._process.wait()

    def wait(self, *names: str) -> None:
        """Wait until runs are read and scored."""
        for name in names:
            while self._client.get(f"/run/{name}/state").json()["is_behind"]:
                time.sleep(0.2)
        self.ready_s = time.monotonic() - self._start

    def get(self, path: str) -> Measured:
        """Ask for a page; `n_bytes` is its size then."""
        start, cpu_s = time.monotonic(), _cpu_s(self._process.pid)
        answer = self._client.get(path).raise_for_status()
        self.n_bytes = len(answer.content)
        wall_s = time.monotonic() - start
        return Measured(wall_s=wall_s, cpu_s=_cpu_s(self._process.pid) - cpu_s, peak_mb=self.peak_mb())

    def peak_mb(self) -> float:
        """Return the peak of the command and of what it started."""
        return _peak_mb(self._process.pid)


def _cpu_s(pid: int) -> float:
    """Return the CPU time of a process so far, without those that it started."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _peak_mb(pid: int) -> float:
    """Return the peak of a process and of those that it started."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    own = next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
    return own + sum(_peak_mb(int(child)) for child in children)


class BufferedStore(Store):
    """A run that is written at once: its lines are those of a run, but not one write each."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._files: dict[str, tuple[BinaryIO, int]] = {}
        self._numbers: dict[str, int] = {}

    def append_body(self, kind: type, body: bytes) -> int:
        name = FILES[kind]
        if name not in self._files:
            self._files[name] = (self.folder / name).open("wb", buffering=1 << 20), line_key(self.run_id, name)
        file, key = self._files[name]
        self._numbers[name] = self._numbers.get(name, 0) + 1
        return file.write(checked_line(body, key, self._numbers[name]))

    def end(self, bug_ids: Iterable[str]) -> None:
        """Say that the bugs are done, and seal the run."""
        for bug_id in bug_ids:
            self.append_body(BugEnd, encode(BugEnd(bug_id=bug_id, ended="asked")))
        for file, _ in self._files.values():
            file.close()
        write_seal(self)


def write_runs(root: Path, shape: Shape) -> list[Path]:
    """Write a benchmark and a run of each system over it, where they are not there already."""
    draw = random.Random(5)
    ids = tuple(f"{PROJECTS[number % len(PROJECTS)]}-{number + 1}" for number in range(shape.n_bugs))
    functions = {bug_id: function(draw) for bug_id in ids}
    folders = [root / f"system-{number}" for number in range(1, shape.n_systems + 1)]
    if not (folders[-1] / "seal.json").is_file():
        write_benchmark(root / "benchmark", functions)
        digest = open_benchmark(str(root / "benchmark")).digest
        for folder in folders:
            write_run(folder, shape, functions, digest, draw)
    return folders


def write_run(folder: Path, shape: Shape, functions: dict[str, str], benchmark_digest: str, draw: random.Random) -> None:
    store = BufferedStore(folder)
    llm = LlmSettings(model=f"acme/{folder.name}", strategy="zero-shot")
    ks = tuple(k for k in (1, 5, 20, 100) if k <= shape.n)
    experiment = Experiment(
        benchmark=str(folder.parent / "benchmark"),
        repairer="llm",
        n=shape.n,
        k=ks,
        policy="full" if shape.is_full else "first-failure",
        settings=llm,
    )
    store.create(
        Manifest(
            experiment=experiment, benchmark_name="scale", benchmark_version="1.0.0", benchmark_digest=benchmark_digest,
            bug_ids=tuple(functions), languages=("python",) * len(functions), repairlab="0.1.0", environment={},
            environment_digest="0" * 16, created="2026-01-02T03:04:05+00:00",
        )
    )  # fmt: skip
    transcripts = TranscriptWriter(store) if shape.has_texts else None
    for bug_id, text in functions.items():
        judged: set[str] = set()
        for candidate, verdict in drawn(bug_id, text, shape.n, draw, transcripts):
            store.append(candidate)
            if candidate.id not in judged:
                store.append(outcome(candidate, candidate.id, verdict, is_full=shape.is_full))
            judged.add(candidate.id)
    store.end(functions)


def function(draw: random.Random, *, n_lines: int = N_LINES) -> str:
    lines = [
        f"    value_{draw.randrange(40)} = compute(value, {draw.randrange(1000)}, scale={draw.random():.3f})"
        for _ in range(n_lines - 2)
    ]
    return "\n".join(["def answer(value):", *lines, "    return value"]) + "\n"


def changed(text: str, draw: random.Random) -> str:
    lines = text.split("\n")
    lines[draw.randrange(1, N_LINES)] = f"    value_{draw.randrange(40)} = repaired(value, {draw.randrange(10**6)})"
    return "\n".join(lines)


def write_benchmark(folder: Path, functions: dict[str, str]) -> None:
    for bug_id, text in functions.items():
        bug = folder / "bugs" / bug_id
        (bug / "buggy").mkdir(parents=True)
        (bug / "buggy" / "main.py").write_text(text, encoding="utf-8")
        old = text.split("\n")[4]
        (bug / "fix.patch").write_text(
            f"--- a/main.py\n+++ b/main.py\n@@ -5,1 +5,1 @@\n-{old}\n+    value_1 = repaired(value, 7)\n", encoding="utf-8"
        )
        (bug / "issue.md").write_text("# The answer is wrong\n\nIt should be right.\n", encoding="utf-8")
        (bug / "bug.toml").write_text(
            'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "answer"\n'
            f'[test]\nframework = "pytest"\nfiles = ["test_main.py"]\ntrigger = ["{TRIGGER}"]\nregression = {list(REGRESSION)}\n'
            '[labels]\nlocation = "line"\ncategory = "D.1"\n',
            encoding="utf-8",
        )
        (bug / "buggy" / "test_main.py").write_text("def test_new():\n    assert True\n", encoding="utf-8")
    (folder / "benchmark.toml").write_text('schema = 1\nname = "scale"\nversion = "1.0.0"\nlicence = "MIT"\n', encoding="utf-8")


def drawn(
    bug_id: str, text: str, n: int, draw: random.Random, transcripts: TranscriptWriter | None
) -> Iterator[tuple[Candidate, Verdict]]:
    """Draw candidates of a bug: three of five repeat an earlier one."""
    made: list[tuple[tuple[Edit, ...], Verdict]] = []
    is_easy = draw.random() < 0.5
    prompt = Prompt(messages=(Message(role="user", content=f"Fix {bug_id}. Some tests fail.\n\n```python\n{text}```\n"),))
    name = digest(prompt)
    for rank in range(1, n + 1):
        if made and draw.random() < 0.6:
            edits, verdict = draw.choice(made)
        else:
            verdict = draw.choices(list(CHANCES), list(CHANCES.values()))[0]
            if verdict is Verdict.PLAUSIBLE and not is_easy:
                verdict = Verdict.WRONG
            edits = (Edit(path="main.py", text=changed(text, draw)),)
            made.append((edits, verdict))
        answer = f"A call is wrong.\n\n```python\n{edits[0].text}```\n"
        if transcripts is not None:
            transcripts.keep(prompt, answer)
        origin = Origin(
            repairer="llm", model="acme/large", prompt=name, answer=digest(answer), tokens_in=900, tokens_out=400, cost_usd=0.002
        )
        yield Candidate(bug_id=bug_id, edits=edits, rank=rank, origin=origin), verdict


def outcome(candidate: Candidate, name: str, verdict: Verdict, *, is_full: bool = True) -> Outcome:
    ran = verdict not in (Verdict.UNAPPLICABLE, Verdict.UNCOMPILABLE)
    of_trigger = TestVerdict(verdict) if ran else TestVerdict.WRONG
    tests = tuple(
        TestResult(id=name, verdict=of_trigger if name == TRIGGER else TestVerdict.PASSED) for name in (TRIGGER, *REGRESSION)
    )
    run = tests if is_full or verdict is Verdict.PLAUSIBLE else tests[:1]
    failed: Stage = "apply" if verdict is Verdict.UNAPPLICABLE else "build"
    return Outcome(
        candidate_id=name, bug_id=candidate.bug_id, verdict=verdict,
        stage="regression" if verdict is Verdict.PLAUSIBLE else "trigger" if ran else failed,
        policy="full" if is_full else "first-failure", message="" if verdict is Verdict.PLAUSIBLE else "expected 1, got 2",
        tests=run if ran else (), n_tests=len(tests), evidence="" if ran else "main.py:3: error: expected ';'\n" * 8,
    )  # fmt: skip


if __name__ == "__main__":
    main()
