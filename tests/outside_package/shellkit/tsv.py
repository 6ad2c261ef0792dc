"""Candidates as lines of three columns: bug, rank, and the new text of the file to fix as a JSON string."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable

EXAMPLE = "candidates.tsv"


def recognises(sight: Sight) -> bool:
    """Return whether a file is named so."""
    return sight.path.suffix == ".tsv"


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read candidates line by line."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            bug_id, rank, text = line.split("\t")
            bug = benchmark.bug(bug_id)
            edit = Edit(path=bug.problem.path, text=json.loads(text))
            yield ExternalCandidate(
                candidate=Candidate(bug_id=bug_id, edits=(edit,), rank=int(rank), origin=Origin(repairer="tsv"))
            )
        except (ValueError, UserError) as error:
            yield Unreadable(where=f"{path}, line {number}", reason=str(error))


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write candidates that change the file to fix, and no other."""
    lines, notes = [], []
    for sample in samples:
        problem = benchmark.bug(sample.candidate.bug_id).problem
        if {edit.path for edit in sample.candidate.edits} != {problem.path}:
            notes.append(f"candidate {sample.candidate.rank} of {problem.id} was left out")
            continue
        text = apply_edits(sample.candidate.edits, {problem.path: problem.source})[problem.path]
        lines.append(f"{problem.id}\t{sample.candidate.rank}\t{json.dumps(text)}\n")
    path.write_text("".join(lines), encoding="utf-8")
    return tuple(notes)
