"""Project CodeNet: metadata/PROBLEM.csv names submissions, data/ holds them; tests come from elsewhere.

As a benchmark, each bug is a rejected submission, and its fix is the last accepted one by the same user.
"""

import ast
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, get_args

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.judge_tests import JudgeTests
from repairlab.building.importers.small_programs import (
    Cases,
    JudgedProgram,
    checker_of,
    judged_bug,
    limits_of,
    pick_language,
    safe_id,
)
from repairlab.building.importers.submissions import FormSettings, JudgedSubmission, PairTexts, SubmissionSource, SubmittedProblem
from repairlab.core.bug import Difficulty
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import read_csv, read_text
from repairlab.core.outcome import CODENET, Verdict
from repairlab.core.record import record

LICENCE = "CDLA-Permissive-2.0"
JUDGE_SIDE = ("Judge Not Available", "Waiting for Judging", "Waiting for Re-judging", "Internal Error", "Judge System Error")
"""States of the judge, not of a program: never a bug."""
LANGUAGES = {"Python": "python", "Java": "java", "C": "c", "C++": "cpp"}
_LISTED = ("id", "name", "dataset", "time_limit", "memory_limit")
SUBMITTED = ("submission_id", "problem_id", "user_id", "date", "language", "original_language", "filename_ext", "status")
_TIME_S, _MEMORY_MB = 2.0, 1024
"""For the few problems without limits."""
_LETTERS = tuple(name for name in get_args(Difficulty) if len(name) == 1)


@record
class ListedProblem:
    """A problem of the list, with limits if it has any."""

    id: str
    name: str
    time_s: float | None
    memory_mb: int | None
    letter: str | None = None
    """In its contest: a sign of difficulty."""


@record
class _Pair:
    """A rejected submission and the accepted one that followed, if any."""

    problem: ListedProblem
    language: str
    wrong: Mapping[str, str]
    right: Mapping[str, str] | None


