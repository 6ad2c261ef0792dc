"""The runs and benchmarks that are open in the browser, and what is known of them so far. Pages are made of it."""

import contextlib
import dataclasses
import re
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record, to_data
from repairlab.core.score import Samples, Score
from repairlab.metrics.table import Scores, score_run
from repairlab.runs.transcripts import Transcripts
from repairlab.serve.browser.run_index import RunIndex
from repairlab.study.assessment.bug_project import BugProject, is_project, read_project
from repairlab.study.bugs import benchmark_of_run
from repairlab.study.leaderboard import curve_scores
from repairlab.study.scores import Measured, RunScores, settings_of
from repairlab.study.systems import system_names

_NOT_READ = "the run is still being read"
_REST = 10
"""Scores of a run that goes on are computed again after so many times what they took."""


class NotReadyError(UserError):
    """What was asked for is still being read; a page says so and asks again."""


@record
class BugHead:
    """What lists show of a bug."""

    id: str
    language: str
    title: str
    labels: tuple[tuple[str, str], ...]

    @property
    def tags(self) -> frozenset[str]:
        """Return the labels as filters name them: `name=value`."""
        return frozenset(f"{name}={value}" for name, value in self.labels)


@record
class BugFilter:
    """Which bugs count: those of a language and with a label (`name=value`); empty takes all."""

    language: str = ""
    label: str = ""

    @property
    def is_all(self) -> bool:
        """Whether every bug counts."""
        return not self.language and not self.label

    def takes(self, bug_id: str, language: str, known: Mapping[str, BugHead]) -> bool:
        """Tell whether a bug counts, by what is known of it."""
        head = known.get(bug_id) or BugHead(id=bug_id, language=language, title="", labels=())
        return self.language in ("", head.language) and (not self.label or self.label in head.tags)


class OpenBenchmark:
    """A benchmark with its name in addresses; bugs are read when they are asked for."""

    def __init__(self, slug: str, benchmark: Benchmark) -> None:
        self.slug, self.benchmark = slug, benchmark
        self._heads: dict[str, BugHead] | None = None

    def bug(self, bug_id: str) -> Bug:
        """Return one bug."""
        return self.benchmark.bug(bug_id)

    @property
    def heads(self) -> Mapping[str, BugHead]:
        """Return title and labels of all bugs."""
        self.read_heads()
        return self._heads or {}

    def read_heads(self) -> None:
        """Read each bug once."""
        if self._heads is None:
            self._heads = {bug.id: _head(bug) for bug in self.benchmark}

    @property
    def known_heads(self) -> Mapping[str, BugHead]:
        """Return the same if it is known already."""
        return self._heads or {}


@record
class OpenProject:
    """A project in which people label bugs, with its name in addresses."""

    slug: str
    folder: Path
    project: BugProject
    benchmark: OpenBenchmark

    @property
    def name(self) -> str:
        """Return what it is called."""
        return f"{self.benchmark.benchmark.name} by {self.project.scheme.name}"

    @property
    def next_step(self) -> tuple[str, str]:
        """Return the command that makes something of the answers, and what."""
        return f"repairlab label {self.project.benchmark} --to {self.folder}", "labels.jsonl, the same records as of `label`"


