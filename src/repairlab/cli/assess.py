"""`repairlab assess`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from repairlab.assessment.assess import Assessment, AssessmentSummary, summary
from repairlab.assessment.drawing import draw
from repairlab.assessment.evidence import EvidenceAnswer
from repairlab.assessment.records import RULES
from repairlab.assessment.settling import disagreements, latest
from repairlab.assessment.sheets import disagreement_sheet, read_ratings, read_rulings, sheet
from repairlab.assessment.store import open_assessment
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.options import AllowUnsafe, Json, SandboxName, Workers, machine
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, talk
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.metrics.raters import Reliability
from repairlab.storage.encoding import write_aside

_SHEETS = "Sheets"


def assess(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    inputs: Annotated[
        int, typer.Option("--inputs", help="New inputs for differential testing against the fix; 0: none, nothing is run.")
    ] = 60,
    seed: Annotated[int, typer.Option("--seed", help="Of new inputs and of the draw.")] = 0,
    held_out: Annotated[
        str | None, typer.Option("--held-out", help="Benchmark with the same bugs and other tests, which candidates must pass.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Find out again what is known already.")] = False,
    raters: Annotated[
        str | None, typer.Option("--raters", help="Draw tasks for these raters, such as ada,ben.", rich_help_panel=_SHEETS)
    ] = None,
    overlap: Annotated[
        float, typer.Option("--overlap", help="Share of tasks that several raters get, 0 to 1.", rich_help_panel=_SHEETS)
    ] = 1.0,
    per_task: Annotated[int, typer.Option("--per-task", help="How many raters those are.", rich_help_panel=_SHEETS)] = 2,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the sheets: RATER.csv, disagreements.csv.", rich_help_panel=_SHEETS)
    ] = None,
    hints: Annotated[
        bool,
        typer.Option("--hints", help="Show raters what was found out; they are no longer blind to it.", rich_help_panel=_SHEETS),
    ] = False,
    take: Annotated[
        list[Path] | None,
        typer.Option("--take", help="Take a filled sheet RATER.csv; may be repeated.", rich_help_panel=_SHEETS),
    ] = None,
    adjudicate: Annotated[
        Path | None, typer.Option("--adjudicate", help="Take a filled sheet of disagreements.", rich_help_panel=_SHEETS)
    ] = None,
    by: Annotated[str, typer.Option("--by", help="Who settled the disagreements.", rich_help_panel=_SHEETS)] = "adjudicator",
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    json: Json = False,
) -> None:
    """Say which plausible candidates are correct: the fix itself, rules and evidence, and what people say."""
    if inputs < 0:
        raise UserError(f"--inputs is {inputs}: write how many new inputs to try, or 0 for none")
    if (raters or hints) and to is None:
        raise UserError("--raters and --hints are for sheets; name their folder with --to")
    with open_assessment(_run_folder(run)) as store:
        work = Assessment(run, store)
        work.collect()
        now = datetime.now(UTC).isoformat(timespec="seconds")
        names = [task.id for task in work.tasks]
        taken = [rating for path in take or () for rating in read_ratings(path, path.stem, names, now)]
        settled = read_rulings(adjudicate, by, names, now) if adjudicate else []
        n_new, n_settled = store.add_ratings(taken), store.add_rulings(settled)
        other = open_benchmark(held_out) if held_out else None
        failed: list[EvidenceAnswer] = []
        with progress_bar() as progress:
            bar = progress.add_task("candidates looked at", total=None)

            def done(answered: EvidenceAnswer) -> None:
                progress.advance(bar)
                if answered.evidence is None:
                    failed.append(answered)

            on = machine(workers, sandbox, allow_unsafe)
            work.gather(on, done, n_inputs=inputs, seed=seed, held_out=other, again=again)
        written = _write_sheets(work, to, raters, overlap=overlap, per_task=per_task, seed=seed, hints=hints) if to else []
        work.write()
        found = summary(work)
    for answered in failed:
        talk().print(f"task {answered.task}: {answered.problem}", markup=False)
    if json:
        print_json({"run": str(run), **to_data(found), "sheets": [str(path) for path in written]})
    else:
        _show(run, found)
    if take or adjudicate:
        talk().print(f"{count(n_new, 'new rating')}, {count(n_settled, 'new ruling')}")
    for path in written:
        talk().print(f"written: {path}", markup=False)
    raise typer.Exit(3 if failed else 0)


def _run_folder(run: Path) -> Path:
    if not (run / "run.json").is_file():
        raise UserError(f"{run} is no run folder: it has no run.json. Make one with: repairlab run BENCHMARK --to DIR")
    return run


def _write_sheets(
    work: Assessment, to: Path, raters: str | None, *, overlap: float, per_task: int, seed: int, hints: bool
) -> list[Path]:
    """Write the sheets of raters and that of disagreements; return their paths."""
    open_tasks = work.open_tasks()
    if raters is not None:
        wanted = [name.strip() for name in raters.split(",") if name.strip()]
        drawn = {task for tasks in work.store.assignments().values() for task in tasks}
        rest = [task for task in open_tasks if task not in drawn]
        work.store.assign(draw(rest, wanted, overlap=overlap, per_task=min(per_task, len(wanted)) or per_task, seed=seed))
    last = latest(work.store.ratings())
    views = work.views(open_tasks)
    made: dict[str, str] = {}
    for rater, tasks in work.store.assignments().items():
        said = {task: by_rater[rater] for task, by_rater in last.items() if rater in by_rater}
        made[_file_name(rater)] = sheet([views[task] for task in tasks if task in views], said, hints=hints)
    if differing := disagreements(work.labels()):
        made["disagreements.csv"] = disagreement_sheet(differing, views)
    to.mkdir(parents=True, exist_ok=True)
    for name in made:
        _require_taken(work, to / name)
    for name, text in made.items():
        write_aside(to / name, text)
    return [to / name for name in made]


def _require_taken(work: Assessment, path: Path) -> None:
    """Refuse to write over a sheet that somebody filled in and that was not taken yet."""
    if not path.exists():
        return
    names = [task.id for task in work.tasks]
    if path.name == "disagreements.csv":
        known = {(item.task, item.label) for item in work.store.rulings()}
        new = {(item.task, item.label) for item in read_rulings(path, "", names, "")} - known
    else:
        known = {(item.task, item.label) for item in work.store.ratings() if item.rater == path.stem}
        new = {(item.task, item.label) for item in read_ratings(path, path.stem, names, "")} - known
    if new:
        option = "--adjudicate" if path.name == "disagreements.csv" else "--take"
        raise UserError(
            f"{path} has {count(len(new), 'label')} that were not taken yet and would be lost; take them with {option} {path}, "
            "or name another folder with --to"
        )


def _file_name(rater: str) -> str:
    if rater != Path(rater).name or rater.startswith(".") or rater == "disagreements":
        raise UserError(f"{rater!r} is no name of a rater: their sheet is called after them, such as ada.csv")
    return f"{rater}.csv"


def _show(run: Path, found: AssessmentSummary) -> None:
    rows = [(label, n) for label, n in sorted(found.labels.items())]
    print_table(f"{run}: {found.n_candidates} plausible candidates, {found.n_tasks} tasks", ["label", "candidates"], rows)
    if found.rules:
        print_table("Rules proposed", ["rule", "what", "tasks"], [(rule, RULES[rule], n) for rule, n in found.rules.items()])
    told = [f"{n} {source}" for source, n in sorted(found.sources.items())]
    data().print(f"labels by source: {', '.join(told) or 'none'}", markup=False)
    if found.n_measured:
        data().print(f"differential testing: {found.n_differ} of {found.n_measured} tasks differ from the fix on a new input")
    if found.n_held_out:
        data().print(f"held-out tests: {found.n_held_out_failed} of {found.n_held_out} tasks fail them")
    for what, matrix in (("held-out tests", found.by_held_out), ("labels", found.by_label)):
        n_found, n_wrong = matrix.wrong_differs + matrix.right_differs, matrix.wrong_differs + matrix.wrong_same
        if n_found and n_wrong:
            counts = (
                f"{matrix.wrong_differs} of {n} {which}"
                for n, which in ((n_found, "that differ are wrong"), (n_wrong, "wrong ones differ"))
            )
            data().print(f"by {what}: {', '.join(counts)}", markup=False)
    agreement = found.agreement
    if agreement.n_shared:
        print_table(
            f"{len(agreement.raters)} raters, {agreement.n_shared} tasks that several rated",
            ["of", "coefficient", "value", "95 % interval"],
            [
                (of, item.name, *_shown(item))
                for of, items in {"all labels": agreement.overall, **agreement.per_label}.items()
                for item in items
                if item.value is not None
            ],
        )
        data().print(
            f"{count(found.n_disagreements, 'disagreement')} open; --to DIR writes them to disagreements.csv", markup=False
        )


def _shown(item: Reliability) -> tuple[str, str]:
    interval = f"{item.interval.low:.2f} – {item.interval.high:.2f}" if item.interval else "–"
    return (f"{item.value:.3f}" if item.value is not None else "–"), interval
