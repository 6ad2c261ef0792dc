"""Samples of HumanEval and EvalPlus: JSON Lines of `task_id` with `completion` or `solution`, or a folder TASK_ID/N.py.

A solution that is just the function to fix replaces it, any other the whole file. A completion is the function's new body.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, first_field, read_text
from repairlab.core.storage.folders import new_folder
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import Maker, read_entries, read_lines
from repairlab.formats.writing import by_bug, file_text, rendered, write_lines, write_text
from repairlab.languages.language import Function, language

_SAMPLE = re.compile(r"[^/]+/\d+\.(py|java|c|cpp)")


def recognises(sight: Sight) -> bool:
    """Return whether the first line is a sample, or every file of a folder is one."""
    entry = sight.entry
    samples = bool(sight.names) and all(_SAMPLE.fullmatch(name) for name in sight.names)
    return samples or ("task_id" in entry and ("completion" in entry or "solution" in entry))


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read samples; those of a task are ranked by their order or number."""
    maker = Maker(benchmark)
    if path.is_dir():
        files = sorted(
            path.glob("*/*.*"), key=lambda file: (file.parent.name, int(file.stem) if file.stem.isdigit() else 0, file.name)
        )
        named = ((file.relative_to(path).as_posix(), file) for file in files)
        return read_entries(maker.index, named, lambda file: [_solution(maker.bug(file.parent.name), read_text(file), maker)])
    return read_lines(maker.index, path, lambda entry: [_candidates_of(entry, maker)])


def _candidates_of(entry: dict[str, Any], maker: Maker) -> ExternalCandidate:
    bug = maker.bug(field(entry, "task_id", str))
    text = first_field(entry, ("solution", "completion"), str)
    if "solution" in entry or _functions(text, bug):
        return _solution(bug, text, maker)
    return maker.function(bug, _head(bug) + text.rstrip() + ("\n" if bug.problem.target.text.endswith("\n") else ""))


def _solution(bug: Bug, text: str, maker: Maker) -> ExternalCandidate:
    whole = bug.problem.target.name is None or not _is_target_alone(text, bug)
    return maker.file(bug, text) if whole else maker.function(bug, text.strip("\n"))


def _is_target_alone(text: str, bug: Bug) -> bool:
    """Whether a text is only the function to fix, while the file holds more."""
    found = _functions(text, bug)
    if not found or bug.problem.source.strip() == bug.problem.target.text.strip():
        return False
    return found[0].name == (bug.problem.target.name or "").rpartition(".")[2] and found[0].span.of(text).strip() == text.strip()


def _functions(text: str, bug: Bug) -> list[Function]:
    return language(bug.problem.language).syntax.functions(text)


def _head(bug: Bug) -> str:
    """Return the function to fix up to its body; a docstring belongs to the head, as in HumanEval's prompts."""
    target = bug.problem.target.text
    found = _functions(target, bug)
    if not found:
        raise UserError(f"a completion is the rest of a function, but what is to be fixed in {bug.problem.path} is none")
    start = found[0].body.start
    if bug.problem.language != "python":
        return target[: start + 1]
    docstring = re.match(r'[rRuU]?("""|\'\'\')(?s:.*?)\1[ \t]*\n', target[start:])
    if docstring:
        return target[: start + docstring.end()]
    head = target[:start].rstrip(" \t")
    return head if head.endswith("\n") else head + "\n"


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write whole files as solutions: JSON Lines, or a folder when the name ends in neither .jsonl nor .json."""
    notes: list[str] = []
    maker = Maker(benchmark)

    def text_of(candidate: Candidate, bug: Bug) -> str:
        text = file_text(candidate, bug)
        old = {bug.problem.path: bug.problem.source}
        if apply_edits(_solution(bug, text, maker).candidate.edits, old) != {bug.problem.path: text}:
            raise UserError("a file that is but the function to fix would be read as the function")
        return text

    items = rendered(samples, benchmark, text_of, notes)
    if path.suffix in (".jsonl", ".json"):
        write_lines(path, ({"task_id": item.bug.id, "solution": item.text} for item in items))
        return tuple(notes)
    with new_folder(path) as folder:
        for bug, group in by_bug(items):
            for item in group:
                number = item.sample.candidate.rank - 1
                write_text(folder / bug.id.replace("/", "_") / f"{number}{Path(bug.problem.path).suffix}", item.text)
    return tuple(notes)
