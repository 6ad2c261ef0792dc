"""Pages about a benchmark, a bug with all systems' candidates, and one candidate. All texts in them are hostile."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.lexers.special import TextLexer
from pygments.util import ClassNotFound

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.text import line_of
from repairlab.serve.browser.open_runs import NotReadyError, OpenBenchmark, OpenRun, Workbench
from repairlab.serve.browser.page import Page, Pager
from repairlab.serve.browser.run_index import BugCounts, Place
from repairlab.study.diffs import FileDiff, bare, changed_by, diff_files, prompt_text, raw, visible
from repairlab.study.matrix import Matrix, MatrixBug, MatrixSystem, Tally, tallied
from repairlab.study.trajectories import steps_of

_MAX_CODE = 400_000
_SHOWN = 8
"""Candidates of each system on the page of a bug."""
_MAX_TESTS = 300
Plan = Callable[[str], str]
"""Makes the address of a page that need not be there yet."""


@record
class CodeLine:
    """One line of highlighted code."""

    number: int
    html: Markup
    is_faulty: bool
    is_target: bool


@record
class SystemOnBug:
    """What one system made of a bug."""

    run: OpenRun
    counts: BugCounts
    places: tuple[Place, ...]
    """The first candidates, the plausible ones before the others."""


@record
class Against:
    """A candidate beside another state of the code."""

    name: str
    files: tuple[FileDiff, ...]
    is_equal: bool
    """The same but for white space."""


def benchmark_page(bench: Workbench, slug: str, plan: Plan, *, page: int = 1) -> Page:
    """Show the bugs of a benchmark and what each system made of them; without a script, as many as fit on a page."""
    opened = bench.benchmark(slug)
    shown = solve_matrix(opened, bench.runs_on(opened.benchmark.digest), plan)
    pager = Pager.at(page, len(shown.bugs), rows=200)
    return Page(template="benchmark.html", values={"opened": opened, "matrix": shown, "pager": pager})


def solve_matrix(opened: OpenBenchmark, runs: Sequence[OpenRun], plan: Plan) -> Matrix:
    """Return what each run made of each bug; a cell leads to the first plausible candidate, else to the first one."""
    counts = [{bug.id: bug for bug in run.index.bugs()} for run in runs]
    columns = [
        MatrixSystem(
            name=run.name,
            index=run.number,
            is_oracle=run.index.manifest.experiment.repairer == "reference",
            link=plan(f"/run/{run.slug}"),
            cell_link=plan(f"/run/{run.slug}/bug/@bug@/@rank@"),
        )
        for run in runs
    ]
    ending = plan("/").rpartition("/")[2].removeprefix("index")
    rows = [
        MatrixBug(
            id=head.id,
            language=head.language,
            title=head.title,
            labels=tuple(sorted(head.tags)),
            key=plan(f"/{head.id}").removesuffix(ending).rpartition("/")[2],
        )
        for head in opened.heads.values()
    ]

    def cell(column: int, bug: MatrixBug) -> Tally | None:
        found = counts[column].get(bug.id)
        return None if found is None else Tally(verdicts=found.verdicts, first=found.first)

    return tallied(columns, rows, cell, bug_link=plan(f"/benchmark/{opened.slug}/@bug@"), signature=_signature(opened, runs))


def _signature(opened: OpenBenchmark, runs: Sequence[OpenRun]) -> str:
    named = "; ".join(f"{run.name}: n {run.index.manifest.experiment.n}" for run in runs)
    return f"{opened.benchmark.name} {opened.benchmark.version} #{opened.benchmark.digest}; {named}; repairlab {VERSION}"


def bug_page(bench: Workbench, slug: str, bug_id: str) -> Page:
    """Show a bug: issue, code, where it is wrong, the fix, and every system's candidates."""
    opened = bench.benchmark(slug)
    if bug_id not in opened.benchmark.ids:
        raise unknown(f"bug of {opened.benchmark.name}", bug_id, opened.benchmark.ids)
    bug = opened.bug(bug_id)
    files = bug.problem.files
    reference = changed_by(bug.oracle.reference, files)
    ids = opened.benchmark.ids
    at = ids.index(bug_id)
    return Page(
        template="bug.html",
        values={
            "opened": opened,
            "bug": bug,
            "labels": [(name, value) for name, value in to_data(bug.labels).items() if value],
            "origin": [(name, value) for name, value in to_data(bug.origin).items() if value],
            "code": code_lines(bug),
            "reference": diff_files(files, reference) if reference else (),
            "systems": [_system(run, bug_id) for run in bench.runs_on(opened.benchmark.digest) if run.index.has(bug_id)],
            "before": ids[at - 1] if at else None,
            "behind": ids[at + 1] if at + 1 < len(ids) else None,
        },
    )


