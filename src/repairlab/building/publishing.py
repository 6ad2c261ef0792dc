"""A benchmark as a publication: tables, data card, checksums, change log.

Tables, as JSON Lines and Parquet: `problems` is what a repairer may see, and nothing of tests or fixes is in it; `pairs` are
the files before and after the fix; `labels` is what is known of each bug, `found_labels` what rules say of it.
"""

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark, find_folder, open_benchmark
from repairlab.benchmarks.health import CARD_NAME, read_card
from repairlab.building.import_record import RECORD_NAME, read_import_record
from repairlab.building.mining import funnel
from repairlab.core.amounts import count
from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_json, read_json_lines, read_object, read_text
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.storage.folders import new_folder
from repairlab.learning.pairs.of_bugs import pair_of_bug
from repairlab.study.run_tables import CARD, CHECKSUMS, checksums, frames

MANIFEST, CHANGES = "manifest.json", "CHANGES.md"
TABLES = ("problems", "pairs", "labels", "found_labels")
FOUND = "labels.jsonl"
"""Labels that rules found, where the benchmark has them."""
_NAMED = 20
"""Bugs that a list names before it counts the rest."""


@record
class Published:
    """What was written."""

    folder: Path
    rows: dict[str, int]
    """Of each table."""
    changes: dict[str, int]
    """Against the last version; empty for the first."""


@record
class PublishSettings:
    """How a benchmark is published."""

    previous: Path | None = None
    """The last publication, for the change log."""
    context: bool = False
    """Whether problems hold all files that a repairer may read, and not the one to fix alone."""
    parquet: bool = True


def publish(name: str, to: Path, settings: PublishSettings, *, done: Callable[[], None] = lambda: None) -> Published:
    """Write a benchmark to a new folder, all or nothing."""
    benchmark, home = open_benchmark(name), find_folder(name)
    _need_current_card(benchmark, home)
    before = _previous(settings.previous, benchmark) if settings.previous else None
    library = frames(otherwise="; or add --no-parquet") if settings.parquet else None
    rows: Counter[str] = Counter()
    digests: dict[str, str] = {}
    with new_folder(to) as aside:
        (aside / "data").mkdir()
        files = {table: (aside / "data" / f"{table}.jsonl").open("w", encoding="utf-8") for table in TABLES}
        try:
            for bug in benchmark:
                digests[bug.id] = bug.digest
                for table, row in _rows(bug, settings):
                    files[table].write(json.dumps(row, ensure_ascii=False) + "\n")
                    rows[table] += 1
                done()
            for row in _found_labels(home):
                files["found_labels"].write(json.dumps(row, ensure_ascii=False) + "\n")
                rows["found_labels"] += 1
        finally:
            for file in files.values():
                file.close()
        for table in TABLES:
            if not rows[table]:
                (aside / "data" / f"{table}.jsonl").unlink()
        if library is not None:
            for table in TABLES:
                source = aside / "data" / f"{table}.jsonl"
                if rows[table]:
                    table_frame = library.read_ndjson(source, infer_schema_length=None)
                    known = table_frame.cast({library.Null: library.String})  # a column without a value has no type of its own
                    known.write_parquet(source.with_suffix(".parquet"))
        changes = _changes(before, digests)
        kept = {"name": benchmark.name, "version": benchmark.version, "digest": benchmark.digest, "bugs": digests}
        (aside / MANIFEST).write_text(json.dumps({"schema": SCHEMA_VERSION, **kept}, indent=1) + "\n", encoding="utf-8")
        (aside / CHANGES).write_text(_change_log(benchmark, changes, settings.previous), encoding="utf-8")
        (aside / CARD).write_text(_card(benchmark, home, rows, settings), encoding="utf-8")
        (aside / CHECKSUMS).write_text(checksums(aside), encoding="utf-8")
    return Published(folder=to, rows=dict(rows), changes={kind: len(ids) for kind, ids in changes.items()})


def _rows(bug: Bug, settings: PublishSettings) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of one bug, each with its table."""
    problem = bug.problem
    shown: dict[str, Any] = {
        "id": bug.id,
        "benchmark": problem.benchmark,
        "language": problem.language,
        "title": problem.title,
        "description": problem.description,
        "path": problem.path,
        "source": problem.source,
        "target": problem.target.name,
        "target_start": problem.target.span.start,
        "target_end": problem.target.span.end,
        "split": bug.labels.split,
    }
    if settings.context:
        shown["context"] = [{"path": file.path, "text": file.text} for file in problem.context]
    yield "problems", _writable(shown)
    pair = pair_of_bug(bug)
    if pair is not None:
        yield "pairs", _writable({"language": problem.language, "path": problem.path, **to_data(pair)})
    known = {"id": bug.id, "language": problem.language, **to_data(bug.labels), **to_data(bug.origin)}
    oracle = bug.oracle
    counts = {"n_trigger": len(oracle.trigger), "n_regression": len(oracle.regression), "n_cases": len(oracle.cases)}
    lines = [(item.first, item.last) for item in problem.location or ()]
    size = {"n_places": len(lines), "n_lines": sum(last - first + 1 for first, last in lines), "n_files": _n_files(bug)}
    yield "labels", _writable({**known, "framework": oracle.test.framework, **counts, **size})


def _found_labels(home: Path) -> Iterator[dict[str, Any]]:
    """Yield the labels that rules found: bug, rule, values, and whether they are suggestions."""
    if (home / FOUND).is_file():
        for _, entry in read_json_lines(home / FOUND):
            yield _writable({key: value for key, value in entry.items() if key != "schema"})


def _n_files(bug: Bug) -> int:
    return len({edit.path for edit in bug.oracle.reference})


def _writable(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row without lone surrogates, which JSON can write and nobody read."""
    return {key: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for key, value in row.items()}


