"""A static site of leaderboards: a page and a data file per benchmark and condition, candidates where wanted, and how to submit."""

import json
import re
import struct
import tomllib
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment

from repairlab.core.amounts import total_cost
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.record import record, to_data
from repairlab.core.storage.encoding import write_aside
from repairlab.runs.repairing import prices_of
from repairlab.runs.store import Store
from repairlab.study.bugs import BugTexts, Choice, read_texts, view_bugs
from repairlab.study.leaderboard import Group, Leaderboard, Row, chart, leaderboard
from repairlab.study.matrix import BUG, Matrix, MatrixBug, MatrixSystem, tallied, tally_of
from repairlab.study.page import spending
from repairlab.study.page_templates import environment
from repairlab.study.systems import System, read_systems

SUBMISSION, VERIFIED = "submission.toml", "verified.json"
"""Files of a run folder: who submitted it, and what `repairlab verify --json` printed."""
_FIELDS = {"by": str, "link": str, "kind": str, "open": bool}
_KINDS = {"llm": "model", "neural": "model", "command": "agent"}
_CURVES = 12
"""Systems in a picture; of more the best ones."""


@record
class SubmittedRun:
    """One system of a leaderboard, and what is known of who sent it."""

    system: System
    row: Row
    by: str
    link: str
    kind: str
    is_open: bool | None
    """Whether its model and code are public; none where the submission does not say."""
    verified: str
    """How many verdicts were made again, and how many differ; empty where no sample was verified."""
    cost_usd: float | None
    tokens: int


@record
class Board:
    """The leaderboard of one benchmark under one condition."""

    name: str
    version: str
    digest: str
    file: str
    """The page without its ending."""
    group: Group | None
    leaderboard: Leaderboard
    submissions: tuple[SubmittedRun, ...]
    """Systems as they are ranked, then oracles."""
    matrix: Matrix

    @property
    def n_systems(self) -> int:
        """Return how many systems stand here; an oracle is none."""
        return sum(not item.row.is_oracle for item in self.submissions)


def write_site(
    folders: Sequence[Path],
    to: Path,
    *,
    title: str = "Repair leaderboards",
    k: int | None = None,
    partial: bool = False,
    candidates: Choice | None = None,
    url: str = "",
) -> tuple[Board, ...]:
    """Write the site into a folder; every link is relative, so that it works from disk and on any static host.

    With `candidates`, each bug has a page. `url` is where the site will be, for previews elsewhere.
    """
    by_digest: dict[str, list[Path]] = {}
    for folder in folders:
        by_digest.setdefault(Store(folder).manifest().benchmark_digest, []).append(folder)
    pages = environment("repairlab.study")
    boards: list[Board] = []
    for mine in by_digest.values():
        systems = read_systems(mine, k=k, partial=partial)
        texts = read_texts(systems)
        board = leaderboard([(system.name, system.scores) for system in systems], k=k)
        for group in board.groups or (None,):
            boards.append(_board(systems, texts, board, group, [made.file for made in boards], has_pages=candidates is not None))
            _write_board(boards[-1], to, pages, title=title, url=url)
            if candidates is not None:
                _write_bugs(boards[-1], texts, candidates, to, pages)
    templates = {"site.css": "style.css", "site.js": ""}
    for name, template in templates.items():
        parts = [template] if template else ["shared.js", "site.js"]
        _write(to / name, "".join(pages.get_template(part).render() for part in parts))
    for name in ("index", "submit"):
        _write(to / f"{name}.html", pages.get_template(f"{name}.html").render(title=title, boards=boards, version=VERSION, url=url))
    return tuple(boards)


def _board(
    systems: Sequence[System], texts: BugTexts, board: Leaderboard, group: Group | None, taken: Sequence[str], *, has_pages: bool
) -> Board:
    """Return the rows of equal settings; those without a score stand on the first board, oracles of settings of no board on all."""
    ranked = {item.signature for item in board.groups}
    rows = []
    for row in board.rows:
        signature = row.score.signature if row.score else ""
        elsewhere = row.is_oracle or group == board.groups[0]
        if group is None or signature == group.signature or (signature not in ranked and elsewhere):
            rows.append(row)
    by_name = {system.name: system for system in systems}
    manifest = systems[0].scores.run.manifest
    file = _unique(f"{manifest.benchmark_name}-{manifest.benchmark_version}", taken)
    submissions = tuple(_submission(by_name[row.system], row) for row in rows)
    return Board(
        name=manifest.benchmark_name,
        version=manifest.benchmark_version,
        digest=manifest.benchmark_digest,
        file=file,
        group=group,
        leaderboard=board,
        submissions=submissions,
        matrix=_matrix(submissions, texts, group.signature if group else "", f"{file}/{BUG}.html" if has_pages else ""),
    )


def _matrix(submissions: Sequence[SubmittedRun], texts: BugTexts, signature: str, page: str) -> Matrix:
    systems = [item.system for item in submissions]
    columns = [
        MatrixSystem(name=item.name, index=item.index, is_oracle=item.is_oracle, cell_link=f"{page}#s{item.index}" if page else "")
        for item in systems
    ]
    languages = {bug_id: samples.language for system in systems for bug_id, samples in system.samples.items()}
    rows = []
    for number, (bug_id, language) in enumerate(languages.items(), start=1):
        bug = texts.bugs.get((systems[0].digest, bug_id))
        labels = sorted(f"{name}={value}" for name, value in to_data(bug.labels).items() if value) if bug else []
        title = bug.problem.title if bug else ""
        rows.append(MatrixBug(id=bug_id, language=language, title=title, labels=tuple(labels), key=f"bug-{number}"))
    made = {system.index: system.samples for system in systems}
    return tallied(
        columns,
        rows,
        lambda column, bug: tally_of(found.verdicts) if (found := made[systems[column].index].get(bug.id)) else None,
        bug_link=page,
        signature=signature,
    )


