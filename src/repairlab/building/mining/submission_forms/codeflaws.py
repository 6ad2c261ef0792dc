"""Codeflaws as submissions: PROBLEM-bug-WRONG-RIGHT holds two submissions of one user of Codeforces."""

from collections.abc import Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from repairlab.building.importers.codeflaws import FOLDER, contest_program, programs_of
from repairlab.building.importers.importer import Settings
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


def recognises(root: Path) -> bool:
    """Return whether a folder holds such folders."""
    return any(FOLDER.fullmatch(path.name) for path in root.iterdir() if path.is_dir())


def read(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at the folder of pairs."""
    own_tests(settings, root)
    return SubmissionSource(name="codeflaws", licence="unknown", problems=_problems(root, settings.judge))


def _problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
    folders = sorted((path for path in folders_of(root) if FOLDER.fullmatch(path.name)), key=lambda path: (_problem(path), path))
    for problem, group in groupby(folders, _problem):
        found = []
        homes = {}
        for folder in group:
            wrong, right = programs_of(folder)
            homes[wrong.stem] = folder
            # Who it was is not told: the folder stands for the user.
            steps = [(wrong.stem, wrong, Verdict.WRONG), (right.stem, right, Verdict.PLAUSIBLE)]
            found += by_user(problem, folder.name, steps, "c")
        letter = problem.rpartition("-")[2][:1]
        yield SubmittedProblem(id=problem, submissions=tuple(found), difficulty=letter, program=partial(_program, judge, homes))


def _problem(folder: Path) -> str:
    return folder.name.partition("-bug-")[0]


def _program(judge: Settings, homes: dict[str, Path], both: PairTexts) -> JudgedProgram:
    return contest_program(both.name, homes[both.wrong.id], both.texts, judge)
