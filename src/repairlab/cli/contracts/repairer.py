"""What every repairer promises: settings that describe themselves, and valid candidates for problems of the built-in benchmark."""

import dataclasses
import tomllib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.writing import toml
from repairlab.cli.contracts.check import Check, NotTried, SelfTestContext, attempt
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.core.option import settings_of
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.record import to_data
from repairlab.repairers.repairer import RepairContext, RepairerFactory
from repairlab.repairers.table import factory, make_settings

N = 30
"""Candidates that are asked for."""


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a repairer."""
    made = factory(name)
    yield attempt("it knows its name", lambda: "" if made.name == name else f"it calls itself {made.name!r}")
    yield attempt("its settings describe themselves", lambda: _described(made))
    yield attempt("its settings survive an experiment file", lambda: _survive(made, context))
    for problem in starter_problems():
        title = f"it proposes valid candidates for {problem.id}"
        yield attempt(title, lambda: _proposes(made, problem, context))  # noqa: B023  # called at once


def starter_problems() -> tuple[Problem, ...]:
    """Return a problem in each language, as repairers see them by default."""
    first = {bug.problem.language: bug.problem for bug in reversed(list(open_benchmark("starter")))}
    return tuple(shown(problem, Visibility()) for problem in first.values())


def wrong_with(candidates: list[Candidate], problem: Problem, name: str) -> str:
    """Say what is wrong with what a repairer proposed for a problem: ranks, origins, and edits that do not apply."""
    if [candidate.rank for candidate in candidates] != list(range(1, len(candidates) + 1)):
        return "ranks are not 1, 2, 3 …"
    texts = {problem.path: problem.source, **{file.path: file.text for file in problem.context}}
    for candidate in candidates:
        if candidate.bug_id != problem.id or candidate.origin.repairer != name:
            return f"candidate {candidate.rank} is of bug {candidate.bug_id!r} and repairer {candidate.origin.repairer!r}"
        if not candidate.edits and candidate.problem is None:
            return f"candidate {candidate.rank} has neither edits nor a problem"
        for edit in candidate.edits:
            if edit.span is not None and (
                edit.path not in texts or not 0 <= edit.span.start <= edit.span.end <= len(texts[edit.path])
            ):
                return f"candidate {candidate.rank} edits a place of {edit.path} that there is not"
        apply_edits(
            candidate.edits, {path: text for path, text in texts.items() if path in {edit.path for edit in candidate.edits}}
        )
    return ""


def _described(made: RepairerFactory) -> str:
    bare = [
        f"{kind.__name__}.{item.name}"
        for kind in (made.settings, made.access)
        for item in settings_of(kind)
        if not item.option.help
    ]
    return f"no help text: {', '.join(bare)}" if bare else ""


def _survive(made: RepairerFactory, context: SelfTestContext) -> str:
    settings = _settings(made, context)
    again = make_settings(made.settings, tomllib.loads(toml(to_data(settings))), made.name)
    return "" if again == settings else f"{settings} became {again}"


def _settings(made: RepairerFactory, context: SelfTestContext) -> object:
    missing = [item.name for item in settings_of(made.settings) if item.is_required and item.name not in context.settings]
    if missing:
        raise NotTried(f"it needs {', '.join(missing)}: give them with --config FILE, in the table [{made.name}]")
    settings: object = make_settings(made.settings, context.settings, made.name)
    return settings


def _proposes(made: RepairerFactory, problem: Problem, context: SelfTestContext) -> str:
    settings = _settings(made, context)
    if made.unfit(settings, 0)(problem) is not None:
        raise NotTried(f"it cannot work on it: {made.unfit(settings, 0)(problem)}")
    drawn = [_draw(made, settings, problem, context) for _ in range(2 if made.is_deterministic else 1)]
    if drawn[0] != drawn[-1]:
        return "it proposed something else when it was asked again; say is_deterministic=False if it must"
    return wrong_with(drawn[0], problem, made.name)


def _draw(made: RepairerFactory, settings: object, problem: Problem, context: SelfTestContext) -> list[Candidate]:
    opening = RepairContext(
        settings=settings,
        access=made.access(),
        n=N,
        seed=0,
        folder=context.folder,
        cache=context.machine.cache,
        append=_append,
        notify=lambda text: None,  # noqa: ARG005
        keep=lambda prompt, *answers: None,  # noqa: ARG005
    )
    with made.open(opening) as repairer:
        return [dataclasses.replace(candidate) for candidate in islice(repairer.propose(problem, ()), N)]


def _append(path: Path, body: bytes) -> None:
    with path.open("ab") as file:
        file.write(body + b"\n")
