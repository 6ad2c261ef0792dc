"""Bugs in groups, and how many of each are fixed: by project, category and extent of the fix; beside them, how large bugs are."""

from collections import defaultdict
from collections.abc import Callable, Sequence

from repairlab.core.amounts import count
from repairlab.core.errors import UserError
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.formats.defects4c import CATEGORIES as CATEGORY_NAMES
from repairlab.formats.nl2fix import HEAD, Size, rows_by_project
from repairlab.study.charts import bar_chart
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts
from repairlab.study.papers.similarity import compared


def bug_sizes(facts: PaperFacts) -> Table:
    """Return the bugs of all runs by project, each once."""
    runs = compared(facts)
    bugs = {(run.scores.run.manifest.benchmark_digest, bug.samples.bug_id): bug for run in runs for bug in run.bugs}
    sizes: dict[str, list[Size]] = defaultdict(list)
    for bug in bugs.values():
        if bug.size is not None:
            sizes[bug.project].append(bug.size)
    return Table(
        name="bugs",
        title="Bugs by project; means per bug from the third column on",
        source="NL2Fix, table 1",
        columns=HEAD,
        rows=rows_by_project(sizes),
        notes=(
            "Changes are those of the target function, or of the changed files where more changes; tokens are without comments.",
            *facts.missing,
        ),
    )


def projects(facts: PaperFacts) -> Table:
    """Return bugs with a plausible candidate / all bugs, for each project and system."""
    names = sorted({bug.project for run in facts.runs for bug in run.bugs})
    rows: list[tuple[Cell, ...]] = []
    for name in names:
        mine = [[bug for bug in run.decided if bug.project == name] for run in facts.runs]
        rows.append((name, *(_fixed_of(bugs) for bugs in mine)))
    rows.append(("all", *(_fixed_of(run.decided) for run in facts.runs)))
    n_lost = sum(len(run.bugs) - len(run.decided) for run in facts.runs)
    return Table(
        name="projects",
        title="Bugs with a plausible candidate, by project",
        source="NL2Fix, table 3",
        columns=("project", *(run.name for run in facts.runs)),
        rows=tuple(rows),
        notes=(f"{count(n_lost, 'bug')} with nothing but UNDECIDED candidates left out.",) if n_lost else (),
    )


CATEGORIES = {"A": "signature", "B": "sanitizer", "C": "memory error", "D": "logic"}
"""First letters of the taxonomy; A.1 is a kind of signature."""
_KINDS = (("bugs", False), ("vulnerabilities", True))


def categories(facts: PaperFacts) -> Table:
    """Return pass/total and average tries of each category, for bugs and for vulnerabilities."""
    bugs = [bug for run in facts.runs for bug in run.bugs]
    if not any(bug.category for bug in bugs):
        raise UserError("; ".join(facts.missing) or "no bug of these runs has a category (labels.category)")
    fields = [
        (kind, flag, name)
        for kind, flag in _KINDS
        for name in _category_names([bug for bug in bugs if bug.is_vulnerability is flag])
    ]
    shown = [(kind, flag) for kind, flag in _KINDS if any(bug.is_vulnerability is flag for bug in bugs)]
    columns = ["model", "decoding"]
    for kind, _, name in fields:
        columns += [f"{kind}: {name}", f"{kind}: {name}, tries"]
    return Table(
        name="categories",
        title="Fixed bugs by category, and the average tries of those fixed",
        source="Defects4C, table 4",
        columns=(*columns, *(f"{kind}: all" for kind, _ in shown)),
        rows=tuple(_category_row(run, fields, [flag for _, flag in shown]) for run in facts.runs),
        n_heads=2,
        notes=("Tries: fresh starts of a conversation up to the first plausible candidate; of other runs, its rank.",),
    )


def _tries_of(run: RunFacts, bug: BugFacts) -> int | None:
    """Return how many tries a fixed bug took: attempts of a conversation, else candidates."""
    return bug.attempts if run.scores.run.settings.rounds > 1 else bug.tries


def _category_names(bugs: Sequence[BugFacts]) -> list[str]:
    found = {_category_of(bug) for bug in bugs}
    return [name for name in (*CATEGORIES.values(), "other") if name in found]


def _category_of(bug: BugFacts) -> str:
    return CATEGORIES.get((bug.category or "")[:1], "other")


def _category_row(run: RunFacts, fields: Sequence[tuple[str, bool, str]], shown: Sequence[bool]) -> tuple[Cell, ...]:
    cells: list[Cell] = [run.model if run.llm else run.name, run.decoding]
    for _, flag, name in fields:
        mine = [bug for bug in run.decided if bug.is_vulnerability is flag and _category_of(bug) == name]
        cells += [_fixed_of(mine), mean([float(tries) for bug in mine if (tries := _tries_of(run, bug)) is not None])]
    return (*cells, *(_fixed_of([bug for bug in run.decided if bug.is_vulnerability is flag]) for flag in shown))


