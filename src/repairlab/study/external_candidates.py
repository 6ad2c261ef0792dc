"""Candidates in any format: read external ones and match them with bugs, or write a run's candidates in another format."""

import dataclasses
import difflib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest, record
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, KnownVerdict, Unreadable
from repairlab.formats.table import FORMATS, recognise
from repairlab.runs.experiment import Coverage, require_benchmark
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import read_sampled
from repairlab.runs.store import Store

_NAMED = 5
"""How many names are reported."""


@record
class ExternalCandidates:
    """The content of a file of candidates."""

    format: str
    candidates: dict[str, list[Candidate]]
    """By bug id, in the order of their rank."""
    known: dict[tuple[str, int], KnownVerdict]
    """Published verdicts by bug and rank."""
    unreadable: tuple[Unreadable, ...]
    """The entries that could not be read; the others count."""
    places: dict[str, list[int]]
    """By bug id, the positions of unreadable entries among the bug's own."""

    @property
    def errors(self) -> tuple[str, ...]:
        """Return one message per entry that could not be read."""
        return tuple(map(str, self.unreadable))

    @property
    def unknown(self) -> Counter[str]:
        """Return how many entries have each name that no bug has."""
        return Counter(item.unknown_bug for item in self.unreadable if item.unknown_bug is not None)


def read_external_candidates(path: Path, benchmark: Benchmark, format_name: str | None = None) -> ExternalCandidates:
    """Read candidates for a benchmark; without a name, the format is recognised. Malformed entries are reported and left out."""
    if not path.exists():
        raise UserError(f"cannot read {path}: No such file or folder")
    name = format_name or recognise(path)
    candidates: dict[str, list[Candidate]] = {}
    known: dict[tuple[str, int], KnownVerdict] = {}
    unreadable: list[Unreadable] = []
    places: dict[str, list[int]] = {}
    for item in FORMATS[name].read(path, benchmark):
        if not isinstance(item, ExternalCandidate):
            unreadable.append(item)
            if item.bug_id is not None:
                places.setdefault(item.bug_id, []).append(len(candidates.get(item.bug_id, ())))
            continue
        candidate = item.candidate
        candidates.setdefault(candidate.bug_id, []).append(candidate)
        if item.known:
            known[candidate.bug_id, candidate.rank] = item.known
    external = ExternalCandidates(format=name, candidates=candidates, known=known, unreadable=tuple(unreadable), places=places)
    if not candidates and external.unknown:
        raise HarnessError(f"nothing in {path}, read as {name}, can be validated: {unknown_bugs(external, benchmark)}")
    if not candidates:
        detail = f" The first problem: {external.errors[0]}" if unreadable else ""
        raise UserError(f"{path}, read as {name}, holds no usable candidate.{detail}")
    return external


def require_one_model(external: ExternalCandidates, path: Path) -> None:
    """Raise UserError if a file holds candidates of several models, since their scores would be mixed."""
    found = (candidate.origin.model for candidates in external.candidates.values() for candidate in candidates)
    models = list(dict.fromkeys(model for model in found if model is not None))
    if len(models) > 1:
        more = f" and {len(models) - _NAMED} more" if len(models) > _NAMED else ""
        raise UserError(
            f"{path} holds candidates of {len(models)} models, which would be scored as one: {', '.join(models[:_NAMED])}{more}. "
            "Split it into one file per model"
        )


def unknown_bugs(external: ExternalCandidates, benchmark: Benchmark) -> str:
    """Name unknown bugs, each with the nearest known one."""
    names = list(external.unknown)
    shown = []
    for name in names[:_NAMED]:
        near = difflib.get_close_matches(name, benchmark.ids, n=1)
        shown.append(f"{name!r} (did you mean {near[0]!r}?)" if near else repr(name))
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    n = external.unknown.total()
    return f"{n} {'entry names' if n == 1 else 'entries name'} no bug of {benchmark.name}: {', '.join(shown)}{more}"


def hold_against(
    external: ExternalCandidates, bug_ids: Sequence[str], path: Path, *, only_given: bool = False
) -> tuple[ExternalCandidates, Coverage]:
    """Return the candidates for these bugs and how they cover them; HarnessError if they have none for any.

    A missing or unreadable candidate counts as failed, without edits. With `only_given`, it is left out instead.
    """
    given = {bug_id: external.candidates[bug_id] for bug_id in bug_ids if bug_id in external.candidates}
    if not given:
        others = ", ".join(list(external.candidates)[:_NAMED])
        raise HarnessError(f"{path} holds no candidate for the chosen bugs; it has some for {others}: choose others with -i")
    missing = [bug_id for bug_id in bug_ids if bug_id not in given]
    first = next(iter(given.values()))[0].origin
    origin = Origin(repairer=first.repairer, model=first.model)
    made: dict[str, list[Candidate]] = {}
    known: dict[tuple[str, int], KnownVerdict] = {}
    for bug_id in given if only_given else bug_ids:
        entries: list[Candidate | None] = list(given.get(bug_id, ()))
        for place in () if only_given else reversed(external.places.get(bug_id, ())):
            entries.insert(place, None)
        problem = f"the entry in {path.name} cannot be read" if entries else f"{path.name} has no candidate for this bug"
        made[bug_id] = []
        for rank, entry in enumerate(entries or [None], start=1):
            if entry is not None and (bug_id, entry.rank) in external.known:
                known[bug_id, rank] = external.known[bug_id, entry.rank]
            failed = Candidate(bug_id=bug_id, edits=(), rank=rank, origin=origin, problem=problem)
            made[bug_id].append(failed if entry is None else dataclasses.replace(entry, rank=rank))
    coverage = Coverage(
        n_bugs=len(made),
        n_given=len(given),
        n_unreadable=len(external.unreadable),
        n_unknown=external.unknown.total(),
        n_outside=sum(map(len, external.candidates.values())) - sum(map(len, given.values())),
        only_given=only_given,
        missing=() if only_given else tuple(missing),
        digest=digest(made),
    )
    return dataclasses.replace(external, candidates=made, known=known), coverage


@record
class Converted:
    """The result of a conversion."""

    path: Path
    n_candidates: int
    errors: tuple[str, ...]
    """Entries that could not be read."""
    notes: tuple[str, ...]
    """What the new format cannot express."""


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
    """Yield a run's candidates by bug and rank, None for bugs without any; holds only positions in memory."""
    manifest = store.manifest()
    require_intact(store)
    require_benchmark(manifest, benchmark, store.folder)
    missing = frozenset(manifest.coverage.missing if manifest.coverage else ())
    sampled = read_sampled(store)
    wanted = [item for bug_id in manifest.bug_ids if bug_id not in missing for item in sampled.get(bug_id, ())]
    if not wanted:
        raise UserError(f"{store.folder} holds no candidates yet; go on with: repairlab run --resume {store.folder}")
    for item in wanted:
        yield judged(store.at(Candidate, item.place), store.at(Outcome, item.judged.place) if item.judged else None)


def judged(candidate: Candidate, outcome: Outcome | None) -> JudgedCandidate:
    """Return a candidate with what its outcome says; how many tests pass is known only if all were run."""
    if outcome is None:
        return JudgedCandidate(candidate=candidate)
    passed = len(outcome.tests) == outcome.n_tests or outcome.verdict in (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE)
    return JudgedCandidate(
        candidate=candidate,
        verdict=outcome.verdict,
        n_passed=outcome.n_passed if passed else None,
        n_tests=outcome.n_tests,
    )
