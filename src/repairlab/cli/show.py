"""`repairlab show`."""

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from repairlab.cli.options import Json, warn_unchecked
from repairlab.cli.output import count, data, print_json, print_table, say, write
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import to_data
from repairlab.runs.store import Store
from repairlab.study.diffs import clip, line_kind, raw, visible
from repairlab.study.scores import system_name
from repairlab.study.showing import BugLine, CandidateLine, CandidatePage, show_bug, show_candidate, show_run
from repairlab.study.trajectories import steps_of

_STYLES = {"add": "green", "del": "red", "hunk": "cyan", "file": "bold"}


def show(
    run: Annotated[Path, typer.Argument(help="A run folder, finished or not.")],
    bug: Annotated[str | None, typer.Argument(help="A bug of the run.")] = None,
    rank: Annotated[int | None, typer.Argument(help="The rank of one of its candidates.")] = None,
    trajectory: Annotated[
        bool, typer.Option("--trajectory", help="Print what an agent and its model said to each other, as JSON in the ATIF format.")
    ] = False,
    json: Json = False,
) -> None:
    """Show the bugs, candidates, diffs and transcripts of a run."""
    if trajectory and (bug is None or rank is None):
        raise UserError("--trajectory needs a candidate: repairlab show RUN BUG RANK --trajectory")
    store = Store(run)
    manifest = store.manifest()
    warn_unchecked([run])
    if bug is None:
        bugs = show_run(store)
        head = {"run": str(run), "benchmark": manifest.benchmark_name, "repairer": manifest.experiment.repairer}
        if json:
            print_json(head | {"bugs": [to_data(line) | {"n": sum(line.verdicts.values())} for line in bugs]})
        else:
            _print_run(f"{system_name(store)} on {manifest.benchmark_name}", bugs)
            say(f"One bug: repairlab show {run} BUG")
    elif rank is None:
        lines = show_bug(store, bug)
        if json:
            print_json({"run": str(run), "bug": bug, "candidates": [_line_data(line) for line in lines]})
        else:
            _print_bug(bug, lines)
            say(f"One candidate: repairlab show {run} {bug} RANK")
    else:
        page = show_candidate(store, bug, rank)
        if trajectory:
            _print_trajectory(page)
        elif json:
            print_json({"run": str(run)} | page.data())
        else:
            _print_candidate(page, system_name(store))


def _print_trajectory(page: CandidatePage) -> None:
    if page.trajectory is None:
        raise UserError(
            f"candidate {page.candidate.rank} of bug {page.candidate.bug_id} has no trajectory: only programs with a --model do"
        )
    typer.echo(page.trajectory)


def _print_run(title: str, bugs: list[BugLine]) -> None:
    rows = [
        (
            line.bug,
            line.language,
            sum(line.verdicts.values()),
            "–" if line.first_plausible is None else str(line.first_plausible),
            ", ".join(f"{n} {verdict}" for verdict, n in line.verdicts.items()),
            line.ended,
        )
        for line in bugs
    ]
    print_table(title, ["bug", "language", "candidates", "first plausible", "verdicts", "ended"], rows)
    n_fixed = sum(line.first_plausible is not None for line in bugs)
    n_open = sum(line.ended == "unfinished" for line in bugs)
    unfinished = f"; {n_open} unfinished" if n_open else ""
    write(f"{n_fixed} of {count(len(bugs), 'bug')} with a plausible candidate{unfinished}")


def _print_bug(bug: str, lines: list[CandidateLine]) -> None:
    times = Counter(line.candidate for line in lines)
    firsts = {line.candidate: line for line in reversed(lines)}
    rows = [
        (
            f"{line.rank} ×{times[line.candidate]}" if times[line.candidate] > 1 else str(line.rank),
            line.outcome.verdict.value if line.outcome else "not judged yet",
            (line.outcome.strength or "") if line.outcome else "",
            line.outcome.stage if line.outcome else "",
            visible(line.outcome.message).split("\n")[0][:100] if line.outcome else "",
            line.candidate,
        )
        for line in lines
        if line is firsts[line.candidate]
    ]
    print_table(bug, ["rank", "verdict", "strength", "stage", "message", "candidate"], rows)
    n = sum(line.outcome is not None and line.outcome.verdict is Verdict.PLAUSIBLE for line in lines)
    write(f"{n} of {count(len(lines), 'candidate')} plausible")


def _line_data(line: CandidateLine) -> dict[str, Any]:
    outcome = line.outcome
    return {
        "rank": line.rank,
        "candidate": line.candidate,
        "verdict": outcome.verdict.value if outcome else None,
        "strength": outcome.strength if outcome else None,
        "stage": outcome.stage if outcome else None,
        "message": outcome.message if outcome else None,
        "passed": outcome.n_passed if outcome else None,
        "n_tests": outcome.n_tests if outcome else None,
    }


def _print_candidate(page: CandidatePage, system: str) -> None:
    candidate, outcome = page.candidate, page.outcome
    console = data()
    verdict = f"{outcome.verdict.value} ({outcome.verdict.code}), stage {outcome.stage}" if outcome else "not judged yet"
    console.print(f"{candidate.bug_id}, rank {candidate.rank}, candidate {page.candidate_id}: {verdict}", markup=False)
    console.print(f"by {visible(system)}", markup=False)
    if page.diff:
        for line in visible(page.diff).removesuffix("\n").split("\n"):
            console.print(Text(line, style=_STYLES.get(line_kind(line), "")))
    else:
        console.print(f"no diff: {visible(page.no_diff)}", markup=False)
        if candidate.edits or candidate.answer is not None:
            _print_text("new text" if candidate.edits else "answer", raw(candidate))
    if outcome:
        _print_outcome(outcome)
    if page.prompt is not None:
        _print_text("prompt", page.prompt)
    for name, text in (("thinking", page.thinking), ("answer", page.answer)):
        if text is not None:
            _print_text(name, text)
    for step in steps_of(page.trajectory):
        _print_text(step.title, clip(step.text))
    if page.answer is None and candidate.origin.prompt is not None:
        console.print("the transcript is not kept in this run folder", markup=False)


def _print_outcome(outcome: Outcome) -> None:
    if outcome.strength:
        write(f"{outcome.strength}: {outcome.guard or 'the output is compared outside of the program'}")
    if outcome.message:
        write(visible(outcome.message))
    if outcome.tests:
        rows = [
            (test.id, "passed" if test.passed else test.verdict.value, f"{test.cpu_s:.2f}",
             visible(test.message).split("\n")[0][:100])
            for test in outcome.tests
        ]  # fmt: skip
        print_table("tests", ["test", "verdict", "CPU s", "message"], rows)
    if words := outcome.tests_in_words:
        write(words)
    if outcome.evidence:
        _print_text("log", outcome.evidence)


def _print_text(title: str, text: str) -> None:
    console = data()
    console.print(Text(f"── {title} ──", style="bold"))
    console.print(visible(text), markup=False)
