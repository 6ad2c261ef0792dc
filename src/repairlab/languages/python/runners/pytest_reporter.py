"""The plugin of pytest that picks tests and reports them; python_pytest.py loads it into the pytest of our own, or of a project."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import _pytest.config
import _pytest.runner
import pytest

if TYPE_CHECKING:
    from repairlab.languages.python.runners import (
        pytest_shortcuts as shortcuts,
    )  # these are given at run time by whoever loads this
    from repairlab.languages.python.runners.python_channel import Channel, code_of

with contextlib.suppress(ImportError):
    import _pytest.faulthandler
    import _pytest.timing

KNOWS_INSIDE = hasattr(vars(_pytest).get("timing"), "Instant")
"""Whether this pytest is as recent as ours, whose internals we know; of others we use what is documented since version 5."""
CAN_LOAD = hasattr(vars(_pytest).get("faulthandler"), "pytest_unconfigure")
"""Whether it can close its files temporarily, as ours can: since version 7."""
_INTERNAL_ERROR = 3
COULD_NOT_RUN = {_INTERNAL_ERROR: "INTERNAL_ERROR", 4: "USAGE_ERROR"}
"""Exit codes by the names that pytest gave them in version 5: a tree that is pytest may be older."""
_NEW_PATHS = 7


class PytestReporter:
    """A pytest plugin that picks the wanted tests, in their order, and reports them."""

    channel: Channel
    tests: list[str]
    files: list[str]
    _config: pytest.Config

    def __init__(
        self, begin: Callable[[], tuple[Channel, dict[str, Any]]], options: tuple[str, ...], *, plain: bool, known: list[Path]
    ) -> None:
        """Take what reads the request, pytest's options, whether no file of the tree configures it, and likely test files."""
        self._begin = begin
        self._known = known
        self._options = options
        self._is_tree_plain = plain
        self.has_begun = self.loads = False
        self._stop = False
        self._status, self._message = "", ""
        self._raised = self._failed = False
        self._broken: dict[str, str] = {}
        self._codes: dict[str, list[Any]] = {}
        self._is_pytest_plain: bool | None = None
        self.stopped = False
        self.internal_error = ""

    def begin(self) -> None:
        """Read the request; in a fork server, return in each fork."""
        self.has_begun = True
        self.channel, request = self._begin()
        self.tests, self._stop = request["tests"], request["stop"]
        files = dict.fromkeys(test.split("::")[0] for test in self.tests)
        self.files = [path for path in files if Path(path).exists()]
        self._paths = {str(Path.cwd() / path) for path in files}
        self._tops = {"::".join(test.partition("[")[0].split("::")[:2]) for test in self.tests}

    def run(self, arguments: list[str]) -> Any:
        """Run pytest with this plugin and return its exit code; if its parts do not fit together, it has failed internally."""
        try:
            return pytest.main(arguments, plugins=[self])
        except Exception as error:
            self.internal_error = f"{type(error).__name__}: {error}"
            return _INTERNAL_ERROR

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        """Let pytest, now ready, look for the requested tests, whatever it was started with."""
        self._config = session.config
        if self.loads or not KNOWS_INSIDE:
            return
        config, collect = session.config, session._collect_one_node
        shortcuts.ask_once_for_hooks(session)
        if not self.has_begun:
            known = shortcuts.look_for_files(session, self._known)
            with _closed_files(config):
                self.begin()
            shortcuts.use_files(session, known, self.files)
        config.args = config.option.file_or_dir = self.files
        config.invocation_params = pytest.Config.InvocationParams(
            args=(*self._options, *self.files), plugins=None, dir=config.invocation_params.dir
        )
        # No file is requested twice, so no folder needs to be visited twice.
        session._collect_one_node = lambda node, _=True: collect(node)  # type: ignore[method-assign, assignment]

    def is_ignored(self, path: str) -> bool | None:
        """Return whether pytest need not look at a file; it has its own rules for folders."""
        if not self.has_begun:
            return None
        return True if path not in self._paths and Path(path).is_file() else None

    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector: Any, name: str) -> list[Any] | None:
        """Let pytest skip all other functions and classes of a file."""
        other = self.has_begun and isinstance(collector, pytest.Module) and f"{collector.nodeid}::{name}" not in self._tops
        return [] if other and self._is_tree_plain else None

    def pytest_collectreport(self, report: Any) -> None:
        """Remember files that cannot be loaded."""
        if report.failed:
            message = _error_first(str(report.longrepr))
            self._broken[report.nodeid] = message
        if report.failed and self.has_begun:
            self.channel.error(f"{report.nodeid}: {message}")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Keep exactly the wanted tests, in the wanted order; a fork server that has loaded them all stops before that."""
        if self.loads and not self._broken:
            with _closed_files(self._config):
                self.begin()
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

    def pytest_internalerror(self, excrepr: Any) -> None:
        """Remember why pytest itself has failed."""
        self.internal_error = self.internal_error or str(excrepr).strip().rpartition("\n")[2].strip()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Let Python itself write the tracebacks of tests: pytest would parse whole files for that."""
        if self.has_begun:  # a server that gets ready leaves it to its forks: of files that cannot be loaded pytest tells more
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
        """Remember the first exception of a test, and hide the frames above the test."""
        if call.excinfo is not None and hasattr(item, "_traceback_filter"):
            call.excinfo.traceback = item._traceback_filter(call.excinfo)
        if call.excinfo is not None and isinstance(call.excinfo.value, MemoryError):
            self._status, self._message = "memory", "MemoryError"

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Record setup, call and teardown; the first that does not pass decides."""
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
        """Stop after the first failure; interrupting the session would make pytest print its own source at length."""
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
        """Return whether a test is a function about which no plugin needs more than how it ended."""
        if self._is_pytest_plain is None:
            self._is_pytest_plain = KNOWS_INSIDE and _is_plain_config(item.config, self)
        return (
            self._is_pytest_plain
            and type(item) is pytest.Function
            and "request" not in item.fixturenames  # by which a fixture could ask for any other, and for what plugins know
            and all(mark.name == "parametrize" for mark in item.iter_markers())
        )

    def _run_plain(self, item: Any, nextitem: Any) -> None:
        """Do what pytest would do with a test, except for reports of successes."""
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


class _NewReporter(PytestReporter):
    """For pytest as it is today."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Let pytest skip all other files."""
        return self.is_ignored(str(collection_path))


