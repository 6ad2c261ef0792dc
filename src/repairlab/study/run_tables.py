"""Runs as Parquet tables, for DuckDB, Polars and whatever else reads them.

`runs`, `bugs`, `candidates`, `outcomes` and `tests` have the columns that `COLUMNS` says; the column `run` joins them all. Records
are read one after the other, so that a run need not fit into memory.
"""

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.installation import adding
from repairlab.core.outcome import Outcome, TestVerdict
from repairlab.core.record import record
from repairlab.core.storage.folders import new_folder
from repairlab.repairers.ledger import Pricing
from repairlab.runs.experiment import experiment_data
from repairlab.runs.integrity import require_intact
from repairlab.runs.repairing import prices_of
from repairlab.runs.store import BugEnd, Store

CARD, CHECKSUMS = "README.md", "SHA256SUMS"

Row = Mapping[str, Any]
_TOLD = 1000
"""Rows between two progress messages, which cost more than the rows."""
_TEXT, _WHOLE, _NUMBER, _TRUTH, _EDITS = "text", "whole number", "number", "true or false", "list of (path, start, end, text)"


def _columns(*groups: tuple[str, str]) -> dict[str, str]:
    """Return the type of each column: groups of names and what they hold, in the order of the table."""
    return {name: kind for kind, names in groups for name in names.split()}


COLUMNS: Mapping[str, Mapping[str, str]] = {
    "runs": _columns(
        (_TEXT, "run id benchmark version digest repairer settings"),
        (_WHOLE, "n"),
        (_TEXT, "policy"),
        (_WHOLE, "seed"),
        (_TEXT, "created repairlab"),
    ),
    "bugs": _columns((_TEXT, "run bug language ended")),
    "candidates": _columns(
        (_TEXT, "run bug"),
        (_WHOLE, "rank"),
        (_TEXT, "candidate repairer model prompt"),
        (_WHOLE, "seed attempt turn tokens_in tokens_out"),
        (_NUMBER, "cost_usd logprob"),
        (_TEXT, "problem"),
        (_EDITS, "edits"),
    ),
    "outcomes": _columns(
        (_TEXT, "run bug candidate verdict stage policy message"),
        (_WHOLE, "n_passed n_tests"),
        (_NUMBER, "cpu_s wall_s peak_mb"),
        (_TEXT, "isolation"),
        (_TRUTH, "cached"),
        (_TEXT, "equivalent_to"),
    ),
    "tests": _columns(
        (_TEXT, "run bug candidate test verdict"),
        (_NUMBER, "cpu_s wall_s peak_mb"),
        (_TEXT, "message"),
        (_WHOLE, "runs flips"),
    ),
}
"""Table → column → what it holds. Outcomes are of distinct candidates: equal ones of a bug share one."""


@record
class PublishedRuns:
    """What was written."""

    folder: Path
    runs: tuple[str, ...]
    """Names of the runs, as in the column `run`."""
    rows: dict[str, int]
    """Of each table."""


def is_run(source: str) -> bool:
    """Return whether this is the folder of a run."""
    return (Path(source) / "run.json").is_file()


def publish_runs(sources: Sequence[str], to: Path, *, done: Callable[[int], None] = lambda n: None) -> PublishedRuns:  # noqa: ARG005
    """Write runs to a new folder, all or nothing; each must be an undamaged run folder. `done` gets the number of new rows."""
    other = next((source for source in sources if not is_run(source)), None)
    if other is not None:
        raise UserError(f"{other} is no run folder: it has no run.json. Runs are published together, a benchmark by itself")
    stores = dict(zip(_names(sources), map(Store, map(Path, sources)), strict=True))
    for store in stores.values():
        require_intact(store)
    library = frames()
    rows: Counter[str] = Counter()
    with new_folder(to) as aside:
        for table in COLUMNS:
            lines, parquet = aside / f"{table}.jsonl", aside / f"{table}.parquet"
            with lines.open("w", encoding="utf-8", errors="replace") as file:
                for name, store in stores.items():
                    for row in _ROWS[table](store):
                        file.write(json.dumps({"run": name, **row}, ensure_ascii=False) + "\n")
                        rows[table] += 1
                        if rows[table] % _TOLD == 0:
                            done(_TOLD)
            _write_parquet(library, lines, parquet, COLUMNS[table])
        (aside / CARD).write_text(_card(stores, rows), encoding="utf-8")
        (aside / CHECKSUMS).write_text(checksums(aside), encoding="utf-8")
    return PublishedRuns(folder=to, runs=tuple(stores), rows={table: rows[table] for table in COLUMNS})


def _names(sources: Sequence[str]) -> list[str]:
    """Return a name for each run: that of its folder, or its whole path if two share that."""
    paths = [Path(source).absolute() for source in sources]
    if len(set(paths)) < len(paths):
        raise UserError("a run is given twice; give each once")
    often = Counter(path.name for path in paths)
    return [path.name if often[path.name] == 1 else str(Path(source)) for path, source in zip(paths, sources, strict=True)]


