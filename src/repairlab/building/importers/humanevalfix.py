"""HumanEvalFix (OctoPack): 164 functions with a bug planted by hand, as trees with tests in several languages."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.importer import Import, ImportedBug, Settings, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import limits_of, patch_of, pick_language, safe_id, target_of, text_file
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines
from repairlab.core.record import record
from repairlab.languages.facts import title
from repairlab.languages.language import language as language_of

_LANGUAGES = {"Python": "python", "Java": "java", "JavaScript": "javascript", "Go": "go", "CPP": "cpp"}
_FIELDS = ("prompt", "buggy_solution", "canonical_solution", "test", "entry_point")


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
    languages = " and ".join(sorted({title(tasks[name][1]) for name in ids}))
    return Import(
        name="humanevalfix" if " and " in languages else f"humanevalfix-{tasks[ids[0]][1]}",
        version="1.0.0",
        licence="MIT",
        description=f"HumanEvalFix: {len(ids)} {languages} functions with a bug written by hand",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, *tasks[name])),
    )


def _bug(name: str, where: str, language: str, entry: dict[str, Any]) -> ImportedBug:
    texts = {key: field(entry, key, str, where) for key in _FIELDS}
    texts |= {key: entry[key] for key in ("import", "test_setup") if isinstance(entry.get(key), str)}
    laid_out = LAYOUTS[language](texts)
    path, buggy, fixed = laid_out.path, laid_out.buggy, laid_out.fixed
    patch = patch_of({path: text_file(buggy)}, {path: text_file(fixed)})
    if not patch:
        raise UserError(f"{where}: buggy_solution and canonical_solution are the same")
    facts = {
        "language": language,
        "path": path,
        "target": target_of(language, buggy, fixed),
        "build": laid_out.build,
        "test": {"framework": laid_out.framework, "files": sorted(laid_out.tests), "trigger": [laid_out.trigger]},
        "limits": limits_of(10.0, 1024),
        "origin": {"repository": "bigcode-project/octopack", "licence": "MIT"},
    }
    described = entry.get("docstring")
    return ImportedBug(
        id=name,
        facts=facts,
        title=f"{texts['entry_point']} does not do what its description says",
        description=described if isinstance(described, str) else "",
        tree={path: text_file(buggy), **{test: text_file(text) for test, text in laid_out.tests.items()}},
        patch=patch,
    )


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
_JAVASCRIPT_TEST = """\
const assert = require('node:assert');
const {{ test }} = require('node:test');
const {{ {names} }} = require('./solution.js');

test('solution', () => {{
{body}
}});
"""
_JAVASCRIPT_CALL = re.compile(r"^const (test\w*) = \(\) => \{\n(.*)\n\}\s*\1\(\)\s*$", re.DOTALL)
_GO_MODULE = """\
module solution

go 1.18

require github.com/stretchr/testify v1.0.0

replace github.com/stretchr/testify => ./testify
"""
_GO_ASSERT = added_text("humanevalfix-assert.go")
_CPP_TEST = """\
#include "solution.cpp"
{test}

#include <unistd.h>

int main() {{
    int report = dup(3);
    check();
    return dprintf(report < 0 ? 1 : report, "ok solution\\n") < 0;
}}
"""
_CPP_ASSERT = """\
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#undef assert
#define assert(...) ((__VA_ARGS__) ? (void)0 : (dprintf(3, "not ok solution %s\\n", #__VA_ARGS__), exit(1)))"""


@record
class TaskTree:
    """A task as files: the buggy and the fixed program, and its tests."""

    path: str
    buggy: str
    fixed: str
    tests: Mapping[str, str]
    build: Mapping[str, Any]
    framework: str
    trigger: str


Texts = Mapping[str, str]


def _both(texts: Texts, *, before: str = "", behind: str = "") -> tuple[str, str]:
    buggy, fixed = (f"{before}{texts['prompt']}{texts[key].rstrip()}\n{behind}" for key in ("buggy_solution", "canonical_solution"))
    return buggy, fixed


