"""Promises of parts that read and score candidates: formats, metrics, and tables of papers."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.contracts.selftest import Check, NotTried, SelfTestContext, attempt
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.record import to_json
from repairlab.core.score import Samples
from repairlab.core.table import Table
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Unreadable
from repairlab.formats.reading import old_files
from repairlab.formats.table import FORMATS, recognise
from repairlab.metrics.metric import ScoreSettings, Values
from repairlab.metrics.table import METRICS
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import finish_run, start_run
from repairlab.study.bugs import read_texts
from repairlab.study.papers.facts import PaperFacts, read_facts
from repairlab.study.papers.table import TABLES
from repairlab.study.systems import read_systems

_N_BUGS = 4


def format_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a format."""
    benchmark = open_benchmark("starter")
    path = context.folder / getattr(FORMATS[name], "EXAMPLE", "candidates.jsonl")
    yield attempt("it writes, recognises and reads candidates", lambda: _tries(name, starter_samples(benchmark), benchmark, path))
    yield attempt("it says what is wrong with a file of nonsense", lambda: _refuses(name, benchmark, context.folder))


def starter_samples(benchmark: Benchmark) -> list[JudgedCandidate]:
    """Return two candidates for some bugs: the function with a blank line before it, and behind it."""
    made = []
    for bug in list(benchmark)[:: max(1, len(benchmark) // _N_BUGS)]:
        target = bug.problem.target
        for rank, text in enumerate(("\n" + target.text, target.text + "\n"), start=1):
            edit = Edit(path=bug.problem.path, text=text, span=target.span)
            candidate = Candidate(bug_id=bug.id, edits=(edit,), rank=rank, origin=Origin(repairer="r", model="m"))
            made.append(JudgedCandidate(candidate=candidate, verdict=Verdict.WRONG, n_passed=0, n_tests=1))
    return made


def wrong_with_round_trip(name: str, samples: Sequence[JudgedCandidate], benchmark: Benchmark, path: Path) -> str:
    """Write samples, read them again, and say what is not as it was: candidates lost, changed or of other rank."""
    FORMATS[name].write(iter(samples), benchmark, path)
    if recognise(path) != name:
        return f"what it wrote was recognised as {recognise(path)}"
    read = list(FORMATS[name].read(path, benchmark))
    unreadable = [str(item) for item in read if isinstance(item, Unreadable)]
    if unreadable:
        return f"it cannot read what it wrote: {unreadable[0]}"
    again = {(item.candidate.bug_id, item.candidate.rank): item.candidate for item in read if isinstance(item, ExternalCandidate)}
    for candidate in (sample.candidate for sample in samples):
        found = again.pop((candidate.bug_id, candidate.rank), None)
        if found is None:
            return f"candidate {candidate.rank} of {candidate.bug_id} was lost"
        if (found.problem is None) != (candidate.problem is None) or new_tree(found, benchmark) != new_tree(candidate, benchmark):
            return f"candidate {candidate.rank} of {candidate.bug_id} is another one after reading"
    return f"it read what was not written: {sorted(again)}" if again else ""


def new_tree(candidate: Candidate, benchmark: Benchmark) -> dict[str, str | None]:
    """Return the files that a candidate changes."""
    bug = benchmark.bug(candidate.bug_id)
    return apply_edits(candidate.edits, old_files(bug, (edit.path for edit in candidate.edits)))


def _tries(name: str, samples: Sequence[JudgedCandidate], benchmark: Benchmark, path: Path) -> str:
    try:
        return wrong_with_round_trip(name, samples, benchmark, path)
    except UserError as error:
        raise NotTried(f"it has no place for candidates of the built-in benchmark: {error}") from error


def _refuses(name: str, benchmark: Benchmark, folder: Path) -> str:
    path = folder / "nonsense.jsonl"
    path.write_text('{"nothing": 1}\nno JSON at all\n', encoding="utf-8")
    try:
        read = list(FORMATS[name].read(path, benchmark))
    except UserError:
        return ""
    return "it reads nonsense as candidates" if any(isinstance(item, ExternalCandidate) for item in read) else ""


N = 6
SETTINGS = ScoreSettings(n=N, benchmark="toy@1#0", policy="full", conditions=(), rounds=1, duplicates="counted", repairlab="0")
_VERDICTS = tuple(Verdict)


def metric_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a metric."""
    del context
    ks = (1, N) if "@k" in name else (0,)
    runs = [drawn_samples(seed) for seed in range(40)]
    yield attempt("it takes samples of all kinds", lambda: _takes(name, ks, [[], *runs, *([item] for item in runs[0])]))
    yield attempt("it is pure", lambda: _is_pure(name, ks, runs))
    yield attempt("the order of bugs does not matter", lambda: _is_even(name, ks, runs))
    yield attempt("a share lies between 0 and 1", lambda: _in_range(name, ks, runs))


def drawn_samples(seed: int) -> list[Samples]:
    """Return some bugs with verdicts drawn at random: none, all UNDECIDED, and any others."""
    draw = random.Random(seed)
    made = []
    for number in range(draw.randint(1, 5)):
        n = draw.choice((0, 1, N, N, N))
        verdicts = tuple(draw.choice(_VERDICTS) for _ in range(n))
        made.append(
            Samples(
                bug_id=f"bug-{number}",
                language="c",
                verdicts=(Verdict.UNDECIDED,) * n if draw.random() < 0.1 else verdicts,
                passed=tuple(draw.random() for _ in range(n)),
                distinct=draw.randint(min(1, n), n),
                ended="asked" if n == N else "exhausted",
            )
        )
    return made


def _measured(name: str, k: int, samples: Sequence[Samples]) -> Values | None:
    try:
        return METRICS[name].measure(samples, SETTINGS, k)
    except UserError as error:
        if not str(error).startswith(f"{name.partition('@')[0]}"):
            raise ValueError(f"its message should begin with its name: {error}") from error
        return None


def _takes(name: str, ks: Sequence[int], runs: Sequence[Sequence[Samples]]) -> str:
    for samples in runs:
        for k in ks:
            values = _measured(name, k, samples)
            if values is not None and not set(values.by_bug) <= {item.bug_id for item in samples}:
                return f"it has values for bugs that were not given: {sorted(values.by_bug)}"
    return ""


def _is_pure(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs:
        before = to_json(samples)
        for k in ks:
            if _measured(name, k, samples) != _measured(name, k, samples):
                return "the same samples gave two values"
        if to_json(samples) != before:
            return "it changed the samples"
    return ""


def _is_even(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs:
        for k in ks:
            one, two = _measured(name, k, samples), _measured(name, k, samples[::-1])
            if (one and one.by_bug) != (two and two.by_bug):
                return "the order of bugs changed a value"
    return ""


def _in_range(name: str, ks: Sequence[int], runs: Sequence[list[Samples]]) -> str:
    for samples in runs if METRICS[name].is_share else ():
        for k in ks:
            values = _measured(name, k, samples)
            for bug_id, value in (values.by_bug if values else {}).items():
                if not 0 <= value <= 1:
                    return f"it is {value} for {bug_id}; say is_share=False where that is meant"
    return ""


def table_checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a table on two runs over a bug of the built-in benchmark."""
    made: list[PaperFacts] = []
    yield attempt("there are runs to make it of", lambda: made.append(_facts(context)))
    for facts in made:
        yield attempt("it is made of runs", lambda: _makes(name, facts))  # noqa: B023  # called at once


def _facts(context: SelfTestContext) -> PaperFacts:
    benchmark = open_benchmark("starter")
    folders = [context.folder / repairer for repairer in ("copy", "reference")]
    for folder in folders:
        bug_id = next(iter(benchmark)).id
        experiment = make_experiment({"benchmark": "starter", "repairer": folder.name, "n": 1, "k": (1,), "include": (bug_id,)})
        start_run(experiment, benchmark, folder, context.machine)
        finish_run(benchmark, folder, context.machine, lambda step: None)  # noqa: ARG005
    systems = read_systems(folders)
    return read_facts(systems, read_texts(systems))


def _makes(name: str, facts: PaperFacts) -> str:
    try:
        table = TABLES[name](facts)
    except UserError as error:
        raise NotTried(f"these runs do not support it: {error}") from error
    if not isinstance(table, Table):
        return f"it is {type(table).__name__}, no Table"
    wrong = [row for row in table.rows if len(row) != len(table.columns)]
    return f"a row has {len(wrong[0])} cells and the table {len(table.columns)} columns" if wrong else ""