def verdict_of(status: str, where: str) -> Verdict | None:
    """Return the verdict of a status, None when the judge failed; an unknown status is an error."""
    if status in JUDGE_SIDE:
        return None
    if status not in CODENET:
        raise UserError(f"{where}: {unknown('status', status, (*CODENET, *JUDGE_SIDE))}")
    return CODENET[status]


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at the metadata of all problems that have test cases."""
    root, tests = need_sources(list(sources), ("Project CodeNet with metadata/ and data/", "the folder of test cases"))
    cases = JudgeTests(tests)
    asked = pick_language(settings, LANGUAGES.values())
    problems, untested = _problems(root, cases)
    pairs = {
        safe_id(problem.id, pair.wrong["submission_id"]): pair
        for problem in problems
        for pair in _pairs(root, problem)
        if asked in (None, pair.language)
    }
    if not pairs:
        raise UserError(f"{root / 'metadata'}: of {len(problems)} problems with test cases none has a rejected submission to read")
    ids = chosen(list(pairs), settings)
    drops = [] if settings.include or settings.limit else untested
    return Import(
        name="codenet",
        version="1.0.0",
        licence=LICENCE,
        description=f"Project CodeNet: rejected submissions to {len({pairs[name].problem.id for name in ids})} problems",
        n_bugs=len(ids) + len(drops),
        bugs=chain(bugs_of(ids, lambda name: _bug(root, name, pairs[name], cases, settings)), drops),
    )


def _problems(root: Path, tests: JudgeTests) -> tuple[list[ListedProblem], list[Dropped]]:
    """Return the problems that have submissions and test cases, and those that have no test cases."""
    found, untested = [], []
    for problem in listed_problems(root):
        try:
            tests.find(problem.id, problem.name)
        except UserError as error:
            untested.append(Dropped(id=problem.id, reason=str(error)))
        else:
            found.append(problem)
    if not found:
        reason = f" The first: {untested[0].reason}" if untested else ""
        raise UserError(f"{root / 'metadata'}: no problem has submissions and test cases.{reason}")
    return found, untested


def listed_problems(root: Path) -> Iterator[ListedProblem]:
    """Yield the problems of the list that have submissions."""
    listed = list(read_csv(root / "metadata" / "problem_list.csv", _LISTED))
    known = letters({row["id"]: row["name"] for _, row in listed})
    for where, row in listed:
        if not (root / "metadata" / f"{row['id']}.csv").is_file():
            continue
        time_ms, memory_kb = (_number(row, name, where) for name in ("time_limit", "memory_limit"))
        yield ListedProblem(
            id=row["id"],
            name=row["name"],
            time_s=time_ms / 1000 if time_ms else None,
            memory_mb=max(16, int(memory_kb / 1024)) if memory_kb else None,
            letter=known.get(row["id"]),
        )


def letters(names: Mapping[str, str]) -> dict[str, str]:
    """Return the letters of tasks, whose list keeps the order of their contests; a contest may begin with the last two of another.

    >>> names = ("ABC 42 - One", "ABC 42 - Two", "ABC 42 - Three", "ARC 58 - Two", "ARC 58 - Three", "ARC 58 - Four", "Old")
    >>> "".join(letters({name: name for name in names}).values())
    'ABCBCD'
    """
    contests: dict[str, dict[str, str]] = {}
    for name, text in names.items():
        contest, is_task, title = text.partition(" - ")
        if is_task:
            contests.setdefault(contest, {})[name] = title
    starts: dict[tuple[str, ...], int] = {}
    for tasks in contests.values():
        for place, both in enumerate(pairwise(tasks.values())):
            starts[both] = max(place, starts.get(both, 0))
    found: dict[str, str] = {}
    for tasks in contests.values():
        found |= zip(tasks, _LETTERS[starts.get(tuple(tasks.values())[:2], 0) :], strict=False)
    return found


def _number(row: Mapping[str, str], name: str, where: str) -> float | None:
    try:
        return float(row[name]) if row[name].strip() else None
    except ValueError:
        raise UserError(f"{where}: {name} should be a number, not {row[name]!r}") from None


def _pairs(root: Path, problem: ListedProblem) -> Iterator[_Pair]:
    """Yield every rejected submission with the last later accepted one of the same user and language."""
    rejected: list[tuple[str, dict[str, str]]] = []
    accepted: dict[tuple[str, str], dict[str, str]] = {}
    for where, row in read_csv(root / "metadata" / f"{problem.id}.csv", SUBMITTED):
        if row["language"] not in LANGUAGES:
            continue
        verdict = verdict_of(row["status"], where)
        key = row["user_id"], row["language"]
        if verdict is Verdict.PLAUSIBLE:
            if key not in accepted or _when(accepted[key], where) <= _when(row, where):
                accepted[key] = row
        elif verdict is not None:
            rejected.append((where, row))
    for where, row in rejected:
        right = accepted.get((row["user_id"], row["language"]))
        later = right if right is not None and _when(right, where) > _when(row, where) else None
        yield _Pair(problem=problem, language=LANGUAGES[row["language"]], wrong=row, right=later)


def _when(row: Mapping[str, str], where: str) -> tuple[int, str]:
    try:
        return int(row["date"]), row["submission_id"]
    except ValueError:
        raise UserError(f"{where}: date should be a number of seconds, not {row['date']!r}") from None


def _bug(root: Path, name: str, pair: _Pair, tests: JudgeTests, settings: Settings) -> ImportedBug | Dropped:
    if pair.right is None:
        raise UserError("its author has no later accepted submission in the same language, so that its fix is not known")
    texts = tuple(source_of(root, row) for row in (pair.wrong, pair.right))
    refuse_old(pair.language, pair.right["original_language"], texts[1])
    cases = tests.cases(pair.problem.id, pair.problem.name)
    program = submitted_program(name, pair.problem, pair.language, texts, CODENET[pair.wrong["status"]], cases, settings)
    return judged_bug(labelled(program, letter_of(tests, pair.problem)))


def submitted_program(
    name: str,
    problem: ListedProblem,
    language: str,
    texts: Sequence[str],
    verdict: Verdict,
    cases: Cases,
    settings: Settings,
) -> JudgedProgram:
    """Return a wrong and a right submission to a problem with its cases."""
    test: dict[str, Any] = checker_of(settings, cases, "exact" if verdict is Verdict.PRESENTATION else None)
    notes = () if problem.time_s else (f"{problem.id} has no limits of its own; {_TIME_S:g} s and {_MEMORY_MB} MB are used",)
    return JudgedProgram(
        id=name,
        language=language,
        buggy=texts[0],
        fixed=texts[1],
        cases=cases,
        title=f"{problem.name}: the program is not accepted",
        verdict=verdict,
        test=test,
        limits=limits_of(problem.time_s or _TIME_S, problem.memory_mb or _MEMORY_MB),
        facts={"origin": {"repository": "IBM/Project_CodeNet", "licence": LICENCE}},
        notes=notes,
    )


def source_of(root: Path, row: Mapping[str, str]) -> str:
    """Return the text of a submission."""
    return read_text(source_path(root, row))


def source_path(root: Path, row: Mapping[str, str]) -> Path:
    """Return the path of a submission's text."""
    file = f"{row['submission_id']}.{row['filename_ext']}"
    return root / "data" / row["problem_id"] / row["language"] / file