def _python(texts: Texts) -> TaskTree:
    """Make a pytest file of the given assertions, without the final call of `check`, which would run them on import."""
    buggy, fixed = _both(texts)
    test = re.sub(r"^check\(.*\)\s*$", "", texts["test"], flags=re.MULTILINE).strip("\n")
    return TaskTree(
        path="solution.py",
        buggy=buggy,
        fixed=fixed,
        tests={"test_solution.py": _PYTHON_TEST.format(test=test, entry_point=texts["entry_point"])},
        build={"tool": "none"},
        framework="pytest",
        trigger="test_solution.py::test_solution",
    )


def _java(texts: Texts) -> TaskTree:
    """Take the given main class, with the imports of the solution, and a test that calls it."""
    buggy, fixed = _both(texts)
    imports = re.findall(r"^import [^;]+;", texts["prompt"], flags=re.MULTILINE)
    tests = {"Main.java": "\n".join((*imports, "", texts["test"].strip(), "")), "SolutionTest.java": _JAVA_TEST}
    return TaskTree(
        path="Solution.java",
        buggy=buggy,
        fixed=fixed,
        tests=tests,
        build={"tool": "javac", "sources": ["Solution.java"], "tests": sorted(tests)},
        framework="junit4",
        trigger="SolutionTest::solution",
    )


def _javascript(texts: Texts) -> TaskTree:
    """Export all functions of the solution, and make the assertions, which only print, fail the test."""
    bare = _both(texts)[1]
    names = ", ".join(
        dict.fromkeys(item.name for item in language_of("javascript").syntax.functions(bare) if "." not in item.qualified)
    )
    found = _JAVASCRIPT_CALL.search(texts["test"])
    if not found:
        raise UserError("its test is not a function that is called at the end")
    body = found[2].replace("console.assert(", "assert.ok(")
    buggy, fixed = _both(texts, behind=f"\nmodule.exports = {{ {names} }};\n")
    return TaskTree(
        path="solution.js",
        buggy=buggy,
        fixed=fixed,
        tests={"solution.test.js": _JAVASCRIPT_TEST.format(names=names, body=body)},
        build={"tool": "none"},
        framework="node-test",
        trigger="solution.test.js::solution",
    )


def _go(texts: Texts) -> TaskTree:
    """Put a small stand-in where the tests look for testify, which would have to be downloaded."""
    # Most of what a task imports is also part of its prompt.
    imports = "" if re.search(r"^import\b", texts["prompt"], re.MULTILINE) else texts.get("import", "")
    buggy, fixed = _both(texts, before=f"package main\n\n{imports}\n")
    test = re.search(r"^func (Test\w+)\(", texts["test"], re.MULTILINE)
    if not test:
        raise UserError("its test is not a function of Go's testing")
    return TaskTree(
        path="solution.go",
        buggy=buggy,
        fixed=fixed,
        tests={
            "solution_test.go": f"{texts.get('test_setup', '')}\n{texts['test']}",
            "go.mod": _GO_MODULE,
            "testify/go.mod": "module github.com/stretchr/testify\n\ngo 1.18\n",
            "testify/assert/assert.go": _GO_ASSERT,
        },
        build={"tool": "go"},
        framework="go-test",
        trigger=f".::{test[1]}",
    )


def _cpp(texts: Texts) -> TaskTree:
    """Take the solution in as text, as the task does, and report what the assertions say."""
    buggy, fixed = _both(texts)
    test = re.sub(r"#include\s*<assert\.h>", lambda _: _CPP_ASSERT, texts["test"], count=1)
    test = re.sub(r"\bint main\s*\(\s*\)", "int check()", test, count=1)
    # `main` may end without a value, other functions may not.
    closing = test.rstrip().rfind("}")
    test = f"{test[:closing]}    return 0;\n}}"
    libraries = ["-lcrypto"] if "openssl/" in buggy + test else []
    return TaskTree(
        path="solution.cpp",
        buggy=buggy,
        fixed=fixed,
        tests={"test_solution.cpp": _CPP_TEST.format(test=test)},
        build={"tool": "compile", "sources": ["test_solution.cpp"], **({"libraries": libraries} if libraries else {})},
        framework="tap",
        trigger="solution",
    )


LAYOUTS: Mapping[str, Callable[[Texts], TaskTree]] = {
    "python": _python,
    "java": _java,
    "javascript": _javascript,
    "go": _go,
    "cpp": _cpp,
}
