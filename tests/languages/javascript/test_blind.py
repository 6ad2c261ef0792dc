"""Blind tests of JavaScript: what is left of a test file, and what its tests say when they run."""

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.recipe import Build, Test
from repairlab.languages.blind import BlindFile, Blinding
from repairlab.languages.javascript.language import JavaScript
from repairlab.languages.javascript.toolchain import JavaScriptToolchain
from repairlab.languages.language import Tools
from repairlab.validation.apply import changed_files
from tests.languages.conftest import Project, execute

NONCE = "n0nce"
HEAD = "const test = require('node:test');\nconst assert = require('node:assert');\nconst { f, Err } = require('./f.js');\n"


def blind(body: str, *, head: str = HEAD, tools: Tools | None = None) -> BlindFile:
    return blinding(tools or Tools(cache="")).blind(head + body, "node-test", NONCE, 1)


def blinding(tools: Tools) -> Blinding:
    made = JavaScript(tools)
    assert isinstance(made, Blinding)
    return made


def one(assertion: str) -> tuple[str, Any, str, bool]:
    """Return how the only check of an assertion compares, with what, how near and whether two values are said."""
    file = blind(f"test('x', async () => {{ {assertion} }});")
    assert file.open == {}
    (check,) = file.checks
    return check.how, json.loads(check.expected) if check.expected else None, check.tolerance, check.of_two


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ("assert.strictEqual(f(1), 2)", ("equal", ["i", "2"], "", False)),
        ("assert.strictEqual(2, f(1))", ("equal", ["i", "2"], "", False)),
        ("assert.deepStrictEqual(f(1), { b: [1.5, -0], a: null })", None),
        ("assert.equal(f(1), true)", ("equal", ["i", "1"], "", False)),
        ("assert.notStrictEqual(f(1), 'x')", ("different", ["s", "x"], "", False)),
        ("assert.ok(f(1) > 2)", ("more", ["i", "2"], "", False)),
        ("assert(2 >= f(1))", ("at most", ["i", "2"], "", False)),
        ("assert.ok(Math.abs(f(1) - 0.5) < 1e-9)", ("near", ["f", "0.5"], "1e-09", False)),
        ("assert.ok(f(1).includes('needle'))", ("contains", ["s", "needle"], "", False)),
        ("assert.ok(!f(1).includes('needle'))", ("lacks", ["s", "needle"], "", False)),
        ("assert.match(f(1), /^a\\/b$/i)", ("matches", ["s", r"(?ai)^a/b\Z"], "", False)),
        ("assert.throws(() => f(1), Err)", ("raised", ["s", "Err"], "", False)),
        ("assert.throws(() => f(1))", ("equal", ["b", True], "", False)),
        ("assert.throws(() => f(1), /twice/)", ("matches", ["s", "(?a)twice"], "", False)),
        ("await assert.rejects(f(1), { message: 'gone' })", ("equal", ["s", "gone"], "", False)),
        ("assert.strictEqual(f(f(1)), f(1))", ("equal", None, "", True)),
        ("expect(f(1)).to.deep.equal(['x'])", ("equal", ["l", [["s", "x"]]], "", False)),
        ("expect(f(1)).to.not.equal(2)", ("different", ["i", "2"], "", False)),
        ("expect(f(1)).to.be.true", ("equal", ["b", True], "", False)),
        ("expect(f(1)).to.be.at.least(2)", ("at least", ["i", "2"], "", False)),
        ("expect(f(1)).not.toContain('x')", ("lacks", ["s", "x"], "", False)),
        ("expect(() => f(1)).toThrow(/twice/)", ("matches", ["s", "(?a)twice"], "", False)),
        ("expect(f(1)).toEqual(f(1))", ("equal", None, "", True)),
        ("const x = new f(); assert.strictEqual(f(1), x.now())", ("equal", None, "", True)),
        ("const due = 4 * 4; assert.strictEqual(f(1), due)", ("equal", None, "", False)),
        ("assert.ok(f(f(1)) === f(1))", ("equal", None, "", True)),
        ("assert.ok(JSON.stringify(f(1)) === JSON.stringify([1]))", ("equal", None, "", False)),
        ("assert.ok(f.hasCloseElements(1))", ("equal", None, "", False)),
        ("assert.ok(f(1))", ("equal", None, "", False)),
        ("assert.ok(Err.checkCase(1) === false)", ("equal", ["b", False], "", False)),
    ],
)
def test_assertions_are_checked_outside(assertion: str, expected: tuple[str, Any, str, bool] | None) -> None:
    if expected is None:
        parts = [[["s", "a"], ["n"]], [["s", "b"], ["l", [["f", "1.5"], ["f", "-0.0"]]]]]
        expected = ("equal", ["d", parts], "", False)
    assert one(assertion) == expected


