"""Random search: models with settings drawn from the ranges of a system; the best make up the result."""

import json
import math
import random
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.storage.encoding import write_aside
from repairlab.learning.networks.folder import ENSEMBLE
from repairlab.learning.training.cost import METRICS, TrainingCost
from repairlab.learning.training.loop import TrainingListener
from repairlab.learning.training.settings import SearchRange, SystemSettings, with_changes
from repairlab.learning.training.train import TrainedModel, TrainOptions, train

TRIALS = "trials.json"


def search_settings(
    settings: SystemSettings,
    pairs: Path,
    folder: Path,
    options: TrainOptions,
    listener: TrainingListener,
    *,
    n: int,
    keep: int = 1,
) -> list[TrainedModel]:
    """Train `n` models into separate folders; return all, best first. An interrupted search resumes by itself."""
    if not settings.search:
        raise UserError(
            f"the system {settings.model.system} has no ranges to search: add a table [search] to a copy of its settings"
        )
    if not 1 <= keep <= n:
        raise UserError(f"--keep is {keep}: write a number from 1 to {n}")
    if (folder / ENSEMBLE).exists():
        raise UserError(f"{folder} is searched to its end already; name a new folder with --to")
    if folder.exists() and not options.resume:
        raise UserError(f"{folder} exists: go on with --resume, or name a new folder with --to")
    made: list[tuple[TrainedModel, dict[str, Any]]] = []
    for number in range(1, n + 1):
        drawn = draw(settings, random.Random(f"{options.seed} {number}"))
        place = folder / f"trial-{number:02}"
        listener.notify(f"trial {number} of {n}: {', '.join(f'{name} {value}' for name, value in drawn.items())}")
        made.append((_finished(place) or train(with_changes(settings, drawn), pairs, place, options, listener), drawn))
    made.sort(key=lambda item: (-item[0].metrics["exact_match"], item[0].metrics["valid_loss"]))
    told = [{"folder": model.folder.name, "settings": drawn, **model.metrics} for model, drawn in made]
    write_aside(folder / TRIALS, json.dumps(told, indent=2) + "\n")
    members = [model.folder.name for model, _ in made[:keep]]
    write_aside(folder / ENSEMBLE, json.dumps({"members": members, "rule": settings.merge}, indent=2) + "\n")
    return [model for model, _ in made]


def draw(settings: SystemSettings, chance: random.Random) -> dict[str, Any]:
    """Return a value for every setting that has a range."""
    return {name: _value(item, chance) for name, item in sorted(settings.search.items())}


def _value(item: SearchRange, chance: random.Random) -> Any:
    if item.values:
        return chance.choice(item.values)
    low, high = item.low or 0.0, item.high or 0.0
    if item.log:
        return math.exp(chance.uniform(math.log(low), math.log(high)))
    return chance.uniform(low, high)


def _finished(folder: Path) -> TrainedModel | None:
    path = folder / METRICS
    if not path.is_file():
        return None
    facts = json.loads(path.read_text(encoding="utf-8"))
    cost = TrainingCost(**facts["cost"]) if facts.get("cost") else None
    names = TrainedModel.__dataclass_fields__.keys() - {"cost", "folder"}
    return TrainedModel(**{name: value for name, value in facts.items() if name in names}, folder=folder, cost=cost)
