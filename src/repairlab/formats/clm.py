"""Results of lin-tan/clm (`*_validate.json`) and its candidates (`*_output.json`): JSON by bug, with code to put in and verdicts.

An entry shows the buggy function without comments, and between two marks the lines that a candidate replaces. These are found
in the bug's own source by their tokens: line numbers (`loc`) differ between versions of a benchmark. Where there is a
`function range`, a candidate is the whole function.
"""

import dataclasses
import difflib
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, objects, read_object
from repairlab.core.record import record
from repairlab.core.text import Span, line_of
from repairlab.formats.format import (
    ExternalCandidate,
    JudgedCandidate,
    KnownVerdict,
    Sight,
    Unreadable,
    correctness,
    known_verdict,
    word,
)
from repairlab.formats.reading import Maker, files_of, items_of, located, read_entries
from repairlab.formats.writing import Rendered, by_bug, function_text, rendered, write_json
from repairlab.languages.language import language
from repairlab.metrics.published import PublishedOutcome, PublishedResults, make_results

_VALIDATED = "_validate.json"
_METHOD = re.compile(r"([A-Za-z]+)_(\d+)_.+_\d+-\d+")
_MARK = "</s>"
_MASK = "<extra_id_0>"
"""Replaces the buggy lines; CodeT5 is shown it without being trained for it."""
_LONGEST_GAP = 200
"""How many tokens of the source a mask may stand for."""
_COMMENTS = re.compile(r"// (?:buggy lines start|buggy lines end|fixed lines):")
_ALIKE = 0.85
"""Share of a function's tokens that must be in the bug's source."""
_LINE_CONFIGS = ("CODET5_BASE_CODEFORM_MASKFORM_NOCOMMENT", "CODET5_BASE_CODEFORM_COMMENTFORM_NOCOMMENT")
_SPECIAL = re.compile(r"^(?:<pad>|<s>|\s*java\s(?=<s>))+|(?:</s>|<pad>|<\|endoftext\|>)+$")
"""What models print around an answer."""


@record
class _Place:
    """Where a candidate goes."""

    span: Span
    exact: bool
    """Whether the function shown is the bug's; a verdict on another version of it says less."""


def recognises(sight: Sight) -> bool:
    """Return whether there is a configuration and data with outputs."""
    first = sight.first
    if not isinstance(first, dict) or "config" not in first or not isinstance(first.get("data"), dict):
        return False
    value = next(iter(first["data"].values()), None)
    return isinstance(value, dict) and "output" in value


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read the candidates of each bug by rank, with their verdicts where there are some."""
    maker = Maker(benchmark, repairer="clm")
    whole = read_object(path)
    config = str(whole.get("config"))
    return read_entries(maker.index, _entries(path, whole), lambda item: _candidates_of(*item, config, maker))


def _entries(path: Path, whole: dict[str, Any]) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield name and entry of each bug, with where it is."""
    return items_of(path, field(whole, "data", dict, str(path)))


def recognises_results(sight: Sight) -> bool:
    """Return whether it is a file of this form, or a folder with such files."""
    return recognises(sight) or any(name.endswith(_VALIDATED) for name in sight.names)


def read_results(paths: Sequence[Path]) -> PublishedResults:
    """Read files of verdicts, or all `*_validate.json` of folders; the file's name tells the model, its folder the benchmark."""
    bugs: list[str] = []
    outcomes: list[PublishedOutcome] = []
    for path in files_of(paths, f"*{_VALIDATED}"):
        benchmark = path.absolute().parent.name
        system = path.name.removesuffix(_VALIDATED).removesuffix(".json")
        for where, (key, value) in _entries(path, read_object(path)):
            method = _METHOD.fullmatch(key)
            bugs.append(f"{benchmark}/{method[1]}-{method[2]}" if method else f"{benchmark}/{key}")
            with located(f"{path.parent}/{where}"):
                outputs = objects(field(as_type(value, dict), "output", list))
                for rank, (place, item) in enumerate(outputs, start=1):
                    outcomes.append(PublishedOutcome(system=system, bug=bugs[-1], rank=rank, verdict=correctness(item, place)))
    return make_results(outcomes, bugs)


def _candidates_of(name: str, value: Any, config: str, maker: Maker) -> Iterator[ExternalCandidate]:
    entry = as_type(value, dict)
    bug = maker.bug(name)
    whole = "function range" in entry and config not in _LINE_CONFIGS
    place = None if whole else _marked(field(entry, "input", str), bug)
    for item in field(entry, "output", list):
        text, verdict = _text(item)
        if place is not None:
            seen = dataclasses.replace(verdict, other_source=not place.exact) if verdict else None
            yield _replaced(bug, text, place.span, seen, maker)
        else:
            yield _function(bug, text, verdict, maker)


def _text(item: Any) -> tuple[str, KnownVerdict | None]:
    if isinstance(item, str):
        return _SPECIAL.sub("", item), None
    entry = as_type(item, dict, what="an output")
    return field(entry, "patch", str), known_verdict(entry.get("correctness"))


def _replaced(bug: Bug, text: str, place: Span, verdict: KnownVerdict | None, maker: Maker) -> ExternalCandidate:
    """Return the candidate that replaces the buggy lines by a text; an empty one deletes them."""
    new = text.strip() + ("\n" if place.start == place.end else "")
    return maker.made(bug, (Edit(path=bug.problem.path, text=new, span=place),), maker.origin(None), known=verdict)


