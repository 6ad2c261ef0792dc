"""`repairlab run`."""

import dataclasses
import functools
import inspect
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.locate import measured
from repairlab.cli.options import Include, Json, Limit, MinStrength, Repair, numbers, on_machine, require_decided, warn_unchecked
from repairlab.cli.output import RunBar, count, print_json, progress_bar, say, write
from repairlab.cli.record_options import RecordOption, owner_of, repairer_options, values_for, with_options
from repairlab.core.amounts import dollars
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.core.record import to_data
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.repairers.plain import file_digest, is_reference, short_name
from repairlab.repairers.table import REPAIRERS, find_factory, make_settings
from repairlab.runs.experiment import Coverage, Experiment, at_hand, make_experiment, movable, read_experiment, require_drawn
from repairlab.runs.integrity import repair_run
from repairlab.runs.own_object import OwnCodeError
from repairlab.runs.plan import RunPlan, plan_run
from repairlab.runs.repairing import asks_model, factory_of, prices_of, repairer_names
from repairlab.runs.run import Doubt, doubts, finish_run, how_to_go_on, locked, start_run
from repairlab.runs.store import Disagreement, Store
from repairlab.validation.machine import COURSE, LOCAL, VERDICTS, Machine

SEEN = "What the repairer sees"
_RESUMES = "--resume goes on with the settings of the run; leave the other settings out"


@on_machine(
    "workers", "executor", "sandbox", "allow_unsafe", "isolation", "use_verdicts", "recheck", "keep_going", "accept_changes"
)
def run(
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of a benchmark.")] = None,
    repairer: Annotated[
        str | None,
        typer.Option(
            "--repairer", help="command, copy, llm, neural, reference, templates, one of another package, or FILE.py:NAME."
        ),
    ] = None,
    n: Annotated[int | None, typer.Option("-n", help="Candidates per bug. [default: 10]")] = None,
    k: Annotated[str | None, typer.Option("-k", help="The k of pass@k, such as 1,5,10.")] = None,
    include: Include = None,
    limit: Limit = None,
    config: Annotated[Path | None, typer.Option("--config", help="TOML file with settings; options override it.")] = None,
    experiment: Annotated[Path | None, typer.Option("--experiment", hidden=True)] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Run folder, resumed if it exists. [default: runs/BENCHMARK-REPAIRER]")
    ] = None,
    resume: Annotated[Path | None, typer.Option("--resume", help="Resume the run in this folder with its own settings.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show bugs, requests, tokens, cost and missing tools; run nothing.")
    ] = False,
    json: Json = False,
    localisation: Annotated[
        str | None,
        typer.Option(
            "--localisation",
            help="How the bug is located: line, hunk, function, file, none, or spectrum: computed from test runs. [default: line]",
            rich_help_panel=SEEN,
        ),
    ] = None,
    show_error: Annotated[
        bool | None,
        typer.Option("--show-error/--hide-error", help="Show the first failure message of the hidden tests.", rich_help_panel=SEEN),
    ] = None,
    show_tests: Annotated[
        bool | None,
        typer.Option(
            "--show-tests/--hide-tests",
            help="Show the code of a failing test; to the program of --command all tests.",
            rich_help_panel=SEEN,
        ),
    ] = None,
    feedback: Annotated[
        str | None,
        typer.Option(
            "--feedback",
            help="What a conversation learns about its candidates: none, verdict or message. [default: none]",
            rich_help_panel=SEEN,
        ),
    ] = None,
    perturb: Annotated[
        str | None,
        typer.Option(
            "--perturb",
            help="Change how bugs look but not what they do: rename, dead-code, reorder; comma-separated.",
            rich_help_panel=SEEN,
        ),
    ] = None,
    stop_when_fixed: Annotated[
        bool | None,
        typer.Option(
            "--stop-when-fixed/--all-candidates", help="Stop a bug at its first plausible candidate.", rich_help_panel=COURSE
        ),
    ] = None,
    skip_unfit: Annotated[
        bool | None, typer.Option("--skip-unfit", help="Skip bugs the repairer does not support.", rich_help_panel=COURSE)
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of repairers that sample.", rich_help_panel=COURSE)] = None,
    repair: Repair = False,
    policy: Annotated[
        str | None,
        typer.Option(
            "--policy",
            help="first-failure, or full: run every test, as TCA@k needs. [default: first-failure]",
            rich_help_panel=VERDICTS,
        ),
    ] = None,
    confirm: Annotated[
        int | None,
        typer.Option(
            "--confirm",
            help="Rerun each failing test N times in isolation before counting it. [default: 0]",
            rich_help_panel=VERDICTS,
        ),
    ] = None,
    min_strength: MinStrength = None,
    *,
    here: Machine,
    **own: Any,
) -> None:
    """Ask a repairer for fixes to every bug and validate them.

    For example: repairlab run starter --repairer templates
    """
    options = {
        "benchmark": benchmark,
        "repairer": repairer,
        "n": n,
        "k": None if k is None else numbers(k, "-k"),
        "policy": policy,
        "feedback": feedback,
        "confirm": confirm,
        "min_strength": min_strength,
        "stop_when_fixed": stop_when_fixed,
        "include": tuple(include) if include else None,
        "limit": limit,
        "skip_unfit": skip_unfit,
        "seed": seed,
    }
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    shown = {"localisation": localisation, "error": show_error, "tests": show_tests}
    seen = {key: value for key, value in shown.items() if value is not None}
    file = config or experiment
    if resume is not None:
        if file or to or seen or perturb or set(given) - {"k"}:
            raise UserError(_RESUMES)
        settings, access = _resumed(Store(resume).manifest().experiment, own)
        require_drawn(given.get("k", ()), settings.n)
        folder = resume
    else:
        settings, access = _experiment(file, given, seen, own)
        if perturb is not None:
            settings = _perturbed(settings, perturb, to.parent if to else Path("runs"), here)
        folder = to or Path("runs") / default_name(settings)
    here = dataclasses.replace(here, access=access)
    if dry_run:
        _show_plan(plan_run(settings, open_benchmark(settings.benchmark), folder, here), as_json=json)
        return
    if repair:
        repair_folder(folder)
    else:
        warn_unchecked([folder])
    run_to_end(settings, open_benchmark(settings.benchmark), folder, here)
    from repairlab.cli.score import show_scores  # noqa: PLC0415  # `validate` shows no scores, and numpy takes a while to load

    show_scores([folder], ks=None if k is None else numbers(k, "-k"), as_json=json)
    require_decided([folder])


