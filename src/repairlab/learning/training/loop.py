"""The training loop: batches that lie ready, no wait for the device in a step, validation, checkpoints."""

import math
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import nn

from repairlab.core.errors import UserError
from repairlab.learning.networks.cuda_graphs import GraphedPass
from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.training.batches import BatchPlan, PairStore, feed, plan_epoch
from repairlab.learning.training.checkpoints import load_checkpoint, random_state, save_checkpoint, set_random_state
from repairlab.learning.training.cost import EnergyMeter, TrainingCost, device_facts
from repairlab.learning.training.distributed import ProcessGroup
from repairlab.learning.training.settings import TrainingSettings

_TELL_EVERY = 20
"""Steps between two readings of the loss, each of which waits for the device."""


@dataclass(frozen=True, slots=True)
class Look:
    """One measurement on the validation set."""

    step: int
    epoch: int
    loss: float
    """Of training, since the last measurement."""
    valid_loss: float
    perplexity: float
    exact_match: float | None
    learning_rate: float
    tokens_s: float
    is_best: bool


class TrainingListener(Protocol):
    """Receives the progress of a training."""

    def begun(self, n_steps: int, step: int) -> None:
        """Take how many steps there may be, and which were done earlier."""
        ...

    def stepped(self, step: int, loss: float | None, tokens_s: float) -> None:
        """Note a step; the loss only now and then."""
        ...

    def looked(self, look: Look) -> None:
        """Note a measurement on the validation set."""
        ...

    def notify(self, text: str) -> None:
        """Tell the user something."""
        ...


class ValidationMeter(Protocol):
    """Measures a network on the validation set."""

    def __call__(self, network: nn.Module) -> tuple[float, float | None]:
        """Return the mean loss per token, and, if wanted, the share of pairs written exactly."""
        ...


@dataclass(slots=True)
class _Progress:
    """The progress of a training."""

    epoch: int = 0
    batch: int = 0
    step: int = 0
    best: float | None = None
    bad_looks: int = 0
    is_over: bool = False
    n_batches: int = 0
    """Since the last measurement."""
    elapsed_s: float = 0.0
    """Up to the last checkpoint, as energy and tokens."""
    energy_j: float = 0.0
    n_tokens: int = 0
    looks: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class TrainingJob:
    """What is trained, on what, where."""

    network: nn.Module
    store: PairStore
    settings: TrainingSettings
    seed: int
    device: torch.device
    group: ProcessGroup
    folder: Path
    """For checkpoints."""
    identity: str
    """Digest of all that decides the weights."""
    alter: Callable[[TokenBatch], TokenBatch] = lambda batch: batch
    """How a batch is changed before it is learnt."""


