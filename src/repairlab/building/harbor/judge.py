"""Judge the tree in a folder by a bug's hidden tests, in the container of a Harbor task, where repairlab is not installed.

`python3 judge APP TESTS` prints the verdict and ends with 0 for a pass, 1 for any other verdict, and 3 where there is none.
"""

import dataclasses
import json
import sys
import types
import typing
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from repairlab.core.bug import Bug, Tree
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.languages.language import default_cache
from repairlab.sandbox.process import ProcessSandbox, open_landlock
from repairlab.validation.apply import changed_files
from repairlab.validation.changes import never_taken, read_changes
from repairlab.validation.engines import Engines

BUG, TREE = "bug.json", "tree"
"""In the folder of the tests: the bug as a record, and its buggy tree with all its tests."""
UNDECIDED = 3


def judge(app: Path, tests: Path) -> tuple[Verdict, str]:
    """Return the verdict on the tree and the line to show; test files and their settings come from the bug."""
    bug: Bug = _made(Bug, json.loads((tests / BUG).read_text(encoding="utf-8")))
    bug = dataclasses.replace(bug, tree=Tree(source=str(tests / TREE), digest=bug.tree.digest))
    found = read_changes(tests / TREE, app, partial(never_taken, bug=bug))
    try:
        changed = changed_files(bug.candidate(found.edits, "harbor"), bug)
    except UserError as error:
        return Verdict.UNAPPLICABLE, str(error)
    try:
        sandbox = open_landlock(default_cache())
    except HarnessError:
        sandbox = ProcessSandbox(default_cache(), allow_unsafe=True)  # the container exists for this task only
    judgement = Engines(bug, sandbox).judge_fresh(changed, "first-failure")
    return judgement.verdict, judgement.message


def _made(kind: Any, data: Any) -> Any:
    """Return the record behind plain data from `to_data`; the data are ours, so nothing is checked."""
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        names = [field.name for field in dataclasses.fields(kind) if field.init]
        return kind(**{name: _made(hints[name], data[name]) for name in names})  # type: ignore[operator]  # a class, as all here
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin in (types.UnionType, typing.Union):
        return None if data is None else _made(next(part for part in arguments if part is not type(None)), data)
    if origin is tuple and arguments[-1] is not ...:
        return tuple(_made(part, item) for part, item in zip(arguments, data, strict=True))
    if origin in (tuple, Sequence):
        return tuple(_made(arguments[0], item) for item in data)
    return kind(data) if isinstance(kind, type) and issubclass(kind, Verdict) else data


def main() -> int:
    """Judge, report the result, and return the exit code."""
    try:
        verdict, message = judge(*map(Path, sys.argv[1:3]))
    except HarnessError as error:
        verdict, message = Verdict.UNDECIDED, str(error)
    sys.stdout.write(f"{verdict}: {message}".rstrip(": ") + "\n")
    if verdict is Verdict.UNDECIDED:
        return UNDECIDED
    return 0 if verdict is Verdict.PLAUSIBLE else 1


if __name__ == "__main__":
    sys.exit(main())