def with_own_options(arguments: Sequence[str] = ()) -> Callable[..., None]:
    """Return the verb with the options of all repairers, and of one in a file that the arguments name."""
    named = [after if text == "--repairer" else text.partition("=")[2] for text, after in pairwise([*arguments, ""])]
    given = [name for name, text in zip(named, arguments, strict=True) if text.split("=")[0] == "--repairer"]
    return with_options(run, _own_options(next(filter(is_reference, given), None)))


@functools.cache
def _own_options(reference: str | None = None) -> tuple[RecordOption, ...]:
    return repairer_options(_flags_of(run), reference=reference)


def _flags_of(verb: Callable[..., None]) -> set[str]:
    """Return the options that a verb has itself."""
    notes = [note for item in inspect.signature(verb).parameters.values() for note in getattr(item.annotation, "__metadata__", ())]
    return {name for note in notes for text in (note.default, *(note.param_decls or ())) for name in str(text).split("/")}


def _experiment(
    file: Path | None, given: dict[str, Any], seen: dict[str, Any], own: Mapping[str, Any]
) -> tuple[Experiment, object | None]:
    """Return the settings of the file, overridden by those of the command line, and the repairer's local ones."""
    settings = {**(read_experiment(file) if file else {}), **given}
    if seen:
        settings["visibility"] = {**settings.get("visibility", {}), **seen}
    if "repairer" not in settings and (implied := owner_of(_own_options(), own)):
        settings["repairer"] = implied
    for key, example in (("benchmark", "repairlab run starter --repairer templates"), ("repairer", "--repairer templates")):
        if key not in settings:
            raise UserError(f"no {key} is named. For example: {example}")
    name = settings["repairer"]
    if name not in repairer_names() and not is_reference(name):
        raise unknown("repairer", name, repairer_names())
    values = values_for(name, _own_options(name if is_reference(name) else None), own)
    settings = {key: value for key, value in settings.items() if key == name or key not in REPAIRERS}
    settings["settings"] = {**settings.get("settings", {}), **settings.pop(name, {}), **values.settings}
    access = {**settings.pop("access", {}), **values.access}
    return make_experiment(settings), _access(name, access)


