"""Types of bugs from a file: CSV with the columns bug and type, or one JSON object from bug to type."""

from collections.abc import Iterable
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, read_csv, read_object
from repairlab.core.record import record


@record
class BugTypes:
    """The type of each bug."""

    types: dict[str, str]
    n_unlabelled: int
    """Bugs of the results without a label; they belong to no type."""


def read_bug_types(path: Path, bugs: Iterable[str]) -> BugTypes:
    """Read the labels of these bugs, which the file names as `BENCHMARK/BUG` or by BUG alone."""
    if path.suffix == ".csv":
        given = {row["bug"]: row["type"] for _, row in read_csv(path, ("bug", "type"))}
    else:
        given = {bug: as_type(name, str, f"{path}, entry {bug!r}", "the type") for bug, name in read_object(path).items()}
    all_bugs = tuple(bugs)
    types: dict[str, str] = {}
    for bug in all_bugs:
        name = given.get(bug, given.get(bug.partition("/")[2]))
        if name is not None:
            types[bug] = name
    if not types:
        shown = f"such as {all_bugs[0]}; the file has {next(iter(given), 'none')!r}" if all_bugs else "for there are none"
        raise UserError(f"{path} labels none of the {len(all_bugs)} bugs, {shown}")
    return BugTypes(types=types, n_unlabelled=len(all_bugs) - len(types))