def refuse_old(language: str, version: str, source: str) -> None:
    """Refuse a program in Python 2, by its author's statement or its syntax."""
    if language == "python" and ("(2" in version or "2." in version or not _is_python_3(source)):
        raise UserError("it is written in Python 2")


def _is_python_3(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def has_submissions(root: Path) -> bool:
    """Return whether a folder has the metadata."""
    return (root / "metadata" / "problem_list.csv").is_file()


def read_submissions(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at the metadata."""
    tests = JudgeTests(settings.tests) if settings.tests else None
    return SubmissionSource(name="codenet", licence=LICENCE, problems=_submitted_problems(root, tests, settings.judge))


def _submitted_problems(root: Path, tests: JudgeTests | None, judge: Settings) -> Iterator[SubmittedProblem]:
    for problem in listed_problems(root):
        rows = read_csv(root / "metadata" / f"{problem.id}.csv", SUBMITTED)
        found = tuple(_submission(root, where, row) for where, row in rows)
        yield SubmittedProblem(
            id=problem.id,
            submissions=found,
            difficulty=letter_of(tests, problem),
            program=partial(_pair_program, judge, problem, tests) if tests and cases_folder(tests, problem) else None,
        )


def labelled(program: JudgedProgram, letter: str | None) -> JudgedProgram:
    """Return a program labelled with the difficulty of its task."""
    return dataclasses.replace(program, facts={**program.facts, "labels": {"difficulty": letter}}) if letter else program


def letter_of(tests: JudgeTests | None, problem: ListedProblem) -> str | None:
    """Return the letter of a problem: that of its folder of tests, else that of the list."""
    folder = cases_folder(tests, problem) if tests else None
    return folder.name if folder and folder.name in _LETTERS else problem.letter


def cases_folder(tests: JudgeTests, problem: ListedProblem) -> Path | None:
    """Return the folder of a problem's test cases, if it has any."""
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


def _pair_program(judge: Settings, problem: ListedProblem, tests: JudgeTests, both: PairTexts) -> JudgedProgram:
    refuse_old(both.wrong.language, both.right.dialect, both.texts[1])
    verdict = both.wrong.verdict or Verdict.WRONG
    cases = tests.cases(problem.id, problem.name)
    return submitted_program(both.name, problem, both.wrong.language, both.texts, verdict, cases, judge)
