"""Codeflaws: wrong and right C programs of Codeforces, cases as files.

A folder PROBLEM-bug-WRONG-RIGHT is a pair, or two submissions of one user.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    OLD_C,
    JudgedProgram,
    checker_of,
    folders_of,
    judged_bug,
    limits_of,
    read_case,
    safe_id,
)
from repairlab.building.importers.submissions import FormSettings, PairTexts, SubmissionSource, SubmittedProblem, by_user, own_tests
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict

FOLDER = re.compile(r"(\d+-\w+)-bug-(\d+)-(\d+)")
_WINDOWS = re.compile(r"%(\d*)I64([dux])")
_LIMITS = (2.0, 256)
"""What most Codeforces problems allow, in seconds and MB; the folders do not say."""
_FLAGS = ("-std=c99", "-O0", "-fno-optimize-sibling-calls", "-fno-strict-aliasing", "-fno-asm")
"""As in the folders' makefiles."""


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a folder of pairs."""
    root = need_sources(list(sources), ("the folder of Codeflaws",))[0]
    folders = {safe_id(path.name): path for path in folders_of(root) if FOLDER.fullmatch(path.name)}
    if not folders:
        raise UserError(f"{root} holds no folder named like 476-A-bug-16608008-16608059")
    ids = chosen(list(folders), settings)
    return Import(
        name="codeflaws",
        version="1.0.0",
        licence="unknown",
        description=f"Codeflaws: {len(ids)} wrong C programs of Codeforces",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, folders[name], settings)),
    )


def _bug(name: str, folder: Path, settings: Settings) -> ImportedBug | Dropped:
    texts = tuple(read_text(path) for path in programs_of(folder))
    return judged_bug(contest_program(name, folder, texts, settings))


def programs_of(folder: Path) -> tuple[Path, Path]:
    """Return the wrong and the right program of a folder."""
    found = FOLDER.fullmatch(folder.name)
    problem, wrong, right = found.groups() if found else ("", "", "")
    return folder / f"{problem}-{wrong}.c", folder / f"{problem}-{right}.c"


def contest_program(name: str, folder: Path, texts: Sequence[str], settings: Settings) -> JudgedProgram:
    """Return a wrong and a right program with the cases of their folder."""
    buggy, fixed = (_WINDOWS.sub(r"%\1ll\2", text) for text in texts)
    notes = ["%I64d became %lld"] if (buggy, fixed) != tuple(texts) else []
    cases = {}
    for file in sorted(path.name.removesuffix(".gz") for path in folder.iterdir()):
        kind, is_input, case = file.partition("input-")
        if is_input and kind in ("", "heldout-"):
            try:
                cases[f"{kind}{case}"] = read_case(folder / file, folder / f"{kind}output-{case}")
            except UserError as error:
                notes.append(f"case {kind}{case} left out: {error}")
    if not cases:
        raise UserError(notes[-1] if notes else f"{folder} has no cases")
    return JudgedProgram(
        id=name,
        language="c",
        buggy=buggy,
        fixed=fixed,
        cases=cases,
        title=f"Codeforces {folder.name.partition('-bug-')[0]}: the program is not accepted",
        test=checker_of(settings, cases),
        limits=limits_of(*_LIMITS),
        flags=(*_FLAGS, OLD_C),
        facts={"origin": {"repository": "codeflaws/codeflaws"}},
        proof="good cases",  # Codeforces truncates long cases
        notes=tuple(notes),
    )


def has_submissions(root: Path) -> bool:
    """Return whether a folder holds such pairs."""
    return any(FOLDER.fullmatch(path.name) for path in root.iterdir() if path.is_dir())


def read_submissions(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at the folder of pairs."""
    own_tests(settings, root)
    return SubmissionSource(name="codeflaws", licence="unknown", problems=_submitted_problems(root, settings.judge))


def _submitted_problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
    folders = sorted((path for path in folders_of(root) if FOLDER.fullmatch(path.name)), key=lambda path: (_problem(path), path))
    for problem, group in groupby(folders, _problem):
        found = []
        homes = {}
        for folder in group:
            wrong, right = programs_of(folder)
            homes[wrong.stem] = folder
            # The author is not named: the folder stands for the user.
            steps = [(wrong.stem, wrong, Verdict.WRONG), (right.stem, right, Verdict.PLAUSIBLE)]
            found += by_user(problem, folder.name, steps, "c")
        letter = problem.rpartition("-")[2][:1]
        yield SubmittedProblem(
            id=problem, submissions=tuple(found), difficulty=letter, program=partial(_pair_program, judge, homes)
        )


def _problem(folder: Path) -> str:
    return folder.name.partition("-bug-")[0]


def _pair_program(judge: Settings, homes: dict[str, Path], both: PairTexts) -> JudgedProgram:
    return contest_program(both.name, homes[both.wrong.id], both.texts, judge)
