"""`repairlab predict`."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.pairs import read_head
from repairlab.cli.options import Json
from repairlab.cli.output import data, print_json, progress_bar, talk
from repairlab.core.errors import UserError
from repairlab.core.record import to_data
from repairlab.networks.extra import require_extra
from repairlab.networks.folder import read_members, read_settings


def predict(
    model: Annotated[Path, typer.Argument(help="A model: a folder that `train` made.")],
    pairs: Annotated[Path, typer.Option("--pairs", help="The set of pairs: a folder that `import` or `pairs` made.")],
    to: Annotated[Path, typer.Option("--to", help="New file *.jsonl for the predictions, which `match` reads.")],
    split: Annotated[str, typer.Option("--split", help="The split to predict.")] = "test",
    beam: Annotated[
        int | None, typer.Option("--beam", help="Hypotheses, 1 to 1000; by default as the model's settings say.")
    ] = None,
    at_once: Annotated[
        int | None, typer.Option("--at-once", help="Hypotheses that are extended together: lower it if memory is short.")
    ] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:1 or mps.")] = "auto",
    json: Json = False,
) -> None:
    """Let a trained model predict the fixes of a set of pairs, for `repairlab match`."""
    require_extra("predicting", read_settings(read_members(model).folders[0]))
    if to.suffix != ".jsonl":
        raise UserError(f"--to {to}: predictions are JSON lines; name the file *.jsonl")
    if to.exists():
        raise UserError(f"{to} exists; name a new file with --to")
    from repairlab.networks.ensemble import load_ensemble  # noqa: PLC0415  # loads torch
    from repairlab.training.predicting import predict as predict_split  # noqa: PLC0415

    _, splits = read_head(pairs)
    loaded = load_ensemble(model, device=device)
    usual = loaded.decoding
    decoding = dataclasses.replace(usual, beam=beam or usual.beam, at_once=at_once or usual.at_once)
    decoding.check()
    with progress_bar() as progress:
        task = progress.add_task("pairs predicted", total=splits.get(split))
        made = predict_split(loaded, pairs, split, to, decoding, done=lambda n: progress.advance(task, n))
    if json:
        print_json({"to": str(to), "decoding": to_data(decoding), **to_data(made)})
        return
    data().print(
        f"{made.n} pairs, {made.n_texts} predictions in {to}; {made.unrepresentable} could not be represented", markup=False
    )
    talk().print(f"Next: repairlab match {to} --pairs {pairs} --split {split}", markup=False)
