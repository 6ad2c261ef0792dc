"""The cost limit and the prices of a run: stored with it, so that whoever resumes or reads it need not name them again."""

import dataclasses
from pathlib import Path

from repairlab.core.access import Access
from repairlab.core.storage.encoding import write_aside
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.repairers.llm.client.prices import Prices
from repairlab.runs.experiment import Experiment
from repairlab.runs.repairing import access_of
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine

PRICES = "prices.toml"
"""The user's own prices in a run folder."""


def with_budget(experiment: Experiment, store: Store, machine: Machine) -> Machine:
    """Return the machine with the limit and the prices of the run, where it names no others."""
    access = access_of(experiment, machine)
    if not isinstance(access, Access):
        return machine
    limit = access.cost_limit_usd
    if limit is None and store.manifest_path.exists():
        limit = store.manifest().cost_limit_usd
    kept = store.folder / PRICES
    prices = access.prices or (str(kept) if kept.exists() else None)
    return dataclasses.replace(machine, access=dataclasses.replace(access, cost_limit_usd=limit, prices=prices))


def limit_of(machine: Machine) -> float | None:
    """Return how much a run may cost."""
    return machine.access.cost_limit_usd if isinstance(machine.access, Access) else None


def store_prices(folder: Path, machine: Machine) -> None:
    """Copy the user's prices, which were read before, into the run folder."""
    own = machine.access.prices if isinstance(machine.access, Access) else None
    if own and Path(own) != folder / PRICES:
        write_aside(folder / PRICES, Path(own).read_text(encoding="utf-8"))


def prices_of(folder: Path) -> Prices:
    """Return the prices of a run."""
    own = folder / PRICES
    return Prices(own if own.exists() else None)


def higher_limit(folder: Path) -> float | None:
    """Return a limit with which a run that has reached its own can go on; none where it has not."""
    limit = Store(folder).manifest().cost_limit_usd
    if limit is None:
        return None
    spent = sum(request.cost_usd or 0.0 for request in read_requests(folder / FILE, prices_of(folder)))
    return (2 * spent or 1.0) if spent >= limit else None
