"""The systems that can be trained: a TOML file each, with published settings and a small twin."""

import dataclasses
import json
import tomllib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Literal

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record, to_data
from repairlab.core.storage.checking import checked
from repairlab.learning.networks.folder import MergeRule
from repairlab.learning.networks.settings import DecodingSettings, ModelSettings, NetworkSettings, VocabularySettings

SMALL = "small"
PRESETS = ("published", "npr4j", SMALL)
"""A system's own paper, NPR4J's training of it, and a network for tests and first steps."""
_SUFFIX = f"-{SMALL}"


@record
class TrainingSettings:
    """How a network is trained."""

    optimiser: Literal["adam", "adamw", "adagrad", "sgd", "nag"] = "adamw"
    learning_rate: float = 5e-4
    momentum: Annotated[float, "For sgd and nag."] = 0.0
    weight_decay: float = 0.01
    accumulator: Annotated[float, "What adagrad's sums of squares begin with."] = 0.1
    schedule: Annotated[
        Literal["constant", "linear", "inverse-sqrt"], "How the learning rate falls behind the warm-up; linear ends at 0."
    ] = "linear"
    warm_up: Annotated[int, "Steps in which the learning rate rises."] = 0
    batch_pairs: Annotated[int, "Pairs of a batch."] = 64
    batch_tokens: Annotated[int, "Most tokens of a batch, padding counted; 0: no limit."] = 0
    accumulate: Annotated[int, "Batches whose gradients make one step."] = 1
    clip: Annotated[float, "Largest norm of the gradients; 0: no limit."] = 1.0
    smoothing: Annotated[float, "Label smoothing."] = 0.0
    rename: Annotated[float, "Share of pairs of abstracted methods in which ids of a kind change places, anew each time."] = 0.0
    normalise: Annotated[Literal["tokens", "sequences"], "Whether all tokens of a batch weigh the same, or all pairs."] = "tokens"
    epochs: Annotated[int, "0: nothing is learnt; the model is the network as it begins, to compare with."] = 20
    max_steps: Annotated[int, "Steps after which training ends; 0: no limit."] = 0
    budget_s: Annotated[
        float, "Seconds that training takes: the schedule ends with them. The weights then depend on the machine; 0: no limit."
    ] = 0.0
    evaluate_every: Annotated[int, "Steps between looks at the validation set; 0: an epoch."] = 0
    stop_on: Annotated[Literal["loss", "perplexity", "exact-match"], "What decides which weights are kept."] = "loss"
    patience: Annotated[int, "Looks without progress after which training ends; 0: never."] = 0
    exact_match_pairs: Annotated[int, "Validation pairs that are decoded for exact match."] = 1000
    average: Annotated[float, "Keep a moving average of the weights with this decay, and use it; 0: none."] = 0.0
    precision: Annotated[Literal["auto", "bf16", "fp32"], "auto: bf16 on a GPU."] = "auto"
    bucket: Annotated[int, "Lengths are padded to multiples of this."] = 8
    pool: Annotated[int, "Batches whose pairs are sorted by length together."] = 50
    graphs: Annotated[bool, "On a GPU, record the work of a batch's shape once and replay it."] = True
    compile: Annotated[bool, "Compile the network by torch.compile."] = False
    device_cache_mb: Annotated[int, "Numbered pairs stay on the device up to this size; larger sets are streamed from disk."] = 2048
    checkpoint_s: Annotated[float, "Seconds between checkpoints."] = 60.0

    def check(self) -> None:
        """Refuse numbers that cannot be trained with."""
        for name, least in (("batch_pairs", 1), ("accumulate", 1), ("epochs", 0), ("bucket", 1), ("pool", 1)):
            if getattr(self, name) < least:
                raise UserError(f"training.{name} is {getattr(self, name)}: write a number of at least {least}")
        if not 0 <= self.rename <= 1:
            raise UserError(f"training.rename is {self.rename}: write a number from 0 to 1")
        if self.learning_rate <= 0:
            raise UserError(f"training.learning_rate is {self.learning_rate}: write a number above 0")


@record
class SearchRange:
    """What a random search draws a setting from: listed values, or numbers between two."""

    values: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    log: bool = False


