"""ITSP: C programs of students, wrong and then right, with cases by problem (ESEC/FSE 2017).

NUMBER_buggy.c and NUMBER_correct.c are two programs of one student.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import OLD_C, JudgedProgram, checker_of, judged_bug, limits_of, read_case, safe_id
from repairlab.building.importers.submissions import FormSettings, PairTexts, SubmissionSource, SubmittedProblem, by_user, own_tests
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict

REPORT = r"\A\s*/\*numPass=.*?\*/[ \t]*\n?"
"""What the judge wrote into each program: its verdict, and input and expected output of every case, even hidden ones."""
_CASE = re.compile(r"in\.(\w+)\.(\w+)\.txt")


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout, or at its folder dataset."""
    root = need_sources(list(sources), ("a checkout of ITSP",))[0]
    root = root / "dataset" if (root / "dataset").is_dir() else root
    found = {
        safe_id(*path.relative_to(root).parent.parts, path.name.removesuffix("_buggy.c")): path
        for path in sorted(root.glob("Lab-*/*/*_buggy.c"))
    }
    if not found:
        raise UserError(f"{root} holds no program Lab-NUMBER/PROBLEM/NUMBER_buggy.c")
    ids = chosen(list(found), settings)
    inputs = case_inputs(root)
    return Import(
        name="itsp",
        version="1.0.0",
        licence="unknown",
        description=f"ITSP: {len(ids)} wrong C programs of students",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, found[name], inputs, settings)),
    )


def _bug(name: str, path: Path, inputs: Mapping[str, dict[str, Path]], settings: Settings) -> ImportedBug | Dropped:
    files = path, path.with_name(path.name.replace("_buggy.c", "_correct.c"))
    texts = (re.sub(REPORT, "", read_text(file), count=1, flags=re.DOTALL) for file in files)
    problem = path.parent.name
    return judged_bug(student_program(name, problem, tuple(texts), inputs.get(problem, {}), settings))


def case_inputs(root: Path) -> dict[str, dict[str, Path]]:
    """Return the inputs of each problem by number; outputs lie beside them."""
    inputs: dict[str, dict[str, Path]] = {}
    for path in sorted((root / "test").glob("in.*.txt")):
        if named := _CASE.fullmatch(path.name):
            inputs.setdefault(named[1], {})[named[2]] = path
    return inputs


def student_program(name: str, problem: str, texts: Sequence[str], inputs: Mapping[str, Path], settings: Settings) -> JudgedProgram:
    """Return a wrong and a right program for a problem with its cases."""
    cases = {number: read_case(given, given.with_name(f"out{given.name[2:]}")) for number, given in inputs.items()}
    return JudgedProgram(
        id=name,
        language="c",
        buggy=texts[0],
        fixed=texts[1],
        cases=cases,
        title=f"Problem {problem}: the program is not accepted",
        test=checker_of(settings, cases),
        limits=limits_of(2.0, 256),
        flags=("-O0", OLD_C),  # as for IntroClass: many programs read uninitialised variables
        facts={"origin": {"repository": "jyi/ITSP"}},
        proof="good cases",
    )


PATTERN = "Lab-*/*/*_buggy.c"


def has_submissions(root: Path) -> bool:
    """Return whether a folder holds such programs."""
    return any(next(folder.glob(PATTERN), None) for folder in (root, root / "dataset"))


def read_submissions(root: Path, settings: FormSettings) -> SubmissionSource:
    """Look at a checkout, or at its folder dataset."""
    own_tests(settings, root)
    root = root / "dataset" if (root / "dataset").is_dir() else root
    return SubmissionSource(name="itsp", licence="unknown", problems=_submitted_problems(root, settings.judge))


def _submitted_problems(root: Path, judge: Settings) -> Iterator[SubmittedProblem]:
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
        program = partial(_pair_program, judge, folder.name, known) if known else None
        yield SubmittedProblem(id=folder.name, submissions=tuple(found), program=program)


def _pair_program(judge: Settings, problem: str, inputs: dict[str, Path], both: PairTexts) -> JudgedProgram:
    return student_program(both.name, problem, both.texts, inputs, judge)
