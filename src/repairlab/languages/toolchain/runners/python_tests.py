"""Runs pytest or unittest tests and reports each on file descriptor 3. Starts inside the sandbox, beside the code under test.

Standard input brings one JSON request: `nonce`, `framework`, `tests`, `canaries`, `stop`, `path` (folders to import from),
`packages`. All that the report needs is bound before code under test is imported, which may patch modules as it likes.
Canaries are tests that must fail, placed among the real ones: code that turns every report into a pass betrays itself by them.
"""

from __future__ import annotations

import ast
import fcntl
import json
import os
import sys
import time
import traceback
import unittest
from pathlib import Path
from typing import Any

_FIRST_PRIVATE_DESCRIPTOR = 100
_LONGEST_MESSAGE = 2000

# Compiled at run time, after code under test was imported, and by the same machinery as the tests. Names are looked up late.
_PYTEST_CANARIES = """
def canary_0():
    assert 1 == 2

def canary_1():
    raise ValueError("canary")

def canary_2():
    import unittest
    unittest.TestCase().assertEqual(1, 2)

def canary_3():
    import pytest
    with pytest.raises(ValueError):
        pass
"""
_UNITTEST_CANARIES = """
def canary_0(self):
    assert 1 == 2

def canary_1(self):
    raise ValueError("canary")

def canary_2(self):
    self.assertEqual(1, 2)

def canary_3(self):
    with self.assertRaises(ValueError):
        pass
"""


def mixed(tests: list[Any], canaries: list[Any], words: list[str]) -> list[Any]:
    """Return the tests with the canaries at places that cannot be foreseen, but none before the first test and one at the end."""
    result = list(tests)
    for canary, word in zip(canaries[:-1], words[:-1], strict=True):
        result.insert(1 + int(word, 16) % len(result), canary)
    return [*result, canaries[-1]]


class Channel:
    """The report: JSON lines on a private descriptor that children do not inherit."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._process = os.getpid()
        first = _FIRST_PRIVATE_DESCRIPTOR + int.from_bytes(nonce[:2].encode(), "big") % 500
        self._descriptor = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, first)
        os.close(3)
        self._encode = json.JSONEncoder().encode
        self._write, self._getpid = os.write, os.getpid
        self._times, self._wall = os.times, time.perf_counter
        self._began = (0.0, 0.0)
        self.ended: set[str] = set()

    def _send(self, event: dict[str, Any]) -> None:
        # A test may fork and let the child run on: only the process that was started reports.
        if self._getpid() != self._process:
            return
        line = (self._encode({"nonce": self._nonce, **event}) + "\n").encode()
        while line:
            line = line[self._write(self._descriptor, line) :]

    def _now(self) -> tuple[float, float]:
        return sum(self._times()[:4]), self._wall()

    def start(self, test: str) -> None:
        """Say that a test begins."""
        self._began = self._now()
        self._send({"event": "start", "test": test})

    def end(self, test: str, status: str, message: str = "") -> None:
        """Say how a test ended."""
        if test in self.ended:
            return
        self.ended.add(test)
        cpu, wall = self._now()
        cpu_s, wall_s = (cpu - self._began[0], wall - self._began[1]) if self._began[1] else (0.0, 0.0)
        message = message.strip()[:_LONGEST_MESSAGE]
        self._send({"event": "end", "test": test, "status": status, "message": message, "cpu_s": cpu_s, "wall_s": wall_s})

    def error(self, message: str) -> None:
        """Say why tests could not be loaded."""
        self._send({"event": "error", "message": message.strip()[:_LONGEST_MESSAGE]})

    def done(self) -> None:
        """Say that the runner came to its proper end."""
        self._send({"event": "done"})


def code_of(function: Any) -> list[Any]:
    """Return what a test function consists of, wrappers included: code under test may put other code in its place."""
    found = []
    while function is not None:
        function = getattr(function, "__func__", function)
        found.append(getattr(function, "__code__", function))
        function = getattr(function, "__wrapped__", None)
    return found


def last_line(error: BaseException) -> str:
    """Return an exception as one line: its type and message."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def status_of(error: BaseException) -> str:
    """Return the status of a test that raised."""
    if isinstance(error, MemoryError):
        return "memory"
    return "failed" if isinstance(error, AssertionError) else "error"