def _distinct(facts: PaperFacts, value: Callable[[BugFacts], str | None], lack: str) -> dict[str, list[BugFacts]]:
    """Return the bugs of all runs, each once, by a value; a run's benchmark must be at hand."""
    bugs = {
        (run.scores.run.manifest.benchmark_digest, bug.samples.bug_id): bug
        for run in facts.runs
        if run.has_texts
        for bug in run.bugs
    }
    groups: dict[str, list[BugFacts]] = defaultdict(list)
    for bug in bugs.values():
        groups[value(bug) or "no label"].append(bug)
    if not groups.keys() - {"no label"}:
        raise UserError("; ".join(facts.missing) or lack)
    return {**{name: groups[name] for name in sorted(groups)}, "all": list(bugs.values())}


def faults(facts: PaperFacts) -> Table:
    """Return bugs and vulnerabilities by category, those of all runs, each once."""
    groups = _distinct(facts, lambda bug: bug.category, "no bug of these runs has a category (labels.category)")
    rows = [
        (name, CATEGORY_NAMES.get(name), *(sum(bug.is_vulnerability is flag for bug in bugs) for _, flag in _KINDS), len(bugs))
        for name, bugs in groups.items()
    ]
    return Table(
        name="faults",
        title="Bugs and vulnerabilities by category",
        source="Defects4C, table 2",
        columns=("category", "error type", *(kind for kind, _ in _KINDS), "all"),
        rows=tuple(rows),
        n_heads=2,
        notes=("A bug with a CVE is a vulnerability.",),
    )


def distribution(facts: PaperFacts) -> Table:
    """Return the bugs of each project by the extent of their fixes, with the mean number of tests that show them."""
    groups = _distinct(facts, lambda bug: bug.project, "the benchmark of these runs is not at hand")
    rows = [
        (
            name,
            len(bugs),
            sum(bug.is_vulnerability for bug in bugs),
            *(sum(bug.location == place for bug in bugs) for place in LOCATIONS[::-1]),
            mean([float(bug.n_trigger) for bug in bugs]),
        )
        for name, bugs in sorted(groups.items(), key=lambda item: (item[0] == "all", len(item[1])))
    ]
    return Table(
        name="distribution",
        title="Bugs by project and extent of the fix",
        source="Defects4C, table 7",
        columns=("project", "faults", "of them vulnerabilities", *LOCATIONS[::-1], "trigger tests (mean)"),
        rows=tuple(rows),
    )


def domains(facts: PaperFacts) -> Table:
    """Return the bugs of each application domain."""
    groups = _distinct(facts, lambda bug: bug.domain, "no bug of these runs has a domain (labels.domain)")
    ordered = sorted(groups.items(), key=lambda item: (item[0] == "all", -len(item[1])))
    title, n_all = "Bugs by application domain", len(groups["all"])
    shares = {name: percent(len(bugs), n_all) or 0.0 for name, bugs in ordered}
    texts = {name: (f"{len(bugs)} of {count(n_all, 'fault')}",) for name, bugs in ordered[:-1]}
    said = "; ".join(f"{name}: {text}" for name, (text,) in texts.items())
    return Table(
        name="domains",
        title=title,
        source="Defects4C, figure 2",
        columns=("domain", "faults", "%"),
        rows=tuple((name, len(bugs), shares[name]) for name, bugs in ordered),
        figure=bar_chart(title, "share of all faults", ("faults",), {name: (shares[name],) for name in texts}, texts, said),
    )


LOCATIONS = ("function", "hunk", "line")


def locations(facts: PaperFacts) -> Table:
    """Return pass/total and rate for each extent."""
    if not any(bug.location for run in facts.runs for bug in run.bugs):
        raise UserError("; ".join(facts.missing) or "no bug of these runs says how far its fix extends (labels.location)")
    columns = [text for name in LOCATIONS for text in (name, f"{name} %")]
    return Table(
        name="locations",
        title="Fixed bugs by the extent of the fix",
        source="Defects4C, table 5",
        columns=("model", "decoding", *columns, "all %"),
        rows=tuple(_location_row(run) for run in facts.runs),
        n_heads=2,
        notes=("The last column is what Defects4C prints as Avg.tries: fixed bugs in per cent of all.",),
    )


def _location_row(run: RunFacts) -> tuple[Cell, ...]:
    cells: list[Cell] = [run.model if run.llm else run.name, run.decoding]
    for name in LOCATIONS:
        mine = [bug for bug in run.decided if bug.location == name]
        cells += [_fixed_of(mine), percent(sum(bug.is_fixed for bug in mine), len(mine))]
    return (*cells, percent(sum(bug.is_fixed for bug in run.decided), len(run.decided)))


def _fixed_of(bugs: Sequence[BugFacts]) -> str | None:
    """Return pass/total; none without bugs."""
    return f"{sum(bug.is_fixed for bug in bugs)}/{len(bugs)}" if bugs else None
