"""Read a problem package in Kattis' form: its settings, statement, cases and submissions."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # comes without types

from repairlab.building.importers.small_programs import EXTENSIONS, Cases, folders_of, pair_cases, safe_id
from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.record import record

DEFAULT_TIME_S = 5.0
"""Kattis derives a missing limit from the run time of the accepted programs on its own machines."""


@record
class Submission:
    """A program that came with a problem, and the folder that says what it is."""

    folder: str
    name: str
    language: str | None
    """None for an unknown language."""
    text: str = ""
    problem: str = ""
    """Why it cannot be used."""


@record
class Package:
    """A problem package."""

    folder: Path
    name: str
    """Short name: that of its folder."""
    title: str
    statement: str
    licence: str
    kinds: frozenset[str]
    """Words that say how it is judged: custom, interactive, scoring, …"""
    flags: tuple[str, ...]
    """Of its output validator."""
    time_s: float | None
    limits: dict[str, Any]
    cases: Cases
    incomplete: tuple[tuple[str, str], ...]
    """Cases that cannot be used, each with what is missing."""
    submissions: tuple[Submission, ...]


def is_package(folder: Path) -> bool:
    """Return whether a folder is a problem package."""
    return (folder / "problem.yaml").is_file()


def read_package(folder: Path) -> Package:
    """Read everything in a package except its validators."""
    facts = _read_yaml(folder / "problem.yaml")
    name = facts.get("name") or folder.name
    names = [name.get("en"), *name.values()] if isinstance(name, dict) else [name]
    limits = facts.get("limits") or {}
    if not isinstance(limits, dict):
        raise UserError(f"{folder / 'problem.yaml'}: limits should be a table, not {limits!r}")
    cases = {
        f"{part}-{case}": texts
        for part in ("sample", "secret")
        if (folder / "data" / part).is_dir()
        for case, texts in pair_cases(folder / "data" / part).items()
    }
    return Package(
        folder=folder,
        name=safe_id(folder.resolve().name),
        title=next(str(name) for name in names if name),
        statement=_statement(folder),
        licence=str(facts.get("license", "unknown")),
        kinds=frozenset(_words(facts.get("type")) | _words(facts.get("validation"))),
        flags=_flags(folder, facts),
        time_s=_time_s(folder, limits),
        limits={key: value for key, value in limits.items() if isinstance(value, int | float)},
        cases=cases,
        incomplete=tuple(_incomplete(folder / "data")),
        submissions=tuple(
            _submission(kind.name, path)
            for kind in folders_of(folder / "submissions")
            for path in sorted(kind.iterdir())
            if not path.name.startswith(".")
        ),
    )


def _incomplete(data: Path) -> Iterator[tuple[str, str]]:
    """Yield the names of cases with one half missing."""
    for part in ("sample", "secret"):
        files = {path.relative_to(data / part).as_posix() for path in (data / part).rglob("*") if path.is_file()}
        for name in sorted(files):
            stem, _, ending = name.rpartition(".")
            answers = [f"{stem}.ans", f"{stem}.out"]
            if ending == "in" and not files.intersection(answers):
                yield f"{part}-{safe_id(stem)}", f"it has an input, {part}/{name}, but no answer, {part}/{stem}.ans"
            elif ending == "ans" and f"{stem}.in" not in files:
                yield f"{part}-{safe_id(stem)}", f"it has an answer, {part}/{name}, but no input, {part}/{stem}.in"


def _read_yaml(path: Path) -> dict[str, Any]:
    text = read_text(path)
    try:
        data = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise UserError(f"{path}{line}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UserError(f"{path}: not valid YAML: {error}") from None
    if data is None:
        return {}
    if not isinstance(data, dict):
        raise UserError(f"{path}: should be a table of settings, not {type(data).__name__}")
    return data


def _words(value: Any) -> set[str]:
    return set(value if isinstance(value, list) else str(value or "").split())


def _flags(folder: Path, facts: dict[str, Any]) -> tuple[str, ...]:
    """Return the arguments of the output validator; groups of cases with their own must agree."""
    given = [facts.get("validator_flags")]
    for path in sorted((folder / "data").rglob("testdata.yaml")) + sorted((folder / "data").rglob("test_group.yaml")):
        settings = _read_yaml(path)
        given += [settings.get("output_validator_flags"), settings.get("output_validator_args")]
    found = {tuple(value) if isinstance(value, list) else tuple(shlex.split(str(value))) for value in given if value}
    if len(found) > 1:
        raise UserError(f"{folder}: groups of cases have different validator flags: {' and '.join(map(shlex.join, sorted(found)))}")
    return tuple(map(str, found.pop())) if found else ()


def _time_s(folder: Path, limits: dict[str, Any]) -> float | None:
    written = limits.get("time_limit")
    if written is None and (folder / ".timelimit").is_file():
        written = read_text(folder / ".timelimit").strip()
    if written is None and (folder / "domjudge-problem.ini").is_file():
        found = re.search(r"^\s*timelimit\s*=\s*'?([^'\s]+)", read_text(folder / "domjudge-problem.ini"), re.MULTILINE)
        written = found[1] if found else None
    try:
        time_s = None if written is None else float(written)
    except (TypeError, ValueError):
        raise UserError(f"{folder}: the time limit should be a number of seconds, not {written!r}") from None
    if time_s is not None and not 0 < time_s < 3600:
        raise UserError(f"{folder}: the time limit is {time_s} seconds; it should be between 0 and 3600")
    return time_s


def _statement(folder: Path) -> str:
    places = [(folder / name, ending) for name in ("problem_statement", "statement") for ending in ("tex", "md")]
    found = [path for place, ending in places for path in sorted(place.glob(f"problem*.{ending}"))]
    english = [path for path in found if path.name in ("problem.en.tex", "problem.en.md", "problem.tex", "problem.md")]
    text = read_text((english or found)[0]) if found else ""
    return re.sub(r"\\problemname\{[^}]*\}", "", text).strip()


def _submission(folder: str, path: Path) -> Submission:
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
    language = EXTENSIONS.get(files[0].suffix.lower()) if files else None
    if len(files) != 1:
        return Submission(folder=folder, name=path.name, language=language, problem=f"it consists of {count(len(files), 'file')}")
    if language is None:
        return Submission(folder=folder, name=path.name, language=None, problem=f"no language is known for {files[0].name}")
    try:
        text = read_text(files[0])
    except UserError as error:
        return Submission(folder=folder, name=path.name, language=language, problem=str(error))
    return Submission(folder=folder, name=path.name, language=language, text=text)
