"""Read benchmarks in repairlab's own form: a folder per bug (docs/reference/benchmark-format.md)."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from repairlab.benchmarks.bug_files import TreeContext, open_cases, read_text, read_tree
from repairlab.benchmarks.protection import need_protected_tests
from repairlab.core.bug import Bug, Checker, CheckerKind, CheckerProgram, Labels, Oracle, Provenance, Tree
from repairlab.core.candidate import Edit
from repairlab.core.diff import apply_edits, changed_lines, edits_of_patch
from repairlab.core.errors import UserError, unknown
from repairlab.core.execution import Limits
from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem, SourceFile, Target
from repairlab.core.recipe import Build, Framework, Test
from repairlab.core.record import to_data
from repairlab.core.storage.checking import KeyPlaces, checked, place, read_toml, take_schema
from repairlab.core.text import Lines, Span
from repairlab.languages.facts import facts as language_facts
from repairlab.languages.facts import names
from repairlab.languages.language import language

T = TypeVar("T")

_PROFILES = {"float-1e-6": 1e-6, "float-1e-8": 1e-8}
"""Tolerances of most contests: absolute or relative, whichever is more generous."""


class BenchmarkFile(BaseModel):
    """What a benchmark says of itself."""

    model_config = ConfigDict(extra="forbid")

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
    checker: CheckerKind | Literal["float-1e-6", "float-1e-8"] = "tokens"
    absolute: float | None = None
    relative: float | None = None


class _CheckerTable(BaseModel):
    model_config = ConfigDict(extra="forbid")

    language: str
    program: str = ""
    flags: tuple[str, ...] = ()
    limits: Limits = Limits()
    interactive: bool = False
    arguments: tuple[str, ...] = ()


class _BugFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    language: str
    path: str
    target: str | None = None
    submission_verdict: Verdict | None = None
    error: str | None = None
    build: Build = Build()
    test: _TestTable
    checker: _CheckerTable | None = None
    limits: Limits = Limits()
    labels: Labels = Labels()
    origin: Provenance = Provenance()


def read_head(folder: Path) -> tuple[BenchmarkFile, dict[str, Path]]:
    """Return the benchmark's description, and the folders of its bugs by id."""
    head, _ = _read_toml(folder / "benchmark.toml", BenchmarkFile)
    bugs = {path.name: path for path in sorted((folder / "bugs").glob("*")) if path.is_dir()}
    if not bugs:
        raise UserError(f"benchmark {head.name!r} has no bugs: {folder / 'bugs'} holds no folder")
    return head, bugs


def check_bug_file(data: dict[str, Any], path: Path, toml: str) -> None:
    """Refuse keys and values that no bug.toml may have; missing ones may come from elsewhere."""
    checked(_BugFile, data, str(path), toml=toml, partial=True)


def load_bug(folder: Path, benchmark: str, *, bug_id: str | None = None) -> Bug:
    """Read one bug; its id is the folder's name unless the folder is about to get it."""
    name = bug_id or folder.name
    facts, text = _read_toml(folder / "bug.toml", _BugFile)
    at = KeyPlaces(str(folder / "bug.toml"), text)
    _check_recipe(at, facts)
    buggy = folder / "buggy"
    if not buggy.is_dir():
        raise UserError(f"bug {name}: the folder {buggy} is missing")
    tree = read_tree(buggy)
    files = tree.texts
    if facts.path not in files:
        problem = "is not UTF-8 text" if (buggy / facts.path).is_file() else "does not exist"
        raise UserError(f"bug {name}: the file to fix, buggy/{facts.path}, {problem}")
    try:
        reference = edits_of_patch(read_text(folder / "fix.patch"), files)
        location = _locations(reference, files)
        target, bare = find_target(facts.language, files[facts.path], facts.target)
    except UserError as error:
        raise UserError(f"bug {name}: {error}") from error
    test = facts.test
    trigger, regression = (tuple(name for name in names if name not in test.excluded) for names in (test.trigger, test.regression))
    if test.framework != "stdio" and not trigger:
        why = "is excluded" if test.trigger else "names no test"
        raise UserError(f"{at('test', 'trigger')} {why}; without one nothing can show that the bug is fixed")
    _check_limits(at, facts.limits, "limits")
    _check_limits(at, facts.build.limits, "build", "limits")
    case_ids = _case_ids(folder, test) if test.framework == "stdio" else ()
    _check_exclusions(at, test, case_ids)
    left = tuple(case for case in case_ids if case not in test.excluded)
    title, _, description = read_text(folder / "issue.md").partition("\n")
    bug = Bug(
        problem=Problem(
            id=name,
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
            context=TreeContext(buggy, tree.digest, without=facts.path, hidden=test.files),
        ),
        oracle=Oracle(
            reference=reference,
            build=facts.build,
            test=Test(framework=test.framework, program=test.program, files=test.files, env=tuple(sorted(test.env.items()))),
            limits=facts.limits,
            trigger=trigger,
            regression=regression,
            cases=open_cases(folder / "cases", left, _comparison(at, test)) if left else (),
            checker=_read_checker(at, folder, facts),
            excluded=test.excluded,
        ),
        tree=Tree(source=str(buggy), digest=tree.digest),
        origin=facts.origin,
        labels=facts.labels,
    )
    need_protected_tests(bug, files, place(str(folder / "bug.toml"), text, ("test", "files")))
    return bug


