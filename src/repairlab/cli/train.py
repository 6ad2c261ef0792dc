"""`repairlab train`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repairlab.cli.options import Json
from repairlab.cli.output import count, data, print_json, print_table, progress_bar, talk
from repairlab.core.errors import Interrupted, UserError
from repairlab.core.record import to_data
from repairlab.networks.extra import require_extra
from repairlab.report.training_curves import draw_curves
from repairlab.training.settings import as_facts, load_system, system_names

if TYPE_CHECKING:
    from rich.progress import Progress

    from repairlab.training.loop import Look


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
        str | None, typer.Argument(help="A system, NAME-small, or a settings file *.toml; without it all are listed.")
    ] = None,
    pairs: Annotated[Path | None, typer.Option("--pairs", help="The set of pairs: a folder that `import` or `pairs` made.")] = None,
    to: Annotated[Path | None, typer.Option("--to", help="New folder for the model.")] = None,
    preset: Annotated[str | None, typer.Option("--preset", help="published (default) or small.")] = None,
    change: Annotated[
        list[str] | None, typer.Option("--set", help="Change a setting: network.width=128; may be given several times.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with a training that was stopped or killed.")] = False,
    seed: Annotated[int, typer.Option("--seed", help="Decides first weights, order of the pairs and dropout.")] = 1,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    search: Annotated[int, typer.Option("--search", help="Train so many models with settings drawn from the system's ranges.")] = 0,
    keep: Annotated[int, typer.Option("--keep", help="How many of them, the best first, make up the model.")] = 1,
    show: Annotated[bool, typer.Option("--show", help="Only print the settings file, to copy and change.")] = False,
    json: Json = False,
) -> None:
    """Train a network on bug–fix pairs: one command for every system of the papers."""
    if system is None:
        print_json({"systems": system_names()}) if json else print_table("Systems", ["name"], [(name,) for name in system_names()])
        return
    settings = load_system(system, preset=preset, changes=change or ())
    if show:
        from repairlab.benchmarks.writing import toml  # noqa: PLC0415  # needed here only

        data().print(toml(as_facts(settings)), markup=False, end="")
        return
    if pairs is None or to is None:
        raise UserError("what to train on, or where to write to, is not said: add --pairs SET and --to MODEL")
    require_extra("training")
    from repairlab.training.search import search_settings  # noqa: PLC0415  # loads torch
    from repairlab.training.train import CURVES, TrainOptions  # noqa: PLC0415
    from repairlab.training.train import train as train_model  # noqa: PLC0415

    options = TrainOptions(seed=seed, device=device, resume=resume)
    try:
        with progress_bar() as progress:
            listener = _Listener(progress)
            if search:
                trials = search_settings(settings, pairs, to, options, listener, n=search, keep=keep)
                made = trials[0]
            else:
                made = train_model(settings, pairs, to, options, listener)
    except KeyboardInterrupt:
        raise Interrupted(f"stopped; go on with: repairlab train … --to {to} --resume") from None
    draw_curves(made.folder / CURVES)
    if json:
        print_json({**to_data(made), "folder": str(made.folder), "model": str(to)})
        return
    for reason, n in sorted(made.dropped.items()):
        talk().print(f"left out {n}: {reason}", markup=False)
    data().print(
        f"{made.system} in {to}: {count(made.n_parameters, 'parameter')}, {count(made.steps, 'step')}, "
        f"perplexity {made.metrics['perplexity']:.3f}, {100 * made.metrics['exact_match']:.1f} % of the validation pairs matched",
        markup=False,
    )
    talk().print(f"Next: repairlab predict {to} --pairs {pairs} --split test --to predictions.jsonl", markup=False)
