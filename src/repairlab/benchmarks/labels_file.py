"""Labels found beside a benchmark: labels.jsonl, a line for each bug and rule.

What bug.toml states takes precedence, and suggestions never become labels.
"""

import dataclasses
import json
from collections.abc import Iterable
from pathlib import Path

from repairlab.core.bug import Labels
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.encoding import decode, encode, write_aside

LABELS_NAME = "labels.jsonl"
FIELDS = ("location", "state", "element", "difficulty", "category", "domain")
"""Rules whose values are labels of `Labels`."""


@record
class FoundLabel:
    """What one rule says of one bug."""

    bug: str
    rule: str
    values: tuple[str, ...]
    """If a rule has several, the likeliest first."""
    is_suggested: bool = False
    """Whether people must decide."""
    by: str = "rules"
    """Its author: the rules, or a model."""
    evidence: str = ""


def write_labels(path: Path, labels: Iterable[FoundLabel]) -> None:
    """Write a file anew."""
    text = b"".join(encode(label) + b"\n" for label in labels).decode("utf-8", "replace")
    try:
        write_aside(path, text)
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; name another file with --to") from None


def read_labels(path: Path) -> list[FoundLabel]:
    """Read a file."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            try:
                data = json.loads(line)
            except ValueError as error:
                raise UserError(f"{where}: not valid JSON: {error}; make the file again with: repairlab label") from None
            found.append(decode(FoundLabel, data if isinstance(data, dict) else None, where))
    return found


def stated_labels(path: Path | None) -> dict[str, dict[str, str]]:
    """Return the certain labels of a file by bug and rule; empty without a file."""
    found: dict[str, dict[str, str]] = {}
    for label in read_labels(path) if path is not None and path.is_file() else ():
        if label.rule in FIELDS and label.values and not label.is_suggested:
            found.setdefault(label.bug, {})[label.rule] = label.values[0]
    return found


def completed(labels: Labels, found: dict[str, str]) -> Labels:
    """Return labels completed by what was found where nothing is stated."""
    missing = {name: value for name, value in found.items() if getattr(labels, name) is None}
    return dataclasses.replace(labels, **missing)  # type: ignore[arg-type]  # rules give what the fields may be
