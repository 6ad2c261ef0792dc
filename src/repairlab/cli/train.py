"""`repairlab train`."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repairlab.cli.options import Include, Json, Limit
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, say, talk, write
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import Interrupted, UserError
from repairlab.core.outcome import Outcome
from repairlab.core.record import to_data
from repairlab.learning.networks.folder import read_members, read_settings, require_extra
from repairlab.learning.training.cost import cost_table
from repairlab.learning.training.settings import SystemSettings, as_facts, load_system, system_names
from repairlab.study.charts import draw_curves

if TYPE_CHECKING:
    from rich.progress import Progress

    from repairlab.learning.training.loop import Look
    from repairlab.learning.training.train import TrainedModel


class _Listener:
    """Shows a training as a progress bar; what was measured stays on the screen."""

    def __init__(self, progress: "Progress") -> None:
        self._progress = progress
        self._task = progress.add_task("steps", total=None)
        self._loss = ""

    def begun(self, n_steps: int, step: int) -> None:
        self._progress.update(self._task, total=n_steps, completed=step)

    def stepped(self, step: int, loss: float | None, tokens_s: float) -> None:
        if loss is not None:
            self._loss = f", loss {loss:.3f}"
            self._progress.update(self._task, completed=step, description=f"steps, {tokens_s:,.0f} tokens/s{self._loss}")

    def looked(self, look: "Look") -> None:
        exact = "" if look.exact_match is None else f", exact match {100 * look.exact_match:.1f} %"
        best = " (best)" if look.is_best else ""
        self.notify(
            f"step {look.step}, epoch {look.epoch}: loss {look.loss:.3f}, validation {look.valid_loss:.3f}, "
            f"perplexity {look.perplexity:.2f}{exact}, {look.tokens_s:,.0f} tokens/s{best}"
        )

    def notify(self, text: str) -> None:
        self._progress.console.print(text, markup=False)


def train(
    system: Annotated[
        str | None, typer.Argument(help="A system, NAME-small, or a settings file *.toml; without it, all are listed.")
    ] = None,
    pairs: Annotated[Path | None, typer.Option("--pairs", help="Folder of the set of pairs.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="New folder for the model.")] = None,
    preset: Annotated[
        str | None, typer.Option("--preset", help="Settings to start from: published, npr4j or small. [default: published]")
    ] = None,
    change: Annotated[list[str] | None, typer.Option("--set", help="Change a setting: network.width=128; repeatable.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Resume a stopped or killed training.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Decides initial weights, order of pairs and dropout.")] = 1,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    search: Annotated[
        int, typer.Option("--search", help="Train this many models with settings drawn from the system's ranges.")
    ] = 0,
    keep: Annotated[int, typer.Option("--keep", help="How many of the best form the ensemble.")] = 1,
    rewards: Annotated[
        str | None,
        typer.Option("--rewards", help="Second stage: a benchmark whose verdicts weight the losses of the model --from."),
    ] = None,
    first: Annotated[Path | None, typer.Option("--from", help="The model the second stage starts from.")] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="Epochs of the second stage.")] = 1,
    rate: Annotated[float, typer.Option("--learning-rate", help="Learning rate of the second stage.")] = 1e-5,
    reward: Annotated[
        list[str] | None,
        typer.Option("--reward", help="Second stage: factor of the loss, such as plausible=0.4; repeatable."),
    ] = None,
    include: Include = None,
    limit: Limit = None,
    costs: Annotated[
        list[Path] | None, typer.Option("--costs", help="Print what training this model cost; repeatable, to compare models.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the settings file, to copy and change.")] = False,
    json: Json = False,
) -> None:
    """Train a network on bug–fix pairs."""
    if costs:
        table = cost_table(costs)
        print_json(table.data()) if json else print_table(
            table.title, table.columns, [["–" if cell is None else cell for cell in row] for row in table.rows]
        )
        talk().print(*table.notes, markup=False)
        return
    if system is None:
        print_json({"systems": system_names()}) if json else print_table("Systems", ["name"], [(name,) for name in system_names()])
        return
    if rewards is not None:
        _reward(
            system,
            rewards,
            first,
            to,
            {"epochs": epochs, "learning_rate": rate, "seed": seed},
            reward or [],
            device,
            include,
            limit,
            as_json=json,
        )
        return
    settings = load_system(system, preset=preset, changes=change or ())
    if show:
        from repairlab.benchmarks.writing import toml  # noqa: PLC0415  # needed here only

        data().print(toml(as_facts(settings)), markup=False, end="")
        return
    if pairs is None or to is None:
        raise UserError("what to train on, or where to write to, is not said: add --pairs SET and --to MODEL")
    made = train_model(settings, pairs, to, seed=seed, device=device, resume=resume, search=search, keep=keep)
    if made is None:
        return
    if json:
        print_json({**to_data(made), "folder": str(made.folder), "model": str(to)})
        return
    write(summary(made, to))
    say(f"Next: repairlab predict {to} --pairs {pairs} --split test --to predictions.jsonl")


def train_model(
    settings: SystemSettings,
    pairs: Path,
    to: Path,
    *,
    seed: int,
    device: str,
    resume: bool,
    search: int = 0,
    keep: int = 1,
) -> "TrainedModel | None":
    """Train a model with a progress bar; all but the first of several processes return none."""
    require_extra("training", settings.model)
    from repairlab.learning.training.distributed import is_first_process  # noqa: PLC0415  # loads torch
    from repairlab.learning.training.search import search_settings  # noqa: PLC0415
    from repairlab.learning.training.train import CURVES, TrainOptions  # noqa: PLC0415
    from repairlab.learning.training.train import train as train_one  # noqa: PLC0415

    options = TrainOptions(seed=seed, device=device, resume=resume)
    try:
        with progress_bar() as progress:
            progress.console.quiet = not is_first_process()
            listener = _Listener(progress)
            if search:
                trials = search_settings(settings, pairs, to, options, listener, n=search, keep=keep)
                made = trials[0]
            else:
                made = train_one(settings, pairs, to, options, listener)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; go on with: repairlab train … --to {to} --resume") from None
    if not is_first_process():
        return None
    draw_curves(made.folder / CURVES)
    for reason, n in sorted(made.dropped.items()):
        say(f"left out {n}: {reason}")
    return made


def summary(made: "TrainedModel", to: Path) -> str:
    """Say what came of a training."""
    return (
        f"{made.system} in {to}: {count(made.n_parameters, 'parameter')}, {count(made.steps, 'step')}, "
        f"perplexity {made.metrics['perplexity']:.3f}, {100 * made.metrics['exact_match']:.1f} % of the validation pairs matched"
    )


def _reward(
    system: str,
    benchmark: str,
    first: Path | None,
    to: Path | None,
    given: dict[str, float],
    table: list[str],
    device: str,
    include: list[str] | None,
    limit: int | None,
    *,
    as_json: bool,
) -> None:
    """Train a model further by the verdicts of a benchmark's own tests."""
    if first is None or to is None:
        raise UserError("the model to begin with, or where to write to, is not said: add --from MODEL and --to NEW")
    found = read_settings(read_members(first).folders[0])
    require_extra("training", found)
    from repairlab.api import load  # noqa: PLC0415  # with all engines
    from repairlab.learning.training.rewards import RewardSettings, reward_model, reward_table  # noqa: PLC0415  # loads torch
    from repairlab.runs.validator_pool import ValidatorPool  # noqa: PLC0415  # with all engines
    from repairlab.validation.machine import local_machine  # noqa: PLC0415  # as above

    if found.system != system:
        raise UserError(f"{first} is a model of the system {found.system}, not of {system}")
    bugs = list(load(benchmark).filter(*(include or ()), limit=limit))
    with closing(ValidatorPool(local_machine())) as pool, progress_bar() as progress:

        def judge(bug: Bug, candidate: Candidate) -> Outcome:
            outcome: Outcome = pool.ask(pool.opened(bug), candidate).outcome
            return outcome

        settings = RewardSettings(
            epochs=int(given["epochs"]), learning_rate=given["learning_rate"], seed=int(given["seed"]), table=reward_table(table)
        )
        made = reward_model(first, bugs, to, judge, settings, _Listener(progress), device=device)
    if as_json:
        print_json({"model": str(to), "epochs": [{**to_data(item), "compile_rate": item.compile_rate} for item in made]})
        return
    last = made[-1]
    rates = " → ".join(f"{100 * item.compile_rate:.1f} %" for item in made)
    write(f"{system} in {to}: {count(sum(last.counts.values()), 'bug')}, candidates that compile by epoch: {rates}")
