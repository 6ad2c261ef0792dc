"""Records of RepairBench (elle-elle-aime): JSON Lines of `identifier`, `buggy_code`, `generation` and `evaluation`.

A generation is code, a chat answer with a fenced block, or the whole reply of a model's service. The code replaces the text
`buggy_code` of the file to fix, which is the function.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field
from repairlab.core.outcome import Verdict
from repairlab.core.text import Span
from repairlab.formats.format import FAIL, PASS, ExternalCandidate, JudgedCandidate, KnownVerdict, Sight, Unreadable, known_verdict
from repairlab.formats.reading import Maker, read_lines
from repairlab.formats.writing import Rendered, by_bug, function_text, rendered, write_lines

_BLOCK = re.compile(r"```\w*\n(.*?)\n?```", re.DOTALL)


def recognises(sight: Sight) -> bool:
    """Return whether the first line has an identifier and generations."""
    return "identifier" in sight.entry and ("generation" in sight.entry or "evaluation" in sight.entry)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read the candidates of one bug a line; an evaluation holds the code that was run and the verdict."""
    maker = Maker(benchmark)
    return read_lines(maker.index, path, lambda entry: _candidates_of(entry, maker))


def _candidates_of(entry: dict[str, Any], maker: Maker) -> Iterator[ExternalCandidate]:
    bug = maker.bug(field(entry, "identifier", str))
    place = _place(entry.get("buggy_code"), bug)
    evaluations = as_type(entry.get("evaluation") or [], list, what="evaluation")
    texts = [message for reply in _replies(entry.get("generation")) for message in _messages(reply)]
    for number in range(max(len(evaluations), len(texts))):
        found = as_type(evaluations[number], dict, what="evaluation") if number < len(evaluations) and evaluations[number] else {}
        text = found["generation"] if "generation" in found else texts[number] if number < len(texts) else None
        text = None if text is None else as_type(text, str, what="generation")
        code = text if text is None or "generation" in found else _code(text)
        if code is None:
            yield maker.unusable(bug, "the answer holds no code", text, known=_known(found))
        elif place == bug.problem.target.span:
            yield maker.function(bug, code, known=_known(found))
        else:
            yield maker.span(bug, code, place, known=_known(found))


def _place(buggy: Any, bug: Bug) -> Span:
    """Return where the buggy code is: the function to fix, unless it is another text that is in the file."""
    target = bug.problem.target
    if not isinstance(buggy, str) or buggy.strip() in ("", target.text.strip()):
        return target.span
    start = bug.problem.source.find(buggy)
    return target.span if start < 0 else Span(start=start, end=start + len(buggy))


def _replies(generation: Any) -> list[Any]:
    return generation if isinstance(generation, list) else [] if generation is None else [generation]


def _messages(reply: Any) -> Iterator[str | None]:
    """Yield the texts of one generation: itself, or those in a service's reply (OpenAI's, Anthropic's and Google's forms)."""
    if reply is None or isinstance(reply, str):
        yield reply
        return
    data = as_type(reply, dict, what="generation")
    try:
        if "choices" in data:
            yield from (choice["message"]["content"] for choice in data["choices"])
        elif "candidates" in data:
            yield from ("".join(part["text"] for part in one["content"]["parts"]) for one in data["candidates"])
        elif "content" in data:
            yield "".join(part["text"] for part in data["content"])
        else:
            raise UserError(f"generation: a reply with {', '.join(sorted(data)) or 'nothing'} is not known")
    except (KeyError, TypeError) as error:
        raise UserError(f"generation: the reply is not complete: {error}") from None


def _code(text: str) -> str | None:
    """Return the code of an answer: its first fenced block, or all of it when there is no fence."""
    block = _BLOCK.search(text)
    return block[1] if block else None if "```" in text else text


def _known(evaluation: dict[str, Any]) -> KnownVerdict | None:
    if evaluation.get("test") is True:
        return PASS
    if evaluation.get("compile") is False:
        return known_verdict("uncompilable")
    return FAIL if evaluation.get("test") is False else None


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write one line per bug; exact_match tells equality with the developer's function but for white space."""
    notes: list[str] = []
    items = rendered(samples, benchmark, function_text, notes)
    write_lines(path, (_entry(bug, group) for bug, group in by_bug(items)))
    return tuple(notes)


def _entry(bug: Bug, group: list[Rendered]) -> dict[str, Any]:
    try:
        fixed = function_text(bug.fix, bug)
    except UserError:
        fixed = None  # the developer changed more than the function
    entry = {
        "identifier": bug.id,
        "buggy_code": bug.problem.target.text,
        "fixed_code": fixed,
        "prompt_strategy": "repairlab",
        "prompt": None,
        "ground_truth": None,
        "generation": [item.text or None for item in group],
    }
    if all(item.sample.verdict is None for item in group):
        return entry
    return entry | {"evaluation": [_evaluation(item, fixed) for item in group]}


def _evaluation(item: Rendered, fixed: str | None) -> dict[str, Any] | None:
    verdict = item.sample.verdict
    if verdict in (None, Verdict.UNDECIDED):
        return None
    return {
        "generation": item.text or None,
        "exact_match": fixed is not None and "".join(item.text.split()) == "".join(fixed.split()),
        "ast_match": None,
        "compile": verdict not in (Verdict.UNCOMPILABLE, Verdict.UNAPPLICABLE),
        "test": verdict is Verdict.PLAUSIBLE,
    }
