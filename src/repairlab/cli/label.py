"""`repairlab label`."""

import csv
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import Benchmark, benchmark_names, find_folder, open_benchmark
from repairlab.benchmarks.labels_file import LABELS_NAME, write_labels
from repairlab.cli.options import Include, Json, asked_model
from repairlab.cli.output import count, print_json, print_table, progress_bar, say, write
from repairlab.cli.rating import SHEETS, Overlap, PerTask, Raters, SettledBy, SettledSheet, TakenSheets, show_agreement, shown_value
from repairlab.core.errors import UserError
from repairlab.core.record import record, to_data
from repairlab.formats.bug_types import LABELS as GROUPED
from repairlab.metrics.raters import Reliability
from repairlab.study.assessment.bug_project import (
    BugProject,
    as_found,
    begin_project,
    is_project,
    project_labels,
    read_project,
    tasks_of,
    view_of_bug,
)
from repairlab.study.assessment.labels import disagreements, rater_agreement
from repairlab.study.assessment.ratings import RatingScheme, read_taxonomy, scheme_of
from repairlab.study.assessment.sheets import draw_tasks, read_ratings, read_rulings, write_sheets
from repairlab.study.assessment.store import open_assessment
from repairlab.study.labelling.category import CATEGORIES, MEANINGS
from repairlab.study.labelling.label import RULES, Labelled, StatedAgreement, agreement_with_stated, label_bugs
from repairlab.study.stored_run import Run

_SHOWN = 12
"""Values of a rule that a table shows; --json has all."""


