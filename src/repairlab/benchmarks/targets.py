"""Functions to fix, found once per source text and kept in the cache: parsing all bugs of a benchmark is slow. For `catalog`."""

import contextlib
import json
import os
from collections.abc import Iterator
from pathlib import Path

from repairlab.benchmarks.folder import FindTarget
from repairlab.core.problem import Target
from repairlab.core.record import digest
from repairlab.core.text import Span
from repairlab.validation.cache import engine_digest

FOLDER = "targets"


@contextlib.contextmanager
def remembered(find: FindTarget, benchmark: Path, cache: Path) -> Iterator[FindTarget]:
    """Give a function that finds targets as `find` does, and looks up those of this benchmark that it found before.

    A file that cannot be read or written costs time, nothing else.
    """
    path = cache / FOLDER / f"{digest(engine_digest(), str(benchmark.absolute()))}.json"
    known = _read(path)
    used: dict[str, tuple[int, int, str]] = {}

    def look(language: str, source: str, name: str | None) -> tuple[Target, str]:
        key = digest(language, source, name)
        if key in known:
            start, end, bare = used[key] = known[key]
            span = Span(start=start, end=end)
            return Target(name=name, span=span, text=span.of(source)), bare
        target, bare = find(language, source, name)
        used[key] = (target.span.start, target.span.end, bare)
        return target, bare

    yield look
    if used != known:
        _write(path, used)


def _read(path: Path) -> dict[str, tuple[int, int, str]]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        return {str(key): (int(start), int(end), str(bare)) for key, (start, end, bare) in data.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _write(path: Path, used: dict[str, tuple[int, int, str]]) -> None:
    with contextlib.suppress(OSError, ValueError):
        path.parent.mkdir(parents=True, exist_ok=True)
        aside = path.with_name(f".{path.name}.{os.getpid()}")
        aside.write_text(json.dumps(used), encoding="utf-8")
        aside.replace(path)
