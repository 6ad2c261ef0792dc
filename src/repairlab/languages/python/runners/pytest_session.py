"""Runs a session of pytest, in a new process or in the forks of one that got ready; python_pytest.py loads it."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _pytest.config
import _pytest.fixtures
import pytest

if TYPE_CHECKING:
    from repairlab.languages.python.runners import pytest_shortcuts as shortcuts
    from repairlab.languages.python.runners import pytest_simple as simple
    from repairlab.languages.python.runners.pytest_reporter import CAN_LOAD, COULD_NOT_RUN, KNOWS_INSIDE, make_reporter
    from repairlab.languages.python.runners.python_channel import Channel

    PLUGINS: list[str]
else:  # `load` and these are given by whoever loads this
    PLUGINS = PLUGINS  # noqa: F821, PLW0127
    shortcuts, simple = load("pytest_shortcuts"), load("pytest_simple", code_of=code_of)  # noqa: F821
    reporting = load("pytest_reporter", code_of=code_of, shortcuts=shortcuts)  # noqa: F821
    CAN_LOAD, KNOWS_INSIDE, make_reporter = reporting.CAN_LOAD, reporting.KNOWS_INSIDE, reporting.make_reporter
    COULD_NOT_RUN = reporting.COULD_NOT_RUN

_OPTIONS = ("--continue-on-collection-errors", "--tb=short", "-q", "-p", "no:cacheprovider", "--maxfail=0")
"""The last because stopping is our decision, not a setting of the tree."""
_SETTINGS = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
_ASKING = {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}
"""Variables that give pytest more arguments."""
_LOADING = re.compile(r"(?<![\w-])-p|::\w+\.|log_file")
"""What settings may contain to make pytest load a plugin or a warning class, or open a file, while it gets ready."""


def find_settings() -> list[Path]:
    """Return the files of the tree that pytest reads before it looks for tests."""
    wanted = {"conftest.py", *_SETTINGS}
    return [Path(folder, name) for folder, _, names in os.walk(Path.cwd()) for name in wanted.intersection(names)]


def is_plain_tree(settings: list[Path]) -> bool:
    """Return whether pytest can get ready for any tests of a tree with these settings without loading a line of it."""
    if not KNOWS_INSIDE or PLUGINS:
        return False
    texts = [path.read_text(errors="replace") for path in settings if path.parent == Path.cwd() and path.name in _SETTINGS]
    return not os.environ.keys() & _ASKING and len(texts) == len(settings) and not any(map(_LOADING.search, texts))


def run_pytest(begin: Callable[[], tuple[Channel, dict[str, Any]]], *, server: bool, plain: bool, known: list[Path]) -> bool:
    """Run pytest node ids; return whether pytest came to its proper end."""
    reporter, code = make_reporter(begin, _OPTIONS, plain=plain, known=known), None
    if not (plain and server):
        reporter.begin()
    if plain:
        code = reporter.run(["--rootdir=.", *_OPTIONS, "."])
    if not reporter.has_begun:  # a server that could not get ready leaves that to its forks
        reporter.begin()
        plain = False
    if not plain:
        arguments = ["--rootdir=.", *PLUGINS, *_OPTIONS, *reporter.files]
        code = reporter.run(arguments) if reporter.files else None
    if code in COULD_NOT_RUN:
        why = reporter.internal_error or _complaint(["--rootdir=.", *PLUGINS, *_OPTIONS, "--collect-only", *reporter.files])
        message = f"pytest could not run ({COULD_NOT_RUN[code]}): {why}"
        reporter.channel.error(message)
        for test in reporter.tests:
            reporter.channel.end(test, "uncollected", message)
    elif code is None:
        reporter.pytest_collection_modifyitems([])
    return reporter.stopped or reporter.channel.ended.issuperset(reporter.tests)


def run_simply(begin: Callable[[], tuple[Channel, dict[str, Any]]], *, config: pytest.Config, plain: bool) -> bool:
    """Run tests without a session of pytest, if they need none."""
    channel, request = begin()
    finished: bool | None = simple.run(channel, request["tests"], config, stop=request["stop"])
    if finished is None:
        return run_pytest(lambda: (channel, request), server=False, plain=plain, known=[])
    return finished


def run_loaded(begin: Callable[..., tuple[Channel, dict[str, Any]]], *, plain: bool, files: list[Path]) -> bool:
    """Load test files in a fork server, and run pytest node ids of them in its forks; return whether all came to an end."""
    reporter = make_reporter(partial(begin, loaded=True), _OPTIONS, plain=plain, known=[])
    reporter.loads = True
    reporter.run(["--rootdir=.", *PLUGINS, *_OPTIONS, *map(str, files)])
    if not reporter.has_begun:
        begin(loaded=False)
    return reporter.stopped or reporter.channel.ended.issuperset(reporter.tests)


def _complaint(arguments: list[str]) -> str:
    """Return pytest's message when it refuses to run, without the traceback: its last lines."""
    said = io.StringIO()
    with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(Exception):
        pytest.main(arguments)
    lines = [line for line in said.getvalue().splitlines() if line.strip() and not line.lstrip().startswith("usage:")]
    return " ".join(" ".join(lines[-4:]).split()) or "it does not say why"


