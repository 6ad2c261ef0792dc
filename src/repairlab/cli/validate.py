"""`repairlab validate`."""

import glob
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.cli.options import Include, Json, Limit, MinStrength, Repair, on_machine, require_decided
from repairlab.cli.output import count, data, print_json, print_table, say, write
from repairlab.cli.run import repair_folder, run_to_end
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import digest, to_data
from repairlab.formats.table import FORMATS
from repairlab.metrics.agreement import Agreement, VerdictPair, agreement
from repairlab.runs.experiment import USUAL_KS, Coverage, experiment_data, make_experiment
from repairlab.runs.store import Store
from repairlab.study.external_candidates import (
    ExternalCandidates,
    hold_against,
    read_external_candidates,
    require_one_model,
    unknown_bugs,
)
from repairlab.validation.machine import Machine

_SHOWN = 20
"""How many unreadable entries are told."""


@on_machine("workers", "executor", "sandbox", "allow_unsafe", "isolation", "use_verdicts", "recheck")
def validate(
    benchmark: Annotated[str, typer.Argument(help="Name or folder of a benchmark.")],
    candidates: Annotated[
        Path,
        typer.Argument(
            help='JSON Lines: {"bug": ID} with "function", "file" (new text), "patch" (unified diff) or "edits"; or see --format.'
        ),
    ],
    format_name: Annotated[str | None, typer.Option("--format", help=f"{', '.join(FORMATS)}; recognised where obvious.")] = None,
    include: Include = None,
    limit: Limit = None,
    only_given: Annotated[
        bool, typer.Option("--only-given", help="Score only bugs with a candidate; otherwise the others count as failures.")
    ] = False,
    policy: Annotated[str, typer.Option("--policy", help="first-failure, or full: run every test.")] = "first-failure",
    confirm: Annotated[int, typer.Option("--confirm", help="Rerun each failing test N times in isolation before counting it.")] = 0,
    min_strength: MinStrength = None,
    to: Annotated[Path | None, typer.Option("--to", help="Run folder. [default: runs/NAME-DIGEST, after the file]")] = None,
    repair: Repair = False,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Validate candidates from a file."""
    if Path(benchmark).is_file():
        raise UserError(f"{benchmark} is a file: the benchmark comes first, as in repairlab validate {candidates} {benchmark}")
    opened = open_benchmark(benchmark)
    external = read_external_candidates(candidates, opened, format_name)
    require_one_model(external, candidates)
    chosen = opened.select_ids(tuple(include or ()), limit=limit)
    _tell_unreadable(external, opened)
    external, coverage = hold_against(external, chosen, candidates, only_given=only_given)
    n = max(map(len, external.candidates.values()))
    settings = make_experiment(
        {
            "benchmark": benchmark,
            "repairer": "file",
            "n": n,
            "k": tuple(k for k in USUAL_KS if k <= n),
            "policy": policy,
            "confirm": confirm,
            **({"min_strength": min_strength} if min_strength else {}),
            "include": tuple(map(glob.escape, external.candidates)) if only_given else tuple(include or ()),
            "limit": None if only_given else limit,
        }
    )
    folder = to or Path("runs") / f"{candidates.stem}-{digest(experiment_data(settings), external.candidates)[:8]}"
    if repair:
        repair_folder(folder)
    run_to_end(settings, opened, folder, here, external.candidates, coverage)
    _show(Store(folder), external, coverage, as_json=json)
    require_decided([folder])


def _tell_unreadable(external: ExternalCandidates, benchmark: Benchmark) -> None:
    """Say what cannot be read, and once for all entries which bugs are unknown."""
    if external.unknown:
        say(unknown_bugs(external, benchmark))
    others = [str(item) for item in external.unreadable if item.unknown_bug is None]
    for error in others[:_SHOWN]:
        say(error)
    if len(others) > _SHOWN:
        say(f"{len(others)} entries are unreadable; the first {_SHOWN} are above, --json has all")


def _show(store: Store, external: ExternalCandidates, coverage: Coverage, *, as_json: bool) -> None:
    outcomes = {outcome.candidate_id: outcome for outcome in store.outcomes()}
    missing = set(coverage.missing)
    given = (candidate for candidate in store.candidates() if candidate.bug_id not in missing)
    rows = [(candidate, outcomes[candidate.id]) for candidate in given if candidate.id in outcomes]
    rows.sort(key=lambda row: (row[0].bug_id, row[0].rank))
    found = agreement(_pairs(rows, external)) if external.known else None
    if as_json:
        entries = [
            {
                "bug": candidate.bug_id,
                "rank": candidate.rank,
                "candidate": candidate.id,
                "verdict": outcome.verdict.value,
                "code": outcome.verdict.code,
                "stage": outcome.stage,
                "strength": outcome.strength,
                "guard": outcome.guard,
                "message": outcome.message,
                "passed": outcome.n_passed,
                "n_tests": outcome.n_tests,
                "equivalent_to": outcome.equivalent_to,
                "cached": outcome.cached,
            }
            for candidate, outcome in rows
        ]
        unreadable = {"n_unreadable": coverage.n_unreadable, "unreadable": list(external.errors), "coverage": to_data(coverage)}
        head = {"run": str(store.folder), "format": external.format} | unreadable | _agreement_data(found)
        print_json(head | {"outcomes": entries})
        return
    table = [
        (
            candidate.bug_id,
            candidate.rank,
            outcome.verdict.value,
            outcome.strength or "",
            outcome.stage,
            outcome.message.split("\n")[0][:100],
        )
        for candidate, outcome in rows
    ]
    print_table("Verdicts", ["bug", "rank", "verdict", "strength", "stage", "message"], table)
    plausible = sum(outcome.verdict.value == "PLAUSIBLE" for _, outcome in rows)
    data().print(f"{plausible} of {count(len(rows), 'candidate')} plausible")
    if coverage.text:
        write(coverage.text)
    if found:
        _print_agreement(found)


def _pairs(rows: list[tuple[Candidate, Outcome]], external: ExternalCandidates) -> Iterator[VerdictPair]:
    for candidate, outcome in rows:
        known = external.known.get((candidate.bug_id, candidate.rank))
        if known:
            yield VerdictPair(
                bug_id=candidate.bug_id,
                rank=candidate.rank,
                candidate_id=candidate.id,
                published=known.word,
                same=known.verdicts,
                ours=outcome.verdict,
                other_source=known.other_source,
            )


def _agreement_data(found: Agreement | None) -> dict[str, Any]:
    return {"agreement": to_data(found) | {"share": found.share, "n_other_source": found.n_other_source}} if found else {}


def _print_agreement(found: Agreement) -> None:
    matrix = found.matrix | {f"{word}, other source": row for word, row in found.other_source.items()}
    ours = [verdict.value for verdict in Verdict if any(verdict.value in row for row in matrix.values())]
    rows = [(word, *(row.get(name, 0) for name in ours)) for word, row in sorted(matrix.items())]
    print_table("Published and ours", ["published", *ours], rows)
    if found.disagreements:
        table = [(pair.bug_id, pair.rank, pair.published, pair.ours.value) for pair in found.disagreements]
        print_table("Disagreements", ["bug", "rank", "published", "ours"], table)
    kappa = "not defined" if found.kappa is None else f"{found.kappa:.3f}"
    left_out = f"; {found.n_undecided} undecided are left out" if found.n_undecided else ""
    left_out += f"; {found.n_other_source} made from another source are left out" if found.n_other_source else ""
    write(
        f"agreement with the published verdicts: {found.n_agree} of {count(found.n, 'candidate')} ({100 * found.share:.1f} %); "
        f"on plausible or not: {found.n_agree_on_plausible}, kappa {kappa}{left_out}"
    )
