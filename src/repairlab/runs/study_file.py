"""A study as a file: systems × conditions × benchmarks × seeds; each cell is a run."""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.option import settings_of
from repairlab.core.record import record
from repairlab.core.storage.checking import checked, read_toml
from repairlab.repairers.table import REPAIRERS, factory, make_settings
from repairlab.runs.experiment import Experiment, identity, make_experiment

ONLY = "default"
"""The condition of a study that names none."""
_TABLES = ("study", "settings", "systems", "conditions")


@record
class Head:
    """What `[study]` says."""

    name: str
    benchmarks: tuple[str, ...]
    """Names or folders."""
    seeds: tuple[int, ...] = (0,)
    cost_limit_usd: float | None = None
    """Of all cells together."""


@record
class Training:
    """A model that a study trains before its runs; the settings of `repairlab train`."""

    system: str
    pairs: Path
    preset: str | None = None
    set: tuple[str, ...] = ()
    seed: int = 1
    device: str = "auto"
    folder: Path = Path()
    """Folder for the model."""


@record
class Cell:
    """One run of a study."""

    system: str
    condition: str
    benchmark: str
    seed: int
    experiment: Experiment
    access: object | None
    """Local settings of the repairer."""
    training: Training | None = None
    """The model that its system trains."""

    @property
    def name(self) -> str:
        """Return a name that is unique to the cell and fit for a folder."""
        words = (Path(self.benchmark).name, self.system, self.condition, f"seed-{self.seed}")
        return "--".join(map(_plain, words))

    @property
    def title(self) -> str:
        """Return the cell as people read it."""
        return f"{self.system} · {self.condition} · {Path(self.benchmark).name} · seed {self.seed}"


def _plain(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "-", text)


@record
class Study:
    """What a study file asks for."""

    head: Head
    cells: tuple[Cell, ...]
    folder: Path


def read_study(path: Path, to: Path | None = None) -> Study:
    """Read a study file; a UserError says which cell is wrong before anything runs."""
    data, text = read_toml(path, "the study file")
    if wrong := [key for key in data if key not in _TABLES]:
        raise unknown(f"table of {path}", wrong[0], _TABLES)
    head = checked(Head, data.get("study", {}), str(path), toml=text)
    systems = data.get("systems", [])
    conditions = data.get("conditions", {}) or {ONLY: {}}
    if not isinstance(systems, list) or not all(isinstance(item, dict) and isinstance(item.get("name"), str) for item in systems):
        raise UserError(f"{path}: each system is a table [[systems]] with a name")
    if not isinstance(conditions, dict) or not all(isinstance(item, dict) for item in conditions.values()):
        raise UserError(f"{path}: each condition is a table [conditions.NAME]")
    for what, given in (("system", systems), ("benchmark", head.benchmarks), ("seed", head.seeds)):
        if not given:
            raise UserError(f"{path}: the study has no {what}")
    if not re.fullmatch(r"[\w][\w. -]*", head.name):
        raise UserError(f"{path}: name is {head.name!r}; the study's folder is called so: use letters, digits, spaces, . _ and -")
    cells: dict[str, Cell] = {}
    folder = to or Path("studies") / head.name
    for cell in _cells(path, folder, head, data.get("settings", {}), systems, conditions):
        if cell.name in cells:
            raise UserError(f"{path}: two cells are called {cell.name}; give systems, conditions and benchmarks different names")
        cells[cell.name] = cell
    return Study(head=head, cells=tuple(cells.values()), folder=folder)


def _cells(
    path: Path,
    folder: Path,
    head: Head,
    shared: dict[str, Any],
    systems: list[dict[str, Any]],
    conditions: dict[str, dict[str, Any]],
) -> Iterator[Cell]:
    """Yield the cells, those of one system together, so that its model is loaded once or still warm."""
    for system in systems:
        own = {key: value for key, value in system.items() if key not in ("name", "conditions", "seeds", "train")}
        training = None
        if "train" in system:
            place = folder / "models" / _plain(system["name"])
            training = checked(Training, {**system["train"], "folder": place}, f"{path}: train of {system['name']}")
            own = merged({"repairer": "neural", "neural": {"model": str(place)}}, own)
        wanted, seeds = system.get("conditions", list(conditions)), system.get("seeds", list(head.seeds))
        for key, given, kind, what in (("conditions", wanted, str, "names"), ("seeds", seeds, int, "whole numbers")):
            if not isinstance(given, list) or not all(type(item) is kind for item in given):
                raise UserError(f"{path}: {key} of {system['name']} is {given!r}, but it must be a list of {what}")
        if len(set(seeds)) < len(seeds):
            raise UserError(f"{path}: seeds of {system['name']} are {seeds}; name each once")
        if strange := [name for name in wanted if name not in conditions]:
            raise unknown(f"condition of system {system['name']}", strange[0], conditions)
        for benchmark in head.benchmarks:
            seen: dict[str, str] = {}
            for condition in wanted:
                for seed in seeds:
                    given = merged(merged(shared, own), conditions[condition]) | {"benchmark": benchmark, "seed": seed}
                    try:
                        experiment, access = _experiment(given)
                    except UserError as error:
                        raise UserError(f"{path}: {system['name']} under {condition}: {error}") from None
                    if (twin := seen.setdefault(repr(identity(experiment)), condition)) != condition:
                        raise UserError(
                            f"{path}: {twin} and {condition} are the same to {system['name']}; "
                            f'say which it takes, such as: conditions = ["{twin}"]'
                        )
                    yield Cell(
                        system=system["name"],
                        condition=condition,
                        benchmark=benchmark,
                        seed=seed,
                        experiment=experiment,
                        access=access,
                        training=training,
                    )


def merged(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables, nested ones too; the second takes precedence.

    >>> merged({"n": 1, "llm": {"shots": 1, "top_p": 0.5}}, {"llm": {"shots": 3}})
    {'n': 1, 'llm': {'shots': 3, 'top_p': 0.5}}
    """
    both = dict(first)
    for key, value in second.items():
        old = both.get(key)
        both[key] = merged(old, value) if isinstance(old, Mapping) and isinstance(value, Mapping) else value
    return both


def _experiment(given: dict[str, Any]) -> tuple[Experiment, object | None]:
    """Return the settings of a run, without other repairers' tables in shared settings and conditions."""
    name = str(given.get("repairer", ""))
    if not name:
        raise UserError("no repairer is named, such as: repairer = 'llm'")
    known = {*(field.name for field in dataclasses.fields(Experiment)), "access"}
    settings = {key: value for key, value in given.items() if key in known or key == name or key not in REPAIRERS}
    access = _own_access(name, settings.pop("access", {}))
    local = make_settings(factory(name).access, access, name) if access and name in REPAIRERS else None
    return make_experiment(settings), local


def _own_access(repairer: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return local settings without those that only other repairers have."""
    if repairer not in REPAIRERS:
        return {}
    known, *others = (
        {setting.name for setting in settings_of(factory(name).access)} for name in (repairer, *(set(REPAIRERS) - {repairer}))
    )
    return {key: value for key, value in given.items() if key in known or not any(key in other for other in others)}