@pytest.mark.parametrize(
    "body",
    [
        "test('secret', () => { assert.strictEqual(f(1), 'secret'); });",
        "test('x', () => { assert.ok(JSON.stringify(f(1)) === JSON.stringify(['secret'])); });",
        "const due = ['secret'];\ntest('x', () => { assert.deepStrictEqual(f(1), due); });",
        "test('x', () => { const due = make('secret'); assert.deepStrictEqual(f(1), due); });\nfunction make(x) { return [x]; }",
        "test('x', () => { for (const [a, due] of [[1, 'secret'], [2, 'secret']]) assert.equal(f(a), due); });",
        "const t = [{ a: 1, due: 'secret' }];\nt.forEach(({ a, due }) => { test(`${a}`, () => { assert.equal(f(a), due); }); });",
        "const t = [{ a: 1, due: 'secret' }];\nfor (const row of t) test(`${row.a}`, () => { assert.equal(f(row.a), row.due); });",
        "function check(a, due) { assert.equal(f(a), due); }\ntest('x', () => { check(1, 'secret'); check(2, 'secret'); });",
        "test('x', () => { assert.equal(f(1), 2, 'not secret'); }); // it is secret",
        "test('x', () => assert.rejects(f(1), { message: 'secret', code: /secret/ }));",
        "test('x', () => { try { f(1); assert.fail('secret'); } catch (e) { assert.equal(e.message, 'secret'); } });".replace(
            "fail('secret')", "fail()"
        ),
    ],
)
def test_nothing_that_is_expected_is_left(body: str) -> None:
    file = blind(body)
    assert file.open == {}
    assert file.checks
    assert "secret" not in file.text


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("test('x', () => { assert.ok(f(1) === 2 || f(1) === 3); });", "claims several things"),
        ("test('x', () => { if (f(1) !== 2) throw new Error(); });", "throws by itself"),
        ("test('x', () => { assert.throws(() => f(1), (e) => e.code === 2); });", "what is thrown is checked by code"),
        ("test('x', () => { assertFine(f(1), 2); });", "asserts by assertFine"),
        ("test('x', () => { for (const [a, due] of load()) assert.equal(f(a), due); });", "elsewhere"),
        ("test('x', () => { const due = []; due.push(2); assert.deepEqual(f(1), due); });", "is put together"),
        ("test('x', () => { const due = new Map(); due.set('a', 2); assert.deepEqual(f(1), due); });", "is put together"),
        ("test('x', (t, done) => { f(1, (x) => { assert.equal(x, 2); done(); }); });", "ends by a callback"),
        ("for (const [a, due] of [[1, 2]]) test(`f(${a}) is ${due}`, () => { assert.equal(f(a), due); });", "stands in its title"),
    ],
)
def test_what_cannot_be_withheld_is_open_and_left_out(body: str, reason: str) -> None:
    file = blind(body)
    (why,) = file.open.values()
    assert reason in why
    assert "f(1)" not in file.text
    assert "assert.equal(f(a), due)" not in file.text


