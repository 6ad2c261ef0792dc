"""The settings of a run, what run.json and experiment.toml record of them, and what repairers may learn of outcomes."""

import contextlib
import dataclasses
from collections.abc import Collection, Mapping
from pathlib import Path
from types import GenericAlias
from typing import Any, Literal

from pydantic import TypeAdapter, ValidationError

from repairlab.benchmarks.catalog import Benchmark
from repairlab.core.errors import UserError, unknown
from repairlab.core.option import settings_of
from repairlab.core.outcome import Outcome, Policy, Strength
from repairlab.core.problem import Visibility
from repairlab.core.record import record, to_data
from repairlab.core.storage.checking import checked, place, read_toml
from repairlab.repairers.plain import file_digest, is_reference, short_name
from repairlab.repairers.repairer import RepairerFactory, SamplingPlan
from repairlab.repairers.table import REPAIRERS, factory, find_factory, make_settings

Feedback = Literal["none", "verdict", "message"]
"""What a repairer may learn: nothing (tests stay hidden), the verdict, or the verdict with the first failing message."""


def feedback(outcome: Outcome, policy: Feedback) -> str | None:
    """Return what the policy tells of an outcome."""
    if policy == "none":
        return None
    if policy == "verdict" or not outcome.message:
        return outcome.verdict.value
    return f"{outcome.verdict.value} at {outcome.stage}: {outcome.message}"


_UNDER_ITS_NAME = "llm"
"""The repairer whose settings stand in run.json under its own name; those of others stand under `settings`."""
_DIGEST = "repairer_digest"
_LOCAL = "access"
"""The table of an experiment file for a repairer's local settings, which are not part of the run."""

USUAL_KS = (1, 5, 10)


@record
class Experiment:
    """Everything that decides the results of a run; one set of defaults for the command line, files and code."""

    benchmark: str
    """Name of a built-in benchmark or the path of a benchmark folder."""
    repairer: str
    """Name of a repairer: command, copy, llm, neural, reference, templates, …; or PATH.py:NAME of one in a file."""
    n: int = 10
    """Candidates per bug."""
    k: tuple[int, ...] = USUAL_KS
    """The k of pass@k and other metrics; by default those that `n` allows."""
    policy: Policy = "first-failure"
    """`first-failure` stops a candidate at its first failing test, `full` runs every test."""
    confirm: int = 0
    """Rerun a failing test so many times in isolation before counting it; one that then always passes has passed."""
    min_strength: Strength = "unchecked"
    """The weakest pass that counts: `blind`, `checked` or `unchecked`; a weaker one is UNDECIDED."""
    visibility: Visibility = Visibility()
    """What the repairer sees of a problem."""
    feedback: Feedback = "none"
    """What a conversation learns about its earlier candidates: `none`, `verdict` or `message`."""
    rounds: int = 1
    """Rounds of a conversation; set by its attempts and turns."""
    stop_when_fixed: bool = False
    """Stop a bug at its first plausible candidate; top@k can still be computed, pass@k cannot."""
    include: tuple[str, ...] = ()
    """Shell patterns of bug ids; without any, all bugs."""
    limit: int | None = None
    """Use at most this many bugs."""
    skip_unfit: bool = False
    """Skip bugs the repairer does not support, for example because they have no issue text."""
    seed: int = 0
    """Seed of repairers that sample."""
    settings: Any = None
    """The repairer's own settings; in an experiment file, a table with its name, such as `[llm]`."""
    repairer_digest: str | None = None
    """Digest of the file of a repairer PATH.py:NAME; written by the run."""


@record
class Coverage:
    """How a file of external candidates covers the bugs of a run."""

    n_bugs: int
    """Bugs of the run: the denominator of its scores."""
    n_given: int
    """Bugs of the run with a readable candidate."""
    n_unreadable: int
    """Entries of the file that could not be read."""
    n_unknown: int
    """Readable entries that name no bug of the benchmark."""
    n_outside: int
    """Candidates for bugs of the benchmark that the run did not select."""
    only_given: bool
    """Whether only bugs with a readable candidate belong to the run; otherwise the others count as failures."""
    missing: tuple[str, ...]
    """Bugs of the run without a readable candidate."""
    digest: str
    """Over all candidates."""

    @property
    def text(self) -> str:
        """Describe what does not match; empty for a file with a readable candidate for each bug."""
        parts = []
        if self.only_given:
            parts.append(f"only bugs with a candidate count: {self.n_given}")
        elif self.missing:
            parts.append(f"bugs without a candidate count as failures: {len(self.missing)} of {self.n_bugs}")
        if self.n_unreadable:
            parts.append(f"unreadable entries: {self.n_unreadable} ({self.n_unknown} of them for unknown bugs)")
        if self.n_outside:
            parts.append(f"candidates for bugs that were not chosen: {self.n_outside}")
        return "; ".join(parts)


