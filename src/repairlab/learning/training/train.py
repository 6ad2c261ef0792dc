"""Train a system on a set of pairs: represent, number, train, measure, write the model's folder and its card."""

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

from repairlab.benchmarks.writing import toml
from repairlab.core.errors import UserError
from repairlab.core.installation import VERSION
from repairlab.core.record import digest, record, to_data
from repairlab.core.storage.encoding import write_aside
from repairlab.learning.networks.beam import beam_search
from repairlab.learning.networks.folder import FORMAT, LEARNT, SETTINGS, WEIGHTS
from repairlab.learning.networks.hypotheses import Hypothesis, Marks
from repairlab.learning.networks.model import Numbering, build_for, choose_device, read_numbering, save_numbering, weights_to_keep
from repairlab.learning.networks.pretrained import save_configuration
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.vocabulary import FIRST_PLACE, WordVocabulary
from repairlab.learning.pairs.pair_files import HEAD, read_head
from repairlab.learning.pairs.representing import PairEncoder, learn_representation, representation_for
from repairlab.learning.training.batches import PairStore, Renaming, feed, plan_all, plan_rows
from repairlab.learning.training.cost import METRICS, TrainingCost
from repairlab.learning.training.distributed import ProcessGroup, joined_processes
from repairlab.learning.training.loop import Trainer, TrainingJob, TrainingListener
from repairlab.learning.training.numbering import make_numbering, number_tokens
from repairlab.learning.training.settings import SystemSettings, TrainingSettings, as_facts

WORK = ".work"
"""Subfolder of a model's folder for what only training needs."""
STARTED = "started.json"
CURVES = "curves.jsonl"
SYSTEM = "system.toml"
CARD = "README.md"
_SPLITS = ("train", "valid")


@record
class TrainingStart:
    """What a folder is trained for; a training can only continue with the same."""

    identity: str
    pairs: str
    data: str
    """Digest of the pairs."""
    seed: int
    dropped: dict[str, int]
    """Pairs that could not be represented, by reason."""
    sizes: dict[str, int]
    """Pairs that are used, by split."""


@record
class TrainedModel:
    """The result of a training."""

    folder: Path
    system: str
    pairs: str
    n_parameters: int
    steps: int
    epochs: int
    metrics: dict[str, float]
    dropped: dict[str, int]
    sizes: dict[str, int]
    cost: TrainingCost | None = None
    """None: the model was trained by an earlier version."""


@record
class TrainOptions:
    """Where and how a training runs; the settings decide what is made."""

    seed: int = 1
    device: str = "auto"
    resume: bool = False
    splits: tuple[str, str] = _SPLITS


def train(settings: SystemSettings, pairs: Path, folder: Path, options: TrainOptions, listener: TrainingListener) -> TrainedModel:
    """Train to the end; after an interruption at any moment, `resume` continues."""
    device = choose_device(options.device)
    if device.type == "cuda":
        torch.set_float32_matmul_precision("high")
    with joined_processes(device) as (group, place):
        settings = _fitted(settings, pairs)
        data = data_digest(pairs)
        identity = digest(VERSION, FORMAT, as_facts(settings), data, options.seed, group.size)
        if group.is_first:
            _prepare(
                settings,
                pairs,
                folder,
                options,
                TrainingStart(identity=identity, pairs=str(pairs), data=data, seed=options.seed, dropped={}, sizes={}),
                listener,
            )
        group.wait()
        return _train_prepared(settings, folder, options, listener, group, place)


def _fitted(settings: SystemSettings, pairs: Path) -> SystemSettings:
    facts, _ = read_head(pairs)
    name = settings.model.representation
    if settings.model.network.kind != "grammar":  # which needs a tree, of an abstract method, too
        name = representation_for(name, facts)
    given = settings.representation if name == settings.model.representation else {}
    return dataclasses.replace(settings, model=dataclasses.replace(settings.model, representation=name), representation=given)


def data_digest(pairs: Path) -> str:
    """Return a content hash of a set of pairs."""
    _, splits = read_head(pairs)
    found = hashlib.sha256((pairs / HEAD).read_bytes())
    for split in sorted(splits):
        with (pairs / f"{split}.jsonl").open("rb") as file:
            while block := file.read(1 << 20):
                found.update(block)
    return found.hexdigest()[:16]


def _prepare(
    settings: SystemSettings, pairs: Path, folder: Path, options: TrainOptions, started: TrainingStart, listener: TrainingListener
) -> None:
    """Make the folder with everything training needs; errors in the input show before anything is written."""
    if (folder / STARTED).is_file():
        found = json.loads((folder / STARTED).read_text(encoding="utf-8"))
        if not options.resume:
            raise UserError(f"{folder} exists: go on with --resume, or name a new folder with --to")
        if found["identity"] != started.identity:
            raise UserError(
                f"{folder} was begun with other settings, pairs, seed or version of repairlab; give the same ones, or a new folder"
            )
        return
    if folder.exists() and (not folder.is_dir() or any(item.name != WORK for item in folder.iterdir())):
        raise UserError(f"{folder} exists and is no training that could go on; name a new folder with --to")
    work = folder / WORK
    existed = folder.exists()
    try:
        _represent(settings, pairs, work, options, started, listener)
    except BaseException:
        shutil.rmtree(work if existed else folder, ignore_errors=True)
        raise


