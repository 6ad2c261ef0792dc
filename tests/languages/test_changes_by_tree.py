"""Counter-tests of JavaScript and Go: what is changed, and that the changed file is still a program."""

import random

import pytest

from repairlab.core.text import replace_span
from repairlab.languages.counter import TestBody
from repairlab.languages.language import language

JAVASCRIPT = """\
const { describe, it } = require('node:test');
describe('add', () => {
  it('sums up', async () => {
    assert.strictEqual(add(1, 2), 3);
    await assert.rejects(fail());
    assert.ok(name() === 'n7');
    if (odd) { assert.strictEqual(add(5, 5), 10); }
  });
});
it('has no block', () => assert.ok(true));
"""
GO = """\
package a

import "testing"

func TestAdd(t *testing.T) {
	if got := Add(1, 2); got != 3 {
		t.Errorf("got %d", got)
	}
	if odd {
		if Add(5, 5) != 10 {
			t.Fatal("ten")
		}
	}
	for _, test := range []struct{ in, want int }{{in: 8, want: 9}} {
		if got := Add(test.in, 1); got != test.want {
			t.Error(got)
		}
	}
}

func helper(n int) {}
"""
SOURCES = {"javascript": JAVASCRIPT, "go": GO}


def bodies(name: str) -> list[TestBody]:
    return language(name).test_bodies(SOURCES[name], "", random.Random(1))


def changed(name: str, kind: str) -> list[str]:
    return [change.span.of(SOURCES[name]) for body in bodies(name) for change in body.changes if change.kind == kind]


def test_tests_are_found_by_title_or_name() -> None:
    assert [body.names for body in bodies("javascript")] == [("sums up",)]
    assert [body.names for body in bodies("go")] == [("TestAdd",)]


def test_expected_values_are_changed_where_they_are_always_compared() -> None:
    assert changed("javascript", "literal") == ["3", "'n7'"]
    assert changed("javascript", "negation") == ["fail()"]
    assert sorted(changed("go", "literal")) == ["3", "9"]


@pytest.mark.parametrize("name", SOURCES)
def test_every_change_leaves_a_program_and_both_twins_are_of_one_length(name: str) -> None:
    changes = [change for body in bodies(name) for change in body.changes]
    assert {"literal", "negation", "end", "begin"} <= {change.kind for change in changes}
    for change in changes:
        for text in (change.neutral, change.false):
            assert not language(name).syntax.has_errors(replace_span(SOURCES[name], change.span, text))
        assert change.neutral != change.false
        assert change.kind not in ("end", "begin") or len(change.neutral) == len(change.false)
