"""`repairlab assess`."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.building.evidence import EvidenceAnswer, gather
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, say, talk, write
from repairlab.cli.rating import SHEETS, Overlap, PerTask, Raters, SettledBy, SettledSheet, TakenSheets, show_agreement
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.study.assessment.assess import Assessment, AssessmentSummary, summary
from repairlab.study.assessment.ratings import RULES
from repairlab.study.assessment.sheets import draw_tasks, read_ratings, read_rulings, write_sheets
from repairlab.study.assessment.store import open_assessment
from repairlab.validation.machine import Machine


@on_machine("workers", "sandbox", "allow_unsafe")
def assess(
    run: Annotated[Path, typer.Argument(help="A run folder.")],
    inputs: Annotated[
        int, typer.Option("--inputs", help="New inputs for differential testing against the fix; 0 runs nothing.")
    ] = 60,
    seed: Annotated[int, typer.Option("--seed", help="Seed of new inputs and of the draw.")] = 0,
    held_out: Annotated[
        str | None, typer.Option("--held-out", help="Benchmark with the same bugs and other tests, which candidates must pass.")
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Collect all evidence again.")] = False,
    raters: Raters = None,
    overlap: Overlap = 1.0,
    per_task: PerTask = 2,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the sheets: RATER.csv, disagreements.csv.", rich_help_panel=SHEETS)
    ] = None,
    hints: Annotated[
        bool,
        typer.Option("--hints", help="Show raters the evidence; they are then no longer blind to it.", rich_help_panel=SHEETS),
    ] = False,
    take: TakenSheets = None,
    adjudicate: SettledSheet = None,
    by: SettledBy = "adjudicator",
    either_rejects: Annotated[
        bool | None,
        typer.Option(
            "--either-rejects/--adjudicated",
            help="Where raters differ: overfitting if one says so, or open until settled. [default: as last time]",
            rich_help_panel=SHEETS,
        ),
    ] = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Assess which plausible candidates are correct.

    Evidence comes from the fix itself, rules, tests and raters, in this order.
    """
    if inputs < 0:
        raise UserError(f"--inputs is {inputs}: write how many new inputs to try, or 0 for none")
    if (raters or hints) and to is None:
        raise UserError("--raters and --hints are for sheets; name their folder with --to")
    with open_assessment(_run_folder(run)) as store:
        work = Assessment(run, store, either_rejects=either_rejects)
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

            gather(work, here, done, n_inputs=inputs, seed=seed, held_out=other, again=again)
        open_tasks = work.open_tasks()
        if raters is not None:
            draw_tasks(store, open_tasks, raters, overlap=overlap, per_task=per_task, seed=seed)
        written = write_sheets(store, to, work.views(open_tasks), work.labels(), hints=hints) if to else []
        work.write()
        found = summary(work)
    for answered in failed:
        say(f"task {answered.task}: {answered.problem}")
    if json:
        print_json({"run": str(run), **to_data(found), "sheets": [str(path) for path in written]})
    else:
        _show(run, found)
    if take or adjudicate:
        talk().print(f"{count(n_new, 'new rating')}, {count(n_settled, 'new ruling')}")
    for path in written:
        say(f"written: {path}")
    raise typer.Exit(3 if failed else 0)


def _run_folder(run: Path) -> Path:
    if not (run / "run.json").is_file():
        raise UserError(f"{run} is no run folder: it has no run.json. Make one with: repairlab run BENCHMARK --to DIR")
    return run


def _show(run: Path, found: AssessmentSummary) -> None:
    rows = [(label, n) for label, n in sorted(found.labels.items())]
    print_table(
        f"{run}: {count(found.n_candidates, 'plausible candidate')}, {count(found.n_tasks, 'task')}", ["label", "candidates"], rows
    )
    if found.rules:
        print_table("Rules proposed", ["rule", "what", "tasks"], [(rule, RULES[rule], n) for rule, n in found.rules.items()])
    told = [f"{n} {source}" for source, n in sorted(found.sources.items())]
    write(f"labels by source: {', '.join(told) or 'none'}")
    if found.n_measured:
        data().print(f"differential testing: {found.n_differ} of {found.n_measured} tasks differ from the fix on a new input")
    if found.n_held_out:
        data().print(f"held-out tests: {found.n_held_out_failed} of {count(found.n_held_out, 'task')} fail them")
    for what, matrix in (("held-out tests", found.by_held_out), ("labels", found.by_label)):
        n_found, n_wrong = matrix.wrong_differs + matrix.right_differs, matrix.wrong_differs + matrix.wrong_same
        if n_found and n_wrong:
            counts = (
                f"{matrix.wrong_differs} of {n} {which}"
                for n, which in ((n_found, "that differ are wrong"), (n_wrong, "wrong ones differ"))
            )
            write(f"by {what}: {', '.join(counts)}")
    agreement = found.agreement
    if agreement.n_shared:
        show_agreement(agreement)
        write(f"{count(found.n_disagreements, 'disagreement')} open; --to DIR writes them to disagreements.csv")
