"""Shortcuts for what pytest would find out by itself, once for all forks or all tests; pytest_session.py loads it.

All of pytest comes in as arguments.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

_MARKS = {"pytestmark"}


def ask_code_for_arguments(fixtures: ModuleType) -> None:
    """Let pytest read what it needs of plain functions from their code, without making signatures."""
    ask = fixtures.getfuncargnames

    def names(function: Any, **options: Any) -> tuple[str, ...]:
        is_plain = type(function) is FunctionType and not options.get("cls") and function.__dict__.keys() <= _MARKS
        if not is_plain or function.__defaults__ or function.__kwdefaults__ or function.__code__.co_posonlyargcount:
            found: tuple[str, ...] = ask(function, **options)
            return found
        code: CodeType = function.__code__
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    fixtures.getfuncargnames = names  # type: ignore[attr-defined]  # there is one


def ask_once_for_hooks(session: Any) -> None:
    """Let pytest look for files that want special hooks only if there are any."""
    ask, hook, special = session.gethookproxy, session.config.hook, session.config.pluginmanager._conftest_plugins
    session.gethookproxy = lambda path: ask(path) if special else hook


def look_for_files(session: Any, files: list[Path]) -> dict[str, Any]:
    """Return what pytest makes of test files before it loads them."""
    found: list[Any] = []
    with contextlib.suppress(Exception):  # a fork will meet it, and say so
        found = session.perform_collect([str(path) for path in files if path.is_file()], genitems=False)
    return {str(node.path): node for node in found}


def use_files(session: Any, known: dict[str, Any], files: list[str]) -> None:
    """Let pytest reuse what it made of files before, if it knows all of them."""
    nodes = [known.get(str(Path.cwd() / name)) for name in files]

    def collect() -> Iterator[Any]:
        yield from nodes

    if None not in nodes:
        session.collect = collect
