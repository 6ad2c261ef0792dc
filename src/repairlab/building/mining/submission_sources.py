"""The forms of submissions that are known, and which of them a path has."""

from collections.abc import Callable
from pathlib import Path

from repairlab.building.importers import codeflaws, codenet, introclass, itsp
from repairlab.building.importers.submissions import FormSettings, Read, SubmissionSource
from repairlab.building.mining import submission_csv as plain
from repairlab.core.errors import UserError

FORMS = {
    "codenet": "Project CodeNet: metadata/problem_list.csv, metadata/PROBLEM.csv and data/.",
    "itsp": "ITSP: Lab-NUMBER/PROBLEM/NUMBER_buggy.c and NUMBER_correct.c, tests beside them.",
    "introclass": "IntroClass: ASSIGNMENT/STUDENT/VERSION with metadata.json, and ASSIGNMENT/tests.",
    "codeflaws": "Codeflaws: folders named PROBLEM-bug-WRONG-RIGHT.",
    "csv": f"A CSV file with the columns {', '.join(plain.COLUMNS)}, and file or code; id and difficulty if you like.",
}
_FOLDERS: tuple[tuple[Callable[[Path], bool], Read], ...] = (
    (codenet.recognises, codenet.read),
    (itsp.recognises, itsp.read),
    (introclass.recognises, introclass.read),
    (codeflaws.recognises, codeflaws.read),
)


def open_submissions(path: Path, settings: FormSettings) -> SubmissionSource:
    """Look at submissions in whichever form they have."""
    if not path.exists():
        raise UserError(f"{path} does not exist; it should hold submissions: {_possible()}")
    if path.is_file() and path.suffix == ".csv":
        return plain.read(path, settings)
    if path.is_dir():
        if any(path.glob("*/code/wrong")):
            raise UserError(
                f"{path} has the form of Refactory, which does not say who wrote a program: no wrong one can be paired with a "
                f"later one of the same user. `repairlab import refactory` pairs each with the reference program"
            )
        for recognises, read in _FOLDERS:
            if recognises(path):
                return read(path, settings)
    raise UserError(f"{path} has no form of submissions that is known. Possible: {_possible()}")


def _possible() -> str:
    return " ".join(f"({name}) {about}" for name, about in FORMS.items())
