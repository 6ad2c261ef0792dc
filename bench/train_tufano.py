"""Tufano's all-small (ICSE 2019) from random weights: the Transformer with a pointer, and the recurrent network as published.

Both train at the same time, each in a process of its own, for so many seconds; then exact match on the test split.

    python bench/train_tufano.py --pairs SET --seconds 90 [--device cuda] [--set training.batch_pairs=128]
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from repairlab.learning.predictions import read_predictions
from repairlab.metrics.exact_match import same_text

CHANGES = {
    "transformer": ["training.epochs=1000", "training.evaluate_every=1000"],
    "recurrent": [
        "training.max_steps=0",
        "training.patience=0",
        "training.epochs=5000",
        "training.evaluate_every=500",
        "training.batch_pairs=128",
        "training.learning_rate=1.5e-3",
        "training.warm_up=500",
        "training.schedule=linear",
        "network.width=512",
    ],
}
SYSTEMS = {"transformer": "transformer", "recurrent": "tufano"}
PUBLISHED = {1: 21.16, 10: 36.02}


def start(name: str, folder: Path, options: argparse.Namespace) -> "subprocess.Popen[str]":
    command = [
        sys.executable,
        "-m",
        "repairlab",
        "train",
        SYSTEMS[name],
        "--pairs",
        str(options.pairs),
        "--to",
        str(folder / name),
    ]
    command += ["--device", options.device, "--seed", str(options.seed), "--set", f"training.budget_s={options.seconds}"]
    command += ["--set", "training.checkpoint_s=1000", "--set", "decoding.max_length=60", "--json"]
    for change in [*CHANGES[name], *options.set]:
        command += ["--set", change]
    log = (folder / f"{name}.log").open("w")
    return subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, text=True)


def measure(name: str, folder: Path, options: argparse.Namespace) -> None:
    to = folder / f"{name}.jsonl"
    command = [sys.executable, "-m", "repairlab", "predict", str(folder / name), "--pairs", str(options.pairs), "--to", str(to)]
    begun = time.monotonic()
    done = subprocess.run([*command, "--beam", "10", "--device", options.device], capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"{name}: {done.stderr[-2000:]}")
        return
    seconds = time.monotonic() - begun
    found = [[same_text(text, pair.fixed) for text in texts] for pair, texts in read_predictions(to, options.pairs, "test")]
    shares = {k: 100 * sum(any(right[:k]) for right in found) / len(found) for k in (1, 5, 10)}
    facts = json.loads((folder / name / "metrics.json").read_text())
    looks = [json.loads(line) for line in (folder / name / "curves.jsonl").read_text().splitlines()]
    print(
        f"{name}: {facts['n_parameters']:,} parameters, {facts['steps']} steps, {facts['epochs']} epochs, "
        f"{looks[-1]['tokens_s']:,.0f} tokens/s; beam 10 on {len(found)} pairs in {seconds:.1f} s: "
        + ", ".join(f"exact within {k} {value:.2f} %" for k, value in shares.items())
        + f" (published: {PUBLISHED[1]} and {PUBLISHED[10]} %)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=90)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=[*SYSTEMS], action="append")
    parser.add_argument("--set", action="append", default=[])
    parser.add_argument("--to", type=Path, help="keep models, logs and predictions here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.to or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        names = options.only or list(SYSTEMS)
        running = {name: start(name, folder, options) for name in names}
        for name, process in running.items():
            process.wait()
            if process.returncode:
                print(f"{name} ended with {process.returncode}: {(folder / f'{name}.log').read_text()[-3000:]}", flush=True)
                continue
            measure(name, folder, options)


if __name__ == "__main__":
    main()
