"""Runs unittest tests and reports each; see python_channel.py. Starts inside the sandbox."""

from __future__ import annotations

import traceback
import unittest
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_channel import Channel, code_of, is_server, main, prepare_forks, turn_to_tree
else:
    from python_channel import Channel, code_of, is_server, main, prepare_forks, turn_to_tree


def last_line(error: BaseException) -> str:
    """Return an exception as one line: its type and message."""
    return "".join(traceback.format_exception_only(type(error), error)).strip()


def status_of(error: BaseException) -> str:
    """Return the status of a test that raised."""
    if isinstance(error, MemoryError):
        return "memory"
    return "failed" if isinstance(error, AssertionError) else "error"


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


def run_unittest(begin: Callable[[], tuple[Channel, dict[str, Any]]]) -> bool:
    """Run dotted names of unittest test methods, fixtures of classes and modules included."""
    channel, request = begin()
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
    reporter = UnittestReporter(channel, {id(case): case for case in alive}, names, request)
    unittest.TestSuite(alive).run(reporter)
    if reporter.fixture_error:
        for name in names.values():
            channel.end(name, "error", reporter.fixture_error)
    return True


if __name__ == "__main__":
    turn_to_tree()
    if is_server():
        prepare_forks()
    main("unittest", run_unittest)
