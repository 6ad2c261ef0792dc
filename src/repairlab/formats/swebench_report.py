"""SWE-bench's report of an evaluation: which instances are resolved. Schema 2, as `make_run_report` of swebench 5.0 writes it.

The file holds no candidates, so there is nothing to validate in it; its verdicts can be counted. It has one candidate of each bug,
for which the one of the lowest rank is taken.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_object
from repairlab.core.outcome import Verdict
from repairlab.formats.format import ExternalCandidate, JudgedCandidate, Sight, Unreadable
from repairlab.formats.reading import files_of
from repairlab.formats.writing import write_json
from repairlab.metrics.published import PublishedOutcome, PublishedResults, PublishedVerdict, make_results

_SCHEMA = 2
_SAID = {
    "infra_failure": PublishedVerdict.UNDECIDED,
    "resolved": PublishedVerdict.PLAUSIBLE,
    "unresolved": PublishedVerdict.WRONG,
    "empty_patch": PublishedVerdict.UNCOMPILABLE,
    "error": PublishedVerdict.WRONG,
}
"""What each list of ids says; the first that has an id decides, for failures of the machinery are in another list as well."""
_DISTINCT = ("resolved", "unresolved", "empty_patch", "error")
_COUNTED = ("completed", "resolved", "unresolved", "infra_failure", "ambiguous_failure", "empty_patch", "error")
_BENCHMARK, _SYSTEM = "benchmark", "model_name_or_path"
"""Keys that SWE-bench does not write: its reports are of one benchmark, and have the model in the name of the file."""


def recognises(sight: Sight) -> bool:
    """Return whether a file has the lists of a report."""
    return isinstance(sight.first, dict) and {"resolved_ids", "submitted_ids"} <= set(sight.first)


def read(path: Path, benchmark: Benchmark) -> Iterator[ExternalCandidate | Unreadable]:
    """Refuse: there are no candidates in such a file."""
    del benchmark
    raise UserError(f"{path} is a report without the candidates' texts; give the predictions, or count it with: repairlab rescore")


recognises_results = recognises


def read_results(paths: Sequence[Path]) -> PublishedResults:
    """Read reports, each of which is of one system."""
    outcomes: list[PublishedOutcome] = []
    bugs: list[str] = []
    notes: list[str] = []
    for path in files_of(paths, "*.json"):
        report = read_object(path)
        home = field(report, _BENCHMARK, str, str(path)) if _BENCHMARK in report else "swebench"
        system = field(report, _SYSTEM, str, str(path)) if _SYSTEM in report else path.stem.replace("__", "/")
        said = _said(report, path)
        bugs += [f"{home}/{name}" for name in (*said, *_ids(report, "incomplete", path))]
        for name, verdict in said.items():
            outcomes.append(PublishedOutcome(system=system, bug=f"{home}/{name}", rank=1, verdict=verdict))
        failed = len(_ids(report, "error", path))
        if failed:
            notes.append(f"{path.name}: {failed} instances ended with an error; those of the machinery are undecided, others wrong")
    return make_results(outcomes, bugs, notes)


def _said(report: dict[str, Any], path: Path) -> dict[str, PublishedVerdict]:
    """Return what is said of each instance, in the order of the ids; lists that contradict each other are an error."""
    places: dict[str, str] = {}
    for kind in _DISTINCT:
        for name in _ids(report, kind, path):
            if name in places:
                raise UserError(f"{path}: {name} is both in {places[name]}_ids and in {kind}_ids; which of them counts?")
            places[name] = kind
    failed = {name: kind for kind in reversed(_SAID) for name in _ids(report, kind, path)}
    lost = [name for name in _ids(report, "submitted", path) if name not in failed]
    if lost:
        raise UserError(f"{path}: {lost[0]} is in submitted_ids, but in none of {', '.join(f'{kind}_ids' for kind in _DISTINCT)}")
    return {name: _SAID[failed[name]] for name in sorted(failed)}


def _ids(report: dict[str, Any], kind: str, path: Path) -> list[str]:
    """Return a list of ids; only what no report lacks must be there."""
    key = f"{kind}_ids"
    if key not in report and kind not in ("resolved", "submitted"):
        return []
    return [as_type(item, str, str(path), f"an item of {key!r}") for item in field(report, key, list, str(path))]


def write(samples: Iterable[JudgedCandidate], benchmark: Benchmark, path: Path) -> tuple[str, ...]:
    """Write the verdicts on the first candidate of each bug; bugs without one are incomplete."""
    first: dict[str, JudgedCandidate] = {}
    others = unknown = 0
    for sample in samples:
        others += sample.candidate.bug_id in first
        first.setdefault(sample.candidate.bug_id, sample)
    unknown = sum(sample.verdict is None for sample in first.values())
    if not first or unknown == len(first):
        raise UserError("no candidate has a verdict; a report is written of a run")
    ids: dict[str, list[str]] = {kind: [] for kind in (*_COUNTED, "incomplete", "submitted")}
    for bug in sorted(benchmark.ids):
        verdict = first[bug].verdict if bug in first else None
        for kind in ("incomplete",) if verdict is None else ("submitted", *_kinds(first[bug])):
            ids[kind].append(bug)
    origins = {sample.candidate.origin.model or sample.candidate.origin.repairer for sample in first.values()}
    counts = {"total": len(benchmark), "submitted": len(ids["submitted"])} | {kind: len(ids[kind]) for kind in _COUNTED}
    write_json(
        path,
        {
            **{f"{kind}_instances": n for kind, n in counts.items()},
            **{f"{kind}_ids": names for kind, names in ids.items()},
            "failure_reasons": dict.fromkeys(ids["infra_failure"], "undecided"),
            "schema_version": _SCHEMA,
            _BENCHMARK: benchmark.name,
            _SYSTEM: ", ".join(sorted(origins)),
        },
    )
    notes = [f"{count(others, 'candidate')} left out: a report has one of each bug, the first"] if others else []
    return (*notes, *([f"{count(unknown, 'bug')} without a verdict counted as incomplete"] if unknown else []))


def _kinds(sample: JudgedCandidate) -> tuple[str, ...]:
    """Return the lists that a candidate with a verdict belongs to."""
    match sample.verdict:
        case Verdict.PLAUSIBLE:
            return ("completed", "resolved")
        case Verdict.UNDECIDED:
            return ("error", "infra_failure")
        case Verdict.UNAPPLICABLE:
            return ("error",) if sample.candidate.edits else ("empty_patch",)
    return ("completed", "unresolved")
