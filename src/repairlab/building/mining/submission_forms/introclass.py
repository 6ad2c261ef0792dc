"""IntroClass as submissions: ASSIGNMENT/STUDENT/000, 001 and so on are versions of one student."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.introclass import LICENCE, passes_all, student_program
from repairlab.building.importers.small_programs import JudgedProgram, folders_of
from repairlab.building.mining.submission_forms.form import (
    FormSettings,
    PairTexts,
    SubmissionSource,
    SubmittedProblem,
    by_user,
    own_tests,
)
from repairlab.core.outcome import Verdict

_SHORT = 8
"""Students are named by hashes of 128 digits."""


def recognises(root: Path) -> bool:
    """Return whether a folder holds assignments with tests beside versions that have metadata."""
    return any((path.parents[2] / "tests").is_dir() for path in root.glob("*/*/*/metadata.json"))


def read(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at a checkout."""
    own_tests(settings, root)
    return SubmissionSource(name="introclass", licence=LICENCE, problems=_problems(root, settings.judge))


def _problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
    for assignment in (folder for folder in folders_of(root) if (folder / "tests").is_dir()):
        found = []
        for student in (folder for folder in folders_of(assignment) if folder.name != "tests"):
            versions = [folder for folder in folders_of(student) if (folder / f"{assignment.name}.c").is_file()]
            steps = [
                (
                    f"{student.name[:_SHORT]}-{version.name}",
                    version / f"{assignment.name}.c",
                    Verdict.PLAUSIBLE if passes_all(version / "metadata.json") else Verdict.WRONG,
                )
                for version in versions
            ]
            found += by_user(assignment.name, student.name, steps, "c")
        yield SubmittedProblem(id=assignment.name, submissions=tuple(found), program=partial(_program, judge, assignment))


def _program(judge: Settings, assignment: Path, both: PairTexts) -> JudgedProgram:
    return student_program(both.name, assignment, both.texts, judge)
