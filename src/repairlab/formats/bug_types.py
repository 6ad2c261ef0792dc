"""Labels of bugs from a file: CSV with the columns bug and type, one JSON object from bug to type, or `labels.jsonl`."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_csv, read_json_lines, read_object
from repairlab.core.record import record

LABELS = ("type", "element", "state", "ingredients")
"""How NPR4J groups bugs (table 5, figures 5 to 7)."""


@record
class BugTypes:
    """The labels of each bug."""

    groups: Mapping[str, Mapping[str, str]]
    """Label → bug → value, for the labels that the file has."""
    n_unlabelled: int
    """Bugs of the results without a label; they belong to no group."""


def read_bug_types(path: Path, bugs: Iterable[str]) -> BugTypes:
    """Read the labels of these bugs, which the file names as `BENCHMARK/BUG` or by BUG alone."""
    given = _labels(path)
    all_bugs = tuple(bugs)
    groups: dict[str, dict[str, str]] = {}
    for name, values in given.items():
        found = {bug: values.get(bug, values.get(bug.partition("/")[2])) for bug in all_bugs}
        groups[name] = {bug: value for bug, value in found.items() if value}
    labelled = {bug for values in groups.values() for bug in values}
    if not labelled:
        first = next((bug for values in given.values() for bug in values), "none")
        shown = f"such as {all_bugs[0]}; the file has {first!r}" if all_bugs else "for there are none"
        raise UserError(f"{path} labels none of the {len(all_bugs)} bugs, {shown}")
    return BugTypes(groups=groups, n_unlabelled=len(all_bugs) - len(labelled))


def _labels(path: Path) -> dict[str, dict[str, str]]:
    """Return what a file says: label → bug → value."""
    if path.suffix == ".csv":
        rows = [row for _, row in read_csv(path, ("bug", "type"))]
        return {name: {row["bug"]: row[name] for row in rows} for name in LABELS if name in rows[0]} if rows else {}
    if path.suffix == ".jsonl":
        found: dict[str, dict[str, str]] = {}
        for where, entry in read_json_lines(path):
            rule, values = field(entry, "rule", str, where), field(entry, "values", list, where)
            if rule in LABELS and values:
                found.setdefault(rule, {})[field(entry, "bug", str, where)] = as_type(values[0], str, where, "the first value")
        return {name: found[name] for name in LABELS if name in found}
    entries = read_object(path).items()
    return {"type": {bug: as_type(name, str, f"{path}, entry {bug!r}", "the type") for bug, name in entries}}