def _previous(folder: Path, benchmark: Benchmark) -> dict[str, Any]:
    """Read what the last publication held."""
    if not (folder / MANIFEST).is_file():
        raise UserError(f"{folder} is no publication: it has no {MANIFEST}. Give a folder that `repairlab publish` wrote")
    before = read_object(folder / MANIFEST)
    if before.get("name") != benchmark.name or not isinstance(before.get("bugs"), dict):
        raise UserError(f"{folder} is a publication of {before.get('name')!r}, not of {benchmark.name!r}")
    if before.get("version") == benchmark.version and before.get("digest") != benchmark.digest:
        raise UserError(
            f"{benchmark.name} differs from what {folder} holds, but both are version {benchmark.version}; "
            "raise `version` in benchmark.toml"
        )
    return before


def _changes(before: Mapping[str, Any] | None, now: Mapping[str, str]) -> dict[str, list[str]]:
    if before is None:
        return {}
    old: Mapping[str, str] = before["bugs"]
    return {
        "added": [bug for bug in now if bug not in old],
        "removed": [bug for bug in old if bug not in now],
        "changed": [bug for bug in now if bug in old and now[bug] != old[bug]],
    }


def _change_log(benchmark: Benchmark, changes: Mapping[str, Sequence[str]], previous: Path | None) -> str:
    """Return the change log: this version before all earlier ones."""
    earlier = read_text(previous / CHANGES) if previous and (previous / CHANGES).is_file() else "# Changes\n"
    title, _, rest = earlier.partition("\n")
    if f"## {benchmark.version}\n" in rest:
        return earlier
    told = [f"- {kind}: {len(ids)}{f' ({_listed(ids)})' if ids else ''}" for kind, ids in changes.items()] or ["- first version"]
    return "\n".join([title, "", f"## {benchmark.version}", "", *told, ""]) + (f"\n{rest.lstrip()}" if rest.strip() else "")


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _card(benchmark: Benchmark, home: Path, rows: Mapping[str, int], settings: PublishSettings) -> str:
    bugs = list(benchmark)
    ending = "parquet" if settings.parquet else "jsonl"
    configs = "".join(f"- config_name: {table}\n  data_files: data/{table}.{ending}\n" for table in TABLES if rows[table])
    head = f"---\nlicense: {_licence_id(benchmark.licence)}\npretty_name: {json.dumps(benchmark.name)}\n"
    head += f"tags:\n- program-repair\n- code\nsize_categories:\n- {_size(len(bugs))}\nconfigs:\n{configs}---\n"
    sections = [
        f"# {benchmark.name} {benchmark.version}\n\n{benchmark.description or 'A benchmark of program repair.'}\n\n"
        f"{count(len(bugs), 'bug')}; digest `{benchmark.digest}`.",
        _section("How it was made", _made(home)),
        _section("What is in it", _composition(bugs, rows, settings)),
        _section("Labels", _labels(bugs)),
        _section("Health", _health(home)),
        _section("Licences", _licences(benchmark, bugs)),
        _section("Limits", _limits(bugs, rows)),
        _section(
            "Use",
            [
                "```python",
                "from datasets import load_dataset",
                "",
                'problems = load_dataset("FOLDER", "problems", split="train")',
                "```",
                "",
                f"`sha256sum -c {CHECKSUMS}` checks the files. To judge candidates take the benchmark itself, with its tests.",
            ],
        ),
    ]
    return head + "\n" + "\n\n".join(sections) + "\n"


def _section(title: str, lines: Iterable[str]) -> str:
    return f"## {title}\n\n" + "\n".join(lines)


def _licence_id(licence: str) -> str:
    known = {
        "mit": "mit",
        "apache-2.0": "apache-2.0",
        "bsd-3-clause": "bsd-3-clause",
        "bsd-2-clause": "bsd-2-clause",
        "cc0-1.0": "cc0-1.0",
    }
    return known.get(licence.lower(), "other")


def _size(n: int) -> str:
    bounds = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", 1_000_000: "100K<n<1M"}
    return next((name for bound, name in bounds.items() if n < bound), "n>1M")


