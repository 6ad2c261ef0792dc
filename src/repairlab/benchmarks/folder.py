"""Read benchmarks in repairlab's own form: a folder per bug (docs/benchmark-format.md). Called by `runs.catalog`."""

import hashlib
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug, Labels, Provenance, Tree
from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits, changed_lines, edits_of_patch
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.glob import matching
from repairlab.core.oracle import Case, Checker, Oracle
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem, SourceFile, Target
from repairlab.core.recipe import Build, Framework, Test
from repairlab.core.record import SCHEMA_VERSION, to_data
from repairlab.core.text import Lines

FindTarget = Callable[[str, str, str | None], tuple[Target, str]]
"""(language, source, qualified name or none) → the target and its text without comments; the caller knows languages."""

T = TypeVar("T")


class _BenchmarkFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1]
    name: str
    version: str
    licence: str
    description: str = ""


class _TestTable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    framework: Framework = "stdio"
    program: str = ""
    files: tuple[str, ...] = ()
    env: dict[str, str] = {}
    trigger: tuple[str, ...] = ()
    regression: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    checker: Literal["tokens", "lines", "exact", "float"] = "tokens"
    absolute: float = 1e-6
    relative: float = 1e-6


class _BugFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    schema_version: Literal[1]
    language: str
    path: str
    target: str | None = None
    submission_verdict: Verdict | None = None
    error: str | None = None
    build: Build = Build()
    test: _TestTable
    limits: Limits = Limits()
    labels: Labels = Labels()
    origin: Provenance = Provenance()


def load_folder(folder: Path, find_target: FindTarget) -> Benchmark:
    """Read a benchmark folder with all its bugs; the first thing wrong with it is a UserError that names the file."""
    head = _read_toml(folder / "benchmark.toml", _BenchmarkFile)
    bug_folders = sorted(path for path in (folder / "bugs").glob("*") if path.is_dir())
    if not bug_folders:
        raise UserError(f"benchmark {head.name!r} has no bugs: {folder / 'bugs'} holds no folder")
    bugs = tuple(_load_bug(path, head.name, find_target) for path in bug_folders)
    return Benchmark(name=head.name, version=head.version, licence=head.licence, description=head.description, bugs=bugs)


def _load_bug(folder: Path, benchmark: str, find_target: FindTarget) -> Bug:
    facts = _read_toml(folder / "bug.toml", _BugFile)
    buggy = folder / "buggy"
    if not buggy.is_dir():
        raise UserError(f"bug {folder.name}: the folder {buggy} is missing")
    files = read_sources(buggy)
    if facts.path not in files:
        problem = "is not UTF-8 text" if (buggy / facts.path).is_file() else "does not exist"
        raise UserError(f"bug {folder.name}: the file to fix, buggy/{facts.path}, {problem}")
    try:
        reference = edits_of_patch(_read_text(folder / "fix.patch"), files)
        location = _locations(reference, files)
        target, bare = find_target(facts.language, files[facts.path], facts.target)
    except UserError as error:
        raise UserError(f"bug {folder.name}: {error}") from error
    if facts.test.framework != "stdio" and not facts.test.trigger:
        raise UserError(f"bug {folder.name}: test.trigger names no test; without one nothing can show that the bug is fixed")
    for name, value in to_data(facts.limits).items():
        if value <= 0:
            raise UserError(f"bug {folder.name}: limits.{name} is {value}; it must be more than 0")
    title, _, description = _read_text(folder / "issue.md").partition("\n")
    hidden = set(matching(files, facts.test.files))
    test = facts.test
    return Bug(
        problem=Problem(
            id=folder.name,
            benchmark=benchmark,
            language=facts.language,
            title=title.lstrip("# ").strip(),
            description=description.strip(),
            path=facts.path,
            source=files[facts.path],
            target=target,
            target_without_comments=bare,
            location=location,
            error=facts.error,
            submission_verdict=facts.submission_verdict,
            context=tuple(SourceFile(path=path, text=text) for path, text in files.items() if path not in hidden | {facts.path}),
        ),
        oracle=Oracle(
            reference=reference,
            build=facts.build,
            test=Test(framework=test.framework, program=test.program, files=test.files, env=tuple(sorted(test.env.items()))),
            limits=facts.limits,
            trigger=tuple(name for name in test.trigger if name not in test.excluded),
            regression=tuple(name for name in test.regression if name not in test.excluded),
            cases=_read_cases(folder, test) if test.framework == "stdio" else (),
            excluded=test.excluded,
        ),
        tree=Tree(source=str(buggy), digest=tree_digest(buggy)),
        origin=facts.origin,
        labels=facts.labels,
    )


def _read_cases(folder: Path, test: _TestTable) -> tuple[Case, ...]:
    checker = Checker(kind=test.checker, absolute=test.absolute, relative=test.relative)
    inputs = sorted((folder / "cases").glob("*.in"))
    if not inputs:
        raise UserError(f"bug {folder.name}: a stdin/stdout bug needs at least one pair cases/NAME.in and cases/NAME.out")
    return tuple(
        Case(id=path.stem, input=_read_text(path), expected=_read_text(path.with_suffix(".out")), checker=checker)
        for path in inputs
        if path.stem not in test.excluded
    )


def _locations(reference: tuple[Edit, ...], files: Mapping[str, str]) -> tuple[Lines, ...]:
    changed = apply_edits(reference, files)
    return tuple(lines for path, text in changed.items() if path in files for lines in changed_lines(path, files[path], text or ""))


def read_sources(tree: Path) -> dict[str, str]:
    """Return the UTF-8 text files of a tree by relative path, line endings untouched; other files are left out."""
    sources = {}
    for path in _files(tree):
        try:
            sources[path.relative_to(tree).as_posix()] = path.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue
    return sources


def tree_digest(tree: Path) -> str:
    """Return a content hash of all files of a tree."""
    total = hashlib.sha256()
    for path in _files(tree):
        total.update(f"{path.relative_to(tree).as_posix()}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()[:16]


def _files(tree: Path) -> list[Path]:
    return sorted(path for path in tree.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def _read_text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except FileNotFoundError:
        raise UserError(f"{path} is missing") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from None


def _read_toml(path: Path, model: type[T]) -> T:
    try:
        data: dict[str, Any] = tomllib.loads(_read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is not valid TOML: {error}") from None
    if data.get("schema") != SCHEMA_VERSION:
        raise UserError(f"{path}: schema is {data.get('schema')!r}, this version of repairlab reads schema {SCHEMA_VERSION}")
    data["schema_version"] = data.pop("schema")
    try:
        return TypeAdapter(model).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise UserError(f"{path}: {where}: {first['msg']} (got {first['input']!r})") from None
