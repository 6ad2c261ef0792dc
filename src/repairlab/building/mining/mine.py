"""Turn histories into a benchmark, whose tests are found by running them, or into bug–fix pairs for training."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.benchmarks.folder import load_bug
from repairlab.building.amending import leave_out, project_of_bug
from repairlab.building.discovery import DiscoveredTests
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings, TreeFile
from repairlab.building.importers.repository import Repository, licence_of, licences_of
from repairlab.building.importers.tree_recipes import Fix, bug_of_fix
from repairlab.building.importing import Imported, write_benchmark
from repairlab.building.mining.funnel import Funnel, Stage, write_funnel
from repairlab.building.mining.issues import Issues, TrackedIssue, without_leaks, write_issue
from repairlab.building.mining.selecting import Selected, select
from repairlab.building.mining.settings import MiningSettings
from repairlab.core.diff import added_lines
from repairlab.core.errors import UserError
from repairlab.core.pair import Pair, PairSet
from repairlab.core.record import record
from repairlab.core.storage.folders import new_folder
from repairlab.languages.fix_extent import fixed_function
from repairlab.languages.language import language as language_of
from repairlab.learning.pairs.pair_files import PairWriter
from repairlab.repairers.llm.client.model import ChatModel
from repairlab.validation.machine import Machine

RECIPE, TESTS = "recipe", "tests"
"""The stages behind those of `selecting`."""
_SHORT = 12


@record
class Mined:
    """What came of it."""

    imported: Imported
    stages: tuple[Stage, ...]
    vulnerabilities: tuple[str, ...] = ()
    """Bugs among them that are patches of CVEs."""


@record
class MiningPlan:
    """What is mined and how."""

    repositories: tuple[Path, ...]
    name: str
    settings: MiningSettings
    build: Settings
    """How trees are built: libraries, interpreter, how often tests run."""
    issues: Issues
    known: frozenset[str] = frozenset()
    """Commits that another benchmark has already."""
    cves: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Commits that are the one patch of a CVE."""


def known_commits(benchmark: str) -> frozenset[str]:
    """Return the commits of the fixes of a benchmark."""
    return frozenset(bug.origin.commit for bug in open_benchmark(benchmark) if bug.origin.commit)


def mine(  # noqa: PLR0913  # four of them are told how it goes on
    plan: MiningPlan,
    folder: Path,
    started: Callable[[int], None],
    done: Callable[[str], None],
    *,
    machine: Machine,
    at: Callable[[str, str], None] = lambda bug_id, stage: None,  # noqa: ARG005
    notify: Callable[[str], None] = lambda text: None,  # noqa: ARG005
    model: ChatModel | None = None,
) -> Mined:
    """Write the bugs that histories hold, or nothing, to a new folder; what was stopped while it ran tests goes on from there.

    A model, if there is one, writes the issues of bugs for which no tracker has one.
    """
    repositories = [Repository(path) for path in plan.repositories]
    funnel = Funnel()
    symptoms: dict[str, str] = {}
    unsteady: dict[str, set[str]] = {}
    told: list[str] = []

    def settle(found: DiscoveredTests) -> None:
        symptoms[found.bug_id] = found.symptom
        unsteady.setdefault(project_of_bug(found.bug_id), set()).update(found.unsteady)

    def finish(aside: Path, bugs: Sequence[str]) -> None:
        n_tried = next(stage.n for stage in funnel.stages if stage.name == RECIPE)
        funnel.count(TESTS, n=len(bugs))
        if n_tried > len(bugs):
            funnel.count(TESTS, "its tests do not show the bug, or do not run", n=n_tried - len(bugs))
        write_funnel(aside, funnel.stages)
        shared = (name for name in bugs if unsteady.get(project_of_bug(name)))
        told.extend(leave_out((load_bug(aside / "bugs" / name, aside.name) for name in shared), unsteady))
        if model:
            told.extend(_write_issues(model, aside, bugs, symptoms))

    try:
        made = write_benchmark(
            "mine",
            lambda: _found(plan, repositories, funnel),
            folder,
            plan.build,
            started,
            done,
            machine=machine,
            at=at,
            notify=notify,
            settled=settle,
            finish=finish,
        )
    except UserError as error:
        if not funnel.stages:
            raise
        counts = ", ".join(f"{stage.name} {stage.n}" for stage in funnel.stages)
        raise UserError(f"{error}\nleft by each stage: {counts}") from None
    patches = {commit[:_SHORT] for commit in plan.cves}
    return Mined(
        imported=dataclasses.replace(made, notes=(*made.notes, *told)),
        stages=funnel.stages,
        vulnerabilities=tuple(name for name in made.bugs if name.rpartition("@")[2] in patches),
    )


