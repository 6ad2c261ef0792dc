"""What every format promises: what it writes it recognises, and reads again as the same candidates."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.contracts.check import Check, NotTried, SelfTestContext, attempt
from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Unreadable
from repairlab.formats.making import old_files
from repairlab.formats.table import FORMATS, recognise

_N_BUGS = 4


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
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
