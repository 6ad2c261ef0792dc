"""Runs pytest tests and reports each; see python_channel.py. Starts inside the sandbox."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners import python_shortcuts as shortcuts
    from repairlab.languages.python.runners.python_channel import Channel, code_of, is_server, main, prepare_forks
else:
    import python_shortcuts as shortcuts  # before the channel, which hides this folder
    from python_channel import Channel, code_of, is_server, main, prepare_forks

import _pytest.config
import _pytest.faulthandler
import _pytest.fixtures
import _pytest.runner
import _pytest.timing
import pytest  # behind the channel, which says where it is; before code under test, which could stand in its way

_OPTIONS = ("--continue-on-collection-errors", "--tb=short", "--no-header", "-q", "-p", "no:cacheprovider", "--maxfail=0")
"""The last because it is ours to say when to stop, and not a setting of the tree."""
_SETTINGS = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "tox.ini", "setup.cfg")
_LOADING = re.compile(r"(?<![\w-])-p|::\w+\.|log_file")
"""What settings may say so that pytest loads a plugin or the class of a warning, or opens a file, while it gets ready."""


class PytestReporter:
    """A pytest plugin that picks the wanted tests, in their order, and reports them."""

    channel: Channel
    tests: list[str]
    files: list[str]

    def __init__(self, begin: Callable[[], tuple[Channel, dict[str, Any]]], *, plain: bool, known: list[Path]) -> None:
        """Take what reads the request, whether nothing of the tree has a say in how tests are found, and likely files of tests."""
        self._begin = begin
        self._known = known
        self._is_tree_plain = plain
        self.has_begun = False
        self._stop = False
        self._status, self._message = "", ""
        self._raised = self._failed = False
        self._broken: dict[str, str] = {}
        self._codes: dict[str, list[Any]] = {}
        self._is_pytest_plain: bool | None = None
        self.stopped = False

    def begin(self) -> None:
        """Read the request; in a fork server, return in each fork."""
        self.has_begun = True
        self.channel, request = self._begin()
        self.tests, self._stop = request["tests"], request["stop"]
        files = dict.fromkeys(test.split("::")[0] for test in self.tests)
        self.files = [path for path in files if Path(path).exists()]
        self._paths = {str(Path.cwd() / path) for path in files}
        self._tops = {"::".join(test.partition("[")[0].split("::")[:2]) for test in self.tests}

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Have pytest, now that it is ready, look for the tests of the request, whatever it was started with."""
        config, collect = session.config, session._collect_one_node
        shortcuts.ask_once_for_hooks(session)
        if not self.has_begun:
            known = shortcuts.look_for_files(session, self._known)
            with _closed_files(config):
                self.begin()
            shortcuts.use_files(session, known, self.files)
        config.args = config.option.file_or_dir = self.files
        config.invocation_params = pytest.Config.InvocationParams(
            args=(*_OPTIONS, *self.files), plugins=None, dir=config.invocation_params.dir
        )
        # No file is asked for twice, so no folder needs to be looked at twice.
        session._collect_one_node = lambda node, _=True: collect(node)  # type: ignore[method-assign, assignment]

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Have pytest look at no other files."""
        if not self.has_begun:
            return None
        return True if str(collection_path) not in self._paths and collection_path.is_file() else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str) -> list[Any] | None:
        """Have pytest look at no other functions and classes of a file."""
        other = isinstance(collector, pytest.Module) and f"{collector.nodeid}::{name}" not in self._tops
        return [] if other and self._is_tree_plain else None

    def pytest_collectreport(self, report: Any) -> None:
        """Remember files that cannot be loaded."""
        if report.failed:
            message = str(report.longrepr)
            self._broken[report.nodeid] = message
            self.channel.error(f"{report.nodeid}: {message}")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep exactly the wanted tests, in the wanted order."""
        if not self.has_begun:
            return
        found = {item.nodeid: item for item in items}
        chosen = []
        for test in self.tests:
            if test in found:
                chosen.append(found[test])
                continue
            broken = [message for node, message in self._broken.items() if node == "" or f"{test}::".startswith(f"{node}::")]
            self.channel.end(test, "uncollected" if broken else "missing", broken[0] if broken else "")
            if self._stop:
                self.stopped = True
                break
        self._codes = {item.nodeid: code_of(getattr(item, "function", None)) for item in chosen}
        items[:] = chosen

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Have Python itself write the tracebacks of tests: pytest would parse whole files for that."""
        session.config.option.tbstyle = "native"

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Begin a test."""
        self._status, self._message, self._raised = "", "", False
        self.channel.start(nodeid)

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

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        """Remember the first exception of a test, and leave the way to the test out of what is shown of it."""
        if call.excinfo is not None and hasattr(item, "_traceback_filter"):
            call.excinfo.traceback = item._traceback_filter(call.excinfo)
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
        self.channel.end(nodeid, self._status or "error", self._message or ("" if self._status else "the test did not run"))
        self._failed |= nodeid in self.tests and self._status != "passed"

    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool | None:
        """Run no more tests when one has failed; to interrupt the session would have pytest print its own source at length."""
        if self._stop and self._failed:
            self.stopped = True
            return True
        if not self._is_plain(item):
            return None
        self.pytest_runtest_logstart(item.nodeid)
        self._run_plain(item, nextitem)
        self.pytest_runtest_logfinish(item.nodeid)
        return True

    def _is_plain(self, item: Any) -> bool:
        """Return whether a test is a function of which no plugin wants to know more than how it ended."""
        if self._is_pytest_plain is None:
            self._is_pytest_plain = _is_plain_config(item.config, self)
        return (
            self._is_pytest_plain
            and type(item) is pytest.Function
            and "request" not in item.fixturenames  # by which a fixture could ask for any other, and for what plugins know
            and all(mark.name == "parametrize" for mark in item.iter_markers())
        )

    def _run_plain(self, item: Any, nextitem: Any) -> None:
        """Do what pytest would do with a test, but for reports of what went well."""
        replaced, raised = self._is_replaced(item), list[Any]()
        steps: dict[Any, Callable[[], None]] = {
            "setup": partial(_pytest.runner.pytest_runtest_setup, item),
            "call": partial(_pytest.runner.pytest_runtest_call, item),
            "teardown": partial(_pytest.runner.pytest_runtest_teardown, item, nextitem),
        }
        with item.config.pluginmanager.get_plugin("capturemanager").item_capture("call", item):
            for when, step in steps.items():
                if when != "call" or not raised:
                    call = pytest.CallInfo.from_call(step, when=when, reraise=_pytest.runner.get_reraise_exceptions(item.config))
                    raised += [call] if call.excinfo is not None else []
        for call in raised:
            item.ihook.pytest_runtest_logreport(report=item.ihook.pytest_runtest_makereport(item=item, call=call))
        item._request, item.funcargs = False, None
        if not raised:
            self._status = "passed"
        elif self._status in ("", "passed"):
            self._status, self._message = "forged", "tampering: pytest reports a pass of a test that raised"
        if replaced or self._is_replaced(item):
            self._status, self._message = "forged", "tampering: the code of the test was replaced"


