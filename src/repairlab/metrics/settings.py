"""What metrics must know of a run beside its samples, and the signature made of it. Built by the caller from run.json."""

from collections.abc import Collection, Sequence
from typing import Literal

from repairlab.core.outcome import Policy
from repairlab.core.record import digest, record
from repairlab.core.samples import Samples

Duplicates = Literal["counted", "merged"]


@record
class ScoreSettings:
    """The settings of a run that decide what a score means."""

    n: int
    """Candidates per bug that were asked for."""
    benchmark: str
    """Name, version and digest, e.g. `starter@1.0.0#1a2b3c`."""
    policy: Policy
    conditions: tuple[tuple[str, str], ...]
    """What the repairer was shown and told: (name, value), e.g. localisation, line."""
    rounds: int
    """More than 1: a conversation, whose candidates depend on each other."""
    duplicates: Duplicates
    """`merged`: the samples hold each distinct candidate of a bug once."""
    repairlab: str
    """Version of repairlab that made the verdicts."""


def signature(
    metric: str, k: int | None, samples: Sequence[Samples], settings: ScoreSettings, *, leave_out: Collection[str] = ()
) -> str:
    """Return all that must be equal for two values to be comparable, as `metric|name:value|…`, without the names to leave out."""
    parts = {
        "n": settings.n,
        "bugs": f"{len(samples)}#{digest(sorted(item.bug_id for item in samples))[:8]}",
        "benchmark": settings.benchmark,
        "policy": settings.policy,
        **dict(settings.conditions),
        "duplicates": settings.duplicates,
        "undecided": "left-out",
        "repairlab": settings.repairlab,
    }
    head = metric if k is None else metric.replace("@k", f"@{k}")
    return "|".join((head, *(f"{name}:{value}" for name, value in parts.items() if name not in leave_out)))
