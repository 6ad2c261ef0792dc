"""All formats of published results by name; a module is loaded when it is asked for."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from repairlab.core.errors import UserError, unknown
from repairlab.formats.format import Sight
from repairlab.formats.reading import look
from repairlab.metrics.published import DatasetStatistics, PublishedResults

RESULT_FORMATS = {
    "npr4j": "all_result.json of NPR4J: plausible patches with ranks, accepted or rejected by a person.",
    "apr-fixes": "APR_fixes_all.json: bugs of Defects4J that tools fix, correctly or overfitting.",
    "nl2fix": "*-validated.jsonl of NL2Fix (files or a folder of one system), or nl2fix_dataset.json for its statistics.",
    "clm": "*_validate.json of lin-tan/clm: executed patches of one model on one benchmark.",
    "swebench": "SWE-bench's reports: resolved and unresolved instances of one system each, which the file is named after.",
    "defects4c": "Human labels of Defects4C (CSV), or bugs_list_new.json of its projects: counts by category and location.",
}
"""Name and what to give as FILES."""
_MODULES = {
    "npr4j": "npr4j_results",
    "apr-fixes": "apr_fixes",
    "swebench": "swebench_report",
    "defects4c": "defects4c_labels",
}


class ResultFormat(Protocol):
    """What each module of the table offers; some are formats of candidates as well."""

    def recognises_results(self, sight: Sight) -> bool:
        """Return whether a file or folder obviously holds such results."""
        ...

    def read_results(self, paths: Sequence[Path]) -> PublishedResults | DatasetStatistics:
        """Read files or folders; whatever is wrong with one is an error."""
        ...


def result_format(name: str) -> ResultFormat:
    """Return the format of this name."""
    if name not in RESULT_FORMATS:
        raise unknown("format", name, RESULT_FORMATS)
    return cast(ResultFormat, import_module(f"repairlab.formats.{_MODULES.get(name, name)}"))


def recognise_results(path: Path) -> str:
    """Return the name of the format that a file or folder obviously has."""
    if not path.exists():
        raise UserError(f"{path} does not exist; and it is no format, which are {', '.join(RESULT_FORMATS)} and run")
    sight = look(path)
    for name in RESULT_FORMATS:
        if result_format(name).recognises_results(sight):
            return name
    raise UserError(f"{path}: the format is not obvious; say it before the files: {', '.join(RESULT_FORMATS)} or run")


def files_of(paths: Sequence[Path], pattern: str) -> list[Path]:
    """Return the files, with those that match in place of each folder."""
    found: list[Path] = []
    for path in paths:
        inside = sorted(path.glob(pattern)) if path.is_dir() else [path]
        if not inside:
            raise UserError(f"{path} has no file {pattern}")
        found += inside
    return found