def _made(home: Path) -> list[str]:
    """Say how a benchmark came to be: mined, imported, or written."""
    if (home / funnel.FILE).is_file():
        rows = [
            f"| {entry['stage']} | {entry['left']} | {'; '.join(f'{n}: {reason}' for reason, n in entry['gone'].items())} |"
            for entry in read_json(home / funnel.FILE)
        ]
        return [
            "Mined from histories with `repairlab mine`. What each stage left:",
            "",
            "| stage | left | gone |",
            "| --- | ---: | --- |",
            *rows,
        ]
    if (home / RECORD_NAME).is_file():
        made = read_import_record(home)
        reasons = Counter(item.reason for item in made.dropped).most_common(10)
        told = [f"- {n} left out: {reason}" for reason, n in reasons]
        return [
            f"Imported with `repairlab import {made.importer}`: {len(made.bugs)} of {made.n_records} records.",
            *([""] if told else []),
            *told,
        ]
    return ["Written by hand, or by a tool that left no record of it."]


def _composition(bugs: Sequence[Bug], rows: Mapping[str, int], settings: PublishSettings) -> list[str]:
    counted = {
        "language": Counter(bug.problem.language for bug in bugs),
        "tests": Counter(bug.oracle.test.framework for bug in bugs),
        "split": Counter(bug.labels.split or "none" for bug in bugs),
    }
    lines = [f"- {name}: {', '.join(f'{value} {n}' for value, n in found.most_common())}" for name, found in counted.items()]
    files = "all files that a repairer may read" if settings.context else "the file to fix"
    return [
        *lines,
        "",
        f"- `problems` ({rows['problems']} rows): issue text, {files}, the function to fix. Tests and fix.patch are left out.",
        f"- `pairs` ({rows['pairs']} rows): the file before and after the fix, where it changes one file.",
        f"- `labels` ({rows['labels']} rows): classification, origin, counts of tests, size of the fix.",
        *([f"- `found_labels` ({rows['found_labels']} rows): what rules say of each fix."] if rows["found_labels"] else []),
    ]


def _labels(bugs: Sequence[Bug]) -> list[str]:
    fields = ("location", "state", "element", "category", "domain", "symptom", "difficulty")
    found = {name: Counter(value for bug in bugs if (value := getattr(bug.labels, name)) is not None) for name in fields}
    lines = [
        f"- {name}: {', '.join(f'{value} {n}' for value, n in counts.most_common(12))}" for name, counts in found.items() if counts
    ]
    return lines or ["None."]


def _need_current_card(benchmark: Benchmark, home: Path) -> None:
    """Refuse a health card that speaks of bugs as they no longer are."""
    if (home / CARD_NAME).is_file():
        checked = {health.bug_id: health.digest for health in read_card(home / CARD_NAME).bugs}
        changed = [bug.id for bug in benchmark if checked.get(bug.id) not in (None, "", bug.digest)]
        if changed:
            raise UserError(
                f"{count(len(changed), 'bug')} of {benchmark.name} changed since the check that {home / CARD_NAME} tells of: "
                f"{_listed(changed)}. Check again with: repairlab check {shlex.quote(str(home))}"
            )


def _health(home: Path) -> list[str]:
    if not (home / CARD_NAME).is_file():
        return ["Not checked: there is no health card."]
    card = read_card(home / CARD_NAME)
    ill = [health.bug_id for health in card.bugs if health.problems]
    flaky = sum(len(health.flaky) for health in card.bugs)
    return [
        f"{len(card.bugs) - len(ill)} of {len(card.bugs)} checked bugs fail unpatched and pass with the fix; {flaky} flaky tests.",
        *([f"Not healthy: {_listed(ill)}."] if ill else []),
    ]


def _licences(benchmark: Benchmark, bugs: Sequence[Bug]) -> list[str]:
    found = Counter((bug.origin.repository or "", bug.origin.licence or "unknown") for bug in bugs if bug.origin.repository)
    lines = [f"- {repository}: {licence} ({count(n, 'bug')})" for (repository, licence), n in found.most_common()]
    return [
        f"The benchmark: {benchmark.licence or 'unknown'}. Code keeps the licence of its repository.",
        *([""] if lines else []),
        *lines,
    ]


def _limits(bugs: Sequence[Bug], rows: Mapping[str, int]) -> list[str]:
    bare = sum(not bug.problem.description.strip() for bug in bugs)
    unlicensed = sum(bool(bug.origin.repository) and not bug.origin.licence for bug in bugs)
    several = rows["problems"] - rows["pairs"]
    lines = [
        "- Tests decide what is plausible; whether a plausible candidate is correct is for people to say.",
        "- The bugs are public: a model may have seen their fixes.",
    ]
    lines += [f"- Bugs with a title alone, and no description: {bare}."] if bare else []
    lines += [f"- Bugs from repositories whose licence is not known: {unlicensed}."] if unlicensed else []
    lines += [f"- Fixes not in `pairs`, because they change several files or for another reason: {several}."] if several else []
    return lines
