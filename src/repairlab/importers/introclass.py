"""IntroClass: C programs of students for six assignments, with black-box and white-box cases. Loaded by `table`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.importers.reading import chosen, need_sources, read_text
from repairlab.importers.small_programs import Judged, checker_of, folders_of, judged_bug, limits_of, pair_cases, safe_id

_SHORT = 8
"""Students are named by hashes of 128 digits; so many are enough."""


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
        licence="BSD-3-Clause",
        description=f"IntroClass: {len(ids)} versions of students' C programs",
        n_bugs=len(ids),
        bugs=_bugs({name: found[name] for name in ids}, settings),
    )


def _bugs(versions: Mapping[str, Path], settings: Settings) -> Iterator[ImportedBug | Dropped]:
    for name, version in versions.items():
        try:
            yield _bug(name, version, settings)
        except UserError as error:
            yield Dropped(id=name, reason=str(error))


def _bug(name: str, version: Path, settings: Settings) -> ImportedBug | Dropped:
    assignment = version.parent.parent
    cases = {
        f"{kind}-{case}": texts
        for kind in ("blackbox", "whitebox")
        if (assignment / "tests" / kind).is_dir()
        for case, texts in pair_cases(assignment / "tests" / kind).items()
    }
    return judged_bug(
        Judged(
            id=name,
            language="c",
            buggy=read_text(version / f"{assignment.name}.c"),
            fixed=read_text(assignment / "tests" / f"{assignment.name}.c"),
            cases=cases,
            title=f"{assignment.name}: the program is not accepted",
            test=checker_of(settings, cases),
            limits=limits_of(2.0, 256),
            facts={"origin": {"repository": "ProgramRepair/IntroClass", "licence": "BSD-3-Clause"}},
        )
    )
