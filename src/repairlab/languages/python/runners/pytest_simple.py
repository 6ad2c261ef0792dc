"""Calls tests that are plain functions without a session of pytest; pytest_session.py loads it.

What loads test files, rewrites their assertions, captures their output and explains failures is pytest's.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import tempfile
import traceback
import unittest
from pathlib import Path
from types import FunctionType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import _pytest.assertion
import _pytest.capture
import _pytest.config
import _pytest.pathlib
import pytest

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_channel import Channel, code_of

_NEEDS_PYTEST = re.compile(rb"\b(?:pytest|unittest)\b|^\s*(?:class|async)\b", re.MULTILINE)
_STEERING = frozenset({
    *("pytestmark", "pytest_plugins", "pytest_generate_tests", "__test__", "setup_module", "setUpModule"),
    *("teardown_module", "tearDownModule", "setup_function", "teardown_function"),
})  # fmt: skip
"""Names by which a test file changes how its functions are run."""
_FIXTURE = type(pytest.fixture(lambda: None))
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py")


def make_config(options: tuple[str, ...]) -> pytest.Config:
    """Return a pytest configuration made far from any tree, which captures nothing."""
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # pytest remembers it, and loads a `conftest.py` that is there
        config = _pytest.config.get_config(list(options))
        config.parse(["--rootdir=.", "-s", *options])
        os.chdir(here)
    sys.meta_path.remove(_hook(config))
    return config


def are_simple(files: list[Path]) -> bool:
    """Return whether it is likely that tests of these files are plain functions."""
    return bool(files) and all(path.is_file() and not _NEEDS_PYTEST.search(path.read_bytes()) for path in files)


def run(channel: Channel, tests: list[str], config: pytest.Config, *, stop: bool) -> bool | None:
    """Run tests; return whether they came to an end, or nothing where one needs pytest, which then finds their files loaded."""
    if not are_simple([Path.cwd() / test.partition("::")[0] for test in tests]):
        return None
    capture, hook = _pytest.capture._get_multicapture("fd"), _hook(config)
    capture.start_capturing()
    sys.meta_path.insert(0, hook)
    with config._catch_configured_warnings(record=True):
        functions = _loaded(tests)
        finished, said = (None, "") if functions is None else _called(functions, channel, config, capture, stop=stop)
    capture.stop_capturing()
    if finished is None:
        sys.meta_path.remove(hook)
        return None
    print(said.encode(errors="backslashreplace").decode())  # noqa: T201  # the evidence
    return finished


def _hook(config: pytest.Config) -> Any:
    return config.stash[_pytest.assertion.rewrite.assertstate_key].hook


def _loaded(tests: list[str]) -> list[tuple[str, FunctionType]] | None:
    """Load test files as pytest does, and return their tests; none where that fails, or where one is more than a function."""
    found = list[tuple[str, FunctionType]]()
    try:
        for test in tests:
            file, _, name = test.partition("::")
            path = Path.cwd() / file
            if not _TEST_FILE.fullmatch(path.name) or Path(path.parent, "__init__.py").exists():
                return None
            names = vars(_pytest.pathlib.import_path(path, root=Path.cwd(), consider_namespace_packages=False))
            function: Any = names.get(name)
            steered = not _STEERING.isdisjoint(names) or any(isinstance(value, _FIXTURE) for value in names.values())
            if steered or not name.startswith("test") or not _is_simple(function, path):
                return None
            found.append((test, function))
    except BaseException:  # pytest will meet it, and say so
        return None
    return found


def _is_simple(function: Any, path: Path) -> bool:
    """Return whether something is a function of the file without arguments, marks or wrappers."""
    if type(function) is not FunctionType or function.__dict__ or function.__defaults__:
        return False
    special = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    code = function.__code__
    return code.co_filename == str(path) and not (code.co_argcount or code.co_kwonlyargcount or code.co_flags & special)


def _called(
    functions: list[tuple[str, FunctionType]], channel: Channel, config: pytest.Config, capture: Any, *, stop: bool
) -> tuple[bool, str]:
    """Call tests one after another; return whether none ended them all, and what to report of failures."""
    said, codes = list[str](), {test: code_of(function) for test, function in functions}
    for test, function in functions:
        status, message = "passed", ""
        channel.start(test)
        comparing = _pytest.assertion.pytest_runtest_protocol(SimpleNamespace(config=config, ihook=config.hook))  # type: ignore[arg-type]
        next(comparing)
        try:
            if code_of(function) == codes[test]:
                function()
        except (KeyboardInterrupt, pytest.exit.Exception):
            return False, ""
        except BaseException as error:
            status, message = _told(error)
            way = error.__traceback__ and error.__traceback__.tb_next
            said += [test, *traceback.format_exception(type(error), error, way)]
        comparing.close()
        if code_of(function) != codes[test]:
            status, message = "forged", "tampering: the code of the test was replaced"
        channel.end(test, status, message)
        printed = capture.readouterr()
        if status != "passed":
            said += printed
            if stop:
                break
    return True, "\n".join(said)


def _told(error: BaseException) -> tuple[str, str]:
    """Return what pytest makes of an exception of a test."""
    if isinstance(error, (pytest.skip.Exception, unittest.SkipTest)):
        return "skipped", f"Skipped: {error}"
    if isinstance(error, pytest.xfail.Exception):
        return "xfailed", str(error)
    if isinstance(error, MemoryError):
        return "memory", "MemoryError"
    return "failed", pytest.ExceptionInfo.from_exception(error).exconly(tryshort=True)