def find_target(language_name: str, source: str, name: str | None) -> tuple[Target, str]:
    """Return the function called `name` (or the whole file) and its text without comments."""
    if language_name not in names():
        raise unknown("language", language_name, names())
    syntax = language(language_name).syntax
    if name is None:
        span = Span(start=0, end=len(source))
    else:
        functions = syntax.functions(source)
        found = [function for function in functions if name in (function.qualified, function.signature)]
        if len(found) != 1:
            known = [function.qualified for function in functions]
            raise (
                unknown("target function", name, known)
                if not found
                else UserError(f"target function {name!r} is there {len(found)} times")
            )
        span = found[0].span
    text = span.of(source)
    return Target(name=name, span=span, text=text), syntax.strip_comments(text)


def _check_recipe(at: KeyPlaces, facts: _BugFile) -> None:
    """Refuse tools and frameworks that the language does not have."""
    if facts.language not in names():
        raise UserError(f"{at('language')}: {unknown('language', facts.language, names())}")
    known = language_facts(facts.language)
    if facts.build.tool not in known.tools:
        raise UserError(f"{at('build', 'tool')}: {unknown(f'build tool of {known.title}', facts.build.tool, known.tools)}")
    if facts.test.framework not in known.frameworks:
        raise UserError(
            f"{at('test', 'framework')}: {unknown(f'framework of {known.title}', facts.test.framework, known.frameworks)}"
        )


def _check_limits(at: KeyPlaces, limits: Limits, *table: str) -> None:
    for name, value in to_data(limits).items():
        if not 0 < value < math.inf:
            raise UserError(f"{at(*table, name)} is {value}; it must be {'more than 0' if value <= 0 else 'finite'}")


def _check_exclusions(at: KeyPlaces, test: _TestTable, cases: Sequence[str]) -> None:
    """Refuse names that exclude nothing: a typo would leave a flaky test in."""
    known = [*test.trigger, *test.regression, *cases]
    for name in test.excluded:
        if name not in known:
            raise UserError(f"{at('test', 'excluded')}: {unknown('test', name, known)}")


def _comparison(at: KeyPlaces, test: _TestTable) -> Checker:
    """Return the checker of a bug's cases."""
    given = {name: value for name, value in (("absolute", test.absolute), ("relative", test.relative)) if value is not None}
    for name, value in given.items():
        if test.checker != "float":
            raise UserError(f'{at("test", name)} is only for checker = "float", not for {test.checker!r}')
        if not 0 <= value < math.inf or (name == "relative" and value >= 1):
            raise UserError(
                f"{at('test', name)} is {value}; a tolerance is 0 or more{' and less than 1' if name == 'relative' else ''}"
            )
    if test.checker in _PROFILES:
        return Checker(kind="float", absolute=_PROFILES[test.checker], relative=_PROFILES[test.checker])
    kind: CheckerKind = test.checker  # type: ignore[assignment]  # the profiles are dealt with
    return Checker(kind=kind, **given)


def _read_checker(at: KeyPlaces, folder: Path, facts: _BugFile) -> CheckerProgram | None:
    """Return the checker program that comes with a bug, if it has one."""
    table, bug = facts.checker, folder.name
    if (facts.test.checker == "program") != (table is not None):
        there, missing = (
            ("test.checker = 'program'", "a table [checker]") if table is None else ("[checker]", "test.checker = 'program'")
        )
        raise UserError(f"bug {bug}: {there} needs {missing}, too")
    if table is None:
        return None
    if facts.test.framework != "stdio":
        raise UserError(f"bug {bug}: only stdin/stdout programs have a checker, not test.framework = {facts.test.framework!r}")
    _check_limits(at, table.limits, "checker", "limits")
    files = [path for path in sorted((folder / "checker").rglob("*")) if path.is_file() and "__pycache__" not in path.parts]
    sources = tuple(SourceFile(path=path.relative_to(folder / "checker").as_posix(), text=read_text(path)) for path in files)
    if table.language not in names():
        raise UserError(f"{at('checker', 'language')}: {unknown('language', table.language, names())}")
    known = language_facts(table.language)
    if not known.can_check:
        raise UserError(f"bug {bug}: checkers cannot be written in {known.title}: one that fails would seem to say no")
    endings = tuple(ending for ending in known.extensions if ending not in known.headers)
    if not any(source.path.endswith(endings) for source in sources):
        wanted = ", ".join(f"*{ending}" for ending in endings)
        raise UserError(f"bug {bug}: the folder checker/ must hold the checker's sources ({wanted}); it has none")
    start = table.program or (known.checker.program if known.checker else "")
    if known.checker is None and table.program:
        raise UserError(f"{at('checker', 'program')} is {table.program!r}, but a checker in {table.language} is its only program")
    if known.checker and known.checker.is_file and start not in [source.path for source in sources]:
        raise UserError(f"bug {bug}: the script checker/{start} does not exist; name another one as checker.program")
    if table.arguments and not table.interactive:
        raise UserError(f"{at('checker', 'arguments')} are only for interactive checkers")
    return CheckerProgram(
        language=table.language,
        files=sources,
        program=start,
        flags=table.flags,
        limits=table.limits,
        interactive=table.interactive,
        arguments=table.arguments,
    )


def _case_ids(folder: Path, test: _TestTable) -> tuple[str, ...]:
    ids = tuple(path.stem for path in sorted((folder / "cases").glob("*.in")))
    if all(case in test.excluded for case in ids):
        left = "; all are excluded" if ids else ""
        raise UserError(f"bug {folder.name}: a stdin/stdout bug needs at least one pair cases/NAME.in and cases/NAME.out{left}")
    return ids


def _locations(reference: tuple[Edit, ...], files: Mapping[str, str]) -> tuple[Lines, ...]:
    changed = apply_edits(reference, files)
    return tuple(lines for path, text in changed.items() if path in files for lines in changed_lines(path, files[path], text or ""))


def _read_toml(path: Path, model: type[T]) -> tuple[T, str]:
    data, text = read_toml(path)
    take_schema(data, str(path))
    return checked(model, data, str(path), toml=text), text
