"""Fixes of histories as bug–fix pairs for training: methods before and after, with or without tests."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

from repairlab.building.importers.repository import Repository
from repairlab.building.mining.funnel import Funnel, Stage, write_funnel
from repairlab.building.mining.licences import licences_of
from repairlab.building.mining.mine import project_of
from repairlab.building.mining.selecting import Selected, select
from repairlab.building.mining.settings import MiningSettings
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.core.storage.new_folder import new_folder
from repairlab.languages.fix_extent import fixed_function
from repairlab.languages.table import language as language_of
from repairlab.learning.pairs.pair_files import PairWriter

SPLIT = "all"
"""The one split; `repairlab pairs split` makes others."""


@record
class MinedPairs:
    """What came of it."""

    folder: Path
    n: int
    repeated: int
    stages: tuple[Stage, ...]


def mine_pairs(sources: Sequence[Path], name: str, settings: MiningSettings, folder: Path, done: Callable[[], None]) -> MinedPairs:
    """Write the fixed functions of histories to a new folder."""
    if settings.extent != "function":
        raise UserError(f"--pairs takes fixes of one function: --extent function, not {settings.extent}")
    if settings.language is None:
        raise UserError("--pairs needs a language, which all pairs of a set share: --language java, for example")
    repositories, funnel = [Repository(path) for path in sources], Funnel()
    with new_folder(folder) as aside, ExitStack() as stack:
        writer = PairWriter(aside, stack)
        for repository in repositories:
            for found in select(repository, settings, funnel, needs_tests=False):
                writer.add(SPLIT, _pair(repository, found, settings.language))
                done()
        if not writer.counts:
            counts = ", ".join(f"{stage.name} {stage.n}" for stage in funnel.stages)
            raise UserError(f"no pair is found; left by each stage: {counts}")
        stack.close()
        names = ", ".join(map(project_of, repositories))
        writer.finish(
            PairSet(
                name=name,
                version="1",
                licence=licences_of(repositories),
                description=f"Fixed functions in the histories of {names} (message {settings.message})",
                language=settings.language,
                form="method",
                abstract=False,
            )
        )
        write_funnel(aside, funnel.stages)
    return MinedPairs(folder=folder, n=writer.counts[SPLIT], repeated=writer.repeated, stages=funnel.stages)


def _pair(repository: Repository, found: Selected, language: str) -> Pair:
    commit, path = found.commit, found.change.sources[0]
    before, after = ((repository.read(revision, path) or b"").decode() for revision in (commit.parents[0], commit.id))
    name = fixed_function(language, before, after) or ""
    buggy, fixed = (_text(language, text, name) for text in (before, after))
    return Pair(
        id=f"{project_of(repository)}@{commit.id[:12]}",
        buggy=buggy,
        fixed=fixed,
        context=before,
        repository=next(iter(repository.remotes()), None),
        commit=commit.id,
        time=commit.date,
    )


def _text(language: str, source: str, name: str) -> str:
    """Return the first function of a name; overloads of it are the same before and after, or the fix would be of two."""
    function = next(item for item in language_of(language).syntax.functions(source) if item.qualified == name)
    return source[function.span.start : function.span.end]
