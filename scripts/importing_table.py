"""Make the table of docs/results/importing.md from imported benchmarks: their import.json and health cards (health.json).

python scripts/importing_table.py FOLDER...              print it
python scripts/importing_table.py FOLDER... --to PAGE    put it between the two marks of a page
python scripts/importing_table.py FOLDER... --records    every record: healthy, not healthy and why, or dropped and why

A folder of such folders is one benchmark that was imported in parts.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.benchmarks.health import CARD_NAME, Health, read_card
from repairlab.building.import_record import RECORD_NAME, ImportRecord, read_import_record
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.encoding import write_aside

BEGIN, END = "<!-- importing table: begin -->", "<!-- importing table: end -->"
HEAD = ("benchmark", "records", "imported", "checked", "healthy", "dropped, by reason", "not healthy", "CPU s per bug: import, fix")
_REASONS = 8
"""So many reasons are told; the rest is counted."""
_PREFIX = re.compile(r"^(?:bug|project) \S+: ")
_CUT = re.compile(r":\s| \(|; |, (?:for|so)\b|\n")
_NAMES = re.compile(r"\b[0-9a-f]{7,40}\b|\S*/\S*|(?<!\w)'[^']*'(?!\w)|\"[^\"]*\"|\b\d+\b")
"""What differs from bug to bug: revisions, paths, quoted texts, numbers."""


@record
class Folder:
    """One imported benchmark: what came of each record, and what a check showed of the bugs."""

    name: str
    made: ImportRecord
    checked: dict[str, Health]


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--to", type=Path, help="page in which to replace the table")
    parser.add_argument("--records", action="store_true", help="print every record instead")
    options = parser.parse_args(arguments)
    try:
        folders = [read_folder(path) for path in options.folders]
        if options.records:
            print("\n".join(line for folder in folders for line in records(folder)))
        elif options.to:
            replace_table(options.to, table(folders))
        else:
            print(table(folders))
    except UserError as error:
        print(f"importing_table: {error}", file=sys.stderr)
        return 2
    return 0


def read_folder(path: Path) -> Folder:
    """Read what is known of an imported benchmark."""
    parts = sorted(record.parent for record in path.glob(f"*/{RECORD_NAME}")) if not (path / RECORD_NAME).exists() else []
    read = [_read_part(part) for part in parts or [path]]
    made = ImportRecord(
        importer=read[0][0].importer,
        bugs=tuple(bug for part, _ in read for bug in part.bugs),
        dropped=tuple(drop for part, _ in read for drop in part.dropped),
        notes=tuple(note for part, _ in read for note in part.notes),
        cpu_s=sum(part.cpu_s for part, _ in read),
    )
    name = f"{made.importer} ({path.name})" if made.importer != path.name else path.name
    return Folder(name=name, made=made, checked={bug: health for _, checked in read for bug, health in checked.items()})


def _read_part(path: Path) -> tuple[ImportRecord, dict[str, Health]]:
    card = path / CARD_NAME
    checked = {bug.bug_id: bug for bug in read_card(card).bugs} if card.exists() else {}
    made = read_import_record(path)
    strangers = sorted(checked.keys() - set(made.bugs))
    if strangers:
        raise UserError(f"{card} is the card of another import: {strangers[0]} is no bug of {path}; check the benchmark again")
    return made, checked


def table(folders: Sequence[Folder]) -> str:
    """Return the table in Markdown."""
    rows = [HEAD, tuple("---" for _ in HEAD), *map(row, folders)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |" for cells in rows)


def row(folder: Folder) -> tuple[str, ...]:
    """Return the cells of one benchmark."""
    made, health = folder.made, list(folder.checked.values())
    fix = f"{sum(bug.cpu_s for bug in health) / len(health):.1f}" if health else "–"
    return (
        folder.name,
        str(made.n_records),
        str(len(made.bugs)),
        str(len(health)),
        str(sum(bug.healthy for bug in health)),
        counted(reason_of(drop.reason) for drop in made.dropped),
        counted(reason_of(problem_of(bug)) for bug in health if not bug.healthy),
        f"{made.cpu_s / max(1, made.n_records):.1f}, {fix}",
    )


def records(folder: Folder) -> Iterator[str]:
    """Yield a line for every record of the source."""
    for bug in folder.made.bugs:
        health = folder.checked.get(bug)
        state = "imported, not checked" if health is None else "healthy" if health.healthy else f"not healthy: {problem_of(health)}"
        yield f"{folder.name}\t{bug}\t{state}"
    for drop in folder.made.dropped:
        yield f"{folder.name}\t{drop.id}\tdropped: {' '.join(drop.reason.split())}"


def problem_of(bug: Health) -> str:
    """Return the first thing that a check found wrong."""
    return bug.problems[0] if bug.problems else f"flaky: {', '.join(bug.flaky[:3])}"


def reason_of(text: str) -> str:
    """Return what a reason has in common with those of other bugs.

    >>> reason_of("project a___b: the fixed tree does not build: x.c:1: error")
    'the fixed tree does not build'
    >>> reason_of("trigger test a.B::c passes on the buggy tree")
    'trigger test … passes on the buggy tree'
    """
    text = _CUT.split(_PREFIX.sub("", text.strip()), maxsplit=1)[0]
    text = re.sub(r"(?<=test )\S+(?= (?:passes|fails))", "…", _NAMES.sub("…", text))
    return " ".join(text.split())


def counted(reasons: Iterator[str]) -> str:
    """Return the reasons with how often each was given, the most frequent first."""
    counts = Counter(reasons).most_common()
    rest = sum(n for _, n in counts[_REASONS:])
    told = [f"{n}: {reason}" for reason, n in counts[:_REASONS]]
    return "; ".join([*told, *([f"{rest}: other reasons"] if rest else [])])


def replace_table(page: Path, text: str) -> None:
    """Put the table between the marks of a page."""
    old = page.read_text(encoding="utf-8")
    before, begin, rest = old.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise UserError(f"{page} has no place for the table: it needs the lines {BEGIN} and {END}")
    write_aside(page, f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")


if __name__ == "__main__":
    sys.exit(main())
