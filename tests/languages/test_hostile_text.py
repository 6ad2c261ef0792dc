"""Reading text costs no more than a multiple of its length, whatever is left open in it; counted in steps, not in time."""

import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from repairlab.languages.language import language

UNITS = {
    "python": ['f"""{""" ', "f'{' ", "f'{#", '"""', "(\n", "\\\n", "f'{x:{", "    x\n", "lambda: (", "# x\n"],
    "java": ['\\"""\n', "/* ", '"', "a<", "a<b,", "x//y\n", "@a ", "(", "{", "\\u0041"],
    "c": ["/* ", "#include <", "a<", "f(a,b) int a; int b; ", "f(a) int a; ", "x//y\n", "#if 0\n", "+\\\n", '"\\\n', "(", "{"],
    "cpp": ['R"x(', 'R"y"z(', "/* ", "#include <", "a<", "x//y\n", "class A<", "operator", "{", "(", "template<"],
    "javascript": ["/* ", "`${", "a<", "x//y\n", "({", "(", "=>{", "/a", "function f() {"],
    "go": ["/* ", "`", "a<", "x//y\n", "func(", "{", "(", "if x {", "func f() {"],
}
CASES = [(name, unit) for name, units in UNITS.items() for unit in units]


def n_steps(work: Callable[[], Any]) -> int:
    """Return how many lines of our own code run."""
    count = 0

    def trace(frame: FrameType, event: str, argument: object) -> Any:
        nonlocal count
        if "repairlab" not in frame.f_code.co_filename:
            return None
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("verb", ["normal_form", "strip_comments", "functions"])
@pytest.mark.parametrize(("name", "unit"), CASES)
def test_twice_the_text_is_not_four_times_the_work(name: str, unit: str, verb: str) -> None:
    read = getattr(language(name).syntax, verb)
    read(unit)  # what is compiled once
    short, long = (n_steps(functools.partial(read, unit * n)) for n in (150, 600))
    assert long < 6 * short + 2000, (short, long)


@pytest.mark.parametrize(
    ("name", "unit"), [("cpp", 'R"x('), ("cpp", "/* "), ("java", "/* "), ("java", '\\"""\n'), ("c", "#include <")]
)
def test_an_end_is_looked_for_once(name: str, unit: str) -> None:
    """To look for each end through the whole text took minutes."""
    text = unit * (200_000 // len(unit))
    assert len(language(name).syntax.normal_form(text)) > len(text) / 2


@pytest.mark.parametrize(("name", "unit"), [("python", "x"), ("cpp", "a b "), ("c", "\\ "), ("java", "/* "), ("c", "# ")])
def test_whether_a_text_sees_layout_takes_one_look_at_it(name: str, unit: str) -> None:
    language(name).syntax.sees_text(unit * (1_000_000 // len(unit)))
