"""Read published results, or runs, and analyse them without executing anything."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.table import Table
from repairlab.formats.bug_types import read_bug_types
from repairlab.formats.format import published_verdict
from repairlab.formats.table import RESULT_FORMATS, recognise_results, result_format
from repairlab.metrics.published import (
    DatasetStatistics,
    FixCriterion,
    PublishedOutcome,
    PublishedResults,
    PublishedVerdict,
    RankOrder,
    choose,
    make_results,
    merge,
    only,
)
from repairlab.metrics.ranked_results import RankedResults, ranked
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import read_judged, read_samples
from repairlab.runs.store import Store
from repairlab.study.analyses import ANALYSES, AnalysisInputs
from repairlab.study.assessment.labels import read_labels
from repairlab.study.labelling.error_type import TYPES

ALL_FORMATS = {**RESULT_FORMATS, "run": "Run folders of repairlab."}


@record
class RescoreOptions:
    """What to make of results."""

    systems: tuple[str, ...] = ()
    """Only these systems; empty means all."""
    include: tuple[str, ...] = ()
    """Shell patterns of bugs, such as defects4j/*; empty means all."""
    count: FixCriterion | None = None
    order: RankOrder = "number"
    top: tuple[int, ...] = tuple(range(1, 11))
    against: Path | None = None
    labels: Path | None = None


@record
class Rescored:
    """All analyses of results."""

    ranked: RankedResults | None
    """None for sources without verdicts."""
    tables: tuple[Table, ...]
    left_out: Mapping[str, str]
    """Analyses that the source does not support, and why."""
    notes: tuple[str, ...]


def read_results(arguments: Sequence[str]) -> PublishedResults | DatasetStatistics:
    """Read files; a first argument that names a format applies to all, otherwise each is recognised."""
    if not arguments:
        raise UserError(f"no files are given; write: repairlab rescore [FORMAT] FILE... (formats: {', '.join(ALL_FORMATS)})")
    if arguments[0] in ALL_FORMATS:
        name, paths = arguments[0], [Path(text) for text in arguments[1:]]
        if not paths:
            raise UserError(f"no files are given for {name}, which reads: {ALL_FORMATS[name]}")
        return _read(name, paths)
    files: dict[str, list[Path]] = {}
    for path in map(Path, arguments):
        files.setdefault(_format(path), []).append(path)
    found = {name: _read(name, paths) for name, paths in files.items()}
    statistics = [name for name, item in found.items() if isinstance(item, DatasetStatistics)]
    if len(found) == 1 and statistics:
        return found[statistics[0]]
    if statistics:
        raise UserError(f"{files[statistics[0]][0]} has no verdicts; it cannot be put together with results, give it alone")
    return merge({name: item for name, item in found.items() if isinstance(item, PublishedResults)})


def _format(path: Path) -> str:
    return "run" if (path / "run.json").is_file() else recognise_results(path)


def _read(name: str, paths: Sequence[Path]) -> PublishedResults | DatasetStatistics:
    for path in paths:
        if not path.exists():
            raise UserError(f"{path} does not exist")
    return _runs(paths) if name == "run" else result_format(name).read_results(paths)


def _runs(folders: Sequence[Path]) -> PublishedResults:
    """Read run folders; each is a system, named by its repairer, and also by its folder if several share that."""
    stores = [Store(folder) for folder in folders]
    notes: list[str] = []
    oracles = [store for store in stores if store.manifest().experiment.repairer == "reference"]
    if 0 < len(oracles) < len(stores):
        stores = [store for store in stores if store not in oracles]
        notes.append(f"the oracle is no system and left out: {', '.join(str(store.folder) for store in oracles)}")
    manifests = [store.manifest() for store in stores]
    repairers = [manifest.experiment.repairer for manifest in manifests]
    outcomes: list[PublishedOutcome] = []
    bugs: list[str] = []
    for store, manifest, repairer in zip(stores, manifests, repairers, strict=True):
        require_intact(store)
        system = repairer if repairers.count(repairer) == 1 else f"{repairer} ({store.folder})"
        samples = read_samples(store)
        unfinished = sum(item.ended == "unfinished" for item in samples)
        if unfinished:
            notes.append(f"{store.folder}: {unfinished} of {len(samples)} bugs are unfinished; what there is counts")
        labels = read_labels(store.folder)
        known = {label.task: label for label in labels.labels} if labels else {}
        judged = read_judged(store)
        n_open = 0
        for item in samples:
            bugs.append(f"{manifest.benchmark_name}/{item.bug_id}")
            for rank, (candidate, found) in enumerate(judged[item.bug_id], start=1):
                label = known.get(labels.candidates.get(candidate, "")) if labels else None
                verdict = published_verdict(found.verdict)
                if verdict is PublishedVerdict.PLAUSIBLE and labels:
                    verdict = _LABELS.get(label.label if label else None, verdict)
                    n_open += verdict is PublishedVerdict.PLAUSIBLE
                rules = label.rules if label else ()
                outcomes.append(PublishedOutcome(system=system, bug=bugs[-1], rank=rank, verdict=verdict, rules=rules))
        if n_open:
            notes.append(f"{store.folder}: {count(n_open, 'plausible candidate')} without a final label; not counted as correct")
    return make_results(outcomes, bugs, notes)


_LABELS: Mapping[str | None, PublishedVerdict] = {
    "correct": PublishedVerdict.CORRECT,
    "overfitting": PublishedVerdict.REJECTED,
}
"""Final label of a plausible candidate → verdict; the others are open."""


def rescore_results(source: PublishedResults | DatasetStatistics, asked: RescoreOptions) -> Rescored:
    """Make every analysis that the results support, and say why the others are left out."""
    if isinstance(source, DatasetStatistics):
        return Rescored(ranked=None, tables=source.tables, left_out={}, notes=source.notes)
    if not source.outcomes:
        raise UserError("the files hold no candidates; there is nothing to count")
    chosen = only(choose(source, asked.systems, {}), asked.include)
    notes = list(chosen.notes)
    if asked.count == "correct" and not any(item.verdict.is_assessed for item in chosen.outcomes):
        raise UserError("these candidates are not judged, so none counts as correct; assess a run with: repairlab assess RUN")
    labels: dict[str, Mapping[str, str]] = {}
    if asked.labels is not None:
        found = read_bug_types(asked.labels, chosen.bugs)
        labels = _with_groups(found.groups)
        if found.n_unlabelled:
            notes.append(f"{found.n_unlabelled} of {len(chosen.bugs)} bugs have no label in {asked.labels}; they belong to no type")
    inputs = AnalysisInputs(against=_against(asked), labels=labels, top=asked.top)
    ready = ranked(chosen, count=asked.count, order=asked.order)
    tables: list[Table] = []
    left_out: dict[str, str] = {}
    for name, analysis in ANALYSES.items():
        try:
            tables.append(analysis(ready, inputs))
        except UserError as error:
            left_out[name] = str(error)
    return Rescored(ranked=ready, tables=tuple(tables), left_out=left_out, notes=tuple(notes))


def _with_groups(labels: Mapping[str, Mapping[str, str]]) -> dict[str, Mapping[str, str]]:
    """Add the element and state of an NPR4J type where they are not labelled."""
    types = {bug: TYPES[name] for bug, name in labels.get("type", {}).items() if name in TYPES}
    states, elements = ({bug: found[place] for bug, found in types.items()} for place in (0, 1))
    return {name: values for name, values in {"state": states, "element": elements, **labels}.items() if values}


def _against(asked: RescoreOptions) -> RankedResults | None:
    if asked.against is None:
        return None
    found = read_results([str(asked.against)])
    if isinstance(found, DatasetStatistics):
        raise UserError(f"{asked.against} has no verdicts to compare with")
    return ranked(found)
