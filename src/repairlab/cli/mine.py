"""`repairlab mine`."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, get_args

import typer

from repairlab.building.importers.importer import Settings, SortedTests
from repairlab.building.mining.funnel import Stage, funnel_table
from repairlab.building.mining.issues import Issues
from repairlab.building.mining.metadata import fitting, read_cves
from repairlab.building.mining.mine import MiningPlan, known_commits, mine_pairs
from repairlab.building.mining.mine import mine as mine_histories
from repairlab.building.mining.settings import PRESETS, RULES, MiningSettings, preset
from repairlab.cli.options import Interpreter, Json, Libraries, SortRepeats, asked_model, on_machine, one_of
from repairlab.cli.output import count, print_json, print_table, progress_bar, say, talk, write
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import to_data
from repairlab.core.table import Table
from repairlab.languages.fix_extent import EXTENTS
from repairlab.study.charts import draw
from repairlab.validation.machine import Machine

ISSUES = ("title", "llm")


@on_machine("workers", "executor", "sandbox", "allow_unsafe")
def mine(
    repositories: Annotated[list[Path], typer.Argument(help="Local clones, bare or not.")],
    to: Annotated[Path, typer.Option("--to", help="New folder for the benchmark.")],
    preset_name: Annotated[
        str, typer.Option("--preset", help=f"Rules to start from: {', '.join(PRESETS)}; other options change them.")
    ] = "functions",
    message: Annotated[
        str | None,
        typer.Option("--message", help=f"What commit messages must say: {', '.join(RULES)}, or a pattern such as /fix(es)?/."),
    ] = None,
    extent: Annotated[str | None, typer.Option("--extent", help=f"What a fix may change: {', '.join(EXTENTS)}.")] = None,
    max_lines: Annotated[int | None, typer.Option("--max-lines", help="Most source lines a fix may add and remove.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Only fixes committed after this day, as YYYY-MM-DD.")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Only fixes committed before this day.")] = None,
    language: Annotated[str | None, typer.Option("--language", help="Only fixes in this language.")] = None,
    limit: Annotated[int | None, typer.Option("--limit", help="Try at most this many commits of each clone, newest first.")] = None,
    metadata: Annotated[
        Path | None,
        typer.Option("--metadata", help="Facts about the repositories: CSV (repository, stars, licence, fork) or GitHub's JSON."),
    ] = None,
    min_stars: Annotated[
        int | None, typer.Option("--min-stars", help="Only repositories with at least this many stars in --metadata.")
    ] = None,
    licence: Annotated[
        list[str] | None, typer.Option("--licence", help="Only repositories with this licence in --metadata; repeatable.")
    ] = None,
    cves: Annotated[
        Path | None,
        typer.Option("--cves", help="CSV of CVEs and their patches (cve, url), to tell vulnerabilities from bugs."),
    ] = None,
    issues: Annotated[
        list[Path] | None,
        typer.Option("--issues", help="Tracker export (GitHub, GitLab, Jira, Bugzilla, …) or a folder of NUMBER.md; repeatable."),
    ] = None,
    issue: Annotated[
        str,
        typer.Option("--issue", help="Issue of fixes without one in a tracker: title (only a title), or llm (--model writes it)."),
    ] = "title",
    model: Annotated[
        str | None, typer.Option("--model", help="Model that writes issues, with --issue llm: PROVIDER/NAME as for `run`.")
    ] = None,
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of the model's server.")] = None,
    since_benchmark: Annotated[
        str | None, typer.Option("--since-benchmark", help="Skip fixes that this benchmark already has.")
    ] = None,
    pairs: Annotated[
        bool,
        typer.Option("--pairs", help="Write bug–fix pairs for training instead, without building or running anything."),
    ] = False,
    name: Annotated[str | None, typer.Option("--name", help="Name of the benchmark. [default: its folder's]")] = None,
    libraries: Libraries = None,
    python: Interpreter = None,
    tests: Annotated[
        str, typer.Option("--tests", help="Tests to sort: relevant (files that came with the fix), or all.")
    ] = "relevant",
    repeat: SortRepeats = 2,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Mine a benchmark of fixes from project histories."""
    sorted_tests = one_of("set of tests", tests, get_args(SortedTests))
    _check_issue(issue, model)
    rules = preset(
        preset_name,
        message=message,
        extent=extent,
        max_lines=max_lines,
        since=since,
        until=until,
        language=language,
        limit=limit,
        min_stars=min_stars,
        licences=tuple(licence) if licence else None,
    )
    patches = _patches(cves, rules, is_for_pairs=pairs)
    repositories = list(fitting(repositories, metadata, rules, talk().print))
    if pairs:
        _mine_pairs(repositories, name or to.name, rules, to, as_json=json)
        return
    plan = MiningPlan(
        repositories=tuple(repositories),
        name=name or to.name,
        settings=rules,
        build=Settings(libraries=libraries, python=python, tests=sorted_tests, repeat=repeat),
        issues=Issues(issues or ()),
        known=known_commits(since_benchmark) if since_benchmark else frozenset(),
        cves=patches,
    )
    with progress_bar() as progress, asked_model(model, base_url) as writer:
        task = progress.add_task("reading histories", total=None)
        made = mine_histories(
            plan,
            to,
            started=lambda n: progress.update(task, total=n, description="fixes tried"),
            done=lambda _: progress.advance(task),
            at=lambda bug, stage: progress.update(task, description=f"fixes tried ({bug}: {stage})"),
            notify=talk().print,
            machine=here,
            model=writer,
        )
    table = draw_funnel(made.stages, to)
    if json:
        print_json(to_data(made.imported) | {"folder": str(to), "funnel": to_data(made.stages)})
        return
    for remark in made.imported.remarks:
        say(remark)
    print_table(table.title, list(table.columns), [list(row) for row in table.rows])
    patched = f" ({count(len(made.vulnerabilities), 'vulnerability', 'vulnerabilities')})" if cves else ""
    write(f"{count(len(made.imported.bugs), 'bug')}{patched} verified and written to {to}")
    say(f"Next: repairlab check {to} --repeat 3")


