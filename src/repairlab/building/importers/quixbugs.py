"""QuixBugs: forty classic algorithms with one bug each, in Java (JUnit) and Python (pytest).

Its programs as JSON Lines are laid out like a checkout, with what their tests need; JUnit classes are made from the cases.
"""

import ast
import json
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    SLACK,
    carried_over,
    limits_of,
    patch_of,
    pick_language,
    target_of,
    text_file,
    with_longer_timeouts,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines, read_text

_JAVA_TESTS = "java_testcases/junit"


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout."""
    path = need_sources(list(sources), ("a checkout of QuixBugs, or its programs as JSON Lines",))[0]
    name = pick_language(settings, ("java", "python"))
    if name is None:
        raise UserError("QuixBugs has programs in two languages: say which with --language python or --language java")
    source = _Source(path)
    programs = source.programs(f"correct_{name}_programs", ".java" if name == "java" else ".py")
    if not programs:
        raise UserError(f"{path / f'correct_{name}_programs'} is missing or empty: {path} is no checkout of QuixBugs")
    ids = chosen([program.lower() for program in programs], settings)
    return Import(
        name=f"quixbugs-{name}",
        version="1.0.0",
        licence="MIT",
        description=f"QuixBugs: {len(ids)} small {name.title()} programs with one bug each",
        n_bugs=len(ids),
        bugs=bugs_of(ids, partial(_java if name == "java" else _python, source)),
    )


class _Source:
    """The files of a checkout, on disk or made from JSON Lines."""

    def __init__(self, path: Path) -> None:
        self._root = path
        self._files = files_of_lines(path) if path.is_file() else None

    def text(self, path: str) -> str:
        if self._files is None:
            return read_text(self._root / path)
        if path not in self._files:
            raise UserError(f"{self._root}: what would be {path} in a checkout is missing")
        return self._files[path]

    def has(self, path: str) -> bool:
        return (self._root / path).is_file() if self._files is None else path in self._files

    def programs(self, folder: str, ending: str) -> list[str]:
        """Return the names of programs, without helpers: node classes, and scripts that run a program by hand."""
        paths = map(Path, self._files) if self._files is not None else (self._root / folder).glob(f"*{ending}")
        names = sorted(path.stem for path in paths if path.parent.name == folder and path.suffix == ending)
        return [name for name in names if not name.endswith("_test") and name.lower() not in ("node", "weightededge")]


def _java(source: _Source, program: str) -> ImportedBug:
    name = program.upper()
    path, test_path = f"java_programs/{name}.java", f"{_JAVA_TESTS}/{name}_TEST.java"
    buggy, given = source.text(path), source.text(test_path)
    other = source.text(f"correct_java_programs/{name}.java")
    other = re.sub(r"^import java_programs\.\w+;\n", "", other.replace("\r\n", "\n"), flags=re.MULTILINE)
    fixed = carried_over("java", buggy, re.sub(r"\bcorrect_java_programs\b", "java_programs", other))
    test = with_longer_timeouts(given)
    tree = {path: buggy, test_path: test, **_java_helpers(source, buggy + test)}
    note = f"timeouts of its tests are {SLACK} times as long as in QuixBugs, because JUnit counts wall time"
    return _bug(
        source,
        program,
        {
            "language": "java",
            "path": path,
            "target": target_of("java", buggy, fixed),
            "build": {"tool": "javac", "sources": ["java_programs/*.java"], "tests": [f"{_JAVA_TESTS}/*.java"]},
            "test": {"framework": "junit4", "files": ["java_testcases/**"]},
            "limits": limits_of(10.0, 1024),
        },
        {name: text_file(text) for name, text in tree.items()},
        patch_of({path: text_file(buggy)}, {path: text_file(fixed)}),
        f"java_testcases.junit.{name}_TEST",
        notes=(note,) if test != given else (),
    )


def _java_helpers(source: _Source, text: str) -> dict[str, str]:
    """Return the classes that programs and tests share, as far as this program needs them."""
    helpers = {}
    folders = (("java_programs", "Node"), ("java_programs", "WeightedEdge"), (_JAVA_TESTS, "QuixFixOracleHelper"))
    for folder, name in folders:
        if re.search(rf"\b{name}\b", text):
            helpers[f"{folder}/{name}.java"] = source.text(f"{folder}/{name}.java")
            text += helpers[f"{folder}/{name}.java"]
    if "java_programs/WeightedEdge.java" in helpers:
        helpers["java_programs/Node.java"] = source.text("java_programs/Node.java")
    return helpers


def _python(source: _Source, program: str) -> ImportedBug:
    path, test_path = f"python_programs/{program}.py", f"python_testcases/test_{program}.py"
    buggy, test = source.text(path), source.text(test_path)
    other = source.text(f"correct_python_programs/{program}.py")
    fixed = carried_over("python", buggy, _with_description_of(other, buggy, program))
    tree = {path: buggy, test_path: test, "conftest.py": source.text("conftest.py")}
    cases = f"json_testcases/{program}.json"
    if source.has(cases):
        tree[cases] = source.text(cases)
        tree["python_testcases/load_testdata.py"] = source.text("python_testcases/load_testdata.py")
        _check_cases(cases, tree[cases])
    for folder, used in (("python_testcases", test), ("python_programs", buggy)):
        if re.search(r"^\s*(?:from|import) \.?node\b", used, re.MULTILINE):
            tree[f"{folder}/node.py"] = source.text(f"{folder}/node.py")
    return _bug(
        source,
        program,
        {
            "language": "python",
            "path": path,
            "target": target_of("python", buggy, fixed),
            "test": {"framework": "pytest", "files": ["python_testcases/**", "json_testcases/**", "conftest.py"]},
            "limits": limits_of(10.0, 1024),
        },
        {name: text_file(text) for name, text in tree.items()},
        patch_of({path: text_file(buggy)}, {path: text_file(fixed)}),
        test_path,
    )


def _check_cases(path: str, text: str) -> None:
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            row = json.loads(line)
        except ValueError as error:
            raise UserError(f"{path}, line {number}: not valid JSON: {error}") from None
        if not isinstance(row, list) or len(row) != 2:
            raise UserError(f"{path}, line {number}: a case should be a list of arguments and expected result, not {line[:80]!r}")


def _code(text: str, name: str) -> tuple[list[str], list[str]]:
    """Return the lines of a program's code, and those after it: a description or alternative solutions."""
    body = _statements(text, name)
    last = max((node.end_lineno or 0 for node in body if not _is_text(node)), default=0)
    lines = text.splitlines(keepends=True)
    return lines[:last], lines[last:]


