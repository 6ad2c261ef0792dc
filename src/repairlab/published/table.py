"""All formats of published results by name; a module is loaded when it is asked for. Called by `runs.rescoring`."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from repairlab.core.errors import UserError, unknown
from repairlab.published.grid import Statistics
from repairlab.published.judgement import Results

FORMATS = {
    "npr4j": "all_result.json of NPR4J: plausible patches with ranks, accepted or rejected by a person.",
    "apr-fixes": "APR_fixes_all.json: bugs of Defects4J that tools fix, correctly or overfitting.",
    "nl2fix": "*-validated.jsonl of NL2Fix (files or a folder of one system), or nl2fix_dataset.json for its statistics.",
    "clm": "*_validate.json of lin-tan/clm: executed patches of one model on one benchmark.",
    "defects4c": "Human labels of Defects4C (CSV), or bugs_list_new.json of its projects: counts by category and location.",
}
"""Name and what to give as FILES."""
_HEAD_CHARACTERS = 4096


class Format(Protocol):
    """What each module of the table offers."""

    def recognise(self, path: Path, head: str) -> bool:
        """Whether a file that begins with `head`, or a folder, has this form."""
        ...

    def read(self, paths: Sequence[Path]) -> Results | Statistics:
        """Read files or folders."""
        ...


def format_of(name: str) -> Format:
    """Return the format of this name."""
    if name not in FORMATS:
        raise unknown("format", name, FORMATS)
    return cast(Format, import_module(f"repairlab.published.{name.replace('-', '_')}"))


def recognise(path: Path) -> str:
    """Return the name of the format that a file or folder obviously has."""
    head = ""
    if path.is_file():
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            head = file.read(_HEAD_CHARACTERS)
    elif not path.is_dir():
        raise UserError(f"{path} does not exist; and it is no format, which are {', '.join(FORMATS)} and run")
    for name in FORMATS:
        if format_of(name).recognise(path, head):
            return name
    raise UserError(f"{path}: the format is not obvious; say it before the files: {', '.join(FORMATS)} or run")