def _is_plain_config(config: pytest.Config, reporter: PytestReporter) -> bool:
    """Return whether nobody but pytest itself and we have a say in how tests are run, and pytest was asked for nothing special."""
    asked: list[Any] = [config.getini("filterwarnings"), config.known_args_namespace.pythonwarnings]
    asked += [config.getoption(name, None) for name in ("setuponly", "setupshow", "setupplan", "trace", "usepdb")]
    hooks = [
        hook
        for name, hook in vars(config.hook).items()
        if name.startswith(("pytest_runtest_", "pytest_fixture_", "pytest_pyfunc_"))
    ]
    others = [impl for hook in hooks for impl in hook.get_hookimpls() if impl.plugin is not reporter]
    return not any(asked) and all(impl.function.__module__.startswith("_pytest.") for impl in others)


@contextlib.contextmanager
def _closed_files(config: pytest.Config) -> Iterator[None]:
    """Close the files that pytest has open, for a time in which descriptors change."""
    plugin: Callable[[str], Any] = config.pluginmanager.get_plugin
    capture, logging = plugin("capturemanager"), plugin("logging-plugin")
    has_faults = config.pluginmanager.hasplugin("faulthandler")
    capture.stop_global_capturing()
    if logging:
        logging.log_file_handler.stream.close()
    if has_faults:
        _pytest.faulthandler.pytest_unconfigure(config)
    yield
    if has_faults:
        _pytest.faulthandler.pytest_configure(config)
    if logging:
        logging.log_file_handler.stream = logging.log_file_handler._open()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    plugin("terminalreporter")._session_start = _pytest.timing.Instant()


def is_plain_tree() -> bool:
    """Return whether pytest can get ready for any tests of the tree without loading a line of it."""
    wanted, top = {"conftest.py", *_SETTINGS}, str(Path.cwd())
    found = [Path(folder, name) for folder, _, names in os.walk(top) for name in wanted.intersection(names)]
    texts = [path.read_text(errors="replace") for path in found if path.parent == Path(top) and path.name in _SETTINGS]
    asked = os.environ.keys() & {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}
    return not asked and len(texts) == len(found) and not any(map(_LOADING.search, texts))


def run_pytest(begin: Callable[[], tuple[Channel, dict[str, Any]]], *, server: bool, plain: bool, known: list[Path]) -> bool:
    """Run pytest node ids; return whether pytest came to its proper end."""
    pytest.hookimpl(hookwrapper=True, trylast=True)(PytestReporter.pytest_runtest_call)
    reporter, code = PytestReporter(begin, plain=plain, known=known), None
    if not (plain and server):
        reporter.begin()
    if plain:
        code = pytest.main(["--rootdir=.", *_OPTIONS, "."], plugins=[reporter])
    if not reporter.has_begun:  # a server that could not get ready leaves that to its forks
        reporter.begin()
        plain = False
    if not plain:
        code = pytest.main(["--rootdir=.", *_OPTIONS, *reporter.files], plugins=[reporter]) if reporter.files else None
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        message = f"pytest could not run ({pytest.ExitCode(code).name}): see its output"
        reporter.channel.error(message)
        for test in reporter.tests:
            reporter.channel.end(test, "uncollected", message)
    elif code is None:
        reporter.pytest_collection_modifyitems([])
    return reporter.stopped or reporter.channel.ended.issuperset(reporter.tests)


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


def rewrite_tests(files: list[Path]) -> None:
    """Rewrite the assertions of test files once for all forks; what comes of it depends on nothing but their text."""
    rewrite: Any = importlib.import_module("_pytest.assertion.rewrite")
    make, config, made = rewrite._rewrite_test, _pytest.config.get_config(list(_OPTIONS)), {}
    for path in (*files, *Path.cwd().rglob("conftest.py")):
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
    is_forked, is_plain = is_server(), is_plain_tree()
    load_all()
    shortcuts.ask_code_for_arguments(_pytest.fixtures)
    known_files: list[Path] = []
    if is_forked:
        if not is_plain:  # there a server stops before pytest has done anything for the first time
            rehearse()
        known_files = prepare_forks()
        rewrite_tests(known_files)
    prepare()
    main("pytest", partial(run_pytest, server=is_forked, plain=is_plain, known=known_files))
