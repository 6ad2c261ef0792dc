"""Make report.html: one file that works from disk, without network."""

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import BUILT_IN
from repairlab.benchmarks.health import CARD_NAME, HealthCard, read_card
from repairlab.core.errors import UserError
from repairlab.core.figure import Figure
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside
from repairlab.metrics.table import Scores
from repairlab.study.bugs import BugView, Choice, read_texts, view_bugs
from repairlab.study.leaderboard import Leaderboard, chart, leaderboard
from repairlab.study.matrix import BUG, Matrix, MatrixBug, MatrixSystem, tallied
from repairlab.study.page_templates import METRICS, VERDICTS, environment
from repairlab.study.papers.facts import PaperFacts, read_facts
from repairlab.study.papers.table import NEED_CODE, TABLES, make_tables
from repairlab.study.plots import Spot, scatter
from repairlab.study.scores import worth_saying
from repairlab.study.systems import System, bars, read_systems

_SPENDING = ("cost", "bug-cost")
_MOST_SHOWN = 1_000
"""Of more bugs, counted once for each system, the page neither shows candidates nor compares them with the fixes."""


@record
class ReportPage:
    """A finished page and the leaderboard in it."""

    html: str
    leaderboard: Leaderboard
    missing: tuple[str, ...]
    """What unfinished runs lack, one text each."""


