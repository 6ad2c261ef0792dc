"""ITSP as submissions: NUMBER_buggy.c and NUMBER_correct.c are two programs of one student."""

import dataclasses
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.itsp import REPORT, case_inputs, student_program
from repairlab.building.importers.small_programs import JudgedProgram
from repairlab.building.mining.submission_forms.form import (
    FormSettings,
    PairTexts,
    SubmissionSource,
    SubmittedProblem,
    by_user,
    own_tests,
)
from repairlab.core.outcome import Verdict

PATTERN = "Lab-*/*/*_buggy.c"


def recognises(root: Path) -> bool:
    """Return whether a folder holds such programs."""
    return any(next(folder.glob(PATTERN), None) for folder in (root, root / "dataset"))


def read(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at a checkout, or at its folder dataset."""
    own_tests(settings, root)
    root = root / "dataset" if (root / "dataset").is_dir() else root
    return SubmissionSource(name="itsp", licence="unknown", problems=_problems(root, settings.judge))


def _problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
    inputs = case_inputs(root)
    for folder in sorted({path.parent for path in root.glob(PATTERN)}):
        found = []
        for path in sorted(folder.glob("*_buggy.c")):
            student = path.name.removesuffix("_buggy.c")
            steps = [(student, path, Verdict.WRONG)]
            if (fixed := folder / f"{student}_correct.c").is_file():
                steps.append((f"{student}-fixed", fixed, Verdict.PLAUSIBLE))
            found += [dataclasses.replace(item, report=REPORT) for item in by_user(folder.name, student, steps, "c")]
        known = inputs.get(folder.name, {})
        program = partial(_program, judge, folder.name, known) if known else None
        yield SubmittedProblem(id=folder.name, submissions=tuple(found), program=program)


def _program(judge: Settings, problem: str, inputs: dict[str, Path], both: PairTexts) -> JudgedProgram:
    return student_program(both.name, problem, both.texts, inputs, judge)