@record
class SystemSettings:
    """Everything that decides a model except the data and the seed."""

    model: ModelSettings
    training: TrainingSettings
    representation: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Settings of the representation."""
    marks: tuple[str, ...] = ()
    """Texts that a subword tokenizer must not split."""
    search: Mapping[str, SearchRange] = dataclasses.field(default_factory=dict)
    """By name of a setting, as in `network.width`."""
    merge: MergeRule = "by-score"
    """How candidates of several models of a search become one list."""

    def check(self) -> None:
        """Refuse what cannot work."""
        self.model.check()
        self.training.check()


def system_names() -> tuple[str, ...]:
    """Return the systems that are shipped."""
    found = (item.name for item in files("repairlab.learning.training").joinpath("systems").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def load_system(name: str, *, preset: str | None = None, changes: Sequence[str] = ()) -> SystemSettings:
    """Return the settings of a shipped system, of `NAME-small`, or of a TOML file; `changes` are like `network.width=128`."""
    if preset not in (None, *PRESETS):
        raise unknown("preset", str(preset), PRESETS)
    path = Path(name)
    is_file = path.suffix == ".toml"
    known = system_names()
    plain = name.removesuffix(_SUFFIX) if name not in known and not is_file else name
    if not is_file and plain not in known:
        raise unknown("system", name, [*known, *(item + _SUFFIX for item in known)])
    try:
        text = (
            path.read_text(encoding="utf-8")
            if is_file
            else files("repairlab.learning.training").joinpath(f"systems/{plain}.toml").read_text()
        )
        facts = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(f"there is no settings file {path}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML: {error}") from None
    if isinstance(facts.get("representation"), str):  # its name alone: settings of it may follow
        facts["representation"] = {"name": facts["representation"]}
    others = {item: facts.pop(item, None) for item in PRESETS[1:]}
    wanted = SMALL if plain != name else preset
    if wanted in others:
        chosen = others[wanted]
        if chosen is None:
            raise UserError(f"{name} has no preset {wanted}: leave --preset out, or use one of NPR4J's systems")
        _lay_over(facts, chosen)
    for change in changes:
        _lay_over(facts, _change(change))
    return _made(facts, str(path) if is_file else f"the system {plain}", text if is_file and not changes else "")


def with_changes(settings: SystemSettings, changes: Mapping[str, Any]) -> SystemSettings:
    """Return settings with some values replaced, by names such as `network.width`."""
    facts = as_facts(settings)
    for name, value in changes.items():
        _lay_over(facts, _nested(name, value))
    return _made(facts, "the settings")


def as_facts(settings: SystemSettings) -> dict[str, Any]:
    """Return settings in the form of their file."""
    model = to_data(settings.model)
    facts = {name: model[name] for name in ("system", "max_source", "max_target", "max_context")}
    facts["representation"] = {"name": model["representation"], **settings.representation}
    facts |= {"marks": list(settings.marks), "merge": settings.merge}
    search = {
        name: {key: value for key, value in to_data(item).items() if value is not None and value != [] and value is not False}
        for name, item in settings.search.items()
    }
    tables = {name: model[name] for name in ("vocabulary", "network", "decoding")}
    return {**facts, **tables, "training": to_data(settings.training), "search": search}


def _made(facts: dict[str, Any], where: str, toml: str = "") -> SystemSettings:
    facts = dict(facts)
    tables: dict[str, tuple[type, Any]] = {
        "vocabulary": (VocabularySettings, facts.pop("vocabulary", {})),
        "network": (NetworkSettings, facts.pop("network", {})),
        "decoding": (DecodingSettings, facts.pop("decoding", {})),
        "training": (TrainingSettings, facts.pop("training", {})),
    }
    made: dict[str, Any] = {}
    for name, (kind, found) in tables.items():
        table: Any = GenericAlias(dict, (str, kind))  # so that messages name the table
        made |= checked(table, {name: found}, where, toml=toml)
    training = made.pop("training")
    marks = tuple(facts.pop("marks", ()))
    search = {
        name: checked(SearchRange, item, f"{where}, search of {name}") for name, item in _flat(facts.pop("search", {}), ()).items()
    }
    rules: dict[str, MergeRule] = checked(dict[str, MergeRule], {"merge": facts.pop("merge", "by-score")}, where)
    representation = facts.pop("representation", {})
    representation = dict(representation) if isinstance(representation, Mapping) else {"name": representation}
    head = {**facts, "representation": representation.pop("name", None)}
    for name in ("system", "representation"):
        if not isinstance(head.get(name), str):
            raise UserError(f"{where} does not say its {name}")
    kept = checked(ModelSettings, to_data({**head, **made}), where, toml=toml)
    settings = SystemSettings(model=kept, training=training, representation=representation, marks=marks, search=search, **rules)
    settings.check()
    return settings


def _lay_over(facts: dict[str, Any], more: Mapping[str, Any]) -> None:
    for name, value in more.items():
        if isinstance(value, Mapping) and isinstance(facts.get(name), dict):
            _lay_over(facts[name], value)
        else:
            facts[name] = dict(value) if isinstance(value, Mapping) else value


def _change(text: str) -> dict[str, Any]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise UserError(f"--set {text!r} is no change of a setting; write it like network.width=128")
    return _nested(name.strip(), _value(value.strip()))


def _nested(name: str, value: Any) -> dict[str, Any]:
    for part in reversed(name.split(".")):
        value = {part: value}
    made: dict[str, Any] = value
    return made


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _flat(facts: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    """Return tables within tables by joined names; what has `values` or `low` is a range."""
    if "values" in facts or "low" in facts:
        return {".".join(path): facts}
    return {key: value for name, item in facts.items() for key, value in _flat(item, (*path, *name.split("."))).items()}
