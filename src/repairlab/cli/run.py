"""`repairlab run`."""

import dataclasses
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.llm_options import (
    Attempts,
    BaseUrl,
    CommentsName,
    Concurrency,
    ContextWindow,
    CostLimit,
    EmbeddingModel,
    Examples,
    ExampleSelector,
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
from repairlab.executors.forking import start_server
from repairlab.repairers.llm.client.ledger import FILE, read_requests
from repairlab.runs.experiment import Experiment, make_experiment, read_experiment
from repairlab.runs.repair import repair_run
from repairlab.runs.repairing import repairer_names
from repairlab.runs.run import begin, complete, how_to_go_on, locked
from repairlab.runs.store import Disagreement, Store
from repairlab.validation.machine import RECHECK, Machine


def run(
    benchmark: Annotated[str | None, typer.Argument(help="Name or folder of a benchmark.")] = None,
    repairer: Annotated[str | None, typer.Option("--repairer", help="copy, llm, reference, templates, …")] = None,
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
    shots: ExampleSelector = None,
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
    given: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    seen = {key: value for key, value in (("localisation", localisation), ("error", show_error)) if value is not None}
    llm = llm_settings(asked, greedy=greedy, prompt_file=prompt_file)
    if resume is not None:
        if experiment or to or seen or set(given) - {"k"} or set(llm) - {"base_url"}:
            raise UserError("--resume goes on with the settings of the run; leave the other settings out")
        settings, folder = _moved(Store(resume).manifest().experiment, base_url), resume
    else:
        settings = _experiment(experiment, given, seen, llm)
        folder = to or Path("runs") / default_name(settings)
    if repair:
        repair_folder(folder)
    else:
        warn_unchecked([folder])
    run_to_end(settings, open_benchmark(settings.benchmark), folder, here)
    from repairlab.cli.score import show_scores  # noqa: PLC0415  # `validate` shows no scores, and numpy takes a while to load

    show_scores([folder], ks=None if k is None else numbers(k, "-k"), as_json=json)


def _experiment(file: Path | None, given: dict[str, Any], seen: dict[str, Any], llm: dict[str, Any]) -> Experiment:
    """Return the settings of the file, overridden by those of the command line."""
    settings = {**(read_experiment(file) if file else {}), **given}
    if seen:
        settings["visibility"] = {**settings.get("visibility", {}), **seen}
    if llm:
        settings["llm"] = {**settings.get("llm", {}), **llm}
        settings.setdefault("repairer", "llm")
    for key, example in (("benchmark", "repairlab run starter --repairer templates"), ("repairer", "--repairer templates")):
        if key not in settings:
            raise UserError(f"no {key} is named. For example: {example}")
    if llm and "model" not in settings["llm"]:
        raise UserError("no model is named. For example: --model openai/gpt-4o, or --model vllm/NAME --base-url URL")
    made = make_experiment(settings)
    if made.repairer not in repairer_names():
        raise unknown("repairer", made.repairer, repairer_names())
    return made


def _moved(experiment: Experiment, base_url: str | None) -> Experiment:
    """Return the settings of a run whose model is to be found elsewhere now."""
    if base_url is None:
        return experiment
    if experiment.llm is None:
        raise UserError(f"--base-url is for runs with --repairer llm; this one is of {experiment.repairer}")
    return dataclasses.replace(experiment, llm=dataclasses.replace(experiment.llm, base_url=base_url))


def default_name(settings: Experiment) -> str:
    """Return the name of the folder for a run: benchmark, repairer, and for a model its name and how it is asked."""
    parts = [Path(settings.benchmark).name, settings.repairer]
    if settings.llm:
        parts += [settings.llm.strategy, re.sub(r"[^A-Za-z0-9._-]+", "-", settings.llm.model)]
    return "-".join(parts)


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
    if settings.llm:
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
