"""Runs pytest tests and reports each; see python_channel.py. Starts inside the sandbox."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_channel import Channel, code_of, main
else:
    from python_channel import Channel, code_of, main

import _pytest.config
import pytest  # behind the channel, which says where it is; before code under test, which could stand in its way

_OPTIONS = ("--continue-on-collection-errors", "--tb=short", "--no-header", "-q", "-p", "no:cacheprovider", "--maxfail=0")
"""The last because it is ours to say when to stop, and not a setting of the tree."""
_MOST_FILES = 500
"""How many test files a fork server prepares."""


class PytestReporter:
    """A pytest plugin that picks the wanted tests, in their order, and reports them."""

    def __init__(self, channel: Channel, request: dict[str, Any]) -> None:
        self._channel = channel
        self._tests, self._stop = request["tests"], request["stop"]
        self._status, self._message = "", ""
        self._raised = self._failed = False
        self._broken: dict[str, str] = {}
        self._codes: dict[str, list[Any]] = {}
        self.stopped = False

    def pytest_collectreport(self, report: Any) -> None:
        """Remember files that cannot be loaded."""
        if report.failed:
            message = str(report.longrepr)
            self._broken[report.nodeid] = message
            self._channel.error(f"{report.nodeid}: {message}")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep exactly the wanted tests, in the wanted order."""
        found = {item.nodeid: item for item in items}
        chosen = []
        for test in self._tests:
            if test in found:
                chosen.append(found[test])
                continue
            broken = [message for node, message in self._broken.items() if node == "" or f"{test}::".startswith(f"{node}::")]
            self._channel.end(test, "uncollected" if broken else "missing", broken[0] if broken else "")
            if self._stop:
                self.stopped = True
                break
        self._codes = {item.nodeid: code_of(getattr(item, "function", None)) for item in chosen}
        items[:] = chosen

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self._status, self._message, self._raised = "", "", False
        self._channel.start(nodeid)

    def pytest_runtest_call(self, item: Any) -> Any:
        """See for ourselves whether a test raised, whatever the report will say (a wrapper, see `run_pytest`)."""
        replaced = self._is_replaced(item)
        outcome = yield
        self._raised = outcome.excinfo is not None
        if replaced or self._is_replaced(item):
            self._status, self._message = "forged", "tampering: the code of the test was replaced"

    def _is_replaced(self, item: Any) -> bool:
        codes = self._codes.get(item.nodeid)
        return codes is not None and codes != code_of(getattr(item, "function", None))

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Remember the first exception of a test."""
        del item
        if call.excinfo is not None and isinstance(call.excinfo.value, MemoryError):
            self._status, self._message = "memory", "MemoryError"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Take in setup, call and teardown; the first that does not pass decides."""
        if self._status not in ("", "passed"):
            return
        if hasattr(report, "wasxfail"):
            self._status = "xpassed" if report.passed else "xfailed"
            self._message = str(report.wasxfail)
        elif report.skipped:
            self._status = "skipped"
            self._message = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else str(report.longrepr)
        elif report.failed:
            self._status = "failed" if report.when == "call" else "error"
            crash = getattr(report.longrepr, "reprcrash", None)
            self._message = crash.message if crash is not None else str(report.longrepr)
        elif report.when == "call":
            self._status = "passed"
            if self._raised:
                self._status, self._message = "forged", "tampering: pytest reports a pass of a test that raised"

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """End a test."""
        self._channel.end(nodeid, self._status or "error", self._message or ("" if self._status else "the test did not run"))
        self._failed |= nodeid in self._tests and self._status != "passed"

    def pytest_runtest_protocol(self, item: Any) -> bool | None:
        """Run no more tests when one has failed; to interrupt the session would have pytest print its own source at length."""
        del item
        if self._stop and self._failed:
            self.stopped = True
            return True
        return None


def run_pytest(channel: Channel, request: dict[str, Any]) -> bool:
    """Run pytest node ids; return whether pytest came to its proper end."""
    tests = request["tests"]
    pytest.hookimpl(hookwrapper=True, trylast=True)(PytestReporter.pytest_runtest_call)
    reporter = PytestReporter(channel, request)
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    present = [path for path in files if Path(path).exists()]
    if not present:
        reporter.pytest_collection_modifyitems([])
        return True
    code = pytest.main(["--rootdir=.", *_OPTIONS, *present], plugins=[reporter])
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        message = f"pytest could not run ({pytest.ExitCode(code).name}): see its output"
        channel.error(message)
        for test in tests:
            channel.end(test, "uncollected", message)
    return reporter.stopped or channel.ended.issuperset(tests)


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
    """Import what pytest imports while it gets ready: modules of the tree could otherwise stand in the way."""
    plugins = [importlib.import_module(f"_pytest.{name}") for name in _pytest.config.default_plugins]
    for name in ("_pytest._argcomplete", "faulthandler", "pdb", "readline", "unittest"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    fixture = type(pytest.fixture(lambda: None))
    for plugin in plugins:
        # Of thousands of names that pytest would look at twice in each run, it wants these.
        names = [name for name, value in vars(plugin).items() if name.startswith("pytest_") or isinstance(value, fixture)]
        plugin.__dir__ = names.copy  # type: ignore[method-assign]


def rehearse() -> None:
    """Run a small suite, after which patterns are compiled and caches filled; for fork servers, whose forks find them so."""
    modules, path, finders, here = set(sys.modules), list(sys.path), set(sys.path_importer_cache), Path.cwd()
    files = {"pytest.ini": "[pytest]\n", "code/__init__.py": "", "tests/__init__.py": "", "tests/test_it.py": _REHEARSAL}
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        for name, text in files.items():
            Path(folder, name).parent.mkdir(exist_ok=True)
            Path(folder, name).write_text(text)
        os.chdir(folder)
        pytest.main(["--rootdir=.", *_OPTIONS, "tests/test_it.py"])
        os.chdir(here)
    for name in sys.modules.keys() - modules:
        del sys.modules[name]
    for name in sys.path_importer_cache.keys() - finders:
        del sys.path_importer_cache[name]
    for name in vars(sys).keys() & {"last_type", "last_value", "last_traceback", "last_exc"}:
        delattr(sys, name)
    sys.path[:] = path


def rewrite_tests() -> None:
    """Rewrite the assertions of test files once for all forks; what comes of it depends on nothing but their text."""
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    make, config, made = rewrite._rewrite_test, _pytest.config.get_config(list(_OPTIONS)), {}
    paths = [path for pattern in ("test_*.py", "*_test.py", "conftest.py") for path in sorted(Path.cwd().rglob(pattern))]
    for path in paths[:_MOST_FILES]:
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
    """Make the next configuration of pytest now, as far as neither the tree nor the tests have a say in it."""
    make = _pytest.config.get_config
    config = make(list(_OPTIONS))

    def prepared(args: Any = None, plugins: Any = None, **_: Any) -> pytest.Config:
        _pytest.config.get_config = make
        config.invocation_params = pytest.Config.InvocationParams(args=args or (), plugins=plugins, dir=Path.cwd())
        return config

    _pytest.config.get_config = prepared


if __name__ == "__main__":
    load_all()
    if os.environ.get("REPAIRLAB_FORK_SERVER", "0") != "0":
        rehearse()
        rewrite_tests()
    prepare()
    main("pytest", run_pytest)
