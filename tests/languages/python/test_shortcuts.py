"""Shorter ways through pytest lead where its own ways lead."""

import functools
from types import SimpleNamespace
from typing import Any
from unittest import mock

import _pytest.compat
import pytest

from repairlab.languages.python.runners.pytest_shortcuts import ask_code_for_arguments, ask_once_for_hooks


@pytest.mark.parametrize("x", [1])
def _marked(x: int, one: int) -> None: ...
def _plain(one: int, two: int) -> None: ...
def _some(one: int, *rest: int, two: int, **others: int) -> None: ...
def _default(one: int, two: int = 2) -> None: ...
def _named_default(one: int, *, two: int = 2, three: int) -> None: ...
def _positional(one: int, /, two: int) -> None: ...
@functools.wraps(_default)
def _wrapped(*arguments: Any) -> None: ...
@mock.patch("os.getcwd")
def _patched(getcwd: Any, one: int) -> None: ...


class _Tests:
    def method(self, one: int) -> None: ...
    @staticmethod
    def static(one: int) -> None: ...


FUNCTIONS = (
    _marked,
    _plain,
    _some,
    _default,
    _named_default,
    _positional,
    _wrapped,
    _patched,
    _Tests().method,
    len,
    functools.partial(_plain, 1),
)


@pytest.mark.parametrize("function", FUNCTIONS, ids=[str(number) for number in range(len(FUNCTIONS))])
def test_arguments_of_functions_are_those_that_pytest_sees(function: Any) -> None:
    fixtures: Any = SimpleNamespace(getfuncargnames=_pytest.compat.getfuncargnames)
    ask_code_for_arguments(fixtures)
    assert fixtures.getfuncargnames(function, name="x") == _pytest.compat.getfuncargnames(function, name="x")


@pytest.mark.parametrize("name", ["method", "static"])
def test_arguments_of_methods_are_those_that_pytest_sees(name: str) -> None:
    fixtures: Any = SimpleNamespace(getfuncargnames=_pytest.compat.getfuncargnames)
    ask_code_for_arguments(fixtures)
    function = getattr(_Tests, name)
    own = _pytest.compat.getfuncargnames(function, name=name, cls=_Tests)
    assert fixtures.getfuncargnames(function, name=name, cls=_Tests) == own == ("one",)


def test_a_file_with_hooks_of_its_own_is_asked_for() -> None:
    special: set[str] = set()
    config = SimpleNamespace(hook="all", pluginmanager=SimpleNamespace(_conftest_plugins=special))
    session = SimpleNamespace(config=config, gethookproxy=lambda path: f"of {path}")
    ask_once_for_hooks(session)
    assert session.gethookproxy("a") == "all"
    special.add("conftest")
    assert session.gethookproxy("a") == "of a"
