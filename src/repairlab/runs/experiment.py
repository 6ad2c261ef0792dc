"""The settings of a run, where they come from, and what run.json records of them."""

import dataclasses
import tomllib
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from repairlab.core.errors import UserError, unknown
from repairlab.core.outcome import Policy
from repairlab.core.problem import Visibility
from repairlab.core.record import record
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.command.settings import check as check_command
from repairlab.repairers.llm.settings import CONVERSATION, LlmSettings, check
from repairlab.repairers.llm.strategies.table import strategy
from repairlab.validation.feedback import Feedback


@record
class Experiment:
    """Everything that decides the results of a run; one set of defaults for the command line, files and code."""

    benchmark: str
    """Name of a built-in benchmark or the path of a benchmark folder."""
    repairer: str
    """Name in the repairer table: command, copy, llm, reference, templates, …"""
    n: int = 10
    """Candidates per bug."""
    k: tuple[int, ...] = (1, 5, 10)
    """The k of pass@k and its kin."""
    policy: Policy = "first-failure"
    """Stop a candidate's validation at its first failing test, or run all of them (full)."""
    confirm: int = 0
    """Run a failing test so many times more, alone, before it counts: for tests that fail now and then."""
    visibility: Visibility = Visibility()
    """What of a problem the repairer sees."""
    feedback: Feedback = "none"
    """What the repairer learns of its earlier candidates' outcomes."""
    rounds: int = 1
    """Rounds of a conversation."""
    stop_when_fixed: bool = False
    """Draw no more candidates for a bug once one is plausible; pass@k cannot be computed then, top@k can."""
    include: tuple[str, ...] = ()
    """Shell patterns of bug ids; none means all."""
    limit: int | None = None
    """At most so many bugs."""
    skip_unfit: bool = False
    """Leave out bugs that the strategy of a model cannot ask about, for want of an issue text, an error message or the like."""
    seed: int = 0
    llm: LlmSettings | None = None
    """Model, strategy and sampling of the repairer `llm`."""
    command: CommandSettings | None = None
    """Program and limits of the repairer `command`."""


@record
class Manifest:
    """What run.json holds: enough to know what was run and to go on with it."""

    experiment: Experiment
    benchmark_name: str
    benchmark_version: str
    benchmark_digest: str
    bug_ids: tuple[str, ...]
    languages: tuple[str, ...]
    """Language of each bug, in the same order."""
    repairlab: str
    """Version of repairlab."""
    environment: dict[str, str]
    """Tools of the machine and their versions."""
    environment_digest: str
    created: str
    """UTC, ISO 8601."""
    isolation: str = "warm"
    """How the run was started: warm or process. Both give the same verdicts; each outcome says how its own was made."""
    id: str = ""
    """Drawn at random for each run, and part of the check of every line; empty: the run is of before there were checks."""


def read_experiment(path: Path) -> dict[str, Any]:
    """Read settings from a TOML file; unknown ones are errors. Command line options override them."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read the experiment file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"the experiment file {path} is not valid TOML: {error}") from None
    known = set(Experiment.__dataclass_fields__)
    for key in data:
        if key not in known:
            raise UserError(f"{path}: {unknown('setting', key, known)}")
    return data


def make_experiment(settings: dict[str, Any]) -> Experiment:
    """Check settings and fill in the defaults."""
    try:
        experiment = TypeAdapter(Experiment).validate_python(settings)
    except ValidationError as error:
        first = error.errors()[0]
        raise UserError(f"setting {'.'.join(map(str, first['loc']))}: {first['msg']} (got {first['input']!r})") from None
    if experiment.n < 1:
        raise UserError(f"-n is {experiment.n}: at least 1 candidate per bug is needed")
    if experiment.confirm < 0:
        raise UserError(f"--confirm is {experiment.confirm}: it says how often a failing test is run again, 0 or more")
    if experiment.limit is not None and experiment.limit < 1:
        raise UserError(f"--limit is {experiment.limit}: at least 1 bug is needed")
    if not experiment.k or min(experiment.k) < 1:
        raise UserError(f"-k is {','.join(map(str, experiment.k))}: each k must be 1 or more")
    if experiment.repairer == "command":
        _check_program(experiment)
    elif experiment.command is not None:
        raise UserError(f"--command and its like are for --repairer command, not for {experiment.repairer}")
    elif experiment.visibility.tests:
        raise UserError(f"--show-tests is for --repairer command, which works on a tree; {experiment.repairer} sees no test")
    if experiment.repairer == "llm":
        return _with_model(experiment, settings)
    if experiment.llm is not None:
        raise UserError(f"--model and its like are for --repairer llm, not for {experiment.repairer}")
    return experiment


def _check_program(experiment: Experiment) -> None:
    """Check what the repairer `command` needs."""
    if experiment.command is None:
        raise UserError('the repairer command needs a program. For example: --command "python3 /opt/agent/fix.py", or a --preset')
    check_command(experiment.command)


def _with_model(experiment: Experiment, settings: dict[str, Any]) -> Experiment:
    """Check what the repairer `llm` needs."""
    llm = experiment.llm
    if llm is None:
        raise UserError("the repairer llm needs a model. For example: --model openai/gpt-4o, or --model vllm/NAME --base-url URL")
    check(llm)
    if llm.strategy == CONVERSATION:
        return _conversation(experiment, llm, settings)
    strategy(llm.strategy)
    return experiment


def _conversation(experiment: Experiment, llm: LlmSettings, settings: dict[str, Any]) -> Experiment:
    """Give a conversation as many candidates and rounds as it has tries; it ends at the first plausible candidate."""
    if experiment.feedback == "none":
        raise UserError(
            "a conversation tells the model how its candidates failed, and by default tests stay hidden. "
            "Allow it with --feedback message (verdict and first failing message) or --feedback verdict"
        )
    if settings.get("n", llm.tries) != llm.tries:
        tries = f"attempts × turns = {llm.tries} tries" + ("" if llm.temperature else ", for a greedy model has one attempt")
        raise UserError(f"-n is {settings['n']}, but a conversation has {tries}: use --attempts and --turns")
    stop = settings.get("stop_when_fixed", True)
    return dataclasses.replace(experiment, n=llm.tries, rounds=llm.tries, stop_when_fixed=stop)
