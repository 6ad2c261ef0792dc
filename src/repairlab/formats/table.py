"""All formats by name, of candidates and of published results; a module is loaded when it is asked for."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.storage.checking import shipped_table
from repairlab.formats.format import Format, Sight
from repairlab.formats.reading import look
from repairlab.metrics.published import DatasetStatistics, PublishedResults
from repairlab.registry import Parts, lacking


@record
class FileForm:
    """What one format is, for `repairlab publish` and the reference."""

    about: str
    """Whose files, and what is in them, in one line."""
    writes: str = "the same"
    loses: str = "model, verdicts"
    """What is not written of a candidate, its origin and its outcome."""
    cannot: str = ""
    """Candidates that cannot be written at all."""


FORMS = shipped_table("repairlab.formats", "forms.toml", FileForm)
_MODULES = {"repairlab": "own"}

FORMATS: Parts[Format] = Parts(
    "formats",
    "format",
    {name: f"repairlab.formats.{_MODULES.get(name, name.replace('-', '_'))}" for name in FORMS},
    about={name: form.about for name, form in FORMS.items()},
    check=lacking("recognises", "read", "write"),
)


def recognise(path: Path) -> str:
    """Return the name of the format that a file or folder obviously has; a file that has none is taken for our own."""
    sight = look(path)
    found = [name for name, form in FORMATS.working() if form.recognises(sight)]
    if len(found) > 1:
        raise UserError(f"{path} may be any of {', '.join(found)}; say which with --format")
    if not found and path.is_dir():
        raise UserError(f"{path} is a folder in no format that is known. Known: {', '.join(FORMATS)}; say which with --format")
    return found[0] if found else "repairlab"


RESULT_FORMATS = {
    "npr4j": "all_result.json of NPR4J: plausible patches with ranks, accepted or rejected by a person; "
    "additional_result_check.csv: by which rule.",
    "apr-fixes": "APR_fixes_all.json: bugs of Defects4J that tools fix, correctly or overfitting.",
    "nl2fix": "*-validated.jsonl of NL2Fix (files or a folder of one system), or nl2fix_dataset.json for its statistics.",
    "clm": "*_validate.json of lin-tan/clm: executed patches of one model on one benchmark.",
    "swebench": "SWE-bench's reports: resolved and unresolved instances of one system each, which the file is named after.",
    "defects4c": "Human labels of Defects4C (CSV), or bugs_list_new.json of its projects: counts by category and location.",
}
"""Name and what to give as FILES."""
_RESULT_MODULES = {
    "npr4j": "npr4j_results",
    "apr-fixes": "apr_fixes",
    "swebench": "swebench_report",
}


class ResultFormat(Protocol):
    """What a module for published results offers; some are formats of candidates as well."""

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
    return cast(ResultFormat, import_module(f"repairlab.formats.{_RESULT_MODULES.get(name, name)}"))


def recognise_results(path: Path) -> str:
    """Return the name of the format that a file or folder obviously has."""
    if not path.exists():
        raise UserError(f"{path} does not exist; and it is no format, which are {', '.join(RESULT_FORMATS)} and run")
    sight = look(path)
    for name in RESULT_FORMATS:
        if result_format(name).recognises_results(sight):
            return name
    raise UserError(f"{path}: the format is not obvious; say it before the files: {', '.join(RESULT_FORMATS)} or run")
