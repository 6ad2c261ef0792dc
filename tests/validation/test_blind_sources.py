"""Constants of other test files may hold what a blind test expects."""

import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Tree
from repairlab.languages.language import language
from repairlab.validation.blind_sources import TOLD_ELSEWHERE, data_files, told_elsewhere
from tests import builders

ASSERT = "const test = require('node:test');\n\nconst assert = require('node:assert');\nconst { f } = require('../f.js');\n"


def told(kind: str, framework: str, **texts: str) -> str:
    """Return what is said of test files of a language."""
    made = {name: language(kind).blind(text, framework, "nonce", 100 * at) for at, (name, text) in enumerate(texts.items())}  # type: ignore[attr-defined]
    return " ".join(told_elsewhere(texts, made).values())


@pytest.mark.parametrize(
    ("other", "body", "expected"),
    [
        ("module.exports = [[1, 2]];\n", "assert.strictEqual(f(1), other[0][1]);", "other"),
        ("exports.WANTED = 2;\n", "assert.strictEqual(f(1), other.WANTED);", "WANTED"),
        ("module.exports = [[1, 2]];\n", "assert.strictEqual(f(other[0][0]), 2);", ""),
        (f"{ASSERT}exports.run = (x) => f(x);\n", "assert.strictEqual(other.run(1), 2);", ""),
    ],
)
def test_a_test_of_javascript_may_expect_what_another_file_holds(other: str, body: str, expected: str) -> None:
    test = f"{ASSERT}const other = require('./other.js');\ntest('it', () => {{\n  {body}\n}});\n"
    reason = told("javascript", "node-test", **{"a.test.js": test, "other.js": other})
    assert reason == (f"{TOLD_ELSEWHERE}: {expected} in other.js" if expected else "")


@pytest.mark.parametrize(
    ("declared", "expected"), [("static final int SUM = 3;", "SUM"), ("private static final int SUM = 3;", "")]
)
def test_what_is_private_is_not_meant(declared: str, expected: str) -> None:
    test = "import static org.junit.Assert.*; class ATest { @org.junit.Test public void x() { assertEquals(Wanted.SUM, F.f(1)); } }"
    reason = told("java", "junit4", **{"ATest.java": test, "Wanted.java": f"final class Wanted {{\n    {declared}\n}}\n"})
    assert reason == (f"{TOLD_ELSEWHERE}: {expected} in Wanted.java" if expected else "")


def test_libraries_of_the_build_are_no_data(tmp_path: Path) -> None:
    bug = open_benchmark("starter").bug("java-header-split")
    tree = builders.write_files(tmp_path / "tree", {"lib/a.jar": "a", "test/rows.csv": "1", "test/b.jar": "b"})
    build = dataclasses.replace(bug.oracle.build, class_path=("lib/a.jar",))
    test = dataclasses.replace(bug.oracle.test, files=("test/**", "**/*.jar"))
    oracle = dataclasses.replace(bug.oracle, build=build, test=test)
    assert data_files(dataclasses.replace(bug, oracle=oracle, tree=Tree(source=str(tree), digest="0"))) == [
        "test/b.jar",
        "test/rows.csv",
    ]
