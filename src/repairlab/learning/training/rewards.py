"""RewardRepair's second stage: each fix weighs by the verdict on what the network writes itself.

Ye et al., "Neural Program Repair with Execution-based Backpropagation" (ICSE 2022, §3.3): the loss of a sample is multiplied by a
number that is the smaller the better the network's own candidate fares. Verdicts come from whoever is handed in, so that the same
function serves any benchmark and any cache.
"""

import dataclasses
import json
import shutil
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import UserError, unknown
from repairlab.core.outcome import Outcome
from repairlab.core.record import record, to_data
from repairlab.core.storage.folders import new_folder
from repairlab.learning.networks.folder import WEIGHTS
from repairlab.learning.networks.inputs import network_input
from repairlab.learning.networks.model import Model, context_numbers, load_model, weights_to_keep
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.networks.tokens import TokenBatch, padded
from repairlab.learning.representations.representation import Encoded, Sample, Unrepresentable
from repairlab.learning.representations.samples import edit_for, sample_of_problem
from repairlab.learning.representations.table import representation
from repairlab.learning.training.loop import TrainingListener
from repairlab.metrics import reward as metrics_reward

REWARDS = "rewards.json"
"""File in a model's folder with the results of each epoch."""
Judge = Callable[[Bug, Candidate], Outcome]
PUBLISHED: Mapping[str, float] = {
    "unchanged": 1.4,
    "uncompilable": 1.2,
    "compiling": 0.8,
    "triggers_pass": 0.6,
    "plausible": 0.4,
}
"""Factor of a sample's loss by the result of its candidate; `unchanged`: the buggy code, or nothing readable."""
_PUBLISHED_NAMES = {"unapplicable": "unchanged", "failing": "compiling"}
"""Levels that have another name there."""


@record
class RewardSettings:
    """How long and how fast the second stage learns."""

    epochs: int = 1
    learning_rate: float = 1e-5
    clip: float = 1.0
    seed: int = 1
    """Decides dropout."""
    table: Mapping[str, float] = dataclasses.field(default_factory=lambda: PUBLISHED)


@record
class RewardEpoch:
    """What came of one epoch."""

    epoch: int
    loss: float
    counts: dict[str, int]
    """Bugs by the result of their candidate: the names of the table."""

    @property
    def compile_rate(self) -> float:
        """Return the share of candidates that compile."""
        good = sum(self.counts.get(name, 0) for name in ("compiling", "triggers_pass", "plausible"))
        return good / max(1, sum(self.counts.values()))


@record
class RewardSample:
    """One bug that the network can be shown, and whose fix it could write."""

    bug: Bug
    sample: Sample
    encoded: Encoded
    target: tuple[str, ...]


def reward_model(
    first: Path,
    bugs: Sequence[Bug],
    folder: Path,
    judge: Judge,
    settings: RewardSettings,
    listener: TrainingListener,
    *,
    device: str,
) -> list[RewardEpoch]:
    """Train a model further by verdicts, into a new folder that appears whole or not at all."""
    model = load_model(first, device=device)
    torch.manual_seed(settings.seed)
    samples = reward_samples(bugs, model)
    listener.notify(f"{len(samples)} of {len(bugs)} bugs can be shown to the model and fixed by it")
    with new_folder(folder) as aside:
        shutil.copytree(first, aside, dirs_exist_ok=True)
        (aside / WEIGHTS).unlink()
        epochs = learn_from_rewards(model, samples, judge, settings, listener)
        told = {"settings": to_data(settings), "bugs": [item.bug.id for item in samples], "epochs": to_data(epochs)}
        (aside / REWARDS).write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        save_file(weights_to_keep(model.network, model.settings.network), aside / WEIGHTS)
    return epochs


def reward_table(given: Sequence[str]) -> dict[str, float]:
    """Return the published table with some numbers replaced, written as LEVEL=NUMBER.

    >>> reward_table(["plausible=1"])["plausible"]
    1.0
    """
    known = dict(PUBLISHED)
    for text in given:
        level, _, number = text.partition("=")
        if level not in known:
            raise unknown("level of a reward", level, known)
        try:
            known[level] = float(number)
        except ValueError:
            raise UserError(f"--reward {text!r}: {number!r} is no number; write it like {level}={known[level]}") from None
    return known


def level_of(candidate: Candidate | None, outcome: Outcome | None) -> str | None:
    """Return the result of a candidate in the table's words; None if nothing could be decided."""
    if candidate is None or outcome is None:
        return "unchanged"
    level = metrics_reward.level_of(outcome)
    return _PUBLISHED_NAMES.get(level, level) if level else None


