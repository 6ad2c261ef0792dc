"""A static site of leaderboards made from run folders: an index, a board per benchmark, and a page per run with every candidate."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.runs.store import Store
from repairlab.study.leaderboard import Leaderboard
from repairlab.study.page import RunLink, make_report, store_report
from repairlab.study.page_templates import environment
from repairlab.study.systems import System, read_systems

_INDEX = "index.html"


@record
class Board:
    """The leaderboard of one benchmark."""

    name: str
    version: str
    digest: str
    page: str
    n_bugs: int
    leaderboard: Leaderboard
    links: Mapping[str, RunLink]
    """The page of each system's run, from the site's folder."""


def write_site(
    folders: Sequence[Path],
    to: Path,
    *,
    title: str = "Repair leaderboards",
    k: int | None = None,
    partial: bool = False,
    progress: Callable[[str], None] = lambda page: None,  # noqa: ARG005
) -> tuple[Board, ...]:
    """Write the site into a folder; every link is relative, so that it works from disk and on any static host."""
    by_digest: dict[str, list[Path]] = {}
    for folder in folders:
        by_digest.setdefault(Store(folder).manifest().benchmark_digest, []).append(folder)
    names = dict(zip(folders, _unique([folder.name for folder in folders]), strict=True))
    manifests = [Store(mine[0]).manifest() for mine in by_digest.values()]
    pages = _unique([f"{manifest.benchmark_name}-{manifest.benchmark_version}" for manifest in manifests])
    boards = []
    for (digest, mine), page, manifest in zip(by_digest.items(), pages, manifests, strict=True):
        systems = read_systems(mine, k=k, partial=partial)
        links = {system.name: _link(system, f"runs/{names[system.scores.run.folder]}.html") for system in systems}
        for system in systems:
            path = links[system.name].page
            run = make_report([system.scores.run.folder], partial=partial, evidence="all", home=f"../{page}.html")
            store_report(run, to / path)
            progress(path)
        made = make_report(mine, k=k, partial=partial, links=links, home=_INDEX)
        store_report(made, to / f"{page}.html")
        progress(f"{page}.html")
        _write(to / f"{page}.json", json.dumps(made.leaderboard.data(), indent=2, ensure_ascii=False) + "\n")
        boards.append(
            Board(
                name=manifest.benchmark_name,
                version=manifest.benchmark_version,
                digest=digest,
                page=f"{page}.html",
                n_bugs=len({bug for system in systems for bug in system.samples}),
                leaderboard=made.leaderboard,
                links=links,
            )
        )
    index = environment("repairlab.study").get_template("site.html").render(title=title, boards=boards)
    _write(to / _INDEX, index)
    progress(_INDEX)
    return tuple(boards)


def _link(system: System, page: str) -> RunLink:
    """Return where a run's page has its bugs: in the order of its samples."""
    return RunLink(page=page, anchors={bug_id: f"bug-{number}" for number, bug_id in enumerate(system.samples, start=1)})


def _unique(names: Sequence[str]) -> list[str]:
    """Return names fit for files; of equal ones the later get numbers.

    >>> _unique(["a b", "a-b", "c"])
    ['a-b', 'a-b-2', 'c']
    """
    found: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "run"
        numbered = (plain, *(f"{plain}-{number}" for number in range(2, len(names) + 2)))
        found.append(next(item for item in numbered if item not in found))
    return found


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_aside(path, text.encode("utf-8", "replace").decode("utf-8"))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; choose another place with --to") from None