_REHEARSAL = """
import unittest
import pytest

@pytest.fixture
def one(): return 1

@pytest.mark.parametrize("number", [1, 2])
def test_function(one, number): assert one == number
def test_error():
    with pytest.raises(ValueError, match="x"): pass
class Method(unittest.TestCase):
    def setUp(self): pass
    def test_method(self):
        self.assertEqual(
            1, 2)
"""


def load_all() -> None:
    """Import what pytest imports while it gets ready: modules of the tree could otherwise be found instead."""
    plugins = [importlib.import_module(f"_pytest.{name}") for name in _pytest.config.default_plugins]
    for name in ("_pytest._argcomplete", "faulthandler", "pdb", "readline", "unittest"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    # Projects from before pytest 4 run with a later one here, and ask for markers by the name that it dropped.
    pytest.Item.get_marker = pytest.Item.get_closest_marker  # type: ignore[attr-defined]  # as it says
    fixture = type(pytest.fixture(lambda: None))
    for plugin in plugins if KNOWS_INSIDE else ():
        # Of thousands of names that pytest would look at twice in each run, it wants these.
        names = [name for name, value in vars(plugin).items() if name.startswith("pytest_") or isinstance(value, fixture)]
        plugin.__dir__ = names.copy  # type: ignore[method-assign]
    if KNOWS_INSIDE:
        shortcuts.ask_code_for_arguments(_pytest.fixtures)


def rehearse() -> None:
    """Run a small suite, after which patterns are compiled and caches filled, so that forks of a server find them ready."""
    modules, path, finders, here = set(sys.modules), list(sys.path), set(sys.path_importer_cache), Path.cwd()
    files = {"pytest.ini": "[pytest]\n", "code/__init__.py": "", "tests/__init__.py": "", "tests/test_it.py": _REHEARSAL}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for name, text in files.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_text(text)
        os.chdir(folder)
        pytest.main(["--rootdir=.", *_OPTIONS, "-p", "no:unraisableexception", "tests/test_it.py"])  # which collects garbage
        os.chdir(here)
    for name in sys.modules.keys() - modules:
        del sys.modules[name]
    for name in sys.path_importer_cache.keys() - finders:
        del sys.path_importer_cache[name]
    for name in vars(sys).keys() & {"last_type", "last_value", "last_traceback", "last_exc"}:
        delattr(sys, name)
    sys.path[:] = path


def make_config() -> pytest.Config | None:
    """Return a pytest configuration that neither the tree nor the tests influence, if there is one."""
    if PLUGINS or not KNOWS_INSIDE or os.environ.keys() & _ASKING:
        return None
    made: pytest.Config = simple.make_config(_OPTIONS)
    return made


def rewrite_tests(files: list[Path], config: pytest.Config | None) -> None:
    """Rewrite the assertions of test files once for all forks; the result depends only on their text."""
    if config is None:
        return
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    make, made = rewrite._rewrite_test, {}
    for path in files:
        with contextlib.suppress(Exception):  # a fork will meet it, and say so
            made[str(path), path.read_bytes()] = make(path, config)

    def known(path: Path, config: pytest.Config) -> Any:
        found = None
        if not config.getini("enable_assertion_pass_hook"):
            with contextlib.suppress(OSError):
                found = made.get((str(path), path.read_bytes()))
        return found or make(path, config)

    rewrite._rewrite_test = known


def prepare() -> None:
    """Make the next pytest configuration now, as far as neither the tree nor the tests influence it."""
    if not KNOWS_INSIDE:
        return
    make, config = _pytest.config.get_config, _pytest.config.get_config(list(_OPTIONS))

    def prepared(args: Any = None, plugins: Any = None, **_: Any) -> pytest.Config:
        _pytest.config.get_config = make
        config.invocation_params = pytest.Config.InvocationParams(args=args or (), plugins=plugins, dir=Path.cwd())
        return config

    _pytest.config.get_config = prepared