class _OldReporter(PytestReporter):
    """For pytest before version 7, which had another kind of paths."""

    def pytest_ignore_collect(self, path: Any) -> bool | None:
        """Let pytest skip all other files."""
        return self.is_ignored(str(path))


def make_reporter(
    begin: Callable[[], tuple[Channel, dict[str, Any]]], options: tuple[str, ...], *, plain: bool, known: list[Path]
) -> PytestReporter:
    """Return the reporter that speaks to this pytest."""
    pytest.hookimpl(hookwrapper=True, trylast=True)(PytestReporter.pytest_runtest_call)
    kind = _OldReporter if int(pytest.__version__.partition(".")[0]) < _NEW_PATHS else _NewReporter
    return kind(begin, options, plain=plain, known=known)


def _is_plain_config(config: pytest.Config, reporter: PytestReporter) -> bool:
    """Return whether only pytest itself and we decide how tests run, and nothing special was requested of pytest."""
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
    """Close pytest's open files while descriptors change."""
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
    if KNOWS_INSIDE:
        plugin("terminalreporter")._session_start = _pytest.timing.Instant()


def _error_first(told: str) -> str:
    """Return what pytest tells of a file that cannot be loaded, with the error itself before the way to it."""
    errors = [line[1:].strip() for line in told.splitlines() if line.startswith("E  ")]
    return "\n".join([*errors[:1], told])