def _represent(
    settings: SystemSettings, pairs: Path, work: Path, options: TrainOptions, started: TrainingStart, listener: TrainingListener
) -> None:
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    folder, model = work.parent, settings.model
    learnt = learn_representation(model.representation, dict(settings.representation), pairs, options.splits[0])
    encoder = PairEncoder(pairs, model.representation, learnt)
    for split in options.splits:
        n = encoder.write_tokens(split, work / f"{split}.jsonl")
        listener.notify(f"{split}: {n} of {encoder.splits[split]} pairs as {model.representation}")
        if not n:
            reasons = "; ".join(f"{reason}: {count}" for reason, count in encoder.dropped.most_common(3))
            raise UserError(f"the split {split!r} of {pairs} has no pair that can be used{f' ({reasons})' if reasons else ''}")
    numbering = make_numbering(work / f"{options.splits[0]}.jsonl", model, settings.marks, learnt)
    sizes = {}
    for split in options.splits:
        sizes[split] = len(number_tokens(work / f"{split}.jsonl", work / split, model, numbering))
        (work / f"{split}.jsonl").unlink()
        if not sizes[split]:
            raise UserError(f"all pairs of the split {split!r} have targets of more than max_target = {model.max_target} tokens")
    save_numbering(numbering, folder)
    (folder / LEARNT).write_text(json.dumps(learnt, ensure_ascii=False) + "\n", encoding="utf-8")
    head = {"format": FORMAT, "repairlab": VERSION, **to_data(model)}
    write_aside(folder / SETTINGS, toml(head))
    write_aside(folder / SYSTEM, toml(as_facts(settings)))
    begun = dataclasses.replace(started, dropped=dict(encoder.dropped), sizes=sizes)
    write_aside(folder / STARTED, json.dumps(to_data(begun), indent=2) + "\n")


def _train_prepared(
    settings: SystemSettings,
    folder: Path,
    options: TrainOptions,
    listener: TrainingListener,
    group: ProcessGroup,
    device: torch.device,
) -> TrainedModel:
    work = folder / WORK
    begun = TrainingStart(**json.loads((folder / STARTED).read_text(encoding="utf-8")))
    if (folder / WEIGHTS).is_file():
        raise UserError(
            f"{folder} is trained to its end already; use it with: repairlab run BENCHMARK --repairer neural --model {folder}"
        )
    numbering = read_numbering(folder, settings.model)
    train_split, valid_split = (
        _placed(PairStore.open(work / split, pad=numbering.target.pad), device, settings.training.device_cache_mb)
        for split in options.splits
    )
    torch.manual_seed(options.seed)
    network = build_for(settings.model, numbering).to(device)
    job = TrainingJob(
        network=network,
        store=train_split,
        settings=settings.training,
        seed=options.seed,
        device=device,
        group=group,
        folder=work,
        identity=begun.identity,
        alter=_altering(settings, numbering, device),
    )
    validation = ValidationSet(valid_split, numbering, settings.training, settings.model.decoding)
    trainer = Trainer(job, validation, listener)
    looks = trainer.run(resume=options.resume)
    cost = trainer.cost()
    network.eval()
    best = [look for look in looks if look["is_best"]][-1:] or looks[-1:]
    metrics = {name: value for look in best for name, value in look.items() if name in ("valid_loss", "perplexity")}
    metrics["exact_match"] = validation.exact_match(network, min(len(valid_split), settings.training.exact_match_pairs))
    made = TrainedModel(
        folder=folder,
        system=settings.model.system,
        pairs=begun.pairs,
        n_parameters=sum(item.numel() for item in network.parameters()),
        steps=looks[-1]["step"] if looks else 0,
        epochs=looks[-1]["epoch"] if looks else 0,
        metrics=metrics,
        dropped=begun.dropped,
        sizes=begun.sizes,
        cost=cost,
    )
    if group.is_first:
        _write(network, looks, made, settings, begun)
    group.wait()
    return made


def _altering(settings: SystemSettings, numbering: Numbering, device: torch.device) -> Callable[[TokenBatch], TokenBatch]:
    """Return how batches are changed: ids are exchanged if wanted and if words have one number in source and target."""
    words = numbering.source
    if not settings.training.rename or not isinstance(words, WordVocabulary) or numbering.target is not words:
        return lambda batch: batch
    return Renaming(words.every, settings.training.rename, device)


def _placed(store: PairStore, device: torch.device, most_mb: float) -> PairStore:
    return store.to(device) if device.type != "cpu" and store.size_mb <= most_mb else store


