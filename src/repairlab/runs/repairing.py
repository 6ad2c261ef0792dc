"""The repairer of a run, ready to propose: whether it can, what it may cost, and the fixed bugs shown to it."""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.benchmarks.folder import find_target
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.core.problem import Problem
from repairlab.core.storage.encoding import write_aside
from repairlab.repairers.baselines import Prepared
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.repairers.llm.client.providers import Prices
from repairlab.repairers.plain import file_digest, short_name
from repairlab.repairers.repairer import Example, ExampleSource, RepairContext, Repairer, RepairerFactory
from repairlab.repairers.table import factory, find_factory, make_settings, names
from repairlab.runs.experiment import Experiment
from repairlab.runs.messages import Task
from repairlab.runs.own_object import AnyForm, OwnRepairer, own_code
from repairlab.runs.store import Store, append_line
from repairlab.runs.transcripts import TranscriptWriter
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.machine import Machine

REFERENCE = "reference"
"""The developer's own fix: not in the table of repairers, since these never see it."""


def repairer_names() -> tuple[str, ...]:
    """Return the names of all repairers: those of the table, and the one that only a run can be."""
    return (*names(), REFERENCE)


def factory_of(experiment: Experiment) -> RepairerFactory | None:
    """Return how the repairer of a run is opened; None for existing candidates."""
    return find_factory(experiment.repairer)


def draws_ahead(experiment: Experiment) -> bool:
    """Return whether candidates of all bugs can be drawn while others are judged, since models make one wait."""
    made = factory_of(experiment)
    return made is not None and made.concurrency is not None and experiment.rounds == 1 and not experiment.stop_when_fixed


def n_at_once(experiment: Experiment, machine: Machine) -> int:
    """Return for how many bugs candidates are drawn at the same time, if they are drawn ahead."""
    made = factory_of(experiment)
    return made.concurrency(_access(made, machine)) if made and made.concurrency else 1


def waits_in_workers(experiment: Experiment) -> bool:
    """Return whether workers themselves may have to wait for minutes."""
    made = factory_of(experiment)
    return made is not None and made.waits and not draws_ahead(experiment)


def asks_model(experiment: Experiment) -> bool:
    """Return whether a language model is asked, so that the run has a ledger of requests."""
    made = factory_of(experiment)
    return made is not None and made.asks_model(_settings(made, experiment))


def _open_workspaces(task: Task, sandbox: Sandbox, settings: Any, access: Any) -> AbstractContextManager[Any]:
    from repairlab.runs.commanding import open_workspaces  # noqa: PLC0415  # with an HTTP client, which most runs do without

    return open_workspaces(task, sandbox, settings, access)


@contextmanager
def open_repairer(
    task: Task, notify: Callable[[str], None], sandbox: Sandbox | None = None, earlier: Sequence[Candidate] = ()
) -> Iterator[Repairer]:
    """Give the repairer, which serves all bugs of the run; it reports messages for the user.

    One that starts programs needs a sandbox, and the stored candidates, best first.
    """
    experiment = task.experiment
    if task.given is not None:
        yield Prepared(experiment.repairer, {task.bug.id: task.given})
    elif experiment.repairer == REFERENCE:
        yield Prepared(experiment.repairer, {task.bug.id: [task.bug.fix]})
    else:
        if experiment.repairer_digest and experiment.repairer_digest != file_digest(experiment.repairer):
            raise UserError(f"the file of the repairer {experiment.repairer} changed while the run was going on; start it again")
        made = task.own.factory() if task.own else factory(experiment.repairer)
        context = dataclasses.replace(
            repair_context(made, task, notify),
            earlier=tuple(earlier) if made.works_on_tree else (),
            workspaces=functools.partial(_open_workspaces, task, sandbox) if sandbox else None,
        )
        name = short_name(experiment.repairer)
        with ExitStack() as stack:
            with own_code(name, "while it was opened") if made.any_form else nullcontext():
                opened = stack.enter_context(made.open(context))
            yield AnyForm(opened, name, lambda bug_id: task.bug) if made.any_form else opened  # noqa: ARG005


def repair_context(made: RepairerFactory, task: Task, notify: Callable[[str], None]) -> RepairContext:
    """Return what a repairer is opened with, whatever the bug."""
    experiment, store = task.experiment, Store(task.folder)
    return RepairContext(
        settings=_settings(made, experiment),
        access=_access(made, task.machine),
        n=experiment.n,
        seed=experiment.seed,
        one_by_one=experiment.stop_when_fixed,
        examples=task.examples,
        folder=task.folder,
        cache=task.machine.cache,
        append=functools.partial(append_line, run_id=store.run_id),
        notify=notify,
        keep=TranscriptWriter(store).keep,
    )


def check_repairer(experiment: Experiment, machine: Machine) -> None:
    """Raise UserError when the repairer of a run could propose nothing, for example without a key."""
    made = factory_of(experiment)
    if made is not None:
        made.check(_settings(made, experiment), _access(made, machine), machine.cache)


