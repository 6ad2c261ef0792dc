"""Reading candidates of others entry by entry: what is wrong with one becomes one message, and the other entries go on."""

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from repairlab.core.errors import UnknownNameError, UserError
from repairlab.core.foreign import as_type, parse_json
from repairlab.formats.format import ExternalCandidate, Sight, Unreadable
from repairlab.formats.ids import BugIndex, UnknownBugError

T = TypeVar("T")

_NAMES_SEEN = 300
_LINES_SEEN = 20


def look(path: Path) -> Sight:
    """Take a first look at a file or folder."""
    if path.is_dir():
        found = (file.relative_to(path).as_posix() for file in path.rglob("*") if file.is_file())
        return Sight(path=path, names=tuple(islice(found, _NAMES_SEEN)))
    with _open(path) as file:
        lines = [line for line in islice(file, _LINES_SEEN) if line.strip()]
    head = lines[0].decode("utf-8-sig", "replace").rstrip() if lines else ""
    whole = None if not lines or _value(lines[0]) is not None else _value(path.read_bytes())
    if whole is not None:
        return Sight(path=path, first=whole, head=head)
    objects = (value for line in lines if isinstance(value := _value(line), dict | list))
    first = next(objects, None)
    return Sight(path=path, first=first, head=head, lines=first is not None)


def _value(text: bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None


def lines_of(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the lines of a file that are not blank, each with where it is."""
    with _open(path) as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield f"{path.name}, line {number}", line


def read_lines(
    index: BugIndex, path: Path, made: Callable[[dict[str, Any]], Iterable[ExternalCandidate]]
) -> Iterator[ExternalCandidate | Unreadable]:
    """Read JSON Lines one object after the other."""
    return read_entries(index, lines_of(path), lambda line: made(as_type(parse_json(line), dict)))


def read_entries(
    index: BugIndex, entries: Iterable[tuple[str, T]], made: Callable[[T], Iterable[ExternalCandidate | Unreadable]]
) -> Iterator[ExternalCandidate | Unreadable]:
    """Read entries one after the other, each with where it is; the index knows the bug that an entry names."""
    for where, entry in entries:
        index.found = None
        try:
            yield from made(entry)
        except UnknownBugError as error:
            yield Unreadable(where=where, reason=_shown(error.short), unknown_bug=_shown(error.name))
        except UnknownNameError as error:  # of every line: the names that there are would be listed again and again
            yield Unreadable(where=where, reason=_shown(error.brief), bug_id=index.found)
        except UserError as error:
            yield Unreadable(where=where, reason=_shown(str(error)), bug_id=index.found)
        except RecursionError:
            yield Unreadable(where=where, reason="it is nested too deeply", bug_id=index.found)


def _shown(text: str) -> str:
    """Return a text that can be printed: what others wrote may hold halves of surrogate pairs."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def items_of(path: Path, value: Any) -> Iterator[tuple[str, tuple[str, Any]]]:
    """Yield key and value of each entry of a JSON object, with where it is."""
    for key, item in as_type(value, dict, str(path)).items():
        yield f"{path.name}, entry {key!r}", (key, item)


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put where an entry is before the message of what is wrong with it."""
    try:
        yield
    except UnknownNameError as error:
        raise UserError(f"{where}: {error.brief}") from None
    except UserError as error:
        raise UserError(f"{where}: {error}") from None