def _perturbed(settings: Experiment, changes: str, parent: Path, here: Machine) -> Experiment:
    """Return the settings for the perturbed benchmark, which is made beside the run; say which bugs it lacks."""
    from repairlab.building.perturbing import perturb, perturbed_name  # noqa: PLC0415  # with all that builds benchmarks

    names = [part.strip() for part in changes.split(",")]
    benchmark = open_benchmark(settings.benchmark)
    bugs = benchmark.select(settings.include, limit=settings.limit)
    folder = parent / perturbed_name(benchmark, names, [bug.id for bug in bugs])
    with progress_bar() as progress:
        task = progress.add_task("perturbed bugs checked", total=len(bugs))
        made = perturb(benchmark, bugs, names, folder, here, done=lambda: progress.advance(task))
    for bug_id, reason in made.left_out.items():
        say(f"{bug_id} is left out: {reason}")
    parts = ", ".join(f"{name} in {sum(name in got for got in made.made.values())}" for name in made.changes)
    say(f"{count(len(made.made), 'perturbed bug')} in {folder}: {parts}")
    return dataclasses.replace(settings, benchmark=str(folder), include=(), limit=None)


def _access(repairer: str, given: Mapping[str, Any]) -> object | None:
    """Return the local settings of a repairer; none for one that is not in the table."""
    found = find_factory(repairer)
    return make_settings(found.access, given, repairer) if found else None


def _resumed(experiment: Experiment, own: Mapping[str, Any]) -> tuple[Experiment, object | None]:
    """Return the settings of a run that goes on, in which only places may be others now, and the repairer's local settings."""
    if is_reference(experiment.repairer):
        experiment = dataclasses.replace(at_hand(experiment), repairer_digest=file_digest(experiment.repairer))
    values = values_for(experiment.repairer, _own_options(), own)
    if set(values.settings) - movable(experiment):
        raise UserError(_RESUMES)
    if values.settings:
        experiment = dataclasses.replace(experiment, settings=dataclasses.replace(experiment.settings, **values.settings))
    return experiment, _access(experiment.repairer, values.access)


def default_name(settings: Experiment) -> str:
    """Return the name of the folder for a run: benchmark, repairer, and for a model its name and how it is asked."""
    made = factory_of(settings)
    label = made.label(settings.settings) if made else ()
    return "-".join(
        [Path(settings.benchmark).name, short_name(settings.repairer), *(re.sub(r"[^A-Za-z0-9._-]+", "-", part) for part in label)]
    )


def run_to_end(
    settings: Experiment,
    benchmark: Benchmark,
    folder: Path,
    here: Machine,
    given: dict[str, list[Candidate]] | None = None,
    coverage: Coverage | None = None,
) -> None:
    """Start or resume a run and bring it to its end, with a progress bar; an interruption says how to go on."""
    if settings.visibility.localisation == "spectrum":
        measured(benchmark.select(settings.include, limit=settings.limit), here)  # with a progress bar; later it is only read
    manifest = start_run(settings, benchmark, folder, here, coverage=coverage)
    disagreements: list[Disagreement] = []
    try:
        with progress_bar() as progress:
            bar = RunBar(progress, len(manifest.bug_ids), asks_model=asks_model(settings))
            finish_run(
                benchmark,
                folder,
                here,
                lambda step: disagreements.append(step) if isinstance(step, Disagreement) else bar(step),
                given=given,
            )
    except (Interrupted, KeyboardInterrupt):
        say(f"Stopped; everything so far is in {folder}. {_go_on(folder, given)}")
        raise typer.Exit(130) from None
    except (HarnessError, OwnCodeError) as error:
        end = "" if str(error).endswith(("?", "!", ".")) else "."
        kind = HarnessError if isinstance(error, HarnessError) else UserError
        raise kind(f"{error}{end} {_go_on(folder, given)}") from error
    finally:
        for item in disagreements:
            say(_warning(item))
    for doubt in doubts(benchmark, Store(folder), here) if here.executor == LOCAL else ():
        say(_doubted(doubt, settings.benchmark))
    say(bar.timing)
    if asks_model(settings):
        say(_spent(folder))
    say(f"Run stored in {folder}")