class PytestReporter:
    """A pytest plugin that picks the wanted tests, in their order, and reports them."""

    def __init__(self, pytest: Any, channel: Channel, request: dict[str, Any]) -> None:
        self._pytest, self._channel = pytest, channel
        self._tests, self._stop, self._words = request["tests"], request["stop"], request["canaries"]
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
        items[:] = mixed(chosen, self._canaries(chosen), self._words) if chosen else []

    def _canaries(self, chosen: list[Any]) -> list[Any]:
        """Make tests that must fail, each in the file of a real one."""
        rewrite = sys.modules["_pytest.assertion.rewrite"]
        namespace: dict[str, Any] = {}
        tree = ast.parse(_PYTEST_CANARIES)
        rewrite.rewrite_asserts(tree, _PYTEST_CANARIES.encode(), None, chosen[0].config)
        exec(compile(tree, "<test>", "exec"), namespace)
        found = []
        for index, word in enumerate(self._words):
            host = chosen[int(word, 16) % len(chosen)]
            parent = host.getparent(self._pytest.Module) or host.parent
            canary = namespace[f"canary_{index}"]
            found.append(self._pytest.Function.from_parent(parent, name=f"test_{word}", callobj=canary))
        return found

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
        """Stop before the next test when one has failed."""
        if self._stop and self._failed:
            self.stopped = True
            item.session.shouldstop = "a test failed"
            return True
        return None


def run_pytest(pytest: Any, channel: Channel, request: dict[str, Any]) -> bool:
    """Run pytest node ids; return whether pytest came to its proper end."""
    tests = request["tests"]
    pytest.hookimpl(hookwrapper=True, trylast=True)(PytestReporter.pytest_runtest_call)
    reporter = PytestReporter(pytest, channel, request)
    files = dict.fromkeys(test.split("::")[0] for test in tests)
    present = [path for path in files if Path(path).exists()]
    if not present:
        reporter.pytest_collection_modifyitems([])
        return True
    options = ["--rootdir=.", "--continue-on-collection-errors", "--tb=short", "--no-header", "-q", "-p", "no:cacheprovider"]
    options.append("--maxfail=0")  # canaries fail
    code = pytest.main([*options, *present], plugins=[reporter])
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        message = f"pytest could not run ({pytest.ExitCode(code).name}): see its output"
        channel.error(message)
        for test in tests:
            channel.end(test, "uncollected", message)
    return reporter.stopped or channel.ended.issuperset(tests)


class UnittestReporter(unittest.TestResult):
    """A unittest result that reports each test; a test may fail in several ways, of which the first counts."""

    def __init__(self, channel: Channel, cases: dict[int, Any], names: dict[int, str], request: dict[str, Any]) -> None:
        super().__init__()
        self._channel, self._names = channel, names
        self._tests, self._stop = request["tests"], request["stop"]
        self._codes = {number: code_of(getattr(type(case), case._testMethodName)) for number, case in cases.items()}
        self._first: dict[int, tuple[str, str]] = {}
        self.fixture_error = ""

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """Begin a test."""
        super().startTest(test)
        self._channel.start(self._names[id(test)])

    def _note(self, test: unittest.TestCase, status: str, message: str = "") -> None:
        # Errors of setUpClass and setUpModule come with a stand-in for the test.
        if id(test) in self._names:
            self._first.setdefault(id(test), (status, message))
        else:
            self.fixture_error = self.fixture_error or f"{test}: {message}"
            self._channel.error(self.fixture_error)

    def addSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802, D102
        self._note(test, "passed")

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802, D102
        self._note(test, status_of(err[1]), last_line(err[1]))

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802, D102
        self._note(test, status_of(err[1]), last_line(err[1]))

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802, D102
        self._note(test, "skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802, D102
        self._note(test, "xfailed", last_line(err[1]))

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802, D102
        self._note(test, "xpassed")

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: Any) -> None:  # noqa: N802, D102
        if err is not None:
            self._note(test, status_of(err[1]), f"{subtest}: {last_line(err[1])}")

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        """End a test."""
        super().stopTest(test)
        status, message = self._first.get(id(test), ("error", "the test did not say how it ended"))
        if self._codes.get(id(test), []) != code_of(getattr(type(test), test._testMethodName)) and id(test) in self._codes:
            status, message = "forged", "tampering: the code of the test was replaced"
        self._channel.end(self._names[id(test)], status, message)
        if self._stop and status != "passed" and self._names[id(test)] in self._tests:
            self.stop()