class Trainer:
    """Trains one network to its end."""

    def __init__(self, job: TrainingJob, validate: ValidationMeter, listener: TrainingListener) -> None:
        """Prepare a training that has not begun."""
        self.job, self._validate, self._listener = job, validate, listener
        self._settings = job.settings
        self._weights = [item for item in job.network.parameters() if item.requires_grad]
        self._optimiser = make_optimiser(self._weights, job.settings, job.device)
        self._average = [item.detach().clone() for item in self._weights] if job.settings.average else []
        self._best: dict[str, torch.Tensor] = {}
        self._progress = _Progress()
        for item in self._weights:
            item.grad = torch.zeros_like(item)  # where gradients lie for good: graphs know their places
        is_gpu = job.device.type == "cuda"
        self._bf16 = job.settings.precision == "bf16" or (job.settings.precision == "auto" and is_gpu)
        self._losses = torch.compile(job.network.token_losses) if job.settings.compile else job.network.token_losses
        self._pass: Callable[[TokenBatch], torch.Tensor] = self._forward_backward
        if is_gpu and job.settings.graphs and not job.settings.compile:
            self._pass = GraphedPass(self._forward_backward, listener.notify)
        self._loss = torch.zeros((), device=job.device)
        self._clock = time.monotonic()
        self._saved = time.monotonic()
        self._n_tokens = 0
        self._most_steps = self._n_steps = 0
        self._begun = time.monotonic()
        self._meter = EnergyMeter(job.device)
        self._energy = self._meter.joules()

    def run(self, *, resume: bool) -> list[dict[str, Any]]:
        """Train until the limit of epochs, steps or patience; the network then has its best weights. Return all measurements."""
        job, settings = self.job, self._settings
        torch.manual_seed(job.seed + 7919 * job.group.rank)
        if resume:
            self._load()
        progress = self._progress
        job.network.train()
        self._most_steps = self._n_steps = self._all_steps()
        self._listener.begun(self._n_steps, progress.step)
        self._clock, self._n_tokens, self._begun = time.monotonic(), 0, time.monotonic() - progress.elapsed_s
        while not progress.is_over and progress.epoch < settings.epochs and progress.step < self._n_steps:
            self._epoch(self._plans(progress.epoch))
            if not settings.evaluate_every and not progress.is_over:
                self._look()
        if not progress.is_over and (progress.n_batches or not progress.looks):
            self._look()
        progress.is_over = True
        self._save(force=True)
        if self._best:
            job.network.load_state_dict(self._best)
        return progress.looks

    def cost(self) -> TrainingCost:
        """Return what the training has taken up to now."""
        self._take_stock()
        progress, group, (name, peak) = self._progress, self.job.group, device_facts(self.job.device)
        return TrainingCost(
            seconds=round(progress.elapsed_s, 3),
            device=name,
            n_devices=group.size,
            peak_memory_mb=peak,
            tokens=progress.n_tokens * group.size,
            energy_j=None if self._energy is None else round(progress.energy_j * group.size, 1),
        )

    def _take_stock(self) -> None:
        """Count time and energy up to now."""
        now = self._meter.joules()
        self._progress.elapsed_s = time.monotonic() - self._begun
        if now is not None and self._energy is not None:
            self._progress.energy_j += now - self._energy
            self._energy = now

    def _plans(self, epoch: int) -> list[BatchPlan]:
        group = self.job.group
        plans = plan_epoch(self.job.store.lengths, self._settings, self.job.seed, epoch)
        usable = len(plans) - len(plans) % group.size
        return plans[group.rank : usable : group.size] if usable else plans

    def _all_steps(self) -> int:
        settings = self._settings
        n = settings.epochs * math.ceil(len(self._plans(0)) / settings.accumulate)
        return min(n, settings.max_steps) if settings.max_steps else n

    def _keep_to_budget(self) -> None:
        """Set how many steps there are by the time a step has taken so far."""
        if self.job.device.type == "cuda":
            torch.cuda.synchronize(self.job.device)
        elapsed = time.monotonic() - self._begun
        fitting = torch.tensor([self._progress.step * self._settings.budget_s / elapsed], device=self.job.device)
        self.job.group.average([fitting])
        self._n_steps = max(self._progress.step, min(self._most_steps, int(fitting.item())))
        self._listener.begun(self._n_steps, self._progress.step)

    def _epoch(self, plans: list[BatchPlan]) -> None:
        """Do the rest of an epoch; checkpoints fall between steps, so that gradients are never part of one."""
        progress = self._progress
        first = progress.batch
        for number, (plan, batch) in enumerate(feed(self.job.store, plans[first:], self.job.device), start=first + 1):
            self._loss += self._guarded(self.job.alter(batch))
            self._n_tokens += plan.n_tokens
            progress.n_tokens += plan.n_tokens
            n_batches = number - progress.batch
            if n_batches < self._settings.accumulate and number < len(plans):
                continue
            progress.batch = number
            self._step(n_batches)
            if progress.is_over or progress.step >= self._n_steps:
                return
        progress.epoch, progress.batch = progress.epoch + 1, 0

    def _step(self, n_batches: int) -> None:
        settings, progress = self._settings, self._progress
        gradients = [item.grad for item in self._weights]
        if n_batches > 1:
            torch._foreach_mul_(gradients, 1 / n_batches)
        self.job.group.average(gradients)
        if settings.clip:
            nn.utils.clip_grad_norm_(self._weights, settings.clip)
        rate = rate_at(progress.step, self._n_steps, settings)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.step()
        torch._foreach_zero_(gradients)
        if self._average:
            torch._foreach_lerp_(self._average, [item.detach() for item in self._weights], 1 - settings.average)
        progress.step += 1
        progress.n_batches += n_batches
        tell = progress.step % _TELL_EVERY == 0
        self._listener.stepped(progress.step, self._mean_loss() if tell else None, self._rate())
        if settings.evaluate_every and progress.step % settings.evaluate_every == 0:
            self._look()
        if settings.budget_s and tell:
            self._keep_to_budget()
        self._save()

    def _guarded(self, batch: TokenBatch) -> torch.Tensor:
        try:
            return self._pass(batch)
        except torch.OutOfMemoryError:
            rows, source = batch.source.shape
            raise UserError(
                f"the memory of {self.job.device} does not hold a batch of {rows} pairs with {source} tokens; lower "
                f"training.batch_pairs (now {self._settings.batch_pairs}; training.accumulate makes up for it), "
                "max_source or max_target"
            ) from None

    def _forward_backward(self, batch: TokenBatch) -> torch.Tensor:
        """Add the gradients of a batch; return its loss."""
        assert batch.target is not None
        with torch.autocast(self.job.device.type, torch.bfloat16, enabled=self._bf16, cache_enabled=False):
            losses = self._losses(batch, self._settings.smoothing)
            counts = (batch.target != self.job.store.pad).sum(1)
            if self._settings.normalise == "sequences":
                loss = (losses.sum(1) / counts.clamp(min=1)).mean()
            else:
                loss = losses.sum() / counts.sum()
        loss.backward()
        return loss.detach()

    def _look(self) -> None:
        """Measure on the validation set, keep the weights if they are the best, and report."""
        progress, settings = self._progress, self._settings
        rate = self._rate()
        with self._averaged():
            self.job.network.eval()
            loss, exact = self._validate(self.job.network)
            self.job.network.train()
            both = torch.tensor([loss, exact or 0.0], device=self.job.device)
            self.job.group.average([both])  # so that all processes decide the same
            loss, found = both.tolist()
            exact = None if exact is None else found
            value = -exact if settings.stop_on == "exact-match" and exact is not None else loss
            is_best = math.isfinite(value) and (progress.best is None or value < progress.best)
            if is_best:
                progress.best = value
                self._best = {name: item.detach().clone() for name, item in self.job.network.state_dict().items()}
        progress.bad_looks = 0 if is_best else progress.bad_looks + 1
        if settings.patience and progress.bad_looks >= settings.patience:
            progress.is_over = True
        look = Look(
            step=progress.step,
            epoch=progress.epoch,
            loss=self._mean_loss(),
            valid_loss=loss,
            perplexity=math.exp(min(loss, 50.0)),
            exact_match=exact,
            learning_rate=rate_at(max(progress.step - 1, 0), self._n_steps, settings),
            tokens_s=rate,
            is_best=is_best,
        )
        progress.looks.append(asdict(look))
        self._loss.zero_()
        progress.n_batches = 0
        self._clock, self._n_tokens = time.monotonic(), 0
        self._listener.looked(look)

    @contextmanager
    def _averaged(self) -> Iterator[None]:
        """Use the averaged weights while the block runs; they stay in place in memory."""
        if not self._average:
            yield
            return
        own = [item.detach().clone() for item in self._weights]
        with torch.no_grad():
            torch._foreach_copy_(self._weights, self._average)
            yield
            torch._foreach_copy_(self._weights, own)

    def _mean_loss(self) -> float:
        return float(self._loss.item()) / max(1, self._progress.n_batches)

    def _rate(self) -> float:
        return self._n_tokens * self.job.group.size / max(time.monotonic() - self._clock, 1e-6)

    def _save(self, *, force: bool = False) -> None:
        if not self.job.group.is_first or not (force or time.monotonic() - self._saved >= self._settings.checkpoint_s):
            return
        self._take_stock()
        state = {
            "identity": self.job.identity,
            "progress": asdict(self._progress),
            "network": self.job.network.state_dict(),
            "optimiser": self._optimiser.state_dict(),
            "average": self._average,
            "best": self._best,
            "loss": self._loss,
            "random": random_state(self.job.device),
        }
        save_checkpoint(self.job.folder, state)
        self._saved = time.monotonic()

    def _load(self) -> None:
        state = load_checkpoint(self.job.folder, self.job.identity)
        if state is None:
            return
        self._progress = _Progress(**state["progress"])
        self.job.network.load_state_dict(state["network"])
        self._optimiser.load_state_dict(state["optimiser"])
        for kept, found in zip(self._average, state["average"], strict=True):
            kept.copy_(found)
        self._best = {name: item.to(self.job.device) for name, item in state["best"].items()}
        self._loss.copy_(state["loss"])
        set_random_state(state["random"], self.job.device)


