"""Optimisers and schedules by the names of the settings."""

import math
from collections.abc import Iterable
from typing import Any

import torch

from repairlab.learning.training.settings import TrainingSettings


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
