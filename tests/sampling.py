"""Options of pytest that run a sample of the chosen tests, drawn by a text such as the hash of a commit."""

import hashlib

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("sample")
    group.addoption("--sample", type=int, metavar="N", help="run N of the chosen tests; fail if none of them could run")
    group.addoption("--sample-seed", default="", metavar="TEXT", help="what draws the sample: equal texts draw equal tests")


@pytest.hookimpl(trylast=True)  # marks and expressions choose first
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Draw the sample; the drawn tests keep their order."""
    n = config.option.sample
    if n is None:
        return
    order = sorted(items, key=lambda item: hashlib.sha256(f"{config.option.sample_seed} {item.nodeid}".encode()).digest())
    config.hook.pytest_deselected(items=order[n:])
    drawn = set(order[:n])
    items[:] = [item for item in items if item in drawn]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail where a sample checked nothing: each of its tests was skipped."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    is_sample = session.config.option.sample is not None
    if is_sample and reporter is not None and session.exitstatus == pytest.ExitCode.OK and not reporter.stats.get("passed"):
        session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what drew the sample."""
    option = terminalreporter.config.option
    if option.sample is not None:
        terminalreporter.write_line(f"a sample of at most {option.sample} tests, drawn by '{option.sample_seed}'")
