"""NPR4J's results (`all_result.json`): which system's candidate at which rank was accepted or rejected by people.

`additional_result_check.csv` has the rule (R0 to R19) behind each accepted candidate. Beside `all_result.json` it adds rules to it.
The file holds no candidates, so there is nothing to validate in it; its verdicts can be counted. Written are the plausible
candidates of a run: those equal to the developer's fix but for white space (rule R0) as accepted, the others as `unchecked`, for
people to judge.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, first_field, objects, read_csv, read_object
from repairlab.core.outcome import Verdict
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import old_files
from repairlab.formats.writing import changed_files, write_json
from repairlab.metrics.published import PublishedOutcome, PublishedResults, PublishedVerdict, make_results

_LISTS = {
    "accepted": PublishedVerdict.CORRECT,
    "rejected": PublishedVerdict.REJECTED,
    "unchecked": PublishedVerdict.PLAUSIBLE,
}
_RANK = re.compile(r"[0-9]{1,9}")
_SEPARATOR = "<SEP>"


def recognises(sight: Sight) -> bool:
    """Return whether the first bug has lists of accepted or rejected candidates."""
    value = sight.value
    return isinstance(value, dict) and any(isinstance(value.get(name), list) for name in _LISTS)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Refuse: such a file has no candidates."""
    del benchmark
    raise UserError(f"{path} holds results without the candidates' texts, so there is nothing to validate or convert")


def recognises_results(sight: Sight) -> bool:
    """Return whether a file holds lists of candidates, or a table of checks."""
    return recognises(sight) or sight.head.replace('"', "").startswith("bug,tool,")


def read_results(paths: Sequence[Path]) -> PublishedResults:
    """Read files of results, and what tables of checks say of their candidates."""
    outcomes: list[PublishedOutcome] = []
    bugs: list[str] = []
    checks = [item for path in paths if path.suffix == ".csv" for item in _checks(path)]
    for path in paths:
        for key, value in read_object(path).items() if path.suffix != ".csv" else ():
            where = f"{path}, entry {key!r}"
            bugs.append(_bug(key, where))
            outcomes += _outcomes(as_type(value, dict, where), bugs[-1], where)
    texts = sum(item.written is not None for item in outcomes)
    notes = [f"{texts} ranks are written as text; they are read as numbers"] if texts else []
    if outcomes:
        rules = {_key(item): item.rules for item in checks}
        unknown = len(rules.keys() - set(map(_key, outcomes)))
        notes += [f"{count(unknown, 'checked candidate')} in none of the other files; left out"] if unknown else []
        outcomes = [dataclasses.replace(item, rules=rules.get(_key(item), ())) for item in outcomes]
    return make_results(outcomes or checks, bugs, notes)


def _key(item: PublishedOutcome) -> tuple[str, str, int | None, PublishedVerdict]:
    return item.system.casefold(), item.bug, item.rank, item.verdict


def _bug(key: str, where: str) -> str:
    benchmark, separator, bug = key.partition(_SEPARATOR)
    if not (separator and benchmark and bug):
        raise UserError(f"{where}: the key should be BENCHMARK<SEP>BUG, such as defects4j<SEP>Time-4")
    return f"{benchmark}/{bug}"


def _checks(path: Path) -> Iterator[PublishedOutcome]:
    """Yield people's judgements of each candidate, with the rule."""
    for where, row in read_csv(path, ("bug", "tool", "index", "verdict", "rule")):
        if row["verdict"] not in _LISTS:
            raise UserError(f"{where}: the verdict is {row['verdict']!r}; known are {', '.join(_LISTS)}")
        rank, _ = _rank(row, where)
        rules = tuple(row["rule"].split())
        yield PublishedOutcome(
            system=row["tool"], bug=_bug(row["bug"], where), rank=rank, verdict=_LISTS[row["verdict"]], rules=rules
        )


def _outcomes(entry: dict[str, Any], bug: str, where: str) -> Iterator[PublishedOutcome]:
    """Yield the judgement of each candidate; systems are named `sys` or `tool`, ranks are numbers or their digits."""
    for name in entry:
        if name not in _LISTS:
            raise UserError(f"{where}: unknown field {name!r}; known are {', '.join(_LISTS)}")
    for name, verdict in _LISTS.items():
        items = [] if name == "unchecked" and name not in entry else field(entry, name, list, where)
        for place, item in objects(items, f"{where}, {name}"):
            rank, written = _rank(item, place)
            system = first_field(item, ("sys", "tool"), str, place)
            yield PublishedOutcome(system=system, bug=bug, rank=rank, verdict=verdict, written=written)


def _rank(item: dict[str, Any], where: str) -> tuple[int, str | None]:
    """Return the rank as a number and, if it is text, as written."""
    value = item.get("index")
    written = value if isinstance(value, str) else None
    rank = int(written) if written is not None and _RANK.fullmatch(written) else field(item, "index", int, where)
    if rank < 1:
        raise UserError(f"{where}: the field 'index' is {rank}; ranks begin with 1")
    return rank, written


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write the plausible candidates by system and rank."""
    table: dict[str, dict[str, list[dict[str, Any]]]] = {}
    unknown = 0
    for sample in samples:
        candidate = sample.candidate
        unknown += sample.verdict is None
        if sample.verdict is Verdict.PLAUSIBLE:
            lists = table.setdefault(f"{benchmark.name}{_SEPARATOR}{candidate.bug_id}", {name: [] for name in _LISTS})
            key = "accepted" if _is_identical(candidate, benchmark.bug(candidate.bug_id)) else "unchecked"
            lists[key].append({"sys": candidate.origin.model or candidate.origin.repairer, "index": candidate.rank})
    if not table:
        raise UserError("no candidate is known to be plausible; results are written of a run that found some")
    write_json(path, table)
    return (f"{count(unknown, 'candidate')} without a verdict left out",) if unknown else ()


def _is_identical(candidate: Candidate, bug: Bug) -> bool:
    """Whether a candidate is the developer's fix except for white space (NPR4J's rule R0)."""
    fixed = apply_edits(bug.oracle.reference, old_files(bug, (edit.path for edit in bug.oracle.reference)))
    mine = changed_files(candidate, bug)
    return {path: _bare(text) for path, text in mine.items()} == {path: _bare(text) for path, text in fixed.items()}


def _bare(text: str | None) -> str | None:
    return None if text is None else "".join(text.split())