def _statements(text: str, name: str) -> list[ast.stmt]:
    try:
        return ast.parse(text).body
    except SyntaxError as error:
        raise UserError(f"{name}.py, line {error.lineno}: not valid Python: {error.msg}") from None
    except ValueError as error:
        raise UserError(f"{name}.py: not valid Python: {error}") from None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _with_description_of(fixed: str, buggy: str, name: str) -> str:
    return "".join((*_code(fixed, name)[0], *_code(buggy, name)[1]))


def _issue(source: _Source, program: str) -> tuple[str, str]:
    """Return title and description from the Python program's docstring."""
    path = f"python_programs/{program}.py"
    body = _statements(source.text(path), program) if source.has(path) else []
    texts = [node.value.value for node in body if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    text = texts[-1].strip() if texts and isinstance(texts[-1], str) else program.replace("_", " ").title()
    title, _, rest = text.partition("\n")
    if title.endswith(":"):
        title, rest = program.replace("_", " ").title(), text
    lines = [line for line in rest.strip("\n").splitlines() if line.strip() != program]
    return f"{title.strip()}: {program} does not do what its description says", "\n".join(lines).strip("\n")


def _bug(
    source: _Source,
    program: str,
    facts: Mapping[str, object],
    tree: Mapping[str, TreeFile],
    patch: str,
    tests: str,
    notes: tuple[str, ...] = (),
) -> ImportedBug:
    if not patch:
        raise UserError("the wrong and the right program are the same")
    title, description = _issue(source, program)
    test = {**cast(dict[str, object], facts["test"]), "trigger": [tests]}
    origin = {"repository": "jkoppel/QuixBugs", "licence": "MIT"}
    return ImportedBug(
        id=program,
        facts={**facts, "test": test, "origin": origin},
        title=title,
        description=description,
        tree=tree,
        patch=patch,
        discover=(tests,),
        unsorted=True,
        notes=notes,
    )


_CONFTEST = """\
import pytest


def pytest_configure(config):
    pytest.use_correct = pytest.run_slow = False
"""
_LOADER = """\
import json
import pathlib

CASES = pathlib.Path(__file__).parent.parent / "json_testcases"


def load_json_testcases(name):
    return [json.loads(line) for line in (CASES / f"{name}.json").read_text().splitlines()]
"""
_NODE = """\
class Node:
    def __init__(self, value=None, successor=None, successors=(), predecessors=(), incoming_nodes=(), outgoing_nodes=()):
        self.value = value
        self.successor = successor
        self.successors = list(successors)
        self.predecessors = list(predecessors)
        self.incoming_nodes = list(incoming_nodes)
        self.outgoing_nodes = list(outgoing_nodes)
"""


_SIGNATURE = r"public static (?P<type>[\w<>\[\], ]+?) {name}\((?P<parameters>[^)]*)\)"
_CASE = """
    @org.junit.Test(timeout = 3000)
    public void test_{number}() throws java.lang.Exception {{
        same({expected}, java_programs.{program}.{function}({arguments}));
    }}
"""
_JUNIT_CLASS = added_text("quixbugs-junit.java")


def _junit_class(name: str, function: str, program: str, cases: Sequence[Sequence[object]]) -> str | None:
    """Return a JUnit class with the cases of a Java program; None if its function cannot be called with them."""
    found = re.search(_SIGNATURE.format(name=re.escape(function)), program)
    if found is None or found["type"] == "void":
        return None
    parameters = re.split(r",(?![^<]*>)", found["parameters"]) if found["parameters"].strip() else []
    types = [parameter.strip().rpartition(" ")[0].removeprefix("final ") for parameter in parameters]
    made = []
    for number, (given, expected) in enumerate(cases):
        arguments = given if isinstance(given, list) else [given]
        if len(arguments) != len(types):
            return None
        told = ", ".join(_java_value(argument, type_) for argument, type_ in zip(arguments, types, strict=True))
        made.append(
            _CASE.format(number=number, expected=_java_value(expected, "Object"), program=name, function=function, arguments=told)
        )
    return _JUNIT_CLASS.replace("@PROGRAM@", name).replace("@CASES@", "".join(made))


def _java_value(value: object, type_: str) -> str:
    """Return a JSON value as an expression of Java.

    >>> _java_value([[1, 2], []], "int[][]"), _java_value(["a", 1.5], "ArrayList<Object>")
    ('new int[][]{new int[]{1, 2}, new int[]{}}', 'list("a", 1.5)')
    """
    if isinstance(value, list):
        inner = type_.removesuffix("[]")
        items = ", ".join(_java_value(item, inner if inner != type_ else "Object") for item in value)
        return f"new {type_.replace(' ', '')}{{{items}}}" if inner != type_ else f"list({items})"
    if value is None or isinstance(value, bool | str):
        return json.dumps(value)
    return f"{value}L" if isinstance(value, int) and abs(value) >= 2**31 else str(value)


def files_of_lines(path: Path) -> dict[str, str]:
    """Return the files that a checkout of these programs would have, by path."""
    files = {"conftest.py": _CONFTEST, "python_testcases/load_testdata.py": _LOADER}
    files |= {f"{folder}/node.py": _NODE for folder in ("python_testcases", "python_programs")}
    for where, entry in read_json_lines(path):
        name, buggy, fixed, test = (
            field(entry, key, str, where) for key in ("name", "python_buggy", "python_fixed", "pytest_source")
        )
        if not name.isidentifier():
            raise UserError(f"{where}: the field 'name' should be the name of a program, not {name!r}")
        files[f"python_programs/{name}.py"] = buggy
        files[f"correct_python_programs/{name}.py"] = fixed
        files[f"python_testcases/test_{name}.py"] = test
        cases = [[case.get("args"), case.get("expected")] for case in field(entry, "tests", list, where) if isinstance(case, dict)]
        if cases:
            files[f"json_testcases/{name}.json"] = "".join(json.dumps(case) + "\n" for case in cases)
        if "java_buggy" in entry:
            wrong, right = (field(entry, key, str, where) for key in ("java_buggy", "java_fixed"))
            files[f"java_programs/{name.upper()}.java"], files[f"correct_java_programs/{name.upper()}.java"] = wrong, right
            if cases and (test_class := _junit_class(name.upper(), name, right, cases)):
                files[f"{_JAVA_TESTS}/{name.upper()}_TEST.java"] = test_class
    return files
