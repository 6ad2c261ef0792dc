"""`repairlab verify`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import count, print_json, print_table, progress_bar, write
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import to_data
from repairlab.runs.store import Store
from repairlab.runs.verification import Verification, verify_run
from repairlab.study.scores import changed_scores
from repairlab.validation.machine import Machine


@on_machine("workers", "sandbox", "allow_unsafe", "isolation")
def verify(
    run: Annotated[Path, typer.Argument(help="Run folder.")],
    sample: Annotated[int, typer.Option("--sample", help="Validate this many candidates again, half of them plausible.")] = 50,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the sample.")] = 0,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Name or folder of the benchmark. [default: as the run says]")
    ] = None,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Verify a run: check its seals and validate a random sample again.

    Ends with exit code 1 when anything differs. For example: repairlab verify submission --sample 100 --seed 7
    """
    if sample < 0:
        raise UserError(f"--sample is {sample}: write how many candidates are validated again, 0 or more")
    store = Store(run)
    if not store.manifest_path.is_file():
        store.manifest()
    try:
        manifest = store.manifest()
    except UserError as error:  # a changed run.json is the answer, not an error
        _fail(str(error), as_json=json)
        return
    opened = open_benchmark(benchmark or manifest.experiment.benchmark)
    with progress_bar() as bar:
        task = bar.add_task("candidates validated again", total=sample)
        found = verify_run(
            store,
            opened,
            here,
            sample=sample,
            seed=seed,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    scores = () if found.damages else changed_scores(run)
    _show(found, scores, as_json=json)
    if not found.is_honest or scores:
        raise typer.Exit(1)
    if found.of("undecided"):
        raise HarnessError(f"{count(len(found.of('undecided')), 'candidate')} could not be validated here; see: repairlab doctor")


def _fail(text: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"honest": False, "damages": [text]})
    else:
        write(f"differs: {text}")
    raise typer.Exit(1)


def _show(found: Verification, scores: tuple[str, ...], *, as_json: bool) -> None:
    if as_json:
        rechecks = [{**to_data(item), "state": item.state} for item in found.rechecks]
        shown = {"honest": found.is_honest and not scores, "most_wrong": found.most_wrong, "scores": list(scores)}
        print_json({**to_data(found), **shown, "rechecks": rechecks})
        return
    for text in (*found.damages, *scores):
        write(f"differs: {text}")
    rows = [
        (item.bug_id, item.rank, item.claimed.value, item.found[-1].value, item.state, item.message.split("\n")[0][:80])
        for item in found.rechecks
        if item.state != "same"
    ]
    if rows:
        print_table("Verdicts that did not come out again", ["bug", "rank", "claimed", "found", "state", "message"], rows)
    part = "" if found.n_bugs == found.n_in_benchmark else f" of {found.n_in_benchmark}"
    write(
        f"{count(found.n_bugs, 'bug')}{part}; {len(found.rechecks)} of {count(found.n_verdicts, 'verdict')} made again "
        f"(seed {found.seed}): {len(found.of('differs'))} differ, {len(found.of('unsteady'))} unsteady, "
        f"{len(found.of('undecided'))} undecided"
    )
    if found.most_wrong is not None and not found.damages:
        write(f"at most {100 * found.most_wrong:.1f} % of the verdicts are wrong (95 % confidence, one-sided)")