def reward_samples(bugs: Sequence[Bug], model: Model) -> list[RewardSample]:
    """Return the bugs whose fix is one edit where the model would make it; UserError if there are none."""
    if model.settings.network.kind == "edits":
        raise UserError("a model that points to edits is not rewarded; choose one that writes code")
    made = representation(model.settings.representation, model.learnt)
    found = []
    for bug in bugs:
        try:
            sample = sample_of_problem(bug.problem, made.unit)
            fixed = _fixed_text(bug, sample)
            if fixed is None:
                continue
            encoded, target = made.target(sample, fixed)
        except Unrepresentable:
            continue
        found.append(RewardSample(bug=bug, sample=sample, encoded=encoded, target=target))
    if not found:
        raise UserError(f"none of the {len(bugs)} bugs can be shown to the model as {made.name}, so there is nothing to reward")
    return found


def learn_from_rewards(
    model: Model, bugs: Sequence[RewardSample], judge: Judge, settings: RewardSettings, listener: TrainingListener
) -> list[RewardEpoch]:
    """Train the model's network in place; the verdict on its own best candidate decides how much a bug's fix weighs."""
    weights = [item for item in model.network.parameters() if item.requires_grad]
    optimiser = torch.optim.Adam(weights, settings.learning_rate)
    made = representation(model.settings.representation, model.learnt)
    greedy = DecodingSettings(beam=1, max_length=model.settings.decoding.max_length)
    listener.begun(settings.epochs * len(bugs), 0)
    epochs = []
    for epoch in range(1, settings.epochs + 1):
        counts: Counter[str] = Counter()
        total = 0.0
        for number, item in enumerate(bugs, start=1):
            model.network.eval()
            read = network_input(item.encoded)
            (written,) = model.write([read], greedy)
            texts = made.recover(item.encoded, written[0].tokens) if written else ()
            candidate = _candidate(item, texts[0]) if texts else None
            level = level_of(candidate, judge(item.bug, candidate) if candidate else None)
            if level is None:
                continue  # our own machinery failed: that is no reason to learn anything
            counts[level] += 1
            model.network.train()
            loss = settings.table[level] * sample_loss(model, item)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(weights, settings.clip)
            optimiser.step()
            total += float(loss.detach())
            listener.stepped((epoch - 1) * len(bugs) + number, total / counts.total(), 0.0)
        epochs.append(RewardEpoch(epoch=epoch, loss=total / max(1, counts.total()), counts=dict(counts)))
        told = ", ".join(f"{name} {n}" for name, n in counts.items())
        listener.notify(f"epoch {epoch}: loss {epochs[-1].loss:.3f}, compile rate {100 * epochs[-1].compile_rate:.1f} %, {told}")
    model.network.eval()
    return epochs


def sample_loss(model: Model, item: RewardSample) -> torch.Tensor:
    """Return the mean loss of the tokens of a bug's fix."""
    numbers, settings = model.numbering, model.settings
    source = numbers.source.source(item.encoded.source, settings.max_source)
    read = network_input(item.encoded)
    context = context_numbers(read, settings, numbers, len(source.ids))
    target = numbers.target.target(item.target, source.extra)
    batch = TokenBatch(source=padded([source.ids]), target=padded([target]), context=padded([context]) if context else None).to(
        model.device
    )
    return model.network.token_losses(batch, 0.0).sum() / len(target)


def _candidate(item: RewardSample, text: str) -> Candidate | None:
    """Return the network's own text as a candidate; None if it changes nothing."""
    edit = edit_for(item.bug.problem, item.sample, text)
    if edit.span is not None and edit.text == edit.span.of(item.bug.problem.source):
        return None
    return item.bug.candidate((edit,), "neural")


def _fixed_text(bug: Bug, sample: Sample) -> str | None:
    """Return what the developer's fix makes of the sample's buggy text; None if it changes anything else."""
    fixed = _fixed_file(bug)
    if fixed is None:
        return None
    source = bug.problem.source
    if sample.method is None or sample.start is None or sample.method_start is None:
        return fixed
    start = sample.method_start + sample.start
    end = start + len(sample.buggy)
    tail = len(source) - end
    if source[:start] != fixed[:start] or source[end:] != fixed[len(fixed) - tail :] or len(fixed) < start + tail:
        return None
    return fixed[start : len(fixed) - tail]


def _fixed_file(bug: Bug) -> str | None:
    """Return the file to fix as the developer left it; None if the fix also changes others."""
    edits: tuple[Edit, ...] = bug.oracle.reference
    if any(edit.path != bug.problem.path or edit.text is None for edit in edits):
        return None
    text = bug.problem.source
    for edit in sorted(edits, key=lambda edit: edit.span.start if edit.span else 0, reverse=True):
        text = edit.text or "" if edit.span is None else text[: edit.span.start] + (edit.text or "") + text[edit.span.end :]
    return text