def _system(run: OpenRun, bug_id: str) -> SystemOnBug:
    plausible = run.index.page(bug_id=bug_id, verdict=Verdict.PLAUSIBLE, n=_SHOWN)
    known = {place.rank for place in plausible}
    others = [place for place in run.index.page(bug_id=bug_id, n=_SHOWN) if place.rank not in known]
    return SystemOnBug(run=run, counts=run.index.bug(bug_id), places=tuple([*plausible, *others][:_SHOWN]))


def code_lines(bug: Bug) -> list[CodeLine]:
    """Return the buggy file with highlighting; lines that the fix changes are marked, and so is the function to fix."""
    problem = bug.problem
    source = visible(problem.source[:_MAX_CODE])
    wrong = {
        number
        for lines in problem.location or ()
        if lines.path == problem.path
        for number in range(lines.first, max(lines.last, lines.first) + 1)
    }
    first = line_of(problem.source, problem.target.span.start)
    last = line_of(problem.source, max(problem.target.span.start, problem.target.span.end - 1))
    is_whole = problem.target.name is None
    return [
        CodeLine(number=number, html=html, is_faulty=number in wrong, is_target=not is_whole and first <= number <= last)
        for number, html in enumerate(highlighted(source, problem.language), start=1)
    ]


def highlighted(text: str, language: str) -> list[Markup]:
    """Return the lines of a text with the classes of its tokens; the highlighter escapes all of it."""
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        lexer = TextLexer(stripnl=False, ensurenl=False)
    html = str(highlight(text, lexer, HtmlFormatter(nowrap=True)))
    return [Markup(line) for line in html.removesuffix("\n").split("\n")]


def candidate_page(bench: Workbench, slug: str, bug_id: str, rank: int) -> Page:
    """Show a candidate: diffs against the buggy and the fixed code, tests, log, conversation."""
    run = bench.run(slug)
    run.require(bug_id)
    place = run.index.at_rank(bug_id, rank)
    if place is None:
        if run.index.is_behind:
            raise NotReadyError(f"candidate {rank} of bug {bug_id} is not read yet; {100 * run.index.share:.0f} % of the run are")
        raise UserError(f"bug {bug_id} has no candidate of rank {rank} in {run.slug}")
    store = run.index.store
    candidate = store.at(Candidate, place.candidate)
    outcome = None if place.outcome is None else store.at(Outcome, place.outcome)
    opened = bench.benchmark_of(run)
    prompt = run.transcripts.prompt(candidate.origin.prompt)
    before, behind_rank = run.index.near(bug_id, rank)
    return Page(
        template="candidate.html",
        values={
            "run": run,
            "opened": opened,
            "place": place,
            "candidate": candidate,
            "outcome": outcome,
            "tests": _tests(outcome),
            "n_more_tests": max(0, len(outcome.tests) - _MAX_TESTS) if outcome else 0,
            "same": [other for other in run.index.with_id(place.candidate_id) if other.rank != rank],
            "messages": prompt.messages if prompt else (),
            "prompt": "" if prompt is None or prompt.messages else prompt_text(prompt),
            "answer": run.transcripts.text(candidate.origin.answer),
            "trajectory": steps_of(run.transcripts.text(candidate.origin.trajectory)),
            "settings": [(name, value) for name, value in candidate.origin.settings if name != "trajectory"],
            "before": before,
            "behind": behind_rank,
        }
        | diff_values(opened.bug(bug_id) if opened else None, candidate)
        | {"no_texts": bench.why_no_texts(run)},
    )


def _tests(outcome: Outcome | None) -> list[Any]:
    """Return the tests, those that failed first."""
    return sorted(outcome.tests, key=lambda test: test.passed)[:_MAX_TESTS] if outcome else []


def diff_values(bug: Bug | None, candidate: Candidate) -> dict[str, Any]:
    """Return a candidate beside the buggy and beside the fixed code, or its own text where neither is possible."""
    against, why = _against(bug, candidate)
    return {"against": against, "no_diff": why, "raw": "" if against else raw(candidate)}


def _against(bug: Bug | None, candidate: Candidate) -> tuple[list[Against], str]:
    if not candidate.edits:
        return [], candidate.problem or "the candidate changes nothing"
    if bug is None:
        return [], "the benchmark is not at hand"
    files = bug.problem.files
    changed = changed_by(candidate.edits, files)
    if changed is None:
        return [], "the edits do not apply to the files that the repairer was shown"
    found = [_beside("buggy code", files, changed)]
    reference = changed_by(bug.oracle.reference, files)
    if reference is not None:
        fixed = _merged(files, reference)
        found.append(_beside("developer's fix", fixed, {**{path: files.get(path) for path in reference}, **changed}))
    return found, ""


def _merged(files: Mapping[str, str], changed: Mapping[str, str | None]) -> dict[str, str]:
    merged: dict[str, str | None] = {**files, **changed}
    return {path: text for path, text in merged.items() if text is not None}


def _beside(name: str, old: Mapping[str, str], new: Mapping[str, str | None]) -> Against:
    is_equal = bare(new) == bare({path: old.get(path) for path in new})
    return Against(name=name, files=diff_files(old, new), is_equal=is_equal)
