"""IntroClass: C programs of students for six assignments, with black-box and white-box cases.

ASSIGNMENT/STUDENT/000, 001 and so on are versions of one student.
"""

import json
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    OLD_C,
    JudgedProgram,
    checker_of,
    folders_of,
    judged_bug,
    limits_of,
    pair_cases,
    safe_id,
)
from repairlab.building.importers.submissions import FormSettings, PairTexts, SubmissionSource, SubmittedProblem, by_user, own_tests
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict

LICENCE = "BSD-3-Clause"
_SHORT = 8
"""Students are named by hashes of 128 digits; this many suffice."""
_ANSWERS = {
    "checksum": r"(?i)check ?sum is (.)",
    "digits": r"(-?\d)\n",
    "grade": r"(?i)student has an ([a-d]) grade|student has (failed) the course",
    "median": r"(-?(?<!\d)(?>\d+)) is the median",
    "smallest": r"(?i)(-?(?<!\d)(?>\d+)) is the smallest",
    "syllables": r"(?i)syllables is (\d+)",
}
"""Where the answer is in what a program prints; the rest is talk, which IntroClass's own tests do not look at.
Numbers are looked at once, from their first digit: a program may print nothing but digits."""
_CHECKER = added_text("introclass-checker.py.in")


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout."""
    root = need_sources(list(sources), ("a checkout of IntroClass",))[0]
    assignments = [folder for folder in folders_of(root) if (folder / "tests").is_dir()]
    found: dict[str, Path] = {}
    for assignment in assignments:
        students = [folder for folder in folders_of(assignment) if folder.name != "tests"]
        for version in (version for student in students for version in folders_of(student)):
            if (version / f"{assignment.name}.c").is_file():
                short = safe_id(assignment.name, version.parent.name[:_SHORT], version.name)
                name = short if short not in found else safe_id(assignment.name, version.parent.name, version.name)
                found[name] = version
    if not found:
        raise UserError(f"{root} holds no program ASSIGNMENT/STUDENT/VERSION/ASSIGNMENT.c beside ASSIGNMENT/tests")
    ids = chosen(list(found), settings)
    return Import(
        name="introclass",
        version="1.0.0",
        licence=LICENCE,
        description=f"IntroClass: {len(ids)} versions of students' C programs",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, found[name], settings)),
    )


def _bug(name: str, version: Path, settings: Settings) -> ImportedBug | Dropped:
    assignment = version.parent.parent
    if passes_all(version / "metadata.json"):
        return Dropped(id=name, reason="it passes all of its tests, says metadata.json")
    texts = (read_text(folder / f"{assignment.name}.c") for folder in (version, assignment / "tests"))
    return judged_bug(student_program(name, assignment, tuple(texts), settings))


def student_program(name: str, assignment: Path, texts: Sequence[str], settings: Settings) -> JudgedProgram:
    """Return a wrong and a right program for an assignment with its cases."""
    cases = {
        f"{kind}-{case}": both
        for kind in ("blackbox", "whitebox")
        if (assignment / "tests" / kind).is_dir()
        for case, both in pair_cases(assignment / "tests" / kind).items()
    }
    answer = _ANSWERS.get(assignment.name) if settings.checker is None else None
    facts: dict[str, Any] = {"origin": {"repository": "ProgramRepair/IntroClass", "licence": LICENCE}}
    if answer is not None:
        facts["checker"] = {"language": "python"}
    return JudgedProgram(
        id=name,
        language="c",
        buggy=texts[0],
        fixed=texts[1],
        cases=cases,
        title=f"{assignment.name}: the program is not accepted",
        test=checker_of(settings, cases) if answer is None else {"checker": "program"},
        checker={} if answer is None else {"checker.py": _checker(assignment.name, answer)},
        limits=limits_of(2.0, 256),
        flags=("-O0", OLD_C),  # no optimisation, as in the makefiles
        facts=facts,
    )


def passes_all(path: Path) -> bool:
    """Return whether IntroClass itself counts no failing test: 145 of its 1143 versions have no defect."""
    try:
        facts = json.loads(read_text(path)) if path.is_file() else {}
        return bool(facts) and not any(facts[kind]["fail"] for kind in ("blackbox", "whitebox"))
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"{path}: no metadata of a version with blackbox.fail and whitebox.fail ({error!r})") from None


def _checker(assignment: str, answer: str) -> bytes:
    return _CHECKER.replace("@ANSWER@", repr(answer)).replace("@ONCE@", repr(assignment != "digits")).encode()


def has_submissions(root: Path) -> bool:
    """Return whether a folder holds assignments with tests beside versions that have metadata."""
    return any((path.parents[2] / "tests").is_dir() for path in root.glob("*/*/*/metadata.json"))


def read_submissions(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at a checkout."""
    own_tests(settings, root)
    return SubmissionSource(name="introclass", licence=LICENCE, problems=_submitted_problems(root, settings.judge))


def _submitted_problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
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
        yield SubmittedProblem(id=assignment.name, submissions=tuple(found), program=partial(_pair_program, judge, assignment))


def _pair_program(judge: Settings, assignment: Path, both: PairTexts) -> JudgedProgram:
    return student_program(both.name, assignment, both.texts, judge)
