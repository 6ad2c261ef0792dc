"""Names the tests of files, modules or classes without running any; see python_channel.py. Starts inside the sandbox."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_channel import Channel, is_own_pytest, main, plugin_options
else:
    from python_channel import Channel, is_own_pytest, main, plugin_options

_PLUGINS = plugin_options()
if not is_own_pytest():
    import pytest  # noqa: F401  # behind the channel, which says where it is; before code under test, which could stand in its way


class PytestLister:
    """A pytest plugin that names all tests and keeps none."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    def pytest_collectreport(self, report: Any) -> None:
        """Say which files cannot be loaded."""
        if report.failed:
            self._channel.error(f"{report.nodeid}: {report.longrepr}")

    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        """Name what was found, when others have done with it (see `list_pytest`)."""
        for item in items:
            self._channel.start(item.nodeid)
        items.clear()


def list_pytest(channel: Channel, places: list[str]) -> None:
    """Name the node ids below files, folders or node ids."""
    import pytest  # noqa: PLC0415  # perhaps the one of the tree

    pytest.hookimpl(trylast=True)(PytestLister.pytest_collection_modifyitems)
    options = ["--rootdir=.", *_PLUGINS, "--continue-on-collection-errors", "-q", "-p", "no:cacheprovider"]
    present = [place for place in places if Path(place.split("::")[0]).exists()]
    for place in places:
        if place not in present:
            channel.error(f"{place}: there is no such file")
    if present:
        pytest.main([*options, *present], plugins=[PytestLister(channel)])


def list_unittest(channel: Channel, places: list[str]) -> None:
    """Name the tests of dotted modules or classes; the path of a file is one of a module."""
    for place in places:
        name = place[:-3].replace("/", ".") if place.endswith(".py") else place
        try:
            _name_all(channel, unittest.TestLoader().loadTestsFromName(name))
        except (Exception, SystemExit) as error:
            channel.error(f"{place}: {error}")


def _name_all(channel: Channel, suite: Any) -> None:
    if isinstance(suite, unittest.TestSuite):
        for part in suite:
            _name_all(channel, part)
    elif hasattr(suite, "_exception"):
        channel.error(f"{suite.id()}: {suite._exception}")
    else:
        channel.start(suite.id())


def run(begin: Callable[[], tuple[Channel, dict[str, Any]]]) -> bool:
    """List what is asked for."""
    channel, request = begin()
    (list_pytest if request["framework"] == "pytest" else list_unittest)(channel, request["tests"])
    return True


if __name__ == "__main__":
    main("listing", run)