def works_on_tree(experiment: Experiment) -> bool:
    """Return whether the repairer is a program that works on a copy of the buggy tree."""
    made = factory_of(experiment)
    return made is not None and made.works_on_tree


def check_program(experiment: Experiment, bugs: Sequence[Bug], folder: Path, machine: Machine) -> None:
    """Raise UserError when the program that repairs trees cannot be started in the sandbox."""
    from repairlab.runs.commanding import check_command, checked_mounts, hidden_folders  # noqa: PLC0415  # as above

    settings = _settings(factory(experiment.repairer), experiment).resolved()
    mounts = checked_mounts(settings, hidden_folders(bugs[0], folder, machine.cache))
    check_command(settings, mounts, bugs, machine.open_sandbox())


def reason_unfit(experiment: Experiment, own: OwnRepairer | None = None) -> Callable[[Problem], str | None] | None:
    """Return a function that says, without asking a model, why the repairer cannot work on a problem; None if it works on all."""
    made = own.factory if own else factory_of(experiment)
    if made and experiment.visibility.localisation == "none" and not made.finds_place:
        return lambda problem: (
            f"the place of {problem.id} is not shown, and {made.name} does not look for it: choose another --localisation"
        )
    return made.unfit(_settings(made, experiment), experiment.seed) if made and made.unfit else None


def _settings(made: RepairerFactory, experiment: Experiment) -> Any:
    own = experiment.settings
    if own is None or isinstance(own, dict):  # of a class in a file, as it is stored
        return make_settings(made.settings, own, made.name) if own else made.settings()
    return own


def access_of(experiment: Experiment, machine: Machine) -> Any:
    """Return the local settings of the repairer of a run; none for candidates that are there already."""
    made = factory_of(experiment)
    return _access(made, machine) if made else None


def _access(made: RepairerFactory, machine: Machine) -> Any:
    return made.access() if machine.access is None else machine.access


PRICES = "prices.toml"
"""The user's own prices in a run folder."""


def with_budget(experiment: Experiment, store: Store, machine: Machine) -> Machine:
    """Return the machine with the limit and the prices of the run, unless it names others."""
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
    """Copy the user's prices, already read, into the run folder."""
    own = machine.access.prices if isinstance(machine.access, Access) else None
    if own and Path(own) != folder / PRICES:
        write_aside(folder / PRICES, Path(own).read_text(encoding="utf-8"))


def prices_of(folder: Path) -> Prices:
    """Return the prices of a run."""
    own = folder / PRICES
    return Prices(own if own.exists() else None)


def higher_limit(folder: Path) -> float | None:
    """Return a limit that lets a run that has reached its own continue; None if it has not."""
    limit = Store(folder).manifest().cost_limit_usd
    if limit is None:
        return None
    spent = sum(request.cost_usd or 0.0 for request in read_requests(folder / FILE, prices_of(folder)))
    return (2 * spent or 1.0) if spent >= limit else None


def wanted_examples(experiment: Experiment) -> ExampleSource | None:
    """Return which fixed bugs the repairer wants to see."""
    made = factory_of(experiment)
    return made.examples(experiment.settings) if made and experiment.settings is not None else None


def read_examples(wanted: ExampleSource | None, benchmark: Benchmark) -> tuple[Example, ...]:
    """Return all bugs that may be shown as examples; the strategy leaves out the bug to repair."""
    if wanted is None:
        return ()
    source = benchmark if wanted.benchmark is None else open_benchmark(wanted.benchmark)
    bugs = [bug for bug in source if wanted.split is None or bug.labels.split == wanted.split]
    if not bugs:
        splits = sorted({bug.labels.split for bug in source if bug.labels.split})
        raise UserError(
            f"no bug of {source.name} has the split {wanted.split!r}, so that there are no examples. "
            f"Splits: {', '.join(splits) or 'none'}. Leave --split out to use all other bugs"
        )
    return tuple(_examples(bugs))


def _examples(bugs: Sequence[Bug]) -> Iterator[Example]:
    for bug in bugs:
        fixed = _fixed(bug)
        if fixed is not None:
            problem = bug.problem
            yield Example(
                id=bug.id,
                language=problem.language,
                title=problem.title,
                description=problem.description,
                buggy=problem.target.text,
                fixed=fixed,
            )


def _fixed(bug: Bug) -> str | None:
    """Return the target after the developer's fix; None if the fix lies elsewhere or removes the target."""
    problem = bug.problem
    edits = [edit for edit in bug.oracle.reference if edit.path == problem.path]
    source = apply_edits(edits, {problem.path: problem.source}).get(problem.path)
    if source is None:
        return None
    try:
        target, _ = find_target(problem.language, source, problem.target.name)
    except UserError:
        return None
    return target.text if target.text != problem.target.text else None
