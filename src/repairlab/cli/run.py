"""`repairlab run`."""

import dataclasses
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.cli.command_options import (
    AllowAddress,
    CallCost,
    CallCpu,
    CallMemory,
    CallRequests,
    Calls,
    CallTimeout,
    CallTokens,
    CandidatesFrom,
    CommandLine,
    Env,
    MountPath,
    Preset,
    Program,
    command_settings,
)
from repairlab.cli.llm_options import (
    Attempts,
    BaseUrl,
    CommentsName,
    Concurrency,
    ContextWindow,
    CostLimit,
    EmbeddingModel,
    Examples,
    Greedy,
    Logprobs,
    MaxTokens,
    Model,
    NoAnswerCache,
    NoTranscripts,
    Offline,
    Prices,
    PromptFile,
    RateLimit,
    RequestTimeout,
    Retries,
    SelectionName,
    Shots,
    Split,
    Stop,
    StrategyName,
    Temperature,
    TopP,
    Turns,
    access_settings,
    llm_settings,
)
from repairlab.cli.options import (
    AllowUnsafe,
    Include,
    IsolationName,
    Json,
    Limit,
    NoCache,
    Recheck,
    Repair,
    SandboxName,
    Workers,
    machine,
    numbers,
)
from repairlab.cli.output import RunBar, count, progress_bar, talk
from repairlab.cli.run_folders import warn_unchecked
from repairlab.core.benchmark import Benchmark
from repairlab.core.candidate import Candidate
from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.repairers.llm.ledger import FILE, read_requests
from repairlab.runs.catalog import open_benchmark
from repairlab.runs.experiment import Experiment, make_experiment, read_experiment
from repairlab.runs.forking import start_server
from repairlab.runs.pool import RECHECK, Machine
from repairlab.runs.repair import repair_run
from repairlab.runs.repairing import repairer_names
from repairlab.runs.run import begin, complete, how_to_go_on, locked
from repairlab.runs.store import Disagreement, Store