def _write_issues(model: ChatModel, benchmark: Path, bugs: Sequence[str], symptoms: Mapping[str, str]) -> Iterator[str]:
    """Yield what there is to tell of the issues that a model writes."""
    for name in bugs:
        folder = benchmark / "bugs" / name
        bug = load_bug(folder, benchmark.name)
        if not bug.origin.issue and (note := write_issue(model, bug, folder, symptoms[name])):
            yield note


def _found(plan: MiningPlan, repositories: Sequence[Repository], funnel: Funnel) -> Import:
    selected = [
        (repository, found)
        for repository in repositories
        for found in select(repository, plan.settings, funnel, patches=plan.cves)
        if found.commit.id not in plan.known
    ]
    names = ", ".join(project_of(repository) for repository in repositories)
    rules = f"message {plan.settings.message}, extent {plan.settings.extent}"
    return Import(
        name=plan.name,
        version="1",
        licence=licences_of(repositories),
        description=f"Fixes in the histories of {names} ({rules})",
        n_bugs=len(selected),
        bugs=_bugs(plan, selected, funnel),
    )


def _bugs(plan: MiningPlan, selected: Sequence[tuple[Repository, Selected]], funnel: Funnel) -> Iterator[ImportedBug | Dropped]:
    funnel.count(RECIPE, n=0)
    for repository, found in selected:
        name = f"{project_of(repository)}@{found.commit.id[:_SHORT]}"
        try:
            bug: ImportedBug | Dropped = _bug(name, repository, found, plan)
        except UserError as error:
            bug = Dropped(id=name, reason=str(error))
        funnel.count(RECIPE, bug.reason if isinstance(bug, Dropped) else "")
        yield bug


def _bug(name: str, repository: Repository, found: Selected, plan: MiningPlan) -> ImportedBug:
    commit, change = found.commit, found.change
    fixed = repository.tree(commit.id)
    buggy = {path: file for path, file in fixed.items() if path not in change.sources}
    for path in change.sources:
        if (old := repository.read(commit.parents[0], path)) is not None:
            buggy[path] = TreeFile(content=old, executable=path in fixed and fixed[path].executable)
    pairs = [tuple(tree[path].content.decode() if path in tree else "" for tree in (buggy, fixed)) for path in change.sources]
    issue, note = _issue(plan.issues, found, [line for pair in pairs for line in added_lines(*pair)])
    made = bug_of_fix(
        Fix(
            id=name,
            project=project_of(repository),
            language=change.language,
            sources=change.sources,
            tests=tuple(path for path in change.tests if path in fixed),
            target=found.target,
            location=found.location,
            buggy=buggy,
            fixed=fixed,
            # The message of the fix would say what to do, so it is not the issue.
            title=issue.title if issue else f"{project_of(repository)} does not do what its tests expect",
            description=issue.description if issue else "",
            issue=issue.url if issue else None,
            repository=next(iter(repository.remotes()), None),
            commit=commit.id,
            date=commit.date,
            version=repository.version(commit.id),
            licence=licence_of(fixed),
            cve=plan.cves.get(commit.id),
        ),
        # A hook beside the clone may say how it is built and tested.
        dataclasses.replace(plan.build, clones=_place(repository).parent),
    )
    return dataclasses.replace(made, notes=(*made.notes, note)) if note else made


def _issue(issues: Issues, found: Selected, added: Sequence[str]) -> tuple[TrackedIssue | None, str]:
    issue = issues.named_by(found.commit.message)
    if issue is None:
        return None, ""
    clean, note = without_leaks(issue, found.commit.id, added)
    if clean is None:
        raise UserError(note)
    return clean, note


def project_of(repository: Repository) -> str:
    """Return the name of a repository: that of its folder, as it was given."""
    return _place(repository).name.removesuffix(".git")


def _place(repository: Repository) -> Path:
    given = repository.folder.absolute()
    folder = given if given.name not in ("", "..") else given.resolve()
    return folder.parent if folder.name == ".git" else folder


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
    if settings.extent not in ("function", "one-function"):
        raise UserError(f"--pairs takes fixes of one function: --extent function or one-function, not {settings.extent}")
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
    buggy, fixed = _function_texts(language, before, after, name)
    return Pair(
        id=f"{project_of(repository)}@{commit.id[:12]}",
        buggy=buggy,
        fixed=fixed,
        context=before,
        repository=next(iter(repository.remotes()), None),
        commit=commit.id,
        time=commit.date,
    )


def _function_texts(language: str, before: str, after: str, name: str) -> tuple[str, str]:
    """Return the function of a name, or of the signature of an overload, before and after its fix, which may change that."""
    old, new = (language_of(language).syntax.functions(text) for text in (before, after))
    mine = next(item for item in old if name in (item.qualified, item.signature))
    texts = {item.span.of(before) for item in old}
    same = [item for item in new if item.qualified == mine.qualified]
    fixed = next((item for item in same if item.signature == mine.signature), None)
    return mine.span.of(before), (fixed or next(item for item in same if item.span.of(after) not in texts)).span.of(after)