class Aside(list[unittest.TestCase]):
    """A test that runs between others without touching their class and module fixtures: to unittest it is a suite."""

    def __call__(self, result: unittest.TestResult) -> None:
        """Run it."""
        self[0].run(result)


def unittest_canaries(cases: list[Any], words: list[str]) -> list[Any]:
    """Make tests that must fail, each with the class of a real one."""
    namespace: dict[str, Any] = {}
    exec(compile(_UNITTEST_CANARIES, "<test>", "exec"), namespace)
    made = []
    for index, word in enumerate(words):
        host = type(cases[int(word, 16) % len(cases)])
        own = {f"test_{word}": namespace[f"canary_{index}"], "setUp": lambda _: None, "tearDown": lambda _: None}
        for parent in (host, unittest.TestCase):
            try:
                made.append(type(host.__name__, (parent,), {"__module__": host.__module__, **own})(f"test_{word}"))
            except Exception:  # the class does not like to be extended
                continue
            break
    return made


def flat(suite: Any) -> list[Any]:
    """Return the test cases of nested suites."""
    return [case for part in suite for case in flat(part)] if isinstance(suite, unittest.TestSuite) else [suite]


def load(name: str) -> tuple[Any, str]:
    """Return the one test case of a name, or none and why there is none (nothing: it does not exist)."""
    try:
        cases = flat(unittest.TestLoader().loadTestsFromName(name))
    except (Exception, SystemExit) as error:
        return None, last_line(error)
    if len(cases) == 1 and not hasattr(cases[0], "_exception"):
        return cases[0], ""
    # The loader's stand-in for a test that it could not load; an AttributeError says that the name does not exist.
    problem = getattr(cases[0], "_exception", None) if cases else None
    return None, "" if problem is None or isinstance(problem, AttributeError) else str(problem)


def run_unittest(channel: Channel, request: dict[str, Any]) -> bool:
    """Run dotted names of unittest test methods, fixtures of classes and modules included."""
    names: dict[int, str] = {}
    alive: list[Any] = []  # a suite drops tests once they have run, and another object could then get the id of one
    for name in request["tests"]:
        case, problem = load(name)
        if case is not None:
            names[id(case)] = name
            alive.append(case)
            continue
        if problem:
            channel.error(problem)
        channel.end(name, "uncollected" if problem else "missing", problem)
        if request["stop"]:
            break
    canaries = unittest_canaries(alive, request["canaries"]) if alive else []
    names.update({id(canary): f"{canary.__module__}.{type(canary).__name__}.{canary._testMethodName}" for canary in canaries})
    reporter = UnittestReporter(channel, {id(case): case for case in alive}, names, request)
    asides = [Aside([canary]) for canary in canaries]
    unittest.TestSuite(mixed(alive, asides, request["canaries"]) if alive else []).run(reporter)
    if reporter.fixture_error:
        for name in names.values():
            channel.end(name, "error", reporter.fixture_error)
    return True


def main() -> None:
    """Read the request, hide the channel, run, and leave without running anything more of the code under test."""
    request = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    channel = Channel(request.pop("nonce"))
    leave, flush = os._exit, [sys.stdout.flush, sys.stderr.flush]
    sys.path.append(request["packages"])
    pytest: Any = None
    if request["framework"] == "pytest":
        pytest = __import__("pytest")  # before code under test can stand in its way
    sys.path[:0] = [str(Path.cwd()), *(str(Path(folder).absolute()) for folder in request["path"])]
    if request["path"]:
        os.environ["PYTHONPATH"] = os.pathsep.join(request["path"])
    sys.argv[:] = [request["framework"]]
    finished = run_pytest(pytest, channel, request) if pytest else run_unittest(channel, request)
    if finished:
        channel.done()
    for stream in flush:
        stream()
    leave(0 if finished else 1)


if __name__ == "__main__":
    main()
