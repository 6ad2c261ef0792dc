"""What a run would do, before it starts: bugs, requests, tokens, cost and missing tools."""

from pathlib import Path

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.model import Access
from repairlab.core.record import record
from repairlab.repairers.llm.client.providers import Prices, cost_of
from repairlab.runs.experiment import Experiment
from repairlab.runs.first_starts import has_only_failures
from repairlab.runs.repairing import (
    asks_model,
    check_repairer,
    factory_of,
    limit_of,
    read_examples,
    wanted_examples,
    with_budget,
)
from repairlab.runs.run import askable, bugs_left, changes_of
from repairlab.runs.spectrum import spectra_of
from repairlab.runs.store import Store
from repairlab.runs.suspects import seen_problem
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import check_needs


@record
class RunPlan:
    """What a run would do; requests, tokens and dollars are upper bounds, apart from retries."""

    benchmark: str
    n_bugs: int
    n_left: int
    """Bugs that are not finished."""
    n_candidates: int
    """Per bug."""
    model: str | None
    """None when no model is asked."""
    requests: int | None = None
    """None if it cannot be known in advance."""
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost_usd: float | None = None
    cost_limit_usd: float | None = None
    missing: tuple[str, ...] = ()
    """Tools that do not work here, with the reasons."""


def plan_run(experiment: Experiment, benchmark: Benchmark, folder: Path, machine: Machine) -> RunPlan:
    """Return what a run, or the rest of the one in the folder, would do; raises the UserError that the run would raise."""
    store = Store(folder)
    machine = with_budget(experiment, store, machine)
    check_repairer(experiment, machine)
    chosen = benchmark.select(experiment.include, limit=experiment.limit)
    spectra = spectra_of(chosen, machine, only_kept=True) if experiment.visibility.is_computed else None
    bugs = askable(experiment, chosen, spectra=spectra)
    left = bugs
    if store.manifest_path.exists():
        old = store.manifest()
        changed = changes_of(old, experiment, benchmark, folder, accept_file=machine.accept_changes)
        if changed and not has_only_failures(store, factory_of(old.experiment)):
            raise UserError(changed)
        ids = set(bugs_left(store))
        left = [bug for bug in bugs if bug.id in ids]
    made = factory_of(experiment)
    model = getattr(experiment.settings, "model", None) if asks_model(experiment) else None
    known: dict[str, int | float | None] = {}
    if made and made.estimate and experiment.settings is not None:
        of_problem = made.estimate(experiment.settings, experiment.n, read_examples(wanted_examples(experiment), benchmark))
        asked = [of_problem(seen_problem(bug, experiment.visibility, (spectra or {}).get(bug.id))) for bug in left]
        tokens_in, tokens_out = sum(item.tokens_in for item in asked), sum(item.tokens_out for item in asked)
        access = machine.access
        prices = Prices(Path(access.prices) if isinstance(access, Access) and access.prices else None)
        known = {
            "requests": sum(item.requests for item in asked),
            "tokens_in": tokens_in,
            "tokens_out": tokens_out,
            "cost_usd": cost_of(prices.of(model) if model else None, tokens_in, tokens_out),
        }
    missing = []
    for need in sorted({bug.tool_need for bug in left}, key=str):
        try:
            check_needs([need], machine)
        except HarnessError as error:
            missing.append(str(error))
    return RunPlan(
        benchmark=f"{benchmark.name} {benchmark.version}",
        n_bugs=len(bugs),
        n_left=len(left),
        n_candidates=experiment.n,
        model=model,
        cost_limit_usd=limit_of(machine),
        missing=tuple(dict.fromkeys(missing)),
        **known,  # type: ignore[arg-type]  # by name
    )