class OpenRun:
    """A run with its name in addresses, and what was computed of it."""

    def __init__(self, slug: str, index: RunIndex, number: int) -> None:
        """Take the index of a run; `number` decides its colour."""
        self.slug, self.index, self.number = slug, index, number
        self.name = slug
        self._measured: tuple[str, Measured] | None = None
        self._not_before = 0.0

    @property
    def folder(self) -> Path:
        """Return where the run is."""
        return self.index.store.folder

    @property
    def next_step(self) -> tuple[str, str]:
        """Return the command that makes something of what raters say, and what."""
        return f"repairlab assess {self.folder.name}", "correct@k beside pass@k"

    @property
    def digest(self) -> str:
        """Return the digest of its benchmark."""
        return self.index.manifest.benchmark_digest

    def require(self, bug_id: str) -> None:
        """Refuse a bug that is no part of the run."""
        if not self.index.has(bug_id):
            raise unknown(f"bug of the run {self.slug}", bug_id, self.index.manifest.bug_ids)

    @property
    def transcripts(self) -> Transcripts:
        """Return what was asked and answered."""
        return Transcripts(self.index.store, self.index.text_place)

    def measured(self) -> Measured:
        """Return the finished bugs of the run as metrics take them."""
        state = self.index.state
        if self._measured is None or self._measured[0] != state:
            everything = self.index.samples()
            samples = tuple(item for item in everything if item.ended != "unfinished")
            self._measured = (state, self._measured_on(samples, n_unfinished=len(everything) - len(samples)))
        return self._measured[1]

    def _measured_on(self, samples: tuple[Samples, ...], *, n_unfinished: int) -> Measured:
        manifest = self.index.manifest
        return Measured(
            folder=self.folder,
            manifest=manifest,
            samples=samples,
            sampled=samples,
            settings=settings_of(manifest, "counted"),
            n_unfinished=n_unfinished,
        )

    def scores(self, known: Mapping[str, BugHead], wanted: BugFilter) -> RunScores:
        """Return the scores over the wanted bugs. Those over all bugs come from `compute` and may lag behind a run that goes on."""
        name = f"scores {wanted.language} {wanted.label}"
        kept = self.index.made(name, is_fresh=not wanted.is_all)
        if kept is None:
            if wanted.is_all or self.index.is_behind:
                return self.unscored
            kept = self._compute(name, _only(self.measured(), known, wanted))
        return self._with(Scores(scores=tuple(Score(**item) for item in kept["scores"]), left_out=kept["left_out"]))

    def _compute(self, name: str, run: Measured) -> Any:
        state = self.index.state
        made = to_data(_scores(run))
        self.index.keep(name, state, made)
        return made

    @property
    def unscored(self) -> RunScores:
        """Return the run without any score."""
        return self._with(Scores(scores=(), left_out={"fixed": _NOT_READ}))

    def _with(self, result: Scores) -> RunScores:
        return RunScores(run=self._measured_on((), n_unfinished=0), result=result)

    def curve(self, metric: str) -> list[Score]:
        """Return the curve of a metric over k, if it is known; `compute` finds it."""
        return [Score(**item) for item in self.index.made(f"curve {metric}", is_fresh=False) or []]

    def compute(self) -> bool:
        """Compute what pages show of the whole run and is not known yet; return whether anything was."""
        start = time.monotonic()
        if start < self._not_before or self.index.is_behind or self.index.made("done") is not None:
            return False
        state, run = self.index.state, self.measured()
        kept = self._compute("scores  ", run)
        for metric in ("pass@k", "top@k"):
            if run.settings.n > 1 and any(item["metric"] == metric for item in kept["scores"]):
                entry = RunScores(run=run, result=Scores(scores=(), left_out={}))
                self.index.keep(f"curve {metric}", state, to_data(curve_scores(metric, entry)))
        self.index.keep("done", state, True)
        self._measured = None
        self._not_before = time.monotonic() + _REST * (time.monotonic() - start)
        return True

    @property
    def is_computed(self) -> bool:
        """Whether nothing is left to be computed."""
        return not self.index.is_behind and self.index.made("done") is not None


