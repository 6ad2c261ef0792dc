"""Writing candidates for others: aside first, in their place when they are complete; and what a candidate is as a text."""

import json
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any, TextIO

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits, edits_of_patch, unified_diff
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.formats.format import JudgedCandidate
from repairlab.formats.reading import old_files


@record
class Rendered:
    """One sample as the text that a format has for it."""

    sample: JudgedCandidate
    bug: Bug
    text: str


@contextmanager
def new_file(path: Path) -> Iterator[TextIO]:
    """Yield a file to write to, which gets its name when the block ends well; one that exists is not overwritten."""
    if path.exists():
        raise UserError(f"{path} exists; name a new file with --to")
    path.parent.mkdir(parents=True, exist_ok=True)
    aside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with aside.open("w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            yield file
        aside.rename(path)
    finally:
        aside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write one file of a new folder, line endings as they are."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file."""
    with new_file(path) as file:
        json.dump(value, file, indent=1)
        file.write("\n")


def write_lines(path: Path, values: Iterable[Any]) -> None:
    """Write JSON Lines, one value after the other."""
    with new_file(path) as file:
        for value in values:
            file.write(json.dumps(value) + "\n")


def rendered(
    samples: Iterable[JudgedCandidate], benchmark: Benchmark, text_of: Callable[[Candidate, Bug], str], notes: list[str]
) -> Iterator[Rendered]:
    """Yield each sample as text; one that has no edits is empty, one that the format cannot say is left out, with a note."""
    bugs = {bug.id: bug for bug in benchmark}
    found = False
    for sample in samples:
        candidate = sample.candidate
        bug, name = bugs[candidate.bug_id], f"bug {candidate.bug_id}, rank {candidate.rank}"
        if candidate.problem is not None:
            if candidate.answer:
                notes.append(f"{name}: written as an empty answer, since {candidate.problem}")
            found = True
            yield Rendered(sample=sample, bug=bug, text="")
            continue
        try:
            text = text_of(candidate, bug)
        except UserError as error:
            notes.append(f"{name}: left out, since {error}")
            continue
        found = True
        yield Rendered(sample=sample, bug=bug, text=text)
    if not found:
        raise UserError(f"this format can say none of the candidates. The first: {notes[0] if notes else 'there is none'}")


def by_bug(items: Iterable[Rendered]) -> Iterator[tuple[Bug, list[Rendered]]]:
    """Yield what there is for each bug; it comes bug by bug."""
    for _, found in groupby(items, key=lambda item: item.bug.id):
        group = list(found)
        yield group[0].bug, group


def changed_files(candidate: Candidate, bug: Bug) -> dict[str, str | None]:
    """Return the new text of each file that a candidate changes (none: deleted)."""
    return apply_edits(candidate.edits, old_files(bug, (edit.path for edit in candidate.edits)))


def file_text(candidate: Candidate, bug: Bug) -> str:
    """Return the new text of the file to fix; UserError when the candidate changes another one."""
    changed = changed_files(candidate, bug)
    text = changed.pop(bug.problem.path, bug.problem.source)
    if changed or text is None:
        raise UserError(f"it changes or deletes files besides {bug.problem.path}: {', '.join(changed) or 'that one'}")
    return text


def function_text(candidate: Candidate, bug: Bug) -> str:
    """Return the new text of the function to fix; UserError when the candidate changes anything else."""
    text, source, span = file_text(candidate, bug), bug.problem.source, bug.problem.target.span
    before, after = source[: span.start], source[span.end :]
    if len(text) < len(before) + len(after) or not (text.startswith(before) and text.endswith(after)):
        raise UserError(f"it changes {bug.problem.path} outside of {bug.problem.target.name}")
    return text[span.start : len(text) - len(after)]


def diff_text(candidate: Candidate, bug: Bug) -> str:
    """Return a candidate as a unified diff."""
    changed = changed_files(candidate, bug)
    old = old_files(bug, changed)
    text = "".join(unified_diff(path, old.get(path), new) for path, new in changed.items())
    if not text:
        raise UserError("it changes nothing, which a diff cannot say")
    again = apply_edits(edits_of_patch(text, old), old)
    if again != {path: new for path, new in changed.items() if new != old.get(path)}:
        raise UserError("a diff cannot say its line endings")
    return text
