"""Comparing syntax trees: laws that hold for any text, and what belongs together."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.study.labelling.actions import actions
from repairlab.study.labelling.file_change import tree_edits
from repairlab.study.labelling.tree import kind_of

LINES = st.lists(
    st.sampled_from(["x = 1", "if a:", "    g(x)", "else:", "    return y", "for i in z:", "def f(a):", "", "# note", ")", "'"]),
    max_size=12,
).map("\n".join)


@given(LINES, LINES)
def test_any_two_texts_can_be_compared_both_ways(before: str, after: str) -> None:
    there, back = tree_edits("python", before, after), tree_edits("python", after, before)
    assert actions(there) == actions(tree_edits("python", before, after))
    assert bool(there.inserted or there.deleted or there.replaced) == bool(back.inserted or back.deleted or back.replaced)


@given(LINES)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    edits = tree_edits("python", text, text)
    assert not (edits.inserted or edits.deleted or edits.replaced or edits.matched)


@given(st.text(max_size=60), st.text(max_size=60))
@pytest.mark.parametrize("language", ["c", "cpp", "java", "javascript", "go"])
def test_no_text_is_too_strange(language: str, before: str, after: str) -> None:
    actions(tree_edits(language, before, after))


def test_a_deep_text_is_compared() -> None:
    deep = "x = " + "(" * 3000 + "1" + ")" * 3000
    assert actions(tree_edits("python", deep, deep.replace("1", "2"))) == ["assignExpChange"]


def test_what_is_wrapped_is_no_new_code() -> None:
    edits = tree_edits("python", "g(1, 2)\n", "if a:\n    g(1, 2)\n")
    assert edits.new("if") and not edits.new("call") and not edits.gone("call")


def test_equal_kinds_of_different_grammars() -> None:
    assert {kind_of(name) for name in ("method_invocation", "call_expression", "call")} == {"call"}
    assert kind_of("no such thing") == ""
