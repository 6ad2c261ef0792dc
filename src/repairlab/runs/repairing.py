"""The repairer that a task asks for, ready to propose. Called by `execute`, `schedule` and `run`."""

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import UserError
from repairlab.core.problem import shown
from repairlab.repairers.baselines import Prepared
from repairlab.repairers.llm.model import ChatModel, Prompt
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.repairers.repairer import Repairer
from repairlab.repairers.table import names, repairer
from repairlab.runs.experiment import Experiment
from repairlab.runs.pool import Machine
from repairlab.runs.shots import read_examples
from repairlab.runs.store import Store, append_line
from repairlab.runs.task import Task
from repairlab.runs.transcripts import RecordedModel
from repairlab.sandbox.sandbox import Sandbox


def repairer_names() -> tuple[str, ...]:
    """Return the names of all repairers: those of the table, and those that need something of a run."""
    return (*names(), "command", "llm", "reference")


def draws_ahead(experiment: Experiment) -> bool:
    """Return whether the candidates of all bugs can be drawn at the same time, while others are judged: models keep one waiting."""
    return experiment.repairer == "llm" and experiment.rounds == 1 and not experiment.stop_when_fixed


@contextmanager
def open_repairer(task: Task, tell: Callable[[str], None], sandbox: Sandbox | None = None) -> Iterator[Repairer]:
    """Give the repairer; one that needs a model serves all bugs of the run, and tells what the user should know.

    Programs of others need a sandbox.
    """
    experiment = task.experiment
    if task.given is not None:
        yield Prepared(experiment.repairer, {task.bug.id: task.given})
    elif experiment.repairer == "reference":
        fix = Candidate(bug_id=task.bug.id, edits=task.bug.oracle.reference, rank=1, origin=Origin(repairer=experiment.repairer))
        yield Prepared(experiment.repairer, {task.bug.id: [fix]})
    elif experiment.command is not None:
        from repairlab.runs.commanding import open_command  # noqa: PLC0415  # as below

        with open_command(task, experiment.command, sandbox or task.machine.open_sandbox()) as made:
            yield made
    elif experiment.llm is not None:
        with _open_llm(task, experiment.llm, tell) as made:
            yield made
    else:
        yield repairer(experiment.repairer)


@contextmanager
def _open_llm(task: Task, settings: LlmSettings, tell: Callable[[str], None]) -> Iterator[Repairer]:
    # Imported only now: most runs need no model, and clients take a while to load.
    from repairlab.repairers.llm.ledger import FILE, Ledger  # noqa: PLC0415
    from repairlab.repairers.llm.open import open_embedder, open_model  # noqa: PLC0415
    from repairlab.repairers.llm.repairer import AT_ONCE, Llm  # noqa: PLC0415

    access, cache = task.machine.access, task.machine.cache
    run_id = Store(task.folder).run_id
    append = functools.partial(append_line, run_id=run_id)
    ledger = Ledger(task.folder / FILE, limit_usd=access.cost_limit_usd, append=append)
    with ExitStack() as stack:
        model: ChatModel = stack.enter_context(open_model(settings, access, cache=cache, ledger=ledger, tell=tell))
        if access.transcripts:
            model = RecordedModel(model, Store(task.folder))
        embedder = None
        if settings.embedding_model is not None and task.examples:
            opened = open_embedder(
                settings.embedding_model, access, cache=cache, base_url=settings.base_url, ledger=ledger, tell=tell
            )
            embedder = stack.enter_context(opened)
        experiment = task.experiment
        yield Llm(
            settings,
            model,
            n=experiment.n,
            seed=experiment.seed,
            examples=task.examples,
            embedder=embedder,
            at_once=1 if experiment.stop_when_fixed else AT_ONCE,
        )


def check_model(experiment: Experiment, machine: Machine) -> None:
    """Raise UserError when the model of a run cannot work: unknown provider, no key, no price under a cost limit."""
    if experiment.command is not None:
        from repairlab.runs.commanding import open_upstream  # noqa: PLC0415

        open_upstream(experiment.command, machine.access)
    if experiment.llm is not None:
        from repairlab.repairers.llm.open import open_model  # noqa: PLC0415

        open_model(experiment.llm, machine.access, cache=machine.cache).close()


def prompts_of(experiment: Experiment, benchmark: Benchmark, bug: Bug) -> tuple[Prompt, ...]:
    """Return what a model would be asked about a bug, later turns as if it had answered with three dots."""
    from repairlab.repairers.llm.repairer import Llm  # noqa: PLC0415
    from repairlab.repairers.llm.scripted import ScriptedModel  # noqa: PLC0415

    assert experiment.llm is not None
    model = ScriptedModel(lambda prompt, number: "…")  # noqa: ARG005
    llm = Llm(experiment.llm, model, n=1, seed=experiment.seed, examples=read_examples(experiment, benchmark))
    problem = shown(bug.problem, experiment.visibility)
    if reason := llm.needs(problem):
        raise UserError(f"the strategy {experiment.llm.strategy} cannot ask about it: {reason}")
    for _ in llm.propose(problem, ()):
        pass
    return tuple(model.asked[-1:])


def unfit(experiment: Experiment, bugs: Sequence[Bug]) -> dict[str, str]:
    """Return the bugs that the strategy of a model cannot ask about, each with the reason; nobody is asked anything."""
    if experiment.llm is None:
        return {}
    from repairlab.repairers.llm.repairer import Llm  # noqa: PLC0415
    from repairlab.repairers.llm.scripted import ScriptedModel  # noqa: PLC0415

    llm = Llm(experiment.llm, ScriptedModel(()), n=experiment.n, seed=experiment.seed)
    reasons = {bug.id: llm.needs(shown(bug.problem, experiment.visibility)) for bug in bugs}
    return {bug_id: reason for bug_id, reason in reasons.items() if reason is not None}
