"""Amend a bug.toml in place with what running its bug showed: tests to exclude, the first failing message, time limits.

A test that flipped for one fix of a project is excluded from all bugs of that project, since it may pass every time for one fix and
fail for its neighbour.
"""

import json
import math
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from repairlab.benchmarks.writing import toml
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.storage.encoding import write_aside

_ROOT = re.compile(r"(?<![\w.])(?:/[\w.-]+)*?/(?:work|tree)/")
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")


def shows_nothing(bug: Bug, names: Sequence[str]) -> bool:
    """Return whether excluding these tests would leave none that shows the bug."""
    return set(names).issuperset((*bug.oracle.trigger, *bug.oracle.case_ids))


def exclusion_line(bug: Bug, names: Sequence[str]) -> str:
    """Return the line for [test] in bug.toml that excludes these tests in addition to earlier exclusions."""
    all_names = dict.fromkeys((*bug.oracle.excluded, *names))
    return f"excluded = [{', '.join(json.dumps(name, ensure_ascii=False) for name in all_names)}]"


def exclude(bug: Bug, names: Sequence[str]) -> None:
    """Exclude tests in a bug's bug.toml; leave the rest of the file as it is."""
    wanted = exclusion_line(bug, names)
    if shows_nothing(bug, names):
        raise UserError(f"bug {bug.id}: nothing that shows the bug would be left; leave the bug out of the benchmark")
    excluded = tomllib.loads(wanted)
    _amend(bug, wanted, "under [test]", _replaced, lambda facts: {**facts, "test": {**facts.get("test", {}), **excluded}})


def first_message(message: str) -> str:
    """Return the first failing message as bug.toml keeps it: the same on every machine.

    >>> first_message("t: /tmp/repairlab-x1/work/tests/t.c:9: <Cache object at 0x15555367ddd0>")
    't: tests/t.c:9: <Cache object at 0x…>'
    """
    return _ADDRESS.sub("0x…", _ROOT.sub("", message)).strip()


def store_error(bug: Bug, message: str) -> None:
    """Write the first failing message to the bug.toml of a bug that has none."""
    wanted = toml({"error": message}).rstrip("\n")

    def inserted(lines: Sequence[str], line: str) -> list[str]:
        place = next((number for number, text in enumerate(lines) if text.startswith("[")), len(lines))
        while place and not lines[place - 1].strip():
            place -= 1
        return [*lines[:place], line, *lines[place:]]

    _amend(bug, wanted, "above the first table", inserted, lambda facts: {**facts, "error": message})


ROOM = 5
"""How many times as long as the reference fix a candidate may take."""
LEAST_CPU_S, LEAST_WALL_S = 1.0, 5.0
_WALL = 4


def limits_for(limits: Limits, needed_s: float) -> dict[str, float]:
    """Return time limits from how long the tests take with the reference fix; never raise one.

    >>> limits_for(Limits(cpu_s=10, wall_s=40), 0.03), limits_for(Limits(cpu_s=10, wall_s=40), 1.23)
    ({'cpu_s': 1.0, 'wall_s': 5.0}, {'cpu_s': 6.2, 'wall_s': 24.8})
    """
    cpu_s = min(limits.cpu_s, max(LEAST_CPU_S, math.ceil(10 * ROOM * needed_s) / 10))
    return {"cpu_s": cpu_s, "wall_s": min(limits.wall_s, max(LEAST_WALL_S, _WALL * cpu_s))}


def store_limits(bug: Bug, needed_s: float) -> bool:
    """Lower the time limits in a bug's bug.toml to what its reference fix needs, with room; return whether any changed."""
    found = limits_for(bug.oracle.limits, needed_s)
    if found["cpu_s"] == bug.oracle.limits.cpu_s:
        return False
    why = f"# {ROOM} times the reference fix's {needed_s:g} s, at least {LEAST_CPU_S:g} s"
    wanted = f"cpu_s = {found['cpu_s']}  {why}\nwall_s = {found['wall_s']}"
    _amend(bug, wanted, "under [limits]", _limited, lambda facts: {**facts, "limits": {**facts.get("limits", {}), **found}})
    return True


def _limited(lines: Sequence[str], wanted: str) -> list[str]:
    """Return the lines of a bug.toml with new time limits in its table [limits]."""
    start = next((number for number, line in enumerate(lines) if line.split("#")[0].strip() == "[limits]"), None)
    if start is None:
        return [*"\n".join(lines).rstrip("\n").split("\n"), "", "[limits]", wanted, ""]
    end = next((number for number in range(start + 1, len(lines)) if lines[number].lstrip().startswith("[")), len(lines))
    rest = [line for line in lines[start + 1 : end] if line.split("=")[0].strip() not in ("cpu_s", "wall_s")]
    return [*lines[: start + 1], wanted, *rest, *lines[end:]]


def _amend(
    bug: Bug,
    line: str,
    where: str,
    change: Callable[[Sequence[str], str], Sequence[str]],
    amended: Callable[[dict[str, Any]], dict[str, Any]],
) -> None:
    """Put a line into a bug's bug.toml; leave the file alone if its form does not allow that."""
    path = Path(bug.tree.source).parent / "bug.toml"
    try:
        old = path.read_text(encoding="utf-8")
        new = "\n".join(change(old.split("\n"), line))
        if tomllib.loads(new) != amended(tomllib.loads(old)):
            raise ValueError("it is written in another form")
        write_aside(path, new)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot change {path} ({error}); write this {where} yourself: {line}") from None


def _replaced(lines: Sequence[str], wanted: str) -> list[str]:
    """Return the lines of a bug.toml with a new `excluded` in its table [test]."""
    start = next((number for number, line in enumerate(lines) if line.split("#")[0].strip() == "[test]"), None)
    if start is None:
        raise ValueError("it has no line [test]")
    end = next((number for number in range(start + 1, len(lines)) if lines[number].lstrip().startswith("[")), len(lines))
    for first in range(start + 1, end):
        if lines[first].split("=")[0].strip() == "excluded":
            for last in range(first, len(lines)):
                try:
                    tomllib.loads("\n".join(lines[first : last + 1]))
                except tomllib.TOMLDecodeError:
                    continue  # the list continues
                return [*lines[:first], wanted, *lines[last + 1 :]]
    return [*lines[: start + 1], wanted, *lines[start + 1 :]]


def leave_out(bugs: Iterable[Bug], unsteady: Mapping[str, Set[str]]) -> Iterator[str]:
    """Exclude tests, given by name, from the bugs of a project; yield what to report."""
    for bug in bugs:
        flipped = unsteady.get(project_of_bug(bug.id), frozenset())
        names = [test for test in (*bug.oracle.trigger, *bug.oracle.regression) if test in flipped]
        if not names:
            continue
        try:
            exclude(bug, names)
        except UserError as error:
            yield str(error)
        else:
            yield f"{bug.id}: left out, for with another fix of the project it passed and failed on one tree: {', '.join(names)}"


def project_of_bug(bug_id: str) -> str:
    """Return the project named in the id of a mined bug, if it is one."""
    return bug_id.rpartition("@")[0]