def _submission(system: System, row: Row) -> SubmittedRun:
    run = system.scores.run
    said = _read_submission(run.folder / SUBMISSION)
    cost_usd, tokens = _spent(system)
    return SubmittedRun(
        system=system,
        row=row,
        by=said.get("by", ""),
        link=said.get("link", ""),
        kind=said.get("kind") or _KINDS.get(run.manifest.experiment.repairer, "other"),
        is_open=said.get("open"),
        verified=_verified(run.folder / VERIFIED),
        cost_usd=cost_usd,
        tokens=tokens,
    )


def _read_submission(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML: {error}") from None
    for name, value in said.items():
        if name not in _FIELDS:
            raise unknown(f"field of {path}", name, _FIELDS)
        if not isinstance(value, _FIELDS[name]):
            raise UserError(f"{path}: {name} is {value!r}; write {'true or false' if _FIELDS[name] is bool else 'a text'}")
    if said.get("link") and not re.match(r"https?://[^\s\"'<>]+$", said["link"]):
        raise UserError(f"{path}: link is {said['link']!r}; write an address that begins with https://")
    return said


def _verified(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        n, differ = len(found.get("rechecks", ())), sum(item["state"] == "differs" for item in found.get("rechecks", ()))
        return f"{n} verdicts made again, {differ} differ" if found["honest"] else "differs from what it claims"
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UserError(f"{path} is not what `repairlab verify --json` prints ({error!r}); make it again") from None


def _write_board(board: Board, to: Path, pages: Environment, *, title: str, url: str) -> None:
    best = [item for item in board.submissions if not item.system.is_oracle][:_CURVES]
    metric = board.leaderboard.metric if board.leaderboard.k else "top@k"
    spent = [(item.system.name, item.system.index, item.cost_usd, item.tokens, item.system.scores.result) for item in best]
    html = pages.get_template("board.html").render(
        title=title,
        url=url,
        board=board,
        version=VERSION,
        pictures=[
            picture
            for picture in (
                spending(spent),
                chart(metric, [(item.system.name, item.system.index, item.system.scores) for item in best]),
            )
            if picture is not None
        ],
    )
    _write(to / f"{board.file}.html", html)
    submissions = [
        {"system": item.row.system, "by": item.by, "link": item.link, "kind": item.kind, "open": item.is_open}
        for item in board.submissions
    ]
    ranked = board.leaderboard.data()
    for row in ranked["rows"]:
        row["run"] = Path(row["run"]).name  # where it lay is nobody's business
    data = ranked | {"submissions": submissions, "matrix": board.matrix.data()}
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
    _write(to / f"{board.file}.json", text + "\n")
    _write(to / f"{board.file}.js", f"repairlab.board({text});\n")
    shares = [item.row.score.value for item in board.submissions if item.row.score and not item.row.is_oracle]
    (to / f"{board.file}.png").write_bytes(preview(shares))


def _spent(system: System) -> tuple[float | None, int]:
    """Return the dollars and tokens of a run; none of what asks no model."""
    folder = system.scores.run.folder
    if system.scores.run.manifest.experiment.repairer not in _KINDS:
        return 0.0, 0
    prices = prices_of(folder)
    origins = list(Store(folder).facts(Candidate, lambda data: data["origin"]))
    costs = (prices.cost_usd(item["model"], item["tokens_in"], item["tokens_out"], item["cost_usd"]) for item in origins)
    return total_cost(costs), sum(item["tokens_in"] + item["tokens_out"] for item in origins)


def _write_bugs(board: Board, texts: BugTexts, choice: Choice, to: Path, pages: Environment) -> None:
    """Write a page for each bug with the candidates of all systems."""
    systems = [item.system for item in board.submissions]
    keys = {bug.id: bug.key for bug in board.matrix.bugs}
    template = pages.get_template("bug_entry.html")
    for view in view_bugs(systems, texts.bugs, choice):
        _write(to / board.file / f"{keys[view.id]}.html", template.render(bug=view, board=board, version=VERSION))


def preview(shares: Sequence[float]) -> bytes:
    """Return a PNG of 1200 × 630 pixels with a bar per share, for previews of links."""
    width, height = 1200, 630
    rows = [bytes([251, 251, 253]) * width] * 60
    thick = max(4, min(90, 510 // max(len(shares[:30]), 1) - 8))
    for share in shares[:30]:
        filled = 60 + round(1080 * min(max(share, 0.0), 1.0))
        bar = bytes([251, 251, 253]) * 60 + bytes([21, 128, 61]) * (filled - 60) + bytes([230, 233, 239]) * (1140 - filled)
        rows += [bar + bytes([251, 251, 253]) * 60] * thick + [bytes([251, 251, 253]) * width] * 8
    rows = [*rows, *[bytes([251, 251, 253]) * width] * height][:height]
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows), 9)
    parts = ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", pixels), (b"IEND", b""))
    chunks = (struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _unique(name: str, taken: Sequence[str]) -> str:
    """Return a name fit for files that nothing else has.

    >>> _unique("a b", ["a-b"])
    'a-b-2'
    """
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "run"
    numbered = (plain, *(f"{plain}-{number}" for number in range(2, len(taken) + 3)))
    return next(item for item in numbered if item not in (*taken, "index", "submit", "site"))


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_aside(path, text.encode("utf-8", "replace").decode("utf-8"))
    except OSError as error:
        raise UserError(f"cannot write {path}: {error.strerror}; choose another place with --to") from None