class Workbench:
    """All that is open. `start` lets a process follow the runs; without it nothing is read until `catch_up`."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache
        self.runs: dict[str, OpenRun] = {}
        self.projects: dict[str, OpenProject] = {}
        self.benchmarks: dict[str, OpenBenchmark] = {}
        self._by_digest: dict[str, OpenBenchmark | None] = {}
        self._why_not: dict[str, str] = {}
        self._reader: threading.Thread | None = None
        self._follower: subprocess.Popen[bytes] | None = None

    def open(self, paths: Sequence[str]) -> None:
        """Open run folders and benchmarks; what is neither is an error that says so."""
        for path in paths:
            if (Path(path) / "run.json").is_file():
                slug = _slug(Path(path).resolve().name, {**self.runs, **self.projects})
                self.runs[slug] = OpenRun(slug, RunIndex(Path(path), self._cache), len(self.runs))
            elif is_project(Path(path)):
                self._open_project(Path(path))
            else:
                self._open_benchmark(path)
        if not self.runs and not self.benchmarks:
            raise UserError("nothing to view: name run folders or benchmarks, such as: repairlab view runs/* starter")
        names = system_names([run.unscored for run in self.runs.values()])
        for run, name in zip(self.runs.values(), names, strict=True):
            run.name = name

    def _open_benchmark(self, path: str) -> None:
        try:
            benchmark = open_benchmark(path)
        except UserError as error:
            raise UserError(f"{path} is neither a run folder (it has no run.json) nor a benchmark: {error}") from None
        if benchmark.digest not in self._by_digest:
            self._add(benchmark)

    def _open_project(self, folder: Path) -> None:
        project = read_project(folder)
        benchmark = open_benchmark(project.benchmark)
        if benchmark.digest != project.digest:
            raise UserError(
                f"{folder} asks about {project.benchmark} with digest {project.digest}, but the one here has {benchmark.digest}; "
                "put back what it was, or begin another project"
            )
        slug = _slug(folder.resolve().name, {**self.runs, **self.projects})
        opened = self._by_digest.get(benchmark.digest) or self._add(benchmark)
        self.projects[slug] = OpenProject(slug=slug, folder=folder, project=project, benchmark=opened)

    def _add(self, benchmark: Benchmark) -> OpenBenchmark:
        slug = _slug(benchmark.name, self.benchmarks)
        made = OpenBenchmark(slug, benchmark)
        self.benchmarks[slug] = made
        self._by_digest[benchmark.digest] = made
        return made

    def run(self, slug: str) -> OpenRun:
        """Return a run by its name in addresses."""
        if slug not in self.runs:
            raise unknown("run", slug, self.runs)
        return self.runs[slug]

    def benchmark(self, slug: str) -> OpenBenchmark:
        """Return a benchmark by its name in addresses."""
        self.open_all()
        if slug not in self.benchmarks:
            raise unknown("benchmark", slug, self.benchmarks)
        return self.benchmarks[slug]

    def open_all(self) -> None:
        """Open the benchmarks of all runs."""
        for run in self.runs.values():
            self.benchmark_of(run)

    def benchmark_of(self, run: OpenRun) -> OpenBenchmark | None:
        """Return the benchmark of a run; none when it is not at hand, not the same any more, or still being opened by a thread."""
        if run.digest not in self._by_digest and (self._reader in (None, threading.current_thread())):
            self._open_of(run)
        return self._by_digest.get(run.digest)

    def _open_of(self, run: OpenRun) -> None:
        try:
            self._add(benchmark_of_run(run.index.manifest))
        except UserError as error:
            self._why_not[run.digest] = str(error)
            self._by_digest[run.digest] = None

    def is_opened(self, run: OpenRun) -> bool:
        """Tell whether it is known what the benchmark of a run is."""
        self.benchmark_of(run)
        return run.digest in self._by_digest

    def why_no_texts(self, run: OpenRun) -> str:
        """Say why the texts of a run's bugs cannot be shown; empty when they can."""
        if not self.is_opened(run):
            return f"benchmark {run.index.manifest.benchmark_name} is still being opened"
        return self._why_not.get(run.digest, "")

    def runs_on(self, digest: str) -> list[OpenRun]:
        """Return the runs on a benchmark."""
        return [run for run in self.runs.values() if run.digest == digest]

    def catch_up(self) -> None:
        """Read all that is there and compute what pages show."""
        for run in self.runs.values():
            while run.index.follow():
                pass
            run.compute()

    def start(self) -> None:
        """Let a process follow the runs, and a thread read the benchmarks, until `close`."""
        folders = [str(run.folder.resolve()) for run in self.runs.values()]
        if folders:
            command = [sys.executable, "-m", "repairlab.serve.browser.index_process", str(self._cache.resolve()), *folders]
            self._follower = subprocess.Popen(command, stdin=subprocess.PIPE)
        self._reader = threading.Thread(target=self._read_benchmarks, name="read benchmarks", daemon=True)
        self._reader.start()

    def _read_benchmarks(self) -> None:
        self.open_all()
        for benchmark in list(self.benchmarks.values()):
            with contextlib.suppress(UserError):  # pages say it
                benchmark.read_heads()

    @property
    def problem(self) -> str:
        """Say why runs are not followed any more; empty when they are, or need not be."""
        code = self._follower.poll() if self._follower is not None else None
        return "" if code is None else f"the process that reads runs ended with code {code}; stop the viewer and start it again"

    def close(self) -> None:
        """Stop following and close all files; the process that follows ends by itself."""
        if self._follower is not None and self._follower.stdin is not None:
            self._follower.stdin.close()
            self._follower.wait()
        for run in self.runs.values():
            run.index.close()


def _scores(run: Measured) -> Scores:
    if not run.samples:
        return Scores(scores=(), left_out={"fixed": "no bug is finished"})
    return score_run(run.samples, run.settings, run.manifest.experiment.k)


def _only(run: Measured, known: Mapping[str, BugHead], wanted: BugFilter) -> Measured:
    if wanted.is_all:
        return run
    samples = tuple(item for item in run.samples if wanted.takes(item.bug_id, item.language, known))
    return dataclasses.replace(run, samples=samples, sampled=samples)


def _head(bug: Bug) -> BugHead:
    labels: dict[str, Any] = to_data(bug.labels)
    return BugHead(
        id=bug.id,
        language=bug.problem.language,
        title=bug.problem.title,
        labels=tuple((name, str(value)) for name, value in labels.items() if value),
    )


def _slug(name: str, taken: Mapping[str, object]) -> str:
    """Return a name for addresses that nothing else has.

    >>> _slug("My run/1", {}), _slug("a", {"a": 1})
    ('My-run-1', 'a-2')
    """
    base = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.") or "run"
    slug, number = base, 1
    while slug in taken:
        number += 1
        slug = f"{base}-{number}"
    return slug