def run(
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of a benchmark.")] = None,
    repairer: Annotated[str | None, typer.Option("--repairer", help="command, copy, llm, reference, templates, …")] = None,
    n: Annotated[int | None, typer.Option("-n", help="Candidates per bug [default: 10].")] = None,
    k: Annotated[str | None, typer.Option("-k", help="The k of pass@k, such as 1,5,10.")] = None,
    localisation: Annotated[
        str | None,
        typer.Option("--localisation", help="What is shown of the bug's place: line, hunk, function or file [default: line]."),
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option("--policy", help="first-failure, or full: run every test, which TCA@k needs [default: first-failure]."),
    ] = None,
    show_error: Annotated[
        bool | None, typer.Option("--show-error/--hide-error", help="Show the first failing message of the hidden tests.")
    ] = None,
    show_tests: Annotated[
        bool | None, typer.Option("--show-tests/--hide-tests", help="Show the tests to a program of the repairer command.")
    ] = None,
    feedback: Annotated[
        str | None,
        typer.Option("--feedback", help="What a conversation learns of its candidates: none, verdict or message [default: none]."),
    ] = None,
    confirm: Annotated[
        int | None, typer.Option("--confirm", help="Run a failing test so often again, alone, before it counts [default: 0].")
    ] = None,
    stop_when_fixed: Annotated[
        bool | None, typer.Option("--stop-when-fixed/--all-candidates", help="Draw no more candidates once one is plausible.")
    ] = None,
    include: Include = None,
    limit: Limit = None,
    skip_unfit: Annotated[
        bool | None, typer.Option("--skip-unfit", help="Leave out bugs that the strategy cannot ask about.")
    ] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of repairers that draw at random.")] = None,
    experiment: Annotated[Path | None, typer.Option("--experiment", help="TOML file with settings; options override it.")] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Run folder; by default runs/BENCHMARK-REPAIRER, resumed when it exists.")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option("--resume", help="Go on with the run in this folder, with its own settings.")
    ] = None,
    repair: Repair = False,
    command: CommandLine = None,
    preset: Preset = None,
    program: Program = None,
    candidates_from: CandidatesFrom = None,
    calls: Calls = None,
    allow_address: AllowAddress = None,
    mount: MountPath = None,
    env: Env = None,
    call_timeout: CallTimeout = None,
    call_cpu: CallCpu = None,
    call_memory: CallMemory = None,
    call_requests: CallRequests = None,
    call_tokens: CallTokens = None,
    call_cost: CallCost = None,
    model: Model = None,
    strategy: StrategyName = None,
    base_url: BaseUrl = None,
    temperature: Temperature = None,
    greedy: Greedy = False,
    top_p: TopP = None,
    max_tokens: MaxTokens = None,
    stop: Stop = None,
    logprobs: Logprobs = None,
    context_window: ContextWindow = None,
    comments: CommentsName = None,
    prompt_file: PromptFile = None,
    shots: Shots = None,
    selection: SelectionName = None,
    examples: Examples = None,
    split: Split = None,
    embedding_model: EmbeddingModel = None,
    attempts: Attempts = None,
    turns: Turns = None,
    concurrency: Concurrency = None,
    rate_limit: RateLimit = None,
    request_timeout: RequestTimeout = None,
    retries: Retries = None,
    cost_limit: CostLimit = None,
    prices: Prices = None,
    no_answer_cache: NoAnswerCache = False,
    offline: Offline = False,
    no_transcripts: NoTranscripts = False,
    workers: Workers = None,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    isolation: IsolationName = "warm",
    no_cache: NoCache = False,
    recheck: Recheck = RECHECK,
    json: Json = False,
) -> None:
    """Ask a repairer for fixes of every bug and validate them."""
    access = access_settings(
        {
            "concurrency": concurrency,
            "requests_per_minute": rate_limit,
            "timeout_s": request_timeout,
            "retries": retries,
            "cost_limit_usd": cost_limit,
            "prices": None if prices is None else str(prices),
            "use_cache": not no_answer_cache,
            "offline": offline,
            "transcripts": not no_transcripts,
        }
    )
    here = machine(workers, sandbox, allow_unsafe, isolation=isolation, no_cache=no_cache, recheck=recheck, access=access)
    start_server()
    options = {
        "benchmark": benchmark,
        "repairer": repairer,
        "n": n,
        "k": None if k is None else numbers(k, "-k"),
        "policy": policy,
        "feedback": feedback,
        "confirm": confirm,
        "stop_when_fixed": stop_when_fixed,
        "include": tuple(include) if include else None,
        "limit": limit,
        "skip_unfit": skip_unfit,
        "seed": seed,
    }
    asked = {
        "model": model,
        "strategy": strategy,
        "base_url": base_url,
        "temperature": temperature,
        "top_p": top_p,
        "max_tokens": max_tokens,
        "stop": tuple(stop) if stop else None,
        "logprobs": logprobs,
        "context_window": context_window,
        "comments": comments,
        "shots": shots,
        "selection": selection,
        "examples": examples,
        "split": split,
        "embedding_model": embedding_model,
        "attempts": attempts,
        "turns": turns,
    }
    started = {
        "command": command,
        "candidates_from": candidates_from,
        "calls": calls,
        "addresses": allow_address,
        "mounts": mount,
        "env": env,
        "wall_s": call_timeout,
        "cpu_s": call_cpu,
        "memory_mb": call_memory,
        "request_limit": call_requests,
        "token_limit": call_tokens,
        "cost_limit_usd": call_cost,
    }
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    shown = {"localisation": localisation, "error": show_error, "tests": show_tests}
    seen = {key: value for key, value in shown.items() if value is not None}
    own = {
        "llm": llm_settings(asked, greedy=greedy, prompt_file=prompt_file),
        "command": command_settings(started, preset=preset, program=program),
    }
    if resume is not None:
        if experiment or to or seen or set(given) - {"k"} or own["command"] or set(own["llm"]) - {"base_url"}:
            raise UserError("--resume goes on with the settings of the run; leave the other settings out")
        settings, folder = _moved(Store(resume).manifest().experiment, base_url), resume
    else:
        settings = _experiment(experiment, given, seen, own)
        folder = to or Path("runs") / default_name(settings)
    if repair:
        repair_folder(folder)
    else:
        warn_unchecked([folder])
    run_to_end(settings, open_benchmark(settings.benchmark), folder, here)
    from repairlab.cli.score import show_scores  # noqa: PLC0415  # `validate` shows no scores, and numpy takes a while to load

    show_scores([folder], ks=None if k is None else numbers(k, "-k"), as_json=json)