def _show_plan(plan: RunPlan, *, as_json: bool) -> None:
    """Show what a run would do; a HarnessError when a tool is missing."""
    if as_json:
        print_json(to_data(plan))
    else:
        for name, text in _plan_rows(plan):
            write(f"{name:<11} {text}")
    if plan.missing:
        raise HarnessError(f"the run cannot start here: {'; '.join(plan.missing)}")


def _plan_rows(plan: RunPlan) -> Iterator[tuple[str, str]]:
    done = plan.n_bugs - plan.n_left
    yield "bugs", f"{plan.n_left} of {plan.benchmark}" + (f", {done} done already" if done else "")
    yield "candidates", f"up to {plan.n_left * plan.n_candidates:,}: {plan.n_candidates} per bug"
    if plan.model is None:
        yield "requests", "none: no model is asked"
    elif plan.requests is None:
        yield "requests", f"unknown: the program decides what to ask {plan.model}; limit it with --turn-limit or --call-cost"
    else:
        yield "requests", f"up to {plan.requests:,} to {plan.model}"
        yield "tokens", f"about {plan.tokens_in:,} in, up to {plan.tokens_out:,} out"
    if plan.model is not None:
        unknown_cost = (
            "unknown" if plan.requests is None else f"unknown: there is no price for {plan.model}; add it with --prices FILE"
        )
        limit = "" if plan.cost_limit_usd is None else f"; the limit is ${dollars(plan.cost_limit_usd)}"
        yield "cost", (unknown_cost if plan.cost_usd is None else f"up to ${dollars(plan.cost_usd)}") + limit
    yield "tools", "; ".join(plan.missing) or "nothing is missing"


def repair_folder(folder: Path) -> None:
    """Repair a run folder and say what was done."""
    store = Store(folder)
    store.manifest()
    with locked(folder):
        said = repair_run(store)
    for text in said or [f"nothing is damaged in {folder}"]:
        say(text)


def _go_on(folder: Path, given: dict[str, list[Candidate]] | None) -> str:
    return f"Go on with: {how_to_go_on(folder, is_given=given is not None)}"


def _spent(folder: Path) -> str:
    """Say what the model of a run was asked and what that cost, over all starts of the run."""
    n_asked = n_kept = tokens_in = tokens_out = 0
    cost = 0.0
    unpriced: list[str] = []
    for request in read_requests(folder / FILE, prices_of(folder)):
        n_asked, n_kept = n_asked + (not request.from_cache), n_kept + request.from_cache
        if not request.from_cache:
            tokens_in, tokens_out, cost = (
                tokens_in + request.tokens_in,
                tokens_out + request.tokens_out,
                cost + (request.cost_usd or 0),
            )
            unpriced += [request.model] if request.cost_usd is None else []
    kept = f", {n_kept} answered from kept answers" if n_kept else ""
    paid = f"${dollars(cost)} paid"
    if unpriced:
        known = "" if len(unpriced) == n_asked else f"{paid}, and "
        give = f"repairlab run --resume {shlex.quote(str(folder))} --prices FILE"
        paid = f"{known}unknown cost for {count(len(unpriced), 'request')} to {unpriced[0]}; give its price with: {give}"
    return f"{count(n_asked, 'request')}{kept}; {tokens_in} tokens in, {tokens_out} out; {paid}"


def _doubted(doubt: Doubt, benchmark: str) -> str:
    others = f" So it may be with {count(doubt.n_others, 'other bug')} of its kind." if doubt.n_others else ""
    return (
        f"WARNING: bug {doubt.bug_id}: no candidate came to its tests, and the reference fix is {doubt.verdict} here, too "
        f"({doubt.message}). Its verdicts may be this machine's fault.{others} "
        f"Look closer with: repairlab check {benchmark} -i {doubt.bug_id}"
    )


def _warning(item: Disagreement) -> str:
    return (
        f"WARNING: bug {item.bug_id}, candidate {item.candidate_id}: an earlier run found {item.cached}, this one {item.now}. "
        "The earlier verdict is forgotten. The usual cause is a flaky test; find it with: repairlab check BENCHMARK --repeat 5"
    )
