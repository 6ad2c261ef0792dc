"""What each kind of customer is allowed."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Plan:
    burst: int
    per_second: float


PLANS = {
    "free": Plan(burst=1, per_second=2),
    "team": Plan(burst=5, per_second=8),
}


def plan_named(name):
    try:
        return PLANS[name]
    except KeyError:
        raise ValueError(f"unknown plan {name!r}, expected one of {', '.join(sorted(PLANS))}") from None
