"""Which assertion a test fails is found by what its failure says, however many there are."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from repairlab.core.text import Span
from repairlab.languages.counter import Change
from repairlab.validation.test_mutants import Key, met_by_failures


def changes(count: int) -> list[Change]:
    return [Change(kind="literal", span=Span(start=at, end=at + 1), neutral="1", false="2") for at in range(count)]


@given(st.integers(2, 60), st.data())
def test_the_assertion_that_fails_is_found(count: int, data: st.DataObject) -> None:
    failing = data.draw(st.integers(0, count - 1))
    key = ("test_it.py", 0)

    def said(drawn: Mapping[Key, Change]) -> dict[str, str]:
        at = min([failing, *(change.span.start for change in drawn.values())])
        return {"test": f"line {at} {any(change.span.start == at for change in drawn.values())}"}

    assert met_by_failures({"test": (key, changes(count))}, said) == {key: changes(count)[failing]}


def test_failures_that_say_nothing_tell_nothing() -> None:
    choices = {"test": (("test_it.py", 0), changes(5))}
    assert met_by_failures(choices, lambda _: {"test": "not ok"}) == {}
    assert met_by_failures(choices, lambda _: {}) == {}
    assert met_by_failures({}, lambda _: {}) == {}
