"""Training and decoding, ours beside the straightforward way: tokens a second of training, and beam search beside `generate`.

python bench/train.py [--device cuda] [--width 512] [--layers 4] [--pairs 8192] [--beam 50] [--quick]
"""

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from repairlab.core.pair import Pair, PairSet
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.hypotheses import Marks
from repairlab.learning.networks.network import build
from repairlab.learning.networks.settings import DecodingSettings, NetworkSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.transformer import Transformer
from repairlab.learning.networks.vocabulary import BEGIN, END, PAD
from repairlab.learning.pairs.pair_files import PairWriter
from repairlab.learning.pairs.representing import PairEncoder
from repairlab.learning.training.batches import PairStore
from repairlab.learning.training.distributed import ProcessGroup
from repairlab.learning.training.loop import Look, Trainer, TrainingJob
from repairlab.learning.training.numbering import make_numbering, number_tokens
from repairlab.learning.training.settings import load_system

sys.path.insert(0, str(Path(__file__).parent.parent))
from tests.learning.networks.pegasus import as_pegasus  # found only now

Row = tuple[list[int], list[int]]
_TIMES = 5
"""How often each search is timed."""


class Silent:
    def begun(self, n_steps: int, step: int) -> None:
        pass

    def stepped(self, step: int, loss: float | None, tokens_s: float) -> None:
        pass

    def looked(self, look: Look) -> None:
        pass

    def notify(self, text: str) -> None:
        print(text)