def test_helpers_that_stay_open_leave_their_tests_open() -> None:
    file = blind(
        "function check(a) { assertFine(f(a)); }\ntest('x', () => check(1));\ntest('y', () => { assert.equal(f(1), 2); });"
    )
    assert dict(file.open) == {"x": "asserts by assertFine"}


def test_a_file_that_cannot_be_read_stays_as_it_is() -> None:
    file = blind("test('x', () => { assert.equal(f(1), ); ) });")
    assert list(file.open) == ["x"]
    assert file.checks == ()


@pytest.fixture
def project(tmp_path: Path, tools: Tools) -> Callable[[], Project]:
    return lambda: Project(tmp_path, JavaScriptToolchain(tools), Build(), Test(framework="node-test", files=("*.test.*",)))


def heard(project: Project, tools: Tools, tests: Sequence[str]) -> list[tuple[str, str]]:
    """Return what tests said."""
    batches = project.toolchain.batches(project.recipe, project.test_recipe, tests, stop=False)
    outputs = [execute(batch.command, project.root, 60).stdout.decode() for batch in batches]
    return [item for output in outputs for item in blinding(tools).said(NONCE, output)]


def said(project: Project, tools: Tools, body: str, *, head: str = HEAD, f: str = "x => x") -> Any:
    file = blind(body, head=head, tools=tools)
    assert file.open == {}
    name = "a.test.mjs" if "import " in head else "a.test.js"
    project.write({name: file.text, "f.js": f"exports.f = {f};\nexports.Err = class Err extends RangeError {{}};\n"})
    names = [f"{name}::{test}" for test in file.names.values()]
    found = heard(project, tools, names)
    return [(number, value if number == "end" else json.loads(value)) for number, value in found]


node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

VALUES = [
    ("null", ["n"]),
    ("undefined", ["o", "undefined", []]),
    ("true", ["b", True]),
    ("12", ["i", "12"]),
    ("12n", ["i", "12"]),
    ("-0", ["f", "-0.0"]),
    ("0.1", ["f", "0.1"]),
    ("NaN", ["f", "nan"]),
    ("-1 / 0", ["f", "-inf"]),
    ("1e300", ["f", "1e+300"]),
    ("'é;\\n\U0001f600'", ["s", "é;\n\U0001f600"]),
    ("[1, [undefined], ,]", ["l", [["i", "1"], ["l", [["o", "undefined", []]]], ["o", "undefined", []]]]),
    ("({ b: 1, a: { c: 'x' } })", ["d", [[["s", "a"], ["d", [[["s", "c"], ["s", "x"]]]]], [["s", "b"], ["i", "1"]]]]),
    ("new Map([['b', 1], ['a', 2]])", ["d", [[["s", "a"], ["i", "2"]], [["s", "b"], ["i", "1"]]]]),
    ("new Set([2, 1])", ["u", [["i", "1"], ["i", "2"]]]),
    ("new Date(5)", ["o", "Date", [["time", ["i", "5"]]]]),
    ("/a/g", ["s", "/a/g"]),
    ("new TypeError('x')", ["o", "Error", [["name", ["s", "TypeError"]], ["message", ["s", "x"]]]]),
    ("Buffer.from([1, 255])", ["y", "01ff"]),
    ("new Float64Array([0.5])", ["l", [["f", "0.5"]]]),
    ("new String('x')", ["s", "x"]),
    ("() => 1", ["o", "function"]),
    ("(() => { const a = {}; a.a = a; return a; })()", ["d", [[["s", "a"], ["o", "cycle"]]]]),
]


@node
def test_values_are_said_by_what_they_are(project: Callable[[], Project], tools: Tools) -> None:
    body = "".join(f"assert.deepStrictEqual(f({text}), 0); " for text, _ in VALUES)
    found = said(project(), tools, f"test('x', () => {{ {body} }});")
    assert [value for _, value in found[:-1]] == [value for _, value in VALUES]
    assert found[-1][0] == "end"