def _experiment(file: Path | None, given: dict[str, Any], seen: dict[str, Any], own: dict[str, dict[str, Any]]) -> Experiment:
    """Return the settings of the file, overridden by those of the command line; `own` has those of repairers by their name."""
    settings = {**(read_experiment(file) if file else {}), **given}
    if seen:
        settings["visibility"] = {**settings.get("visibility", {}), **seen}
    if settings.get("repairer", "command" if own["command"] else "llm") == "command":
        own = {"llm": {}, "command": own["command"] | own["llm"]}  # a program has its model by the same options
    for name, mine in own.items():
        if mine:
            settings[name] = {**settings.get(name, {}), **mine}
            settings.setdefault("repairer", name)
    for key, example in (("benchmark", "repairlab run starter --repairer templates"), ("repairer", "--repairer templates")):
        if key not in settings:
            raise UserError(f"no {key} is named. For example: {example}")
    if own["llm"] and "model" not in settings["llm"]:
        raise UserError("no model is named. For example: --model openai/gpt-4o, or --model vllm/NAME --base-url URL")
    if own["command"]:
        settings["command"].setdefault("command", "")
    made = make_experiment(settings)
    if made.repairer not in repairer_names():
        raise unknown("repairer", made.repairer, repairer_names())
    return made


def _moved(experiment: Experiment, base_url: str | None) -> Experiment:
    """Return the settings of a run whose model is to be found elsewhere now."""
    if base_url is None:
        return experiment
    if experiment.command is not None and experiment.command.model is not None:
        return dataclasses.replace(experiment, command=dataclasses.replace(experiment.command, base_url=base_url))
    if experiment.llm is None:
        raise UserError(f"--base-url is for runs with a model; this one is of {experiment.repairer}")
    return dataclasses.replace(experiment, llm=dataclasses.replace(experiment.llm, base_url=base_url))


def default_name(settings: Experiment) -> str:
    """Return the name of the folder for a run: benchmark, repairer, and for a model its name and how it is asked."""
    parts = [Path(settings.benchmark).name, settings.repairer]
    if settings.llm:
        parts += [settings.llm.strategy, settings.llm.model]
    if settings.command:
        parts += [part for part in (settings.command.preset, settings.command.model) if part]
    return "-".join((parts[0], *(re.sub(r"[^A-Za-z0-9._-]+", "-", part) for part in parts[1:])))


def run_to_end(
    settings: Experiment,
    benchmark: Benchmark,
    folder: Path,
    here: Machine,
    given: dict[str, list[Candidate]] | None = None,
) -> None:
    """Start or resume a run and bring it to its end, with a progress bar; an interruption says how to go on."""
    manifest = begin(settings, benchmark, folder, here)
    go_on = f"Go on with: {how_to_go_on(folder, is_given=given is not None)}"
    disagreements: list[Disagreement] = []
    try:
        with progress_bar() as progress:
            bar = RunBar(progress, len(manifest.bug_ids), asks_model=settings.llm is not None)
            complete(
                benchmark,
                folder,
                here,
                lambda step: disagreements.append(step) if isinstance(step, Disagreement) else bar(step),
                given=given,
            )
    except (Interrupted, KeyboardInterrupt):
        talk().print(f"Stopped; everything so far is in {folder}. {go_on}", markup=False)
        raise typer.Exit(130) from None
    except HarnessError as error:
        raise HarnessError(f"{error}. {go_on}") from error
    finally:
        for item in disagreements:
            talk().print(_warning(item), markup=False)
    if settings.llm or (settings.command and settings.command.model):
        talk().print(_spent(folder / FILE), markup=False)
    talk().print(f"Run stored in {folder}", markup=False)


def repair_folder(folder: Path) -> None:
    """Repair a run folder and say what was done."""
    store = Store(folder)
    store.manifest()
    with locked(folder):
        said = repair_run(store)
    for text in said or [f"nothing is damaged in {folder}"]:
        talk().print(text, markup=False)


def _spent(requests: Path) -> str:
    """Say what the model of a run was asked and what that cost, over all starts of the run."""
    n_asked = n_kept = tokens_in = tokens_out = 0
    cost = 0.0
    for request in read_requests(requests):
        n_asked, n_kept = n_asked + (not request.from_cache), n_kept + request.from_cache
        if not request.from_cache:
            tokens_in, tokens_out, cost = tokens_in + request.tokens_in, tokens_out + request.tokens_out, cost + request.cost_usd
    kept = f", {n_kept} answered from kept answers" if n_kept else ""
    return f"{count(n_asked, 'request')}{kept}; {tokens_in} tokens in, {tokens_out} out; ${cost:.4f} paid"


def _warning(item: Disagreement) -> str:
    return (
        f"WARNING: bug {item.bug_id}, candidate {item.candidate_id}: an earlier run found {item.cached}, this one {item.now}. "
        "The earlier verdict is forgotten. The usual cause is a flaky test; find it with: repairlab check BENCHMARK --repeat 5"
    )
