"""Pages about a benchmark, a bug with all systems' candidates, and one candidate. All texts in them are hostile."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.model import Message
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.text import line_of
from repairlab.languages.language import language_of_path
from repairlab.serve.browser.evidence import CodeLine, failing_tests, highlighted, paths_of, tokens, trimmed
from repairlab.serve.browser.open_runs import NotReadyError, OpenBenchmark, OpenRun, Workbench
from repairlab.serve.browser.page import Page, Pager
from repairlab.serve.browser.run_index import BugCounts, Place
from repairlab.study.diffs import FileDiff, bare, changed_by, coloured, diff_files, prompt_text, raw, visible
from repairlab.study.matrix import Matrix, MatrixBug, MatrixSystem, Tally, tallied
from repairlab.study.trajectories import steps_of

_MAX_CODE = 400_000
_SHOWN = 8
"""Candidates of each system on the page of a bug."""
_MAX_TESTS = 300
_MAX_FAILING = 5
"""Failing tests that are shown with their sources."""
Plan = Callable[[str], str]
"""Makes the address of a page that need not be there yet."""


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


def solve_matrix(opened: OpenBenchmark, runs: Sequence[OpenRun], plan: Plan, *, beside: bool = False) -> Matrix:
    """Return what each run made of each bug; a cell leads to the first plausible candidate, else to the first one.

    With `beside`, a bug leads to the candidates of the two runs side by side, where pages are served.
    """
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
        if not beside or all(head.id in mine and mine[head.id].n for mine in counts)
    ]

    def cell(column: int, bug: MatrixBug) -> Tally | None:
        found = counts[column].get(bug.id)
        return None if found is None else Tally(verdicts=found.verdicts, first=found.first)

    pair = f"/beside/{runs[0].slug}/{runs[1].slug}/@bug@" if beside and not ending else f"/benchmark/{opened.slug}/@bug@"
    return tallied(columns, rows, cell, bug_link=plan(pair), signature=_signature(opened, runs))


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
            "reference": _beside("", files, reference).files if reference else (),
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


def candidate_page(bench: Workbench, slug: str, bug_id: str, rank: int, *, against: str = "") -> Page:
    """Show a candidate: its diff, its tests, where it came from; `against` is fix, or RUN/RANK of another candidate of the bug."""
    run = bench.run(slug)
    run.require(bug_id)
    place = _place(run, bug_id, rank)
    store = run.index.store
    candidate = store.at(Candidate, place.candidate)
    outcome = None if place.outcome is None else store.at(Outcome, place.outcome)
    opened = bench.benchmark_of(run)
    bug = opened.bug(bug_id) if opened else None
    prompt = run.transcripts.prompt(candidate.origin.prompt)
    answer = run.transcripts.text(candidate.origin.answer)
    before, behind_rank = run.index.near(bug_id, rank)
    names = {Path(path).name for path in paths_of(bug)} if bug and outcome and outcome.evidence else set()
    other = _other(bench, run, bug_id, against)
    rivals = [_system(other_run, bug_id) for other_run in bench.runs_on(run.digest) if other_run.index.has(bug_id)]
    failing = [test for test in outcome.tests if not test.passed] if outcome else []
    return Page(
        template="candidate.html",
        values={
            "run": run,
            "opened": opened,
            "place": place,
            "candidate": candidate,
            "outcome": outcome,
            "failing": failing_tests(bug, failing[:_MAX_FAILING]),
            "more_failing": failing[_MAX_FAILING:_MAX_TESTS],
            "passed": [test for test in outcome.tests if test.passed][:_MAX_TESTS] if outcome else [],
            "log": trimmed(outcome.evidence, names) if outcome else "",
            "same": [other for other in run.index.with_id(place.candidate_id) if other.rank != rank],
            "messages": prompt.messages if prompt else (),
            "prompt": "" if prompt is None or prompt.messages else prompt_text(prompt),
            "answer": answer,
            "since": _since(prompt.messages if prompt else (), answer),
            "thinking": run.transcripts.text(candidate.origin.kept("thinking")),
            "trajectory": steps_of(run.transcripts.text(candidate.origin.kept("trajectory"))),
            "settings": [(name, value) for name, value in candidate.origin.settings if name not in ("trajectory", "thinking")],
            "before": before,
            "behind": behind_rank,
            "rivals": rivals,
            "chosen": against,
        }
        | diff_values(bug, candidate, other)
        | {"no_texts": bench.why_no_texts(run)},
    )


def _place(run: OpenRun, bug_id: str, rank: int) -> Place:
    place = run.index.at_rank(bug_id, rank)
    if place is None and run.index.is_behind:
        raise NotReadyError(f"candidate {rank} of bug {bug_id} is not read yet; {100 * run.index.share:.0f} % of the run are")
    if place is None:
        raise UserError(f"bug {bug_id} has no candidate of rank {rank} in {run.slug}")
    return place


def _other(bench: Workbench, run: OpenRun, bug_id: str, against: str) -> tuple[str, Candidate] | None:
    """Return the candidate that another one is shown against, and how it is called."""
    if against in ("", "fix"):
        return None
    slug, _, rank = against.rpartition("/")
    if not rank.isdecimal() or len(rank) > 9:
        raise UserError(f"a candidate is shown against fix or RUN/RANK, not {against!r}")
    theirs = bench.run(slug)
    theirs.require(bug_id)
    if theirs.digest != run.digest:
        raise UserError(f"{slug} is a run on another benchmark")
    return f"{theirs.name} #{rank}", theirs.index.store.at(Candidate, _place(theirs, bug_id, int(rank)).candidate)


def _since(messages: Sequence[Message], answer: str | None) -> tuple[FileDiff, ...]:
    """Return what the answer says otherwise than the one before it in the same conversation."""
    said = [message.content for message in messages if message.role == "assistant"]
    return diff_files({"answer": said[-1]}, {"answer": answer}) if said and answer else ()


def diff_values(bug: Bug | None, candidate: Candidate, other: tuple[str, Candidate] | None = None) -> dict[str, Any]:
    """Return a candidate beside the buggy code, the fix and perhaps another candidate, or its text where that cannot be done."""
    against, why = _against(bug, candidate, other)
    return {"against": against, "no_diff": why, "raw": "" if against else raw(candidate)}


def _against(bug: Bug | None, candidate: Candidate, other: tuple[str, Candidate] | None) -> tuple[list[Against], str]:
    if not candidate.edits:
        return [], candidate.problem or "the candidate changes nothing"
    if bug is None:
        return [], "the benchmark is not at hand"
    files = bug.problem.files
    changed = changed_by(candidate.edits, files)
    if changed is None:
        return [], "the edits do not apply to the files that the repairer was shown"
    found = [_beside("the buggy code", files, changed)]
    for name, edits in (("the developer's fix", bug.oracle.reference), *([(other[0], other[1].edits)] if other else [])):
        theirs = changed_by(edits, files)
        if theirs is not None:
            found.append(_beside(name, _merged(files, theirs), {**{path: files.get(path) for path in theirs}, **changed}))
    return found, ""


def _merged(files: Mapping[str, str], changed: Mapping[str, str | None]) -> dict[str, str]:
    merged: dict[str, str | None] = {**files, **changed}
    return {path: text for path, text in merged.items() if text is not None}


def _beside(name: str, old: Mapping[str, str], new: Mapping[str, str | None]) -> Against:
    is_equal = bare(new) == bare({path: old.get(path) for path in new})
    files = tuple(in_colour(file, old.get(file.path, ""), new.get(file.path) or "") for file in diff_files(old, new))
    return Against(name=name, files=files, is_equal=is_equal)


def in_colour(file: FileDiff, old: str, new: str) -> FileDiff:
    """Return a diff with the colours of its language, unless it is very long."""
    if max(len(old), len(new)) > _MAX_CODE:
        return file
    return coloured(file, old, new, lambda text: tokens(text, language_of_path(file.path) or ""))