def _write(
    network: nn.Module, looks: list[dict[str, Any]], made: TrainedModel, settings: SystemSettings, begun: TrainingStart
) -> None:
    """Write what a trained model consists of; its weights come last, since they complete it."""
    folder = made.folder
    write_aside(folder / CURVES, "".join(json.dumps(look) + "\n" for look in looks))
    facts = {**to_data(made), "folder": None, "seed": begun.seed, "data": begun.data, "repairlab": VERSION}
    write_aside(folder / METRICS, json.dumps({key: value for key, value in facts.items() if value is not None}, indent=2) + "\n")
    write_aside(folder / CARD, model_card(made, settings, begun))
    aside = folder / f".{WEIGHTS}"
    save_file(weights_to_keep(network, settings.model.network), aside)
    save_configuration(network, folder)
    aside.replace(folder / WEIGHTS)
    shutil.rmtree(folder / WORK)


def written_numbers(hypothesis: Hypothesis, end: int) -> tuple[int, ...]:
    """Return a hypothesis as targets are numbered."""
    return (*(place + FIRST_PLACE for place in hypothesis.places), *hypothesis.ids, end)


class ValidationSet:
    """Measures networks on one split."""

    def __init__(self, store: PairStore, numbering: Numbering, training: TrainingSettings, decoding: DecodingSettings) -> None:
        """Take the numbered pairs and what is measured."""
        self._store, self._training = store, training
        self._n_exact = min(training.exact_match_pairs, len(store)) if training.stop_on == "exact-match" else 0
        self._decoding = DecodingSettings(
            beam=1, max_length=decoding.max_length, at_once=decoding.at_once, precision=decoding.precision
        )
        target = numbering.target
        banned = {target.pad, target.begin, target.unknown} - {target.end}
        self._marks = Marks(begin=target.begin, end=target.end, banned=tuple(banned))

    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        """Return the mean loss per token, and, if wanted, the share of pairs written exactly."""
        return self.loss(network), self.exact_match(network, self._n_exact) if self._n_exact else None

    def loss(self, network: nn.Module) -> float:
        """Return the mean loss of a token."""
        device = next(network.parameters()).device
        total = torch.zeros(2, device=device)
        with torch.no_grad():
            for _, batch in feed(self._store, plan_all(self._store.lengths, self._training), device):
                assert batch.target is not None
                losses = network.token_losses(batch, 0.0)
                total += torch.stack((losses.sum(), (batch.target != self._store.pad).sum()))
        found: list[float] = total.tolist()
        return found[0] / max(found[1], 1.0)

    def exact_match(self, network: nn.Module, n: int) -> float:
        """Return the share of the first `n` pairs whose target is the best hypothesis of a greedy search."""
        device = next(network.parameters()).device
        lengths = self._store.lengths
        order = np.argsort(lengths["source"][:n], kind="stable")
        n_right = 0
        plans = plan_rows(order, lengths, TrainingSettings(batch_pairs=512, bucket=self._training.bucket))
        for _, batch in feed(self._store, plans, device):
            found = beam_search(network, batch, self._decoding, self._marks)
            assert batch.target is not None
            for wanted, hypotheses in zip(batch.target.tolist(), found, strict=True):
                ids = written_numbers(hypotheses[0], self._marks.end) if hypotheses else ()
                n_right += list(ids) == wanted[: len(ids)] and set(wanted[len(ids) :]) <= {self._store.pad}
        return n_right / max(n, 1)


def model_card(made: TrainedModel, settings: SystemSettings, begun: TrainingStart) -> str:
    """Return the card as Markdown."""
    model, metrics = settings.model, made.metrics
    dropped = "\n".join(f"- {count} left out: {reason}" for reason, count in sorted(made.dropped.items()))
    sizes = ", ".join(f"{split} {n}" for split, n in made.sizes.items())
    cost = f"{made.cost.seconds:,.0f} s on {made.cost.device}, {made.cost.tokens:,} tokens" if made.cost else "not known"
    return f"""# {model.system}

A model for program repair, trained by repairlab {VERSION}.

| | |
| --- | --- |
| system | {model.system} |
| representation | {model.representation} |
| network | {model.network.kind}, {made.n_parameters:,} parameters |
| pairs | {begun.pairs} (digest {begun.data}): {sizes} |
| training | {made.steps} steps, {made.epochs} epochs, seed {begun.seed} |
| cost | {cost} |
| validation | perplexity {metrics["perplexity"]:.3f}, exact match at beam 1 {100 * metrics["exact_match"]:.1f} % |

{dropped}

Use it:

```
repairlab run BENCHMARK --repairer neural --model FOLDER -n {min(model.decoding.beam, 100)}
repairlab predict FOLDER --pairs SET --split test --beam 10 --to predictions.jsonl
```

All settings are in `system.toml`, from which `repairlab train system.toml` makes the same model again.
"""
