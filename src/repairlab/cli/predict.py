"""`repairlab predict`."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.options import Include, Json, Limit
from repairlab.cli.output import count, print_json, progress_bar, say, write
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.learning.networks.folder import read_members, read_settings, require_extra
from repairlab.learning.neural import NeuralAccess, NeuralSettings
from repairlab.learning.pairs.pair_files import read_head


def predict(
    model: Annotated[Path, typer.Argument(help="Folder of a trained model.")],
    to: Annotated[Path, typer.Option("--to", help="New file *.jsonl for the predictions.")],
    pairs: Annotated[Path | None, typer.Option("--pairs", help="Folder of a set of pairs.")] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Predict candidates for this benchmark instead, for `validate`.")
    ] = None,
    split: Annotated[str, typer.Option("--split", help="The split of the pairs to predict.")] = "test",
    n: Annotated[int, typer.Option("-n", help="Candidates per bug of a benchmark.")] = 10,
    include: Include = None,
    limit: Limit = None,
    beam: Annotated[
        int | None,
        typer.Option("--beam", help="Hypotheses, 1 to 1000. [default: the model's setting, or -n for bugs]"),
    ] = None,
    at_once: Annotated[
        int | None, typer.Option("--at-once", help="Hypotheses extended together; lower it if memory is short.")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Sample at this temperature instead of searching; 0 is greedy.")
    ] = None,
    top_p: Annotated[
        float | None, typer.Option("--top-p", help="Sample from the likeliest tokens with this total probability.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the samples.")] = 0,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    json: Json = False,
) -> None:
    """Predict fixes for pairs or bugs with a trained network."""
    require_extra("predicting", read_settings(read_members(model).folders[0]))
    if to.suffix != ".jsonl":
        raise UserError(f"--to {to}: predictions are JSON lines; name the file *.jsonl")
    if to.exists():
        raise UserError(f"{to} exists; name a new file with --to")
    if (pairs is None) == (benchmark is None):
        raise UserError("name what to predict: either --pairs SET or --benchmark BENCH")
    settings = NeuralSettings(model=str(model), beam=beam, temperature=temperature, top_p=top_p)
    settings.check()
    if pairs is not None:
        _predict_pairs(settings, pairs, split, to, device, at_once=at_once, seed=seed, as_json=json)
        return
    from repairlab.learning.predictions import ProposingOptions, propose  # noqa: PLC0415  # loads the match metrics, too

    access = NeuralAccess(device=device) if at_once is None else NeuralAccess(device=device, at_once=at_once)
    options = ProposingOptions(settings=settings, access=access, n=n, seed=seed)
    options.check()
    opened = open_benchmark(str(benchmark))
    bugs = opened.select(tuple(include or ()), limit=limit)
    with progress_bar() as progress:
        task = progress.add_task("bugs", total=len(bugs))
        found = propose(opened, bugs, options, to, done=lambda n: progress.advance(task, n))
    for bug, reason in found.unfit.items():
        say(f"{bug}: not shown to the model, since {reason}")
    if json:
        print_json({"to": str(to), **to_data(found)})
        return
    write(
        f"{count(found.n_bugs, 'bug')}, {count(found.n_candidates, 'candidate')} in {to}; "
        f"{len(found.unfit)} could not be represented"
    )
    chosen = [*(f"-i {shlex.quote(pattern)}" for pattern in include or ()), *([f"--limit {limit}"] if limit else [])]
    say(" ".join([f"Next: repairlab validate {benchmark} {to}", *chosen]))


def _predict_pairs(
    settings: NeuralSettings, pairs: Path, split: str, to: Path, device: str, *, at_once: int | None, seed: int, as_json: bool
) -> None:
    from repairlab.learning.networks.model import load_ensemble  # noqa: PLC0415  # loads torch
    from repairlab.learning.predictions import predict as predict_split  # noqa: PLC0415

    _, splits = read_head(pairs)
    loaded = load_ensemble(Path(settings.model), device=device)
    usual = loaded.decoding
    decoding = settings.applied(usual, beam=settings.beam or usual.beam, at_once=at_once or usual.at_once)
    with progress_bar() as progress:
        task = progress.add_task("pairs predicted", total=splits.get(split))
        made = predict_split(loaded, pairs, split, to, decoding, seed=seed, done=lambda n: progress.advance(task, n))
    if as_json:
        print_json({"to": str(to), "decoding": to_data(decoding), **to_data(made)})
        return
    write(f"{count(made.n, 'pair')}, {count(made.n_texts, 'prediction')} in {to}; {made.unrepresentable} could not be represented")
    say(f"Next: repairlab pairs match {to} --pairs {pairs} --split {split}")
