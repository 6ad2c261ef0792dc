"""Leaving flaky and hopeless tests out of bugs by name, in each bug.toml and nowhere else.

One that flipped for one fix of a project is left out of all bugs of the project: it may pass each time for one and fail for its
neighbour.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.storage.encoding import write_aside


def shows_nothing(bug: Bug, names: Sequence[str]) -> bool:
    """Return whether nothing that shows the bug would be left without these tests."""
    return set(names).issuperset((*bug.oracle.trigger, *bug.oracle.case_ids))


def exclusion_line(bug: Bug, names: Sequence[str]) -> str:
    """Return the line for [test] in bug.toml that leaves out these tests besides those that were left out before."""
    all_names = dict.fromkeys((*bug.oracle.excluded, *names))
    return f"excluded = [{', '.join(json.dumps(name, ensure_ascii=False) for name in all_names)}]"


def exclude(bug: Bug, names: Sequence[str]) -> None:
    """Write the exclusion of tests to a bug's bug.toml, the rest of which stays as it is."""
    path = Path(bug.tree.source).parent / "bug.toml"
    wanted = exclusion_line(bug, names)
    if shows_nothing(bug, names):
        raise UserError(f"bug {bug.id}: nothing that shows the bug would be left; leave the bug out of the benchmark")
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
        text = "\n".join(_replaced(lines, wanted))
        new = tomllib.loads(text)
        if new.get("test", {}).pop("excluded", None) != tomllib.loads(wanted)["excluded"]:
            raise ValueError("it is written in another form")
        old = tomllib.loads("\n".join(lines))
        old["test"].pop("excluded", None)
        if old != new:
            raise ValueError("it is written in another form")
        write_aside(path, text)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot change {path} ({error}); write this under [test] yourself: {wanted}") from None


def _replaced(lines: Sequence[str], wanted: str) -> list[str]:
    """Return the lines of a bug.toml with `excluded` in its table [test] set anew."""
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
                    continue  # the list goes on
                return [*lines[:first], wanted, *lines[last + 1 :]]
    return [*lines[: start + 1], wanted, *lines[start + 1 :]]


def leave_out(bugs: Iterable[Bug], unsteady: Mapping[str, Set[str]]) -> Iterator[str]:
    """Exclude tests from the bugs of a project by the names that are given for it; yield what there is to tell."""
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
    """Return the project that the id of a mined bug names; nothing for others."""
    return bug_id.rpartition("@")[0]