def _write_parquet(library: Any, lines: Path, parquet: Path, columns: Mapping[str, str]) -> None:
    """Turn JSON Lines into Parquet, piece by piece; an empty table still has its columns."""
    place = library.Struct({"path": library.String, "start": library.Int64, "end": library.Int64, "text": library.String})
    kinds = {
        _TEXT: library.String,
        _WHOLE: library.Int64,
        _NUMBER: library.Float64,
        _TRUTH: library.Boolean,
        _EDITS: library.List(place),
    }
    schema = {name: kinds[kind] for name, kind in columns.items()}
    if lines.stat().st_size:
        library.scan_ndjson(lines, schema=schema).sink_parquet(parquet)
    else:
        library.DataFrame(schema=schema).write_parquet(parquet)
    lines.unlink()


def _of_run(store: Store) -> Iterator[Row]:
    manifest = store.manifest()
    asked = manifest.experiment
    yield {
        "id": manifest.id,
        "benchmark": manifest.benchmark_name,
        "version": manifest.benchmark_version,
        "digest": manifest.benchmark_digest,
        "repairer": asked.repairer,
        "settings": json.dumps(experiment_data(asked)),
        "n": asked.n,
        "policy": asked.policy,
        "seed": asked.seed,
        "created": manifest.created,
        "repairlab": manifest.repairlab,
    }


def _bugs(store: Store) -> Iterator[Row]:
    manifest = store.manifest()
    ended = dict(store.facts(BugEnd, lambda data: (data["bug_id"], data["ended"])))
    for bug, language in zip(manifest.bug_ids, manifest.languages, strict=True):
        yield {"bug": bug, "language": language, "ended": ended.get(bug, "unfinished")}


def _candidates(store: Store) -> Iterator[Row]:
    return store.facts(Candidate, functools.partial(_candidate, prices_of(store.folder)))


def _candidate(prices: Pricing, data: dict[str, Any]) -> Row:
    origin = data["origin"]
    kept = ("repairer", "model", "prompt", "seed", "attempt", "turn", "tokens_in", "tokens_out", "logprob")
    return {
        "bug": data["bug_id"],
        "rank": data["rank"],
        "candidate": data["id"],
        **{name: origin[name] for name in kept},
        "cost_usd": prices.cost_usd(origin["model"], origin["tokens_in"], origin["tokens_out"], origin["cost_usd"]),
        "problem": data["problem"],
        "edits": [
            {"path": edit["path"], **(edit["span"] or {"start": None, "end": None}), "text": edit["text"]} for edit in data["edits"]
        ],
    }


def _outcomes(store: Store) -> Iterator[Row]:
    for data in _counting(store):
        passed = sum(TestVerdict(test["verdict"]) is TestVerdict.PASSED for test in data["tests"])
        named = {"bug": data["bug_id"], "candidate": data["candidate_id"], "n_passed": passed}
        yield {**named, **{name: data[name] for name in COLUMNS["outcomes"] if name not in {"run", *named}}}


def _tests(store: Store) -> Iterator[Row]:
    kept = ("cpu_s", "wall_s", "peak_mb", "message", "runs", "flips")
    for data in _counting(store):
        for test in data["tests"]:
            verdict = TestVerdict(test["verdict"]).value
            named = {"bug": data["bug_id"], "candidate": data["candidate_id"], "test": test["id"], "verdict": verdict}
            yield {**named, **{name: test[name] for name in kept}}


def _counting(store: Store) -> Iterator[dict[str, Any]]:
    """Yield the outcomes that count: of a repeated candidate, the last one."""
    last = {name: number for number, name in enumerate(store.facts(Outcome, lambda data: data["candidate_id"]))}
    for number, data in enumerate(store.facts(Outcome, dict)):
        if last[data["candidate_id"]] == number:
            yield data


_ROWS: Mapping[str, Callable[[Store], Iterator[Row]]] = {
    "runs": _of_run,
    "bugs": _bugs,
    "candidates": _candidates,
    "outcomes": _outcomes,
    "tests": _tests,
}


def _card(stores: Mapping[str, Store], rows: Mapping[str, int]) -> str:
    told = [
        f"- `{name}`: {store.manifest().experiment.repairer} on {store.manifest().benchmark_name}" for name, store in stores.items()
    ]
    tables = [f"| `{table}` | {rows[table]} | {', '.join(f'`{name}`' for name in columns)} |" for table, columns in COLUMNS.items()]
    return "\n".join(
        [
            "# Runs of repairlab",
            "",
            *told,
            "",
            "| table | rows | columns |",
            "| --- | ---: | --- |",
            *tables,
            "",
            "A table is the Parquet file of its name. Messages of tests quote tests: who publishes these, publishes that.",
            "",
        ]
    )


def frames(purpose: str = "Parquet", *, otherwise: str = "") -> Any:
    """Return the library of data frames, which writes Parquet; UserError says how to get it, or what to do without."""
    try:
        import polars  # noqa: PLC0415  # an extra
    except ImportError:
        raise UserError(f"{purpose} needs polars, which is not installed: {adding('frames')}{otherwise}") from None
    return polars


def checksums(folder: Path) -> str:
    """Return the digests of all files in the form of sha256sum."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder).as_posix()}\n" for path in paths)