def _patches(cves: Path | None, rules: MiningSettings, *, is_for_pairs: bool) -> Mapping[str, str]:
    """Return the CVE of each commit that is its one patch."""
    if cves is None:
        if rules.message == "cve":
            raise UserError("--message cve takes the patches of CVEs alone: name their list with --cves")
        return {}
    if is_for_pairs:
        raise UserError("--cves marks bugs of a benchmark; --pairs has none")
    patches = read_cves(cves)
    for note in patches.notes:
        say(note)
    return patches.by_commit


def _check_issue(issue: str, model: str | None) -> None:
    if issue not in ISSUES:
        raise unknown("source of issues", issue, ISSUES)
    if issue == "llm" and model is None:
        raise UserError("--issue llm needs a model that writes: name it with --model PROVIDER/NAME")
    if issue != "llm" and model is not None:
        raise UserError(f"--model {model} has nothing to write; ask for issues with --issue llm")


def draw_funnel(stages: tuple[Stage, ...], folder: Path, things: str = "Commits") -> Table:
    """Return the funnel as a table, and draw it into the folder."""
    table = funnel_table(stages, things)
    if table.figure is not None:
        (folder / "funnel.svg").write_text(str(draw(table.figure)), encoding="utf-8")
    return table


def _mine_pairs(repositories: list[Path], name: str, rules: MiningSettings, to: Path, *, as_json: bool) -> None:
    with progress_bar() as progress:
        task = progress.add_task("pairs found", total=None)
        made = mine_pairs(repositories, name, rules, to, lambda: progress.advance(task))
    table = draw_funnel(made.stages, to)
    if as_json:
        print_json(to_data(made) | {"folder": str(to)})
        return
    print_table(table.title, list(table.columns), [list(row) for row in table.rows])
    write(f"{count(made.n, 'pair')} written to {to}, {made.repeated} repeated left out")
    say(f"Next: repairlab pairs split {to} --to NEW")
