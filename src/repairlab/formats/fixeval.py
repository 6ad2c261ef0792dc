"""FixEval's `generation.json`: a list of split records with the programs of a model, and how many cases each passed.

Programs are tokens (`generations`) or, after merging, texts (`detokenized_generations`), which are preferred.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_json
from repairlab.core.outcome import Verdict
from repairlab.formats.format import FAIL, PASS, ExternalCandidate, JudgedCandidate, KnownVerdict, Sight, Unreadable
from repairlab.formats.reading import Maker, look, read_entries, read_lines
from repairlab.formats.writing import Rendered, by_bug, file_text, rendered, write_json

_LAYOUT = ("NEW_LINE", "INDENT", "DEDENT")
_TEXTS = {"▁": " ", "STRNEWLINE": "\n"}
"""Stands for blanks and line breaks within strings."""
_VERDICTS = {
    Verdict.WRONG: "Wrong Answer",
    Verdict.PRESENTATION: "WA: Presentation Error",
    Verdict.CRASH: "Runtime Error",
    Verdict.TIMEOUT: "Time Limit Exceeded",
    Verdict.OUT_OF_MEMORY: "Memory Limit Exceeded",
    Verdict.OUTPUT_LIMIT: "Output Limit Exceeded",
    Verdict.UNCOMPILABLE: "Compile Error",
}


def recognises(sight: Sight) -> bool:
    """Return whether the first record has a source and generations."""
    return "src_id" in sight.entry and ("generations" in sight.entry or "detokenized_generations" in sight.entry)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Read the programs of each record by rank."""
    maker = Maker(benchmark, repairer="fixeval")
    if look(path).lines and not isinstance(look(path).first, list):
        return read_lines(maker.index, path, lambda entry: _candidates_of(entry, maker))
    records = as_type(read_json(path), list, what=path.name)
    entries = ((f"{path.name}, entry {number}", item) for number, item in enumerate(records, start=1))
    return read_entries(maker.index, entries, lambda item: _candidates_of(as_type(item, dict), maker))


def _candidates_of(entry: dict[str, Any], maker: Maker) -> Iterator[ExternalCandidate]:
    bug = _bug(field(entry, "src_id", str), maker)
    name = "detokenized_generations" if entry.get("detokenized_generations") is not None else "generations"
    programs = field(entry, name, list)
    for number, program in enumerate(programs):
        text = as_type(program, str, what=name) if name != "generations" else detokenized(_tokens(program), bug.problem.language)
        yield maker.file(bug, text, known=_known(entry, number))


def _bug(name: str, maker: Maker) -> Bug:
    """Return the bug of a submission pPROBLEM_sSUBMISSION, which may be called by the submission or by the problem alone."""
    problem, _, submission = name.partition("_")
    for form in (name, submission, problem):
        try:
            return maker.bug(form)
        except UserError:
            continue
    return maker.bug(name)


def _tokens(program: Any) -> list[str]:
    if isinstance(program, str):
        return program.split()
    return [as_type(token, str, what="a token of generations") for token in as_type(program, list, what="generations")]


def detokenized(tokens: Iterable[str], language: str) -> str:
    r"""Return a program's text; what divides lines and blocks are tokens in Python.

    >>> detokenized("if a : NEW_LINE INDENT print ( a ) NEW_LINE DEDENT".split(), "python")
    'if a :\n    print ( a )\n'
    """
    if language != "python":
        return " ".join(_texts(token) for token in tokens if token not in _LAYOUT) + "\n"
    lines: list[str] = []
    line: list[str] = []
    depth = 0
    for token in (*tokens, "NEW_LINE"):
        if token not in _LAYOUT:
            line.append(_texts(token))
        elif line:
            lines.append("    " * depth + " ".join(line))
            line = []
        depth = max(0, depth + (token == "INDENT") - (token == "DEDENT"))
    return "".join(f"{text}\n" for text in lines)


def _texts(token: str) -> str:
    for mark, text in _TEXTS.items():
        token = token.replace(mark, text)
    return token


def _known(entry: dict[str, Any], number: int) -> KnownVerdict | None:
    passed, total = entry.get("test_cases_run_by_generations"), entry.get("total_test_cases")
    if not isinstance(passed, list) or not isinstance(total, int) or number >= len(passed) or not isinstance(passed[number], int):
        return None
    return PASS if passed[number] == total else FAIL


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write one record per bug, with counts of cases if all of them were run."""
    notes: list[str] = []
    groups = by_bug(rendered(samples, benchmark, file_text, notes))
    write_json(path, [_entry(number, bug, group) for number, (bug, group) in enumerate(groups)])
    return tuple(notes)


def _entry(number: int, bug: Bug, group: list[Rendered]) -> dict[str, Any]:
    texts = [item.text for item in group]
    try:
        fixed = file_text(bug.fix, bug)
    except UserError:
        fixed = None  # the developer also changed other files
    verdict = bug.problem.submission_verdict
    entry = {
        "idx": number,
        "src_id": bug.id,
        "src_verdict": _VERDICTS.get(verdict) if verdict else None,
        "detokenized_src": bug.problem.source,
        "detokenized_tgt": fixed,
        "generations": texts,
        "detokenized_generations": texts,
    }
    if all(item.sample.verdict is None for item in group):
        return entry
    total = max((item.sample.n_tests or 0 for item in group), default=0)
    return entry | {"total_test_cases": total, "test_cases_run_by_generations": [_passed(item.sample) for item in group]}


def _passed(sample: JudgedCandidate) -> int | None:
    return sample.n_passed if sample.n_tests else None