class Straightforward(nn.Module):  # type: ignore[misc]  # torch's types are not looked at
    """What one writes in an hour: nn.Transformer, positions, a linear layer."""

    def __init__(self, settings: NetworkSettings, size: int) -> None:
        super().__init__()
        width = settings.width
        self.embedding, self.positions = nn.Embedding(size, width, padding_idx=PAD), nn.Embedding(settings.positions, width)
        self.core = nn.Transformer(
            width,
            settings.heads,
            settings.encoder_layers,
            settings.decoder_layers,
            4 * width,
            settings.dropout,
            batch_first=True,
            norm_first=True,
        )
        self.output = nn.Linear(width, size)

    def forward(self, source: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        causal = nn.Transformer.generate_square_subsequent_mask(target.shape[1], device=source.device)
        found = self.core(
            self._embed(source),
            self._embed(target),
            tgt_mask=causal,
            src_key_padding_mask=source == PAD,
            memory_key_padding_mask=source == PAD,
            tgt_is_causal=True,
        )
        return self.output(found)

    def _embed(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.embedding(tokens) + self.positions(torch.arange(tokens.shape[1], device=tokens.device))


def made_pairs(folder: Path, n: int) -> None:
    """Write pairs with the lengths of Tufano's small set: about 31 tokens before and 29 behind the fix."""
    chance = random.Random(1)
    words = [f"VAR_{number}" for number in range(600)]
    with ExitStack() as stack:
        writer = PairWriter(folder, stack)
        for number in range(n):
            length = chance.randrange(15, 48)
            tokens = [chance.choice(words) for _ in range(length)]
            pair = Pair(id=str(number), buggy=" ".join(tokens), fixed=" ".join(tokens[: length - 2]))
            writer.add("train", pair)
        stack.close()
        writer.finish(
            PairSet(name="bench", version="1", licence="MIT", description="", language="java", form="method", abstract=True)
        )


def rows_of(store: PairStore) -> list[Row]:
    widths = (int(store.lengths["source"].max()), 0, int(store.lengths["target"].max()))
    batch = store.batch(torch.arange(len(store)), widths)
    assert batch.target is not None
    return [
        ([number for number in source if number], [number for number in target if number])
        for source, target in zip(batch.source.tolist(), batch.target.tolist(), strict=True)
    ]


def straightforward(rows: list[Row], settings: NetworkSettings, size: int, device: torch.device, steps: int, batch: int) -> float:
    """Train the straightforward way; return tokens a second."""
    network = Straightforward(settings, size).to(device)
    optimiser = torch.optim.AdamW(network.parameters(), 5e-4)
    chance = random.Random(1)
    n_tokens, begun = 0, 0.0
    for step in range(steps + 3):
        if step == 3:
            _wait(device)
            n_tokens, begun = 0, time.monotonic()
        chosen = chance.sample(rows, batch)
        source, target = (_padded([row[part] for row in chosen]).to(device) for part in (0, 1))
        begin = torch.full_like(target[:, :1], BEGIN)
        logits = network(source, torch.cat((begin, target[:, :-1]), 1))
        loss = functional.cross_entropy(logits.transpose(1, 2), target, ignore_index=PAD)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        loss.item()
        n_tokens += sum(len(row[0]) + len(row[1]) for row in chosen)
    _wait(device)
    return n_tokens / (time.monotonic() - begun)


def ours(store: PairStore, settings: NetworkSettings, size: int, device: torch.device, steps: int, batch: int, work: Path) -> float:
    """Train by the loop of repairlab; return tokens a second of its second half, when graphs are recorded."""
    changes = [f"training.batch_pairs={batch}", "training.checkpoint_s=1000000", "training.average=0", "training.epochs=100000"]
    training = load_system(
        "transformer", changes=[*changes, f"training.max_steps={2 * steps}", "training.evaluate_every=0"]
    ).training
    job = TrainingJob(
        network=build(settings, size, size).to(device),
        store=store.to(device),
        settings=training,
        seed=1,
        device=device,
        group=ProcessGroup(),
        folder=work,
        identity="bench",
    )
    clock = _Clock(device, steps)
    Trainer(job, lambda _: (0.0, None), clock).run(resume=False)
    per_pair = float(store.lengths["source"].mean() + store.lengths["target"].mean())
    return per_pair * batch * steps / (clock.times[1] - clock.times[0])


class _Clock(Silent):
    """Takes the time at the end of each half."""

    def __init__(self, device: torch.device, steps: int) -> None:
        self._device, self._steps = device, steps
        self.times: list[float] = []

    def stepped(self, step: int, loss: float | None, tokens_s: float) -> None:
        if step in (self._steps, 2 * self._steps):
            _wait(self._device)
            self.times.append(time.monotonic())


def decoding(network: Transformer, rows: list[Row], device: torch.device, beam: int, longest: int) -> None:
    """Search the same sources on the same weights by ours and by `generate`."""
    network = network.to(device).eval()
    theirs = as_pegasus(network.cpu()).to(device)
    network.to(device)
    source = _padded([row[0] for row in rows]).to(device)
    settings = DecodingSettings(beam=beam, max_length=longest)
    marks = Marks(begin=BEGIN, end=END, banned=(PAD, BEGIN))

    def own() -> object:
        return beam_search(network, TokenBatch(source=source), settings, marks)

    def library(*, half: bool) -> object:
        with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16, enabled=half):
            return theirs.generate(
                source,
                attention_mask=(source != PAD).long(),
                num_beams=beam,
                num_return_sequences=beam,
                max_new_tokens=longest,
                length_penalty=0.0,
                early_stopping="never",
                suppress_tokens=[PAD, BEGIN],
                do_sample=False,
            )

    mine, mine_mb = _seconds(own, device)
    other, other_mb = _seconds(lambda: library(half=False), device)
    half, half_mb = _seconds(lambda: library(half=True), device)
    memory = f"; {mine_mb:,.0f}, {other_mb:,.0f} and {half_mb:,.0f} MB" if device.type == "cuda" else ""
    print(
        f"beam {beam}, {len(rows)} sources, {longest} long: ours {mine:.2f} s, generate {other:.2f} s ({other / mine:.1f}×), "
        f"in bf16 {half:.2f} s ({half / mine:.1f}×){memory}"
    )


def _seconds(work: Callable[[], object], device: torch.device) -> tuple[float, float]:
    """Return the median time behind the first, and how many megabytes of a GPU it takes at most beyond what lay there."""
    work()
    _wait(device)
    before = 0
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
        before = torch.cuda.memory_allocated(device)
    times = []
    for _ in range(_TIMES):
        begun = time.monotonic()
        work()
        _wait(device)
        times.append(time.monotonic() - begun)
    took = statistics.median(times)
    return took, (torch.cuda.max_memory_allocated(device) - before) / 2**20 if device.type == "cuda" else 0.0


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def _padded(rows: list[list[int]]) -> torch.Tensor:
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=8192)
    parser.add_argument("--steps", type=int, default=200, help="0: only decoding")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--beam", type=int, default=50)
    parser.add_argument("--sources", type=int, default=64)
    parser.add_argument("--quick", action="store_true", help="a small network and few steps, for machines without a GPU")
    options = parser.parse_args()
    if options.quick:
        options.width, options.layers, options.pairs, options.steps, options.sources = 64, 2, 512, 8, 4
    device = torch.device(options.device)
    network = NetworkSettings(
        width=options.width, encoder_layers=options.layers, decoder_layers=options.layers, heads=8, positions=128
    )
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        (folder / "pairs").mkdir()
        made_pairs(folder / "pairs", options.pairs)
        settings = load_system("transformer", changes=["network.copy=false"]).model
        PairEncoder(folder / "pairs", "tokens", {}).write_tokens("train", folder / "train.jsonl")
        numbering = make_numbering(folder / "train.jsonl", settings, (), {})
        store = number_tokens(folder / "train.jsonl", folder / "numbers", settings, numbering)
        rows, size = rows_of(store), numbering.source.size
        if options.steps:
            plain = straightforward(rows, network, size, device, options.steps, options.batch)
            own = ours(store, network, size, device, options.steps, options.batch, folder)
            told = f"plain {plain:,.0f} tokens/s, ours {own:,.0f} tokens/s: {own / plain:.1f}×"
            print(f"training, {options.batch} pairs a batch: {told}")
        model = build(network, size, size)
        assert isinstance(model, Transformer)
        decoding(model, rows[: options.sources], device, options.beam, 50)


if __name__ == "__main__":
    main()