def make_report(
    folders: Sequence[Path],
    *,
    k: int | None = None,
    partial: bool = False,
    evidence: Choice | None = None,
) -> ReportPage:
    """Read runs and make their page.

    `k` chooses the metric that ranks, `partial` takes the finished bugs of unfinished runs, `evidence` says which candidates of a
    bug are shown: by default the first ones, and none in a large report.
    """
    systems = read_systems(folders, k=k, partial=partial)
    unfinished = tuple(system.scores.run.missing for system in systems if system.scores.run.n_unfinished)
    named = [(system.name, system.scores) for system in systems]
    board = leaderboard(named, k=k)
    texts = read_texts(systems)
    is_large = sum(len(system.samples) for system in systems) > _MOST_SHOWN
    evidence = evidence or (None if is_large else "first")
    bugs = view_bugs(systems, texts.bugs, evidence)
    facts = read_facts(systems, texts, closeness=not is_large)
    slow = NEED_CODE if is_large else {"codebleu"}
    papers = make_tables(facts, [name for name in TABLES if name not in ("curves", *slow)])
    languages = list(dict.fromkeys(bug.language for bug in bugs))
    curve_metric = board.metric if board.k else "top@k"
    pages = environment("repairlab.study")
    script = "".join(pages.get_template(name).render() for name in ("shared.js", "script.js"))
    html = pages.get_template("page.html").render(
        cost_chart=cost_chart(facts),
        systems=systems,
        colours={system.name: system.index for system in systems},
        board=board,
        ks=_ks(board),
        columns=board.other_metrics,
        chart=chart(curve_metric, [(system.name, system.index, system.scores) for system in systems]),
        curve_metric=curve_metric,
        bugs=bugs,
        languages=languages,
        matrix=_matrix(systems, bugs, board, link=f"#{BUG}" if evidence else ""),
        bars=bars(systems),
        bars_by_language=[(language, bars(systems, language)) for language in languages],
        spending_tables=[table for table in papers.tables if table.name in _SPENDING],
        papers=[table for table in papers.tables if table.name not in _SPENDING],
        left_out={name: reason for name, reason in papers.left_out.items() if name not in _SPENDING},
        missing=texts.missing,
        unfinished=unfinished,
        evidence=evidence,
        is_large=is_large,
        n_systems=sum(not system.is_oracle for system in systems),
        health=read_cards(systems),
        n_candidates=sum(system.verdicts().total() for system in systems),
        n_undecided=sum(system.n_undecided for system in systems),
        n_fixed=sum(bug.is_fixed for bug in bugs),
        benchmarks=list(dict.fromkeys(_benchmark(system) for system in systems)),
        verdicts=VERDICTS,
        metrics=METRICS,
        worth_saying=worth_saying,
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return ReportPage(html=html, leaderboard=board, missing=unfinished)


def store_report(report: ReportPage, path: Path) -> None:
    """Write the page."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Lone surrogates of hostile candidates cannot be written as UTF-8.
        write_aside(path, report.html.encode("utf-8", "replace").decode("utf-8"))
    except OSError as error:
        raise UserError(f"cannot write the report {path}: {error.strerror}; choose another place with -o") from None


def cost_chart(facts: PaperFacts) -> Figure | None:
    """Draw the cost of a bug against fixed bugs, in dollars if any are known, else in tokens; None without either."""
    runs = [run for run in facts.runs if run.bugs and not run.scores.is_oracle]
    return spending(
        [(run.name, run.index, run.spent.cost_usd, run.spent.tokens_in + run.spent.tokens_out, run.scores.result) for run in runs]
    )


def spending(systems: Sequence[tuple[str, int, float | None, int, Scores]]) -> Figure | None:
    """Draw cost against fixed bugs; systems are given by name, number, dollars, tokens and scores."""
    fixed = [next((item for item in scores.scores if item.metric == "fixed"), None) for *_, scores in systems]
    known = [(system, score) for system, score in zip(systems, fixed, strict=True) if score is not None]
    unit, costs = "USD per bug", [(item, score, item[2] / score.n_bugs) for item, score in known if item[2] is not None]
    if not any(value for *_, value in costs):
        unit, costs = "tokens per bug", [(item, score, item[3] / score.n_bugs) for item, score in known]
    if not any(value for *_, value in costs):
        return None
    spots = [
        Spot(name=item[0], index=item[1], cost=cost, value=100 * score.value, interval=(100 * score.low, 100 * score.high))
        for item, score, cost in costs
    ]
    return scatter("Cost against fixed bugs", unit, "fixed bugs", spots)


def _matrix(systems: Sequence[System], bugs: Sequence[BugView], board: Leaderboard, *, link: str) -> Matrix:
    """Return the solve matrix; a cell links to `link`."""
    columns = [MatrixSystem(name=system.name, index=system.index, is_oracle=system.is_oracle, cell_link=link) for system in systems]
    rows = [
        MatrixBug(
            id=bug.id,
            language=bug.language,
            title=bug.title,
            labels=tuple(f"{name}={value}" for name, value in bug.labels),
            key=bug.anchor,
        )
        for bug in bugs
    ]
    found = {(at, bug.anchor): attempt.tally for bug in bugs for at, attempt in enumerate(bug.attempts)}
    return tallied(
        columns,
        rows,
        lambda column, bug: found[column, bug.key],
        bug_link=link,
        signature=board.groups[0].signature if len(board.groups) == 1 else "",
    )


def _ks(board: Leaderboard) -> list[int]:
    """Return the further k for which the leaderboard shows its metric: at most three, the largest among them."""
    ks = sorted({score.k for row in board.rows for score in row.others if score.metric == board.metric and score.k} - {board.k})
    return [k for k in ks if k] if len(ks) <= 3 else [k for k in (ks[0], ks[len(ks) // 2], ks[-1]) if k]


def _benchmark(system: System) -> tuple[str, str, str]:
    manifest = system.scores.run.manifest
    return manifest.benchmark_name, manifest.benchmark_version, manifest.benchmark_digest


@record
class Cards:
    """The cards to show, and why others are left out."""

    cards: tuple[HealthCard, ...]
    left_out: tuple[str, ...]


def read_cards(systems: Sequence[System]) -> Cards:
    """Read the card of each run's benchmark, from the run's folder or the benchmark's; cards of another version do not count."""
    cards: dict[str, HealthCard] = {}
    left_out: dict[str, None] = {}
    for system in systems:
        run = system.scores.run
        name = run.manifest.experiment.benchmark
        for path in (run.folder / CARD_NAME, BUILT_IN / name / CARD_NAME, Path(name) / CARD_NAME):
            if system.digest in cards or not path.is_file():
                continue
            try:
                card = read_card(path)
            except UserError as error:
                left_out[str(error)] = None
                continue
            if card.digest == system.digest:
                cards[system.digest] = card
            else:
                left_out[f"{path} is of {card.benchmark} {card.version} #{card.digest}, not of #{system.digest}"] = None
    return Cards(cards=tuple(cards.values()), left_out=tuple(left_out))
