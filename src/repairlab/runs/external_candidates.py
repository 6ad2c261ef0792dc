"""Read candidates made elsewhere, in whatever format. Called by the verbs `validate` and `convert`."""

from pathlib import Path

from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.formats.format import ExternalCandidate, KnownVerdict
from repairlab.formats.table import FORMATS, recognise


@record
class ExternalCandidates:
    """What a file of candidates holds."""

    format: str
    candidates: dict[str, list[Candidate]]
    """By bug id, in the order of their rank."""
    known: dict[tuple[str, int], KnownVerdict]
    """Published verdicts by bug and rank."""
    errors: tuple[str, ...]
    """One message per entry that could not be read; the others count."""


def read_external_candidates(path: Path, benchmark: Benchmark, format_name: str | None = None) -> ExternalCandidates:
    """Read candidates for a benchmark; without a name the format is recognised. Malformed entries are reported and left out."""
    if not path.exists():
        raise UserError(f"cannot read {path}: No such file or folder")
    name = format_name or recognise(path)
    candidates: dict[str, list[Candidate]] = {}
    known: dict[tuple[str, int], KnownVerdict] = {}
    errors: list[str] = []
    for item in FORMATS[name].read(path, benchmark):
        if not isinstance(item, ExternalCandidate):
            errors.append(str(item))
            continue
        candidate = item.candidate
        candidates.setdefault(candidate.bug_id, []).append(candidate)
        if item.known:
            known[candidate.bug_id, candidate.rank] = item.known
    if not candidates:
        detail = f" The first problem: {errors[0]}" if errors else ""
        raise UserError(f"{path}, read as {name}, holds no usable candidate.{detail}")
    return ExternalCandidates(format=name, candidates=candidates, known=known, errors=tuple(errors))
