"""ConDefects: wrong and right programs of AtCoder in Python and Java; test cases are downloaded separately."""

from collections.abc import Sequence
from pathlib import Path

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    JudgedProgram,
    checker_of,
    folders_of,
    in_out_cases,
    judged_bug,
    limits_of,
    pair_cases,
    pick_language,
    safe_id,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.record import record

_LANGUAGES = {"Python": ("python", "py"), "Java": ("java", "java")}
_LIMITS = (5.0, 1024)
"""Limits vary by problem and are not in the data; AtCoder allows 1024 MB."""


@record
class _Program:
    folder: Path
    task: str
    language: str
    ending: str


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout."""
    root, tests = need_sources(list(sources), ("a checkout of ConDefects", "the folder of test cases"))
    asked = pick_language(settings, ("python", "java"))
    if not (root / "Code").is_dir():
        raise UserError(f"{root / 'Code'} is missing: {root} is no checkout of ConDefects")
    found = {
        safe_id(task.name, kind, folder.name): _Program(folder=folder, task=task.name, language=language, ending=ending)
        for task in folders_of(root / "Code")
        for kind, (language, ending) in _LANGUAGES.items()
        if (task / kind).is_dir() and asked in (None, language)
        for folder in folders_of(task / kind)
    }
    if not found:
        raise UserError(f"{root / 'Code'} holds no program TASK/LANGUAGE/NUMBER/faultyVersion.*")
    ids = chosen(list(found), settings)
    return Import(
        name="condefects",
        version="1.0.0",
        licence="CC-BY-SA-4.0",
        description=f"ConDefects: {len(ids)} wrong programs of AtCoder",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, found[name], tests, settings)),
    )


def _bug(name: str, program: _Program, tests: Path, settings: Settings) -> ImportedBug | Dropped:
    buggy, fixed = (read_text(program.folder / f"{kind}Version.{program.ending}") for kind in ("faulty", "correct"))
    place = _cases(tests, program.task)
    cases = in_out_cases(place) or pair_cases(place)  # AtCoder's archive, or samples as contestants' tools keep them
    return judged_bug(
        JudgedProgram(
            id=name,
            language=program.language,
            buggy=buggy,
            fixed=fixed,
            cases=cases,
            title=f"AtCoder {program.task}: the program is not accepted",
            test=checker_of(settings, cases),
            limits=limits_of(*_LIMITS),
            facts={"origin": {"repository": "appmlk/ConDefects", "licence": "CC-BY-SA-4.0"}},
        )
    )


def _cases(tests: Path, task: str) -> Path:
    """Return the folder of a task's cases, CONTEST/TASK in any case; the task that addresses call h is Ex in later contests."""
    contest, _, letter = task.rpartition("_")
    names = (letter.lower(), *(("ex",) if letter.lower() == "h" else ()))
    for folder in folders_of(tests):
        if folder.name.lower() == contest.lower():
            places = {place.name.lower(): place for place in folders_of(folder)}
            for name in names:
                if name in places:
                    return places[name]
    raise UserError(f"there are no test cases for {task}: {tests / contest / letter.upper()} is missing")