@node
def test_literals_are_frozen_as_they_are_said(project: Callable[[], Project], tools: Tools) -> None:
    texts = ["12", "-0", "0x1F", "1_000", ".5", "1e300", "'\\u{1F600}\\x41\\''", "[1, [null]]", "({ 'b c': 1, a: true, 1: [] })"]
    body = "".join(f"assert.deepStrictEqual(f({text}), {text}); " for text in texts)
    file = blind(f"test('x', () => {{ {body} }});")
    found = said(project(), tools, f"test('x', () => {{ {body} }});")
    assert [value for _, value in found[:-1]] == [json.loads(check.expected) for check in file.checks]


FORGER = """() => {
  JSON.stringify = () => '"forged"';
  String.prototype.slice = Array.prototype.sort = Object.keys = () => [];
  Array.isArray = () => false;
  Reflect.apply = globalThis.encodeURIComponent = () => 'forged';
  require('node:fs').writeSync = process.stdout.write = (_, text) => 1;
  Object.is = () => true;
  return { a: [1] };
}"""


@node
@pytest.mark.parametrize("kind", ["script", "module"])
def test_code_under_test_cannot_change_what_is_said(project: Callable[[], Project], tools: Tools, kind: str) -> None:
    head = (
        HEAD
        if kind == "script"
        else "import test from 'node:test';\nimport assert from 'node:assert';\nimport { f } from './f.js';\n"
    )
    found = said(project(), tools, "test('x', () => { assert.deepStrictEqual(f(), 2); });", head=head, f=FORGER)
    assert found[0] == ("1", ["d", [[["s", "a"], ["l", [["i", "1"]]]]]])
    assert [number for number, _ in found] == ["1", "end"]


@node
def test_every_way_out_of_a_test_says_its_end(project: Callable[[], Project], tools: Tools) -> None:
    body = """
test('a', () => { if (f(1)) return; assert.equal(f(1), 1); });
test('b', () => { assert.equal(f(1), 1); return Promise.resolve(); });
test('c', () => assert.rejects(Promise.reject(new Err('x')), Err));
test('d', async () => { assert.equal(await f(1), 1); });
test.describe('s', () => { test.it('e', () => { assert.equal(f(1), 1); }); });
"""
    found = said(project(), tools, body)
    ends = [value.replace("s > ", "") for number, value in found if number == "end"]
    assert len(set(ends)) == 5
    assert [value for number, value in found if number == "3"] == [
        ["l", [["s", name] for name in ("Err", "RangeError", "Error", "Object")]]
    ]


@node
def test_a_test_that_leaves_early_says_no_end(project: Callable[[], Project], tools: Tools) -> None:
    assert said(project(), tools, "test('x', () => { assert.equal(f(1), 1); });", f="() => process.exit(0)") == []


STARTER = ("bill-split", "csv-quotes", "limit-zero", "once-listener", "retry-await", "route-order")


@node
@pytest.mark.parametrize("name", STARTER)
def test_the_reference_fixes_of_starter_say_what_is_expected(tmp_path: Path, tools: Tools, name: str) -> None:
    bug = open_benchmark("starter").bug(f"javascript-{name}")
    shutil.copytree(bug.tree.source, tmp_path / "tree")
    made = Project.__new__(Project)
    made.root, made.toolchain = tmp_path / "tree", JavaScriptToolchain(tools)
    made.recipe, made.test_recipe = bug.oracle.build, bug.oracle.test
    made.write({path: text for path, text in changed_files(bug.fix, bug).items() if text is not None})
    tests = [*bug.oracle.trigger, *bug.oracle.regression]
    for path in {test.partition("::")[0] for test in tests}:
        file = blinding(tools).blind((made.root / path).read_text(encoding="utf-8"), bug.oracle.test.framework, NONCE, 1)
        assert file.open == {}
        made.write({path: file.text})
        found = heard(made, tools, [f"{path}::{new}" for new in file.names.values()])
        assert [value for number, value in found if number == "end"] == list(file.names.values())
        values = dict(found)
        for check in file.checks:
            if check.how == "equal" and check.expected:
                assert values[str(check.number)] == check.expected