@record
class Manifest:
    """What run.json holds: enough to know what was run and to continue it."""

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
    """How the run was started: warm or process. Both give the same verdicts; each outcome says how it was reached."""
    coverage: Coverage | None = None
    """How external candidates cover the bugs; None: a repairer was asked, or nobody counted."""
    cost_limit_usd: float | None = None
    """What the run may cost; custom prices stand in prices.toml."""
    id: str = ""
    """Drawn at random for each run, and part of every line's check; empty: the run predates checks."""


def require_benchmark(manifest: Manifest, benchmark: Benchmark, folder: Path, *, advice: str = "") -> None:
    """Raise UserError when a benchmark is not the one that a folder's run used."""
    if manifest.benchmark_digest != benchmark.digest:
        raise UserError(
            f"{folder} is a run on {manifest.benchmark_name} {manifest.benchmark_version} ({manifest.benchmark_digest}), "
            f"but {benchmark.name} here is {benchmark.version} ({benchmark.digest}){advice}"
        )


def read_experiment(path: Path) -> dict[str, Any]:
    """Read settings from a TOML file; unknown ones are errors. Command-line options override them.

    A table named after a repairer holds its settings; only the selected repairer's table counts.
    """
    data, text = read_toml(path, "the experiment file")
    known = {*Experiment.__dataclass_fields__, *REPAIRERS, _LOCAL} - {_DIGEST}
    for key in data:
        if key not in known:
            raise UserError(f"{place(str(path), text, (key,))}: {unknown('setting', key, known)}")
    of_repairers = {_table_of(name): factory(name).settings for name in REPAIRERS if _table_of(name) == name and name in data}
    for key in data.keys() - {_LOCAL, "settings"}:  # the repairer they belong to is known once the command line has been read
        kind: Any = GenericAlias(dict, (str, of_repairers[key])) if key in of_repairers else Experiment
        checked(kind, {key: data[key]}, str(path), toml=text, partial=True)
    return data


def make_experiment(settings: Mapping[str, Any]) -> Experiment:
    """Check settings and fill in the defaults; the repairer's are under `settings` or its name."""
    name = str(settings.get("repairer", ""))
    for other in REPAIRERS:
        if other in settings and other != name and _table_of(other) == other:
            raise UserError(f"the settings below {other} are for --repairer {other}, not for {name}")
    own = {**settings.get("settings", {}), **settings.get(_table_of(name), {})}
    found = find_factory(name)
    if own and found is None:
        raise UserError(f"the repairer {name} has no settings of its own, but {', '.join(own)} is given")
    general = {key: value for key, value in settings.items() if key not in ("settings", _table_of(name))}
    experiment = checked(Experiment, general, "setting")
    if is_reference(name):
        experiment = dataclasses.replace(experiment, repairer_digest=file_digest(name))
    if experiment.n < 1:
        raise UserError(f"-n is {experiment.n}: at least 1 candidate per bug is needed")
    if experiment.confirm < 0:
        raise UserError(f"--confirm is {experiment.confirm}: it says how often a failing test is run again, 0 or more")
    if experiment.limit is not None and experiment.limit < 1:
        raise UserError(f"--limit is {experiment.limit}: at least 1 bug is needed")
    if not experiment.k or min(experiment.k) < 1:
        raise UserError(f"-k is {','.join(map(str, experiment.k))}: each k must be 1 or more")
    if experiment.visibility.tests and not (found and found.reads_tests):
        raise UserError(f"--show-tests is for repairers that read tests, such as command and llm; {name} does not")
    if experiment.visibility.localisation == "none" and not experiment.visibility.context:
        raise UserError(
            "visibility: context is false, but with localisation = none the other files are all that is shown of the code"
        )
    made = _with_own(experiment, found, own, settings) if found else experiment
    if "k" in settings:
        require_drawn(made.k, made.n)
    return dataclasses.replace(made, k=tuple(k for k in made.k if k <= made.n))


