"""Project CodeNet: metadata/PROBLEM.csv names submissions, data/ holds them; tests come from elsewhere."""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from repairlab.building.importers.codenet import (
    LANGUAGES,
    LICENCE,
    SUBMITTED,
    ListedProblem,
    listed_problems,
    refuse_old,
    source_path,
    submitted_program,
    verdict_of,
)
from repairlab.building.importers.importer import Settings
from repairlab.building.importers.judge_tests import JudgeTests
from repairlab.building.importers.small_programs import JudgedProgram
from repairlab.building.mining.submission_forms.form import (
    FormSettings,
    JudgedSubmission,
    PairTexts,
    SubmissionSource,
    SubmittedProblem,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_csv
from repairlab.core.outcome import Verdict


def recognises(root: Path) -> bool:
    """Return whether a folder has the metadata."""
    return (root / "metadata" / "problem_list.csv").is_file()


def read(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at the metadata."""
    tests = JudgeTests(settings.tests) if settings.tests else None
    return SubmissionSource(name="codenet", licence=LICENCE, problems=_problems(root, tests, settings.judge))


def _problems(root: Path, tests: JudgeTests | None, judge: Settings) -> Iterator[SubmittedProblem]:
    for problem in listed_problems(root):
        rows = read_csv(root / "metadata" / f"{problem.id}.csv", SUBMITTED)
        found = tuple(_submission(root, where, row) for where, row in rows)
        yield SubmittedProblem(
            id=problem.id,
            submissions=found,
            difficulty=letter_of(tests, problem),
            program=partial(_program, judge, problem, tests) if tests and cases_folder(tests, problem) else None,
        )


def letter_of(tests: JudgeTests | None, problem: ListedProblem) -> str | None:
    """Return the letter of a problem in its contest, which says how hard it is, where the tests lie by contest and letter."""
    folder = cases_folder(tests, problem) if tests else None
    return folder.name if folder and len(folder.name) == 1 else None


def cases_folder(tests: JudgeTests, problem: ListedProblem) -> Path | None:
    """Return where the test cases of a problem are, if there are any."""
    try:
        return tests.find(problem.id, problem.name)
    except UserError:
        return None


def _submission(root: Path, where: str, row: Mapping[str, str]) -> JudgedSubmission:
    if not row["date"].strip().isdecimal():
        raise UserError(f"{where}: date should be a number of seconds, not {row['date']!r}")
    return JudgedSubmission(
        id=row["submission_id"],
        problem=row["problem_id"],
        user=row["user_id"],
        language=LANGUAGES.get(row["language"], row["language"]),
        time=float(row["date"]),
        status=row["status"],
        verdict=verdict_of(row["status"], where),
        file=source_path(root, row),
        dialect=row["original_language"],
        is_dated=True,
    )


def _program(judge: Settings, problem: ListedProblem, tests: JudgeTests, both: PairTexts) -> JudgedProgram:
    refuse_old(both.wrong.language, both.right.dialect, both.texts[1])
    verdict = both.wrong.verdict or Verdict.WRONG
    cases = tests.cases(problem.id, problem.name)
    return submitted_program(both.name, problem, both.wrong.language, both.texts, verdict, cases, judge)
