"""How a task of HumanEvalFix becomes a tree with tests, for each of its languages; `humanevalfix` calls it."""

import re
from collections.abc import Callable, Mapping
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.table import language

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
_GO_ASSERT = """\
// Package assert has what the tasks use of testify.
package assert

import (
	"reflect"
	"testing"
)

// Assertions belong to a test.
type Assertions struct{ t *testing.T }

// New returns the assertions of a test.
func New(t *testing.T) *Assertions { return &Assertions{t} }

// Equal fails the test unless both values are the same.
func (a *Assertions) Equal(expected, actual interface{}, _ ...interface{}) bool {
	a.t.Helper()
	if !reflect.DeepEqual(expected, actual) {
		a.t.Errorf("expected %#v, got %#v", expected, actual)
		return false
	}
	return true
}
"""
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
    """A task as files: the program, buggy and fixed, and its tests."""

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
    """Make a pytest file of the given assertions; a call of `check` at their end would run them on import."""
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
    """Export all functions of the solution, and let the assertions, which only print, fail the test."""
    bare = _both(texts)[1]
    names = ", ".join(
        dict.fromkeys(item.name for item in language("javascript").syntax.functions(bare) if "." not in item.qualified)
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
    """Put a small stand-in where the tests look for testify, which has to be fetched."""
    # What a task imports is mostly part of its prompt, too.
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
    # A `main` may end without a value, other functions may not.
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
