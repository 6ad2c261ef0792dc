"""Tests of bugs are looked for by workers, here or on machines that share no files with this one."""

import dataclasses
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import find_target
from repairlab.benchmarks.folder import load_bug
from repairlab.building.discovery import DiscoveredTests, DiscoveryStage, Search, discovering
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import digest
from repairlab.runs.executors.executor import Delivery, Parcel
from repairlab.runs.executors.opening import open_executor
from repairlab.runs.executors.pool import open_pool
from repairlab.runs.executors.work_queue import run_each
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import LOCAL, Machine
from repairlab.validation.preflight import lock_of, needs_of, provide

_Found = DiscoveredTests | DiscoveryStage


def discover_all(
    searches: Iterable[Search],
    machine: Machine,
    receive: Callable[[_Found], None],
    lost: Callable[[Search, str], None],
    notify: Callable[[str], None],
) -> None:
    """Find the tests of all bugs; `notify` is told which machines are left out."""
    if machine.executor == LOCAL:
        with open_pool(machine) as pool:
            run_each(discovering, searches, pool, receive, lost)
        return
    found = [(search, load_bug(search.folder, search.benchmark, find_target)) for search in searches]
    if found:  # else all is known from an earlier start
        with open_executor(machine, needs_of(bug for _, bug in found), notify=notify) as executor:
            parcels: Iterable[Any] = (Parcel(item=search, folders=_folders(search, bug)) for search, bug in found)
            run_each(_discovering_there, parcels, executor, receive, lambda parcel, reason: lost(parcel.item, reason))


def _folders(search: Search, bug: Bug) -> dict[str, dict[str, Path]]:
    contents = {_place(search): search.folder}
    if bug.oracle.build.environment:
        lock = lock_of(bug)
        contents[f"environments/{lock.name}"] = lock
    return {_key(search): contents}


@contextmanager
def _discovering_there(sandbox: Sandbox, notify: Callable[[_Found], None]) -> Iterator[Callable[[Delivery], None]]:
    with discovering(sandbox, notify) as discover:
        yield lambda delivery: _discover_there(delivery, discover, notify)


def _discover_there(delivery: Delivery, discover: Callable[[Search], None], notify: Callable[[_Found], None]) -> None:
    """Find the tests of a bug that was sent here, in a copy of its own: what is tried may change it."""
    search: Search = delivery.item
    sent = delivery.folders[_key(search)]
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        shutil.copytree(sent, folder, symlinks=True, dirs_exist_ok=True)
        here = dataclasses.replace(search, folder=Path(folder, _place(search)))
        try:
            bug = load_bug(here.folder, here.benchmark, find_target)
            if bug.oracle.build.environment:
                provide(bug)
        except (UserError, HarnessError) as error:
            notify(DiscoveredTests(bug_id=search.bug_id, problem=str(error)))
        else:
            discover(here)
    shutil.rmtree(sent, ignore_errors=True)  # nobody asks for it again


def _place(search: Search) -> str:
    return f"bugs/{search.bug_id}"


def _key(search: Search) -> str:
    return digest(search.bug_id, search.digest)
