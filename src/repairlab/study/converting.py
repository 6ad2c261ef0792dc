"""Write the candidates of a run, or of a file in any format, in another format."""

from collections.abc import Iterator
from pathlib import Path

from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.formats.format import JudgedCandidate
from repairlab.formats.table import FORMATS
from repairlab.runs.integrity import require_intact
from repairlab.runs.store import Store
from repairlab.study.external_candidates import read_external_candidates


@record
class Converted:
    """What came of a conversion."""

    path: Path
    n_candidates: int
    errors: tuple[str, ...]
    """Entries that could not be read."""
    notes: tuple[str, ...]
    """What the new format cannot say."""


def convert_candidates(source: Path, benchmark: Benchmark, format_name: str, path: Path, *, source_format: str | None) -> Converted:
    """Read a run folder or a file and write all of it, or nothing, to a new place."""
    target = FORMATS[format_name]
    counted = _Counter()
    errors: tuple[str, ...] = ()
    if (source / "run.json").is_file() and source_format is None:
        samples = _of_run(Store(source), benchmark)
    else:
        external = read_external_candidates(source, benchmark, source_format)
        errors = external.errors
        samples = (
            JudgedCandidate(
                candidate=candidate, verdict=found.verdicts[0] if (found := external.known.get((bug, candidate.rank))) else None
            )
            for bug, candidates in external.candidates.items()
            for candidate in candidates
        )
    notes = target.write(counted(samples), benchmark, path)
    return Converted(path=path, n_candidates=counted.n, errors=errors, notes=notes)


class _Counter:
    """Counts what passes through."""

    n = 0

    def __call__(self, samples: Iterator[JudgedCandidate]) -> Iterator[JudgedCandidate]:
        for sample in samples:
            self.n += 1
            yield sample


def _of_run(store: Store, benchmark: Benchmark) -> Iterator[JudgedCandidate]:
    """Yield a run's candidates bug by bug and by rank, but none for bugs that had none; only places are held in memory."""
    manifest = store.manifest()
    require_intact(store)
    if manifest.benchmark_digest != benchmark.digest:
        raise UserError(
            f"{store.folder} is a run on {manifest.benchmark_name} {manifest.benchmark_version} ({manifest.benchmark_digest}), "
            f"but {benchmark.name} here is {benchmark.version} ({benchmark.digest})"
        )
    order = {bug_id: number for number, bug_id in enumerate(manifest.bug_ids)}
    missing = frozenset(manifest.coverage.missing if manifest.coverage else ())
    found = ((place, data) for place, data in store.scan_data(Candidate) if data["bug_id"] not in missing)
    places = sorted((order[data["bug_id"]], data["rank"], place) for place, data in found)
    outcomes = {data["candidate_id"]: place for place, data in store.scan_data(Outcome)}
    if not places:
        raise UserError(f"{store.folder} holds no candidates yet; go on with: repairlab run --resume {store.folder}")
    for _, _, place in places:
        candidate = store.at(Candidate, place)
        at = outcomes.get(candidate.id)
        yield judged(candidate, None if at is None else store.at(Outcome, at))


def judged(candidate: Candidate, outcome: Outcome | None) -> JudgedCandidate:
    """Return a candidate with what its outcome says; how many tests pass is known only when all were run."""
    if outcome is None:
        return JudgedCandidate(candidate=candidate)
    passed = len(outcome.tests) == outcome.n_tests or outcome.verdict in (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE)
    return JudgedCandidate(
        candidate=candidate,
        verdict=outcome.verdict,
        n_passed=outcome.n_passed if passed else None,
        n_tests=outcome.n_tests,
    )
