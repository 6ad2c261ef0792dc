"""HumanEvalFix (OctoPack): 164 functions with a bug written by hand, in Python and Java. Loaded by `table`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.benchmarks.importers.reading import chosen, need_sources
from repairlab.benchmarks.importers.small_programs import limits_of, patch_of, pick_language, safe_id, target_of, text_file
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines

_LANGUAGES = {"Python": "python", "Java": "java"}
_PATHS = {"python": "solution.py", "java": "Solution.java"}
_FIELDS = ("prompt", "buggy_solution", "canonical_solution", "test", "entry_point")
_PYTHON_TEST = """\
from solution import *
import solution

{test}

def test_solution():
    check(solution.{entry_point})
"""
_JAVA_TEST = """\
public class SolutionTest {
    @org.junit.Test
    public void solution() throws Exception {
        Main.main(new String[0]);
    }
}
"""
_TRIGGERS = {"python": "test_solution.py::test_solution", "java": "SolutionTest::solution"}


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a file of tasks."""
    path = need_sources(list(sources), ("humanevalpack.jsonl",))[0]
    tasks: dict[str, tuple[str, str, dict[str, Any]]] = {}
    others = 0
    for where, entry in read_json_lines(path):
        prefix, _, number = field(entry, "task_id", str, where).partition("/")
        if prefix not in _LANGUAGES or not number:
            others += 1
            continue
        tasks[safe_id(_LANGUAGES[prefix], number)] = (where, _LANGUAGES[prefix], entry)
    if not tasks:
        raise UserError(f"{path}: none of its {others} tasks is in a language at hand: {', '.join(_LANGUAGES)}")
    asked = pick_language(settings, {language for _, language, _ in tasks.values()})
    ids = chosen([name for name, task in tasks.items() if asked in (None, task[1])], settings)
    languages = " and ".join(sorted({tasks[name][1].title() for name in ids}))
    return Import(
        name="humanevalfix" if asked is None and len(languages.split()) > 1 else f"humanevalfix-{tasks[ids[0]][1]}",
        version="1.0.0",
        licence="MIT",
        description=f"HumanEvalFix: {len(ids)} {languages} functions with a bug written by hand",
        n_bugs=len(ids),
        bugs=_bugs({name: tasks[name] for name in ids}),
    )


def _bugs(tasks: Mapping[str, tuple[str, str, dict[str, Any]]]) -> Iterator[ImportedBug | Dropped]:
    for name, (where, language, entry) in tasks.items():
        try:
            yield _bug(name, where, language, entry)
        except UserError as error:
            yield Dropped(id=name, reason=str(error))


def _bug(name: str, where: str, language: str, entry: dict[str, Any]) -> ImportedBug:
    texts = {key: field(entry, key, str, where) for key in _FIELDS}
    path = _PATHS[language]
    buggy, fixed = (texts["prompt"] + texts[key].rstrip() + "\n" for key in ("buggy_solution", "canonical_solution"))
    tests = _python_tests(texts) if language == "python" else _java_tests(texts)
    patch = patch_of({path: text_file(buggy)}, {path: text_file(fixed)})
    if not patch:
        raise UserError(f"{where}: buggy_solution and canonical_solution are the same")
    facts = {
        "language": language,
        "path": path,
        "target": target_of(language, buggy, fixed),
        "build": {"tool": "javac", "sources": [path], "tests": sorted(tests)} if language == "java" else {"tool": "none"},
        "test": {
            "framework": "junit4" if language == "java" else "pytest",
            "files": sorted(tests),
            "trigger": [_TRIGGERS[language]],
        },
        "limits": limits_of(10.0, 1024),
        "origin": {"repository": "bigcode-project/octopack", "licence": "MIT"},
    }
    described = entry.get("docstring")
    return ImportedBug(
        id=name,
        facts=facts,
        title=f"{texts['entry_point']} does not do what its description says",
        description=described if isinstance(described, str) else "",
        tree={path: text_file(buggy), **{test: text_file(text) for test, text in tests.items()}},
        patch=patch,
    )


def _python_tests(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the given assertions as a pytest file; a call of `check` at their end would run them on import."""
    test = re.sub(r"^check\(.*\)\s*$", "", texts["test"], flags=re.MULTILINE).strip("\n")
    return {"test_solution.py": _PYTHON_TEST.format(test=test, entry_point=texts["entry_point"])}


def _java_tests(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the given main class, which has the imports of the solution, and a test that calls it."""
    imports = re.findall(r"^import [^;]+;", texts["prompt"], flags=re.MULTILINE)
    return {"Main.java": "\n".join((*imports, "", texts["test"].strip(), "")), "SolutionTest.java": _JAVA_TEST}