def _function(bug: Bug, text: str, verdict: KnownVerdict | None, maker: Maker) -> ExternalCandidate:
    """Return the candidate that replaces a function: the one of the same name if it is unique, else the one to fix."""
    syntax = language(bug.problem.language).syntax
    mine = syntax.functions(text)
    named = [found for found in syntax.functions(bug.problem.source) if mine and found.name == mine[0].name]
    if len(named) == 1 and named[0].span != bug.problem.target.span:
        return maker.span(bug, text, named[0].span, known=verdict)
    return maker.function(bug, text, known=verdict)


def _marked(shown: str, bug: Bug) -> _Place:
    """Return where the marked part of a function is in the bug's source."""
    before, inside, after = _parts(shown)
    tokens = language(bug.problem.language).syntax.tokens
    wanted, source = tokens(before + (inside or "") + after), tokens(bug.problem.source)
    first = sum(token.span.start < len(before) for token in wanted)
    texts, names = [token.text for token in source], [token.text for token in wanted]
    if inside is None:
        low, high, exact = _around(texts, names[:first], names[first:])
    else:
        last = sum(token.span.start < len(before) + len(inside) for token in wanted)
        low, high, exact = _aligned(texts, names, first, last)
    if low is None or high is None:
        name = before.strip().split("\n")[0]
        raise UserError(f"input: this function is not in {bug.problem.path} of bug {bug.id}, or more than once: {name[:80]!r}")
    if low < high:
        return _Place(span=Span(start=source[low].span.start, end=source[high - 1].span.end), exact=exact)
    start = source[low].span.start if low < len(source) else len(bug.problem.source)
    return _Place(span=Span(start=start, end=start), exact=exact)


def _parts(shown: str) -> tuple[str, str | None, str]:
    """Return the text before, between and after the marks, of which there are two kinds; None between them if it is a mask."""
    if _MASK in shown:
        before, _, after = shown.partition(_MASK)
        return before, None, after
    parts = _COMMENTS.split(shown) if _COMMENTS.search(shown) else shown.removeprefix("<s>").split(_MARK)
    if len(parts) < 3:
        raise UserError(f"input: the buggy lines are not between two marks </s>, or // buggy lines start: and end:, nor a {_MASK}")
    return parts[0], parts[1], parts[2]


def _aligned(source: list[str], wanted: list[str], first: int, last: int) -> tuple[int | None, int | None, bool]:
    """Return the tokens of the source that stand between the neighbours of tokens `first` to `last`, and if all are the same.

    The function may differ a little from the one in the source, as it does between versions of a benchmark.
    """
    size = len(wanted)
    at = [start for start in range(len(source) - size + 1) if source[start : start + size] == wanted]
    if at:
        return (at[0] + first, at[0] + last, True) if len(at) == 1 else (None, None, False)
    place = _alike(source, wanted)
    if first - 1 not in place or last not in place:
        return None, None, False
    low, high = place[first - 1] + 1, place[last]
    return (low, high, False) if low <= high <= low + 2 * (last - first) + 10 else (None, None, False)


def _around(source: list[str], before: list[str], after: list[str]) -> tuple[int | None, int | None, bool]:
    """Return the tokens of the source that stand in the place of a mask, and if all around it are the same.

    Where they are, the function ends where its braces do in the source.
    """
    for start in range(len(source) - len(before) + 1):
        end = _end_of_braces(source, start)
        high = end - len(after)
        if source[start : start + len(before)] == before and high >= start + len(before) and source[high:end] == after:
            return start + len(before), high, True
    place = _alike(source, before + after)
    low, high = place.get(len(before) - 1, len(source)) + 1, place.get(len(before), -1)
    return (low, high, False) if low <= high <= low + _LONGEST_GAP else (None, None, False)


def _end_of_braces(source: list[str], start: int) -> int:
    depth = 0
    for index in range(start, len(source)):
        depth += {"{": 1, "}": -1}.get(source[index], 0)
        if source[index] == "}" and depth <= 0:
            return index + 1
    return len(source)


def _alike(source: list[str], wanted: list[str]) -> dict[int, int]:
    """Return where the wanted tokens are in the source; None if too few of them are."""
    blocks = difflib.SequenceMatcher(None, source, wanted, autojunk=False).get_matching_blocks()
    place = {block.b + index: block.a + index for block in blocks for index in range(block.size)}
    return place if len(place) >= _ALIKE * len(wanted) else {}


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write whole functions with their verdicts; without any verdict, as candidates."""
    notes: list[str] = []
    groups = by_bug(rendered(samples, benchmark, function_text, notes))
    write_json(path, {"config": "repairlab", "data": {bug.id: _entry(bug, group) for bug, group in groups}})
    return tuple(notes)


def _entry(bug: Bug, group: list[Rendered]) -> dict[str, Any]:
    source, span = bug.problem.source, bug.problem.target.span
    first, last = line_of(source, span.start), line_of(source, max(span.end - 1, span.start))
    columns = [at - source.rfind("\n", 0, at) for at in (span.start, max(span.end - 1, span.start))]
    lines = [lines for lines in bug.problem.location or () if lines.path == bug.problem.path]
    loc = f"{lines[0].first}-{lines[0].last + 1}" if lines else f"{first}-{last + 1}"
    return {
        "loc": loc,
        "input": bug.problem.target.text,
        "function range": f"{first},{columns[0]}-{last},{columns[1]}",
        "output": [_output(item) for item in group],
    }


def _output(item: Rendered) -> dict[str, str] | str:
    verdict = word(item.sample.verdict)
    return {"patch": item.text, "correctness": verdict} if verdict else item.text