def make_optimiser(parameters: Iterable[torch.nn.Parameter], settings: TrainingSettings, device: torch.device) -> Any:
    """Return the optimiser; on a GPU in the form that takes fewest kernels."""
    rate, kept = settings.learning_rate, list(parameters)
    fused = {"fused": True} if device.type == "cuda" else {}
    if settings.optimiser == "adamw":
        return torch.optim.AdamW(kept, rate, betas=(0.9, 0.98), weight_decay=settings.weight_decay, **fused)
    if settings.optimiser == "adam":
        return torch.optim.Adam(kept, rate, **fused)
    if settings.optimiser == "adagrad":
        return torch.optim.Adagrad(kept, rate, initial_accumulator_value=settings.accumulator)
    return torch.optim.SGD(kept, rate, momentum=settings.momentum, nesterov=settings.optimiser == "nag" and settings.momentum > 0)


def rate_at(step: int, n_steps: int, settings: TrainingSettings) -> float:
    """Return the learning rate of a step, counted from 0.

    >>> slow = TrainingSettings(learning_rate=1.0, warm_up=2)
    >>> [rate_at(step, 6, slow) for step in range(6)]
    [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
    """
    rate = settings.learning_rate
    if step < settings.warm_up:
        return rate * (step + 1) / settings.warm_up
    if settings.schedule == "linear":
        return rate * max(0.0, (n_steps - step) / max(1, n_steps - settings.warm_up))
    if settings.schedule == "inverse-sqrt":
        return rate * math.sqrt(max(1, settings.warm_up) / (step + 1))
    return rate
