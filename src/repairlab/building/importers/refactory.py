"""Refactory: Python functions of students, tested by small scripts whose output is compared."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from repairlab.building.importers.importer import Import, ImportedBug, Settings, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import folders_of, limits_of, patch_of, safe_id, target_of, text_file
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text

_PATH = "solution.py"
_TEST_PATH = "test_solution.py"
_CASE = re.compile(r"input_(\w+)\.txt")
_TEST = added_text("refactory-test.py.in")


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at the folder of questions."""
    root = need_sources(list(sources), ("Refactory's unpacked data",))[0]
    questions = [folder for folder in folders_of(root) if (folder / "ans").is_dir() and (folder / "code").is_dir()]
    wrong = {
        safe_id(question.name, path.stem): (question, path)
        for question in questions
        for path in sorted((question / "code" / "wrong").glob("*.py"))
    }
    if not wrong:
        raise UserError(f"{root} holds no program QUESTION/code/wrong/NAME.py beside QUESTION/ans")
    ids = chosen(list(wrong), settings)
    return Import(
        name="refactory",
        version="1.0.0",
        licence="unknown",
        description=f"Refactory: {len(ids)} wrong Python programs of students for {len(questions)} assignments",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, *wrong[name])),
    )


def _bug(name: str, question: Path, path: Path) -> ImportedBug:
    buggy, fixed = read_text(path), read_text(question / "code" / "reference" / "reference.py")
    patch = patch_of({_PATH: text_file(buggy)}, {_PATH: text_file(fixed)})
    if not patch:
        raise UserError("the wrong and the right program are the same")
    statement = question / "description.txt"
    return ImportedBug(
        id=name,
        facts={
            "language": "python",
            "path": _PATH,
            "target": target_of("python", buggy, fixed),
            "test": {"framework": "pytest", "files": [_TEST_PATH], "trigger": [_TEST_PATH]},
            "limits": limits_of(2.0, 512),
            "origin": {"repository": "githubhuyang/refactory"},
        },
        title=f"{question.name}: the program is not accepted",
        description=read_text(statement).strip() if statement.is_file() else "",
        tree={_PATH: text_file(buggy), _TEST_PATH: text_file(_tests(question))},
        patch=patch,
        discover=(_TEST_PATH,),
        unsorted=True,
    )


def _tests(question: Path) -> str:
    cases = {}
    for given in sorted((question / "ans").rglob("input_*.txt")):
        found = _CASE.fullmatch(given.name)
        if found:
            call = read_text(given).strip()
            cases[found[1]] = [
                call if "print(" in call else f"print({call})",
                read_text(given.with_name(f"output_{found[1]}.txt")),
            ]
    if not cases:
        raise UserError(f"{question / 'ans'} holds no pair input_NAME.txt and output_NAME.txt")
    parts = {"BEFORE": question / "code" / "global.py", "AFTER": question / "code" / "global_append.py"}
    text = _TEST.replace("@CASES@", json.dumps(cases, indent=4))
    for mark, path in parts.items():
        text = text.replace(f"@{mark}@", repr(read_text(path)) if path.is_file() else '""')
    return text