def label(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    include: Include = None,
    to: Annotated[Path | None, typer.Option("--to", help=f"File for the labels. [default: {LABELS_NAME} in the benchmark]")] = None,
    types: Annotated[
        Path | None, typer.Option("--types", help="Also write a CSV of bug, type, element, state and ingredients (NPR4J).")
    ] = None,
    run: Annotated[
        list[Path] | None,
        typer.Option("--run", help="Run of a system; difficulty is then the share of systems that solve a bug; repeatable."),
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Model that also suggests categories: PROVIDER/NAME as for `run`.")
    ] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of the model's server.")] = None,
    taxonomy: Annotated[
        str | None,
        typer.Option(
            "--taxonomy",
            help="Let people label bugs, in the folder --to: a taxonomy (TOML or CSV), or category (Defects4C).",
            rich_help_panel=SHEETS,
        ),
    ] = None,
    raters: Raters = None,
    overlap: Overlap = 1.0,
    per_task: PerTask = 2,
    share: Annotated[
        float, typer.Option("--share", help="Share of the bugs in a new project, 0 to 1.", rich_help_panel=SHEETS)
    ] = 1.0,
    after: Annotated[
        list[Path] | None,
        typer.Option("--after", help="Leave out the bugs of this earlier project; repeatable.", rich_help_panel=SHEETS),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Take the labelled bugs of the projects --after instead.", rich_help_panel=SHEETS)
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the draw.", rich_help_panel=SHEETS)] = 0,
    take: TakenSheets = None,
    adjudicate: SettledSheet = None,
    by: SettledBy = "adjudicator",
    json: Json = False,
) -> None:
    """Label bugs by fix: location, patterns, category, difficulty.

    Also labels repair actions and patterns, error types, and state and element of the fix.
    """
    opened = open_benchmark(benchmark, found_labels=False)
    if taxonomy is not None or raters is not None or take or adjudicate or (to is not None and is_project(to)):
        if to is None:
            raise UserError("people label bugs in a folder of its own; name it with --to")
        earlier = {path: _round_of(path) for path in after or ()}
        chosen = [bug.id for bug in opened.select(tuple(include or ()))] if include or not is_project(to) else []
        chosen = _drawn_bugs(chosen, earlier.values(), share, seed, again=again)
        draw = RaterDraw(raters=raters, overlap=overlap, per_task=per_task, seed=seed)
        sheets = FilledSheets(taken=tuple(take or ()), settled=adjudicate, by=by)
        label_by_people(benchmark, opened, chosen, to, taxonomy, draw, sheets, as_json=json)
        if earlier and not json:
            rounds = [*earlier.items(), (to, _round_of(to))]
            rows = [
                (str(path), len(found.bugs), item.name, *shown_value(item)) for path, found in rounds for item in found.agreement
            ]
            print_table("Rounds", ["round", "bugs", "coefficient", "value", "95 % interval"], rows)
        return
    if to is None and benchmark in benchmark_names():
        raise UserError(f"{benchmark} is built in and is not written to; name a file for its labels with --to")
    place = to or find_folder(benchmark) / LABELS_NAME
    bugs = opened.select(tuple(include or ()))
    if include and to is None:
        raise UserError("--include labels a part of the bugs; name a file for that with --to, the benchmark's own has them all")
    solved = _solved(run or ())
    with progress_bar() as progress, asked_model(model, base_url) as asked:
        task = progress.add_task("bugs labelled", total=len(bugs))
        found = label_bugs(bugs, solved=solved, model=asked, done=lambda _: progress.advance(task))
    if not found.labels:
        raise UserError(f"no bug of {opened.name} has labels; the first: {next(iter(found.skipped.items()), 'there is none')}")
    write_labels(place, found.labels)
    if types:
        _write_types(types, found)
    stated = agreement_with_stated({bug.id: bug.labels for bug in bugs}, found)
    if json:
        print_json({"benchmark": opened.name, "file": str(place), "agreement": to_data(stated)} | to_data(found))
        return
    _print(f"{opened.name}: {count(len(bugs), 'bug')}", found, stated)
    write(f"Labels written to {place}")


def _print(title: str, found: Labelled, stated: Sequence[StatedAgreement]) -> None:
    for bug, reason in found.skipped.items():
        say(f"no labels for {bug}: {reason}")
    rows = []
    for rule, about in RULES.items():
        values = Counter(value for item in found.labels if item.rule == rule for value in item.values)
        shown = ", ".join(f"{value} {n}" for value, n in values.most_common(_SHOWN))
        rows.append((rule, about, shown + (", …" if len(values) > _SHOWN else "")))
    print_table(title, ["rule", "what it says", "values"], rows)
    if stated:
        lines = [
            (
                item.rule,
                item.n,
                f"{100 * item.same / item.n:.0f} %",
                ", ".join(f"{k} ({n})" for k, n in list(item.others.items())[:6]),
            )
            for item in stated
        ]
        print_table("Beside what bugs state themselves", ["rule", "bugs", "same", "stated → found"], lines)


def _write_types(path: Path, found: Labelled) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(("bug", *GROUPED))
        labels = {(item.bug, item.rule): item.values[0] for item in found.labels}
        rows.writerows((bug, *(labels.get((bug, rule), "") for rule in GROUPED)) for bug, rule in labels if rule == "type")


def _solved(runs: Sequence[Path]) -> dict[str, tuple[int, int]]:
    """Return how many of the runs that tried a bug have a plausible candidate for it."""
    solved: dict[str, tuple[int, int]] = {}
    for path in runs:
        for line in Run(path).bugs():
            won, tried = solved.get(line.bug, (0, 0))
            solved[line.bug] = won + (line.first_plausible is not None), tried + 1
    return solved


@record
class LabelRound:
    """A project of one round of labelling."""

    bugs: tuple[str, ...]
    labelled: tuple[str, ...]
    """Bugs whose label is settled."""
    agreement: tuple[Reliability, ...]


def _round_of(folder: Path) -> LabelRound:
    scheme = read_project(folder).scheme
    with open_assessment(folder) as store:
        settled = {label.task for label in project_labels(store) if label.label}
        tasks, overall = store.tasks(), rater_agreement(store.ratings(), scheme.labels).overall
    labelled = tuple(task.bug_id for task in tasks if task.id in settled)
    known = tuple(item for item in overall if item.value is not None)
    return LabelRound(bugs=tuple(task.bug_id for task in tasks), labelled=labelled, agreement=known)


def _drawn_bugs(bugs: Sequence[str], earlier: Iterable[LabelRound], share: float, seed: int, *, again: bool) -> list[str]:
    """Return the bugs of a new round: those that no earlier round has, or labelled ones again."""
    if not 0 < share <= 1:
        raise UserError(f"--share is {share:g}: write a number above 0, and at most 1")
    rounds = list(earlier)
    if again and not rounds:
        raise UserError("--again takes bugs of earlier rounds: name their folders with --after")
    known = {bug for item in rounds for bug in (item.labelled if again else item.bugs)}
    left = [bug for bug in bugs if (bug in known) == again]
    if bugs and not left:
        raise UserError(f"the earlier rounds leave no bug {'that is labelled' if again else 'to label'}")
    drawn = set(random.Random(seed).sample(sorted(left), max(1, round(share * len(left))))) if left else set()
    return [bug for bug in left if bug in drawn]


_SHEETS = "sheets"
CATEGORY = "category"
"""The one taxonomy that needs no file: that of Defects4C."""


@record
class RaterDraw:
    """Who gets tasks, and how many of them several people get."""

    raters: str | None
    overlap: float
    per_task: int
    seed: int


@record
class FilledSheets:
    """Filled sheets to take."""

    taken: tuple[Path, ...]
    settled: Path | None
    by: str


def label_by_people(
    name: str,
    benchmark: Benchmark,
    bugs: Sequence[str],
    folder: Path,
    taxonomy: str | None,
    draw: RaterDraw,
    sheets: FilledSheets,
    *,
    as_json: bool,
) -> None:
    """Begin a project or go on with it: tasks, sheets, what was said so far, and labels of what is settled."""
    scheme = read_project(folder).scheme if taxonomy is None and is_project(folder) else _scheme(taxonomy or CATEGORY)
    project = BugProject(benchmark=name, digest=benchmark.digest, scheme=scheme)
    begin_project(folder, project)
    with open_assessment(folder) as store:
        store.add_tasks(tasks_of(benchmark, bugs))
        tasks = store.tasks()
        names = [task.id for task in tasks]
        now = datetime.now(UTC).isoformat(timespec="seconds")
        ratings = [rating for path in sheets.taken for rating in read_ratings(path, path.stem, names, now, scheme)]
        rulings = read_rulings(sheets.settled, sheets.by, names, now, scheme) if sheets.settled else []
        n_new, n_settled = store.add_ratings(ratings), store.add_rulings(rulings)
        if draw.raters is not None:
            draw_tasks(store, names, draw.raters, overlap=draw.overlap, per_task=draw.per_task, seed=draw.seed)
        final = project_labels(store)
        views = {task.id: view_of_bug(task.id, benchmark.bug(task.bug_id)) for task in tasks}
        written = write_sheets(store, folder / _SHEETS, views, final, scheme=scheme)
        agreement = rater_agreement(store.ratings(), scheme.labels)
    found = as_found(project, tasks, final)
    write_labels(folder / LABELS_NAME, found)
    n_open = len(disagreements(final))
    if as_json:
        summary = {"benchmark": benchmark.name, "folder": str(folder), "taxonomy": scheme.name, "tasks": len(tasks)}
        more = {"labels": to_data(found), "agreement": to_data(agreement), "disagreements": n_open}
        print_json({**summary, **more, "sheets": [str(path) for path in written]})
        return
    counted = Counter(label.label for label in final if label.label)
    rows = [(label, meaning, counted[label]) for label, meaning in scheme.labels.items()]
    print_table(f"{benchmark.name} by {scheme.name}: {count(len(tasks), 'bug')}", ["label", "meaning", "bugs"], rows)
    if agreement.n_shared:
        show_agreement(agreement)
    write(f"{count(counted.total(), 'bug')} labelled, {count(n_open, 'disagreement')} open")
    if sheets.taken or sheets.settled:
        say(f"{count(n_new, 'new rating')}, {count(n_settled, 'new ruling')}")
    write(f"Labels written to {folder / LABELS_NAME}")
    say(f"Next: repairlab view {folder}")


def _scheme(taxonomy: str) -> RatingScheme:
    if taxonomy != CATEGORY:
        return read_taxonomy(Path(taxonomy))
    return scheme_of(CATEGORY, {name: f"{title}: {MEANINGS[name]}" for name, (title, _) in CATEGORIES.items()}, "The root cause is")