def require_drawn(ks: Collection[int], n: int) -> None:
    """Refuse a k for which a run draws too few candidates."""
    if ks and max(ks) > n:
        drawn, choice = ("1 candidate", "1") if n == 1 else (f"{n} candidates", f"from 1 to {n}")
        raise UserError(f"-k is {max(ks)}, but the run draws {drawn} per bug: choose k {choice}, or a larger -n")


def _with_own(experiment: Experiment, made: RepairerFactory, own: Mapping[str, Any], asked: Mapping[str, Any]) -> Experiment:
    """Check the repairer's own settings, and let it say how its candidates are drawn."""
    settings = make_settings(made.settings, own, made.name)
    said = {key: getattr(experiment, key) for key in ("n", "rounds", "stop_when_fixed") if key in asked}
    plan = to_data(made.plan(settings, SamplingPlan(**said), experiment.feedback))
    changes = {key: value for key, value in plan.items() if value is not None}
    return dataclasses.replace(experiment, settings=settings, **changes)


def experiment_data(experiment: Experiment) -> dict[str, Any]:
    """Return the settings as run.json has them."""
    data: dict[str, Any] = to_data(experiment)
    own = data.pop("settings")
    if experiment.repairer_digest is None:
        del data[_DIGEST]
    data[_UNDER_ITS_NAME] = own if experiment.repairer == _UNDER_ITS_NAME else None
    if own and experiment.repairer != _UNDER_ITS_NAME:
        data["settings"] = own
    return data


def read_experiment_data(data: Any) -> Any:
    """Turn run.json's settings into a record; the record's check refuses what does not fit."""
    if not isinstance(data, dict):
        return data
    general = {key: value for key, value in data.items() if key != _UNDER_ITS_NAME}
    name = str(data.get("repairer"))
    own = data.get(_UNDER_ITS_NAME) if name == _UNDER_ITS_NAME else data.get("settings")
    if isinstance(own, dict) and name in REPAIRERS:
        # Settings of another version of a repairer, or of a broken one, stay as they are: the run can still be read.
        with contextlib.suppress(UserError, ValidationError):
            own = TypeAdapter(factory(name).settings).validate_python(own)
    if name == _UNDER_ITS_NAME and isinstance(own, dict):
        raise UserError(f"run.json: the settings of the repairer {name} are not those that it has: {', '.join(own)}")
    return general | {"settings": own}


def config_data(experiment: Experiment) -> dict[str, Any]:
    """Return the settings as an experiment file that makes the same run again."""
    data: dict[str, Any] = to_data(experiment)
    own = data.pop("settings")
    del data[_DIGEST]
    return data | ({_table_of(experiment.repairer): own} if own else {})


def _table_of(repairer: str) -> str:
    """Return the name of the experiment file's table for a repairer's settings: its name, unless a setting has it."""
    return repairer if repairer in REPAIRERS and repairer not in Experiment.__dataclass_fields__ else "settings"


def identity(experiment: Experiment) -> dict[str, Any]:
    """Return what must not change when a run is continued: all but the scored k and the places of things."""
    data = experiment_data(experiment)
    data.update(k=None, benchmark=None)
    if experiment.repairer_digest is not None:
        data["repairer"] = short_name(experiment.repairer)
        del data[_DIGEST]
    own = data.get(_UNDER_ITS_NAME) or data.get("settings")
    if own and dataclasses.is_dataclass(experiment.settings):
        own.update(dict.fromkeys(movable(experiment)))
    return data


def at_hand(experiment: Experiment) -> Experiment:
    """Return a stored experiment to continue; files are read only now, since reading a run must not execute anything."""
    if not is_reference(experiment.repairer):
        return experiment
    made, own = factory(experiment.repairer), experiment.settings or {}
    with contextlib.suppress(UserError):  # settings of an earlier version of the file: the comparison will say so
        own = make_settings(made.settings, own, made.name) if isinstance(own, dict) else own
    return dataclasses.replace(experiment, settings=own)


def movable(experiment: Experiment) -> frozenset[str]:
    """Return those of the repairer's settings that may change when a run is continued."""
    kind = type(experiment.settings)
    if not dataclasses.is_dataclass(kind):
        return frozenset()
    return frozenset(setting.name for setting in settings_of(kind) if setting.option.may_change)
