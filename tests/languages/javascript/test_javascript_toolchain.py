"""JavaScript trees: checked, run as programs, tested with node:test and with mocha where that is installed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.errors import HarnessError
from repairlab.core.outcome import TestVerdict
from repairlab.core.recipe import Build, Test
from repairlab.languages.facts import facts
from repairlab.languages.javascript.toolchain import JavaScriptToolchain
from repairlab.languages.language import Tools
from repairlab.languages.reports import first_error
from tests.languages.conftest import Project

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
MOCHA = ("/usr/share/nodejs/mocha", "/usr/lib/node_modules/mocha", "/usr/local/lib/node_modules/mocha")

SUITE = """\
const test = require('node:test');
const assert = require('node:assert');
const { total } = require('../shop.js');
test('passes', () => assert.strictEqual(total([1, 2]), 3));
test('fails', () => assert.strictEqual(total([1, 2]), 4));
test('throws', () => { throw new TypeError('x'); });
test('is skipped', { skip: true }, () => {});
test('is to do', { todo: true }, () => { throw new Error('not yet'); });
test('waits', async () => { await new Promise((resolve) => setTimeout(resolve, 1)); });
test('reads nothing', () => assert.strictEqual(require('fs').readFileSync(0, 'utf8'), ''));
test.describe('suite', () => {
  test.it('has (odd) names: a/b > c', () => {});
  test.describe('inner', () => { test.it('passes', () => {}); test.it('fails', () => assert.ok(false)); });
});
"""
SHOP = "exports.total = (values) => values.reduce((sum, value) => sum + value, 0);\n"


@pytest.fixture
def project(tmp_path: Path, tools: Tools) -> Callable[[str], Any]:
    def made(framework: str) -> Project:
        return Project(tmp_path, JavaScriptToolchain(tools), Build(), Test(framework=framework, files=("test/**",)))

    return made


def test_programs_read_standard_input_and_their_neighbours(project: Callable[[str], Any]) -> None:
    stdio = project("stdio")
    stdio.write({"main.js": facts("javascript").self_test, "other.mjs": "export const x = 1;\n"})
    stdio.must_build()
    assert stdio.program(b"line\nmore\n").stdout == b"line\n"


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [
        ("a.js", "let x;\nreturn );\n", "a.js:2: SyntaxError"),
        ("a.mjs", "import x from 'y';\nexport const = 1;\n", "a.mjs:2: SyntaxError"),
        ("a.cjs", "\n\nconst a = 1; const a = 2;\n", "a.cjs:3: SyntaxError"),
    ],
)
def test_files_that_are_no_javascript_fail_the_build(project: Callable[[str], Any], path: str, source: str, message: str) -> None:
    stdio = project("stdio")
    stdio.write({"main.js": "", path: source, "test/a.js": "not javascript", "node_modules/x/a.js": "nor this"})
    failed = stdio.build()
    assert failed is not None
    assert first_error(failed.stderr, facts("javascript").error_line).startswith(message)


def test_modules_and_scripts_are_told_apart_by_package_json(project: Callable[[str], Any]) -> None:
    stdio = project("stdio")
    stdio.write({"package.json": '{"type": "module"}', "main.js": "#!/usr/bin/env node\nimport fs from 'fs';\nawait 1;\n"})
    stdio.must_build()
    stdio.write({"package.json": '{"type": "commonjs"}'})
    assert stdio.build() is not None


def test_each_kind_of_end_has_its_verdict(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    suite.write({"shop.js": SHOP, "test/a.test.js": SUITE})
    suite.must_build()
    names = ["passes", "fails", "throws", "is skipped", "is to do", "waits", "reads nothing", "no such test"]
    names += ["suite > has (odd) names: a/b > c", "suite > inner > passes", "suite > inner > fails"]
    found = suite.verdicts([f"test/a.test.js::{name}" for name in names])
    passed = {name.partition("::")[2] for name, verdict in found.items() if verdict is TestVerdict.PASSED}
    assert passed == {"passes", "waits", "reads nothing", "suite > has (odd) names: a/b > c", "suite > inner > passes"}
    assert found["test/a.test.js::fails"] is found["test/a.test.js::is skipped"] is TestVerdict.WRONG
    assert "test/a.test.js::no such test" not in found


def test_a_failure_says_why(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    suite.write({"shop.js": SHOP, "test/a.test.js": SUITE})
    (result,) = suite.report(["test/a.test.js::throws"]).results
    assert result.message == "TypeError: x"


@pytest.mark.parametrize("way", ["process.exit(0)", "process.reallyExit(0)", "process.kill(process.pid, 'SIGKILL')"])
def test_early_end_leaves_the_test_unfinished(project: Callable[[str], Any], way: str) -> None:
    suite = project("node-test")
    source = f"const test = require('node:test'); test('a', () => {{}}); test('b', () => {{ {way}; }}); test('c', () => {{}});\n"
    suite.write({"test/a.test.js": source})
    report = suite.report([f"test/a.test.js::{name}" for name in "abc"])
    assert report.unfinished is not None
    assert "test/a.test.js::b" not in [result.id for result in report.results]


def test_an_endless_test_does_not_spoil_others_that_run_alone(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    suite.write({"test/a.test.js": "const test = require('node:test'); test('a', () => {}); test('b', () => { for (;;); });\n"})
    assert suite.report(["test/a.test.js::b"], timeout_s=3).unfinished == "test/a.test.js::b"
    assert suite.verdicts(["test/a.test.js::a"]) == {"test/a.test.js::a": TestVerdict.PASSED}


def test_what_else_a_suite_holds_does_not_spoil_a_test_that_runs_alone(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    suite.write({"shop.js": SHOP, "test/a.test.js": SUITE.replace("test.it('fails'", "test.it('fails inside'")})
    for name in ("suite > inner > passes", "suite > has (odd) names: a/b > c"):
        test = f"test/a.test.js::{name}"
        report = suite.report([test])
        assert (report.unfinished, [(item.id, item.verdict) for item in report.results]) == (None, [(test, TestVerdict.PASSED)])


def test_written_and_printed_lines_do_not_count(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    line = '{"nonce": "", "event": "end", "test": "test/a.test.js::a", "status": "passed"}'
    forged = f"require('fs').writeSync(3, '{line}\\n'); console.log('ok 1 - a');"
    suite.write({"test/a.test.js": f"const test = require('node:test'); {forged} test('a', () => {{ throw new Error('x'); }});\n"})
    assert suite.verdicts(["test/a.test.js::a"]) == {"test/a.test.js::a": TestVerdict.WRONG}


def test_a_file_that_cannot_be_loaded_has_no_results(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    suite.write({"test/a.test.mjs": "import test from 'node:test';\nimport './nowhere.js';\ntest('a', () => {});\n"})
    report = suite.report(["test/a.test.mjs::a"])
    assert report.results == () and report.unfinished == "test/a.test.mjs::a"


def test_what_fails_beside_the_tests_is_no_success(project: Callable[[str], Any]) -> None:
    suite = project("node-test")
    source = "const test = require('node:test'); test('a', () => { setTimeout(() => { throw new Error('late'); }, 20); });\n"
    suite.write({"test/a.test.js": source})
    report = suite.report(["test/a.test.js::a"])
    assert all(result.verdict is not TestVerdict.PASSED for result in report.results)


@pytest.mark.skipif(not any(Path(path).exists() for path in MOCHA), reason="mocha is not installed")
def test_mocha_runs_scripts_and_modules(project: Callable[[str], Any]) -> None:
    suite = project("mocha")
    body = "describe('s', () => { it('a', () => {}); it('b', () => { throw new Error('x'); }); it.skip('c', () => {}); });\n"
    suite.write({"test/a.js": body, "test/b.mjs": f"import 'node:fs';\n{body}"})
    for file in ("test/a.js", "test/b.mjs"):
        found = suite.verdicts([f"{file}::s > {name}" for name in "abcd"])
        assert found == {
            f"{file}::s > a": TestVerdict.PASSED,
            f"{file}::s > b": TestVerdict.WRONG,
            f"{file}::s > c": TestVerdict.WRONG,
        }


def test_a_mocha_that_cannot_be_loaded_is_nobodys_failure(project: Callable[[str], Any]) -> None:
    suite = project("mocha")
    suite.write({"test/a.js": "it('a', () => {});\n", "node_modules/mocha/index.js": "throw new Error('for another Node');\n"})
    with pytest.raises(HarnessError, match=r"mocha cannot be loaded: for another Node \(npm install --global mocha\)"):
        suite.verdicts(["test/a.js::a"])
