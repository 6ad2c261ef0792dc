"""The forms of submissions that are known, and which of them a path has; one is a CSV file with a row for each submission."""

import dataclasses
import datetime
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import groupby
from pathlib import Path

from repairlab.building.importers import codeflaws, codenet, introclass, itsp
from repairlab.building.importers.codenet import JUDGE_SIDE, ListedProblem, cases_folder, letter_of, submitted_program
from repairlab.building.importers.importer import Settings
from repairlab.building.importers.judge_tests import JudgeTests
from repairlab.building.importers.small_programs import JudgedProgram
from repairlab.building.importers.submissions import (
    REJECTED,
    FormSettings,
    JudgedSubmission,
    PairTexts,
    Read,
    SubmissionSource,
    SubmittedProblem,
)
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import read_csv
from repairlab.core.outcome import JUDGE_WORDS, Verdict
from repairlab.languages.facts import every

COLUMNS = ("problem", "user", "language", "time", "status")
_STATUSES: Mapping[str, Verdict | None] = {
    **JUDGE_WORDS,
    **{name.lower(): None for name in JUDGE_SIDE},
    Verdict.UNDECIDED.code.lower(): None,
    REJECTED: Verdict.WRONG,
}
"""What judges say, in small letters: words of CodeNet, abbreviations, our verdicts."""
FORMS = {
    "codenet": "Project CodeNet: metadata/problem_list.csv, metadata/PROBLEM.csv and data/.",
    "itsp": "ITSP: Lab-NUMBER/PROBLEM/NUMBER_buggy.c and NUMBER_correct.c, tests beside them.",
    "introclass": "IntroClass: ASSIGNMENT/STUDENT/VERSION with metadata.json, and ASSIGNMENT/tests.",
    "codeflaws": "Codeflaws: folders named PROBLEM-bug-WRONG-RIGHT.",
    "csv": f"A CSV file with the columns {', '.join(COLUMNS)}, and file or code; id and difficulty if you like.",
}
_FOLDERS: tuple[tuple[Callable[[Path], bool], Read], ...] = (
    (codenet.has_submissions, codenet.read_submissions),
    (itsp.has_submissions, itsp.read_submissions),
    (introclass.has_submissions, introclass.read_submissions),
    (codeflaws.has_submissions, codeflaws.read_submissions),
)


def open_submissions(path: Path, settings: FormSettings) -> SubmissionSource:
    """Look at submissions in whichever form they have."""
    if not path.exists():
        raise UserError(f"{path} does not exist; it should hold submissions: {_possible()}")
    if path.is_file() and path.suffix == ".csv":
        return read_submission_list(path, settings)
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


def read_submission_list(path: Path, settings: FormSettings) -> SubmissionSource:
    """Read the rows; programs are read when they are needed."""
    rows = read_csv(path, COLUMNS)
    if not rows:
        raise UserError(f"{path} has no submission, only a header")
    if not {"file", "code"} & set(rows[0][1]):
        raise UserError(f"{path}, line 1: a column 'file' (a path beside this file) or 'code' is missing")
    found = [(_submission(path.parent, where, row), row.get("difficulty", "").strip()) for where, row in rows]
    tests = JudgeTests(settings.tests) if settings.tests else None
    return SubmissionSource(name=path.stem, licence="unknown", problems=_problems(found, tests, settings.judge))


def _problems(found: list[tuple[JudgedSubmission, str]], tests: JudgeTests | None, judge: Settings) -> Iterator[SubmittedProblem]:
    for problem, group in groupby(sorted(found, key=lambda item: item[0].problem), key=lambda item: item[0].problem):
        rows = list(group)
        about = ListedProblem(id=problem, name=problem, time_s=None, memory_mb=None)
        yield SubmittedProblem(
            id=problem,
            submissions=tuple(submission for submission, _ in rows),
            difficulty=next((difficulty for _, difficulty in rows if difficulty), letter_of(tests, about)),
            program=partial(_program, judge, about, tests) if tests and cases_folder(tests, about) else None,
        )


def _submission(folder: Path, where: str, row: Mapping[str, str]) -> JudgedSubmission:
    status, file = row["status"].strip(), row.get("file", "").strip()
    if status.lower() not in _STATUSES:
        raise UserError(f"{where}: {unknown('status', status, _STATUSES)}")
    for name in ("problem", "user"):
        if not row[name].strip():
            raise UserError(f"{where}: the column {name!r} is empty")
    if file and not (folder / file).resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{where}: {file!r} is no file below {folder}")
    time, is_dated = _time(row["time"].strip(), where)
    return JudgedSubmission(
        id=row.get("id", "").strip() or where.rpartition(" ")[2],
        problem=row["problem"].strip(),
        user=row["user"].strip(),
        language=_language(row["language"].strip()),
        time=time,
        status=status,
        verdict=_STATUSES[status.lower()],
        file=folder / file if file else None,
        code=row.get("code", ""),
        is_dated=is_dated,
    )


def _language(name: str) -> str:
    """Return our name of a language that goes by its name, its title, or what models call it."""
    for stated in every():
        if name.lower() in (stated.name, stated.title.lower(), *stated.fences):
            return stated.name
    return name


def _time(text: str, where: str) -> tuple[float, bool]:
    """Read a date, a moment, or a number: seconds or a place in an order."""
    try:
        number = float(text)
    except ValueError:
        try:
            moment = datetime.datetime.fromisoformat(text)
        except ValueError:
            raise UserError(f"{where}: time is {text!r}; write a number, or a moment as 2024-02-29T12:00:00") from None
        return (moment if moment.tzinfo else moment.replace(tzinfo=datetime.UTC)).timestamp(), True
    if not math.isfinite(number):
        raise UserError(f"{where}: time is {text!r}; write a number, or a moment as 2024-02-29T12:00:00")
    return number, False


def _program(judge: Settings, problem: ListedProblem, tests: JudgeTests, both: PairTexts) -> JudgedProgram:
    verdict = both.wrong.verdict or Verdict.WRONG
    cases = tests.cases(problem.id, problem.name)
    made = submitted_program(both.name, problem, both.wrong.language, both.texts, verdict, cases, judge)
    return dataclasses.replace(made, facts={})
