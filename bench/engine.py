"""The engine's table: for each kind of work the naive way and ours, side by side on the same candidates.

Naive: what a user would write (fresh copy, full build, fresh process per test, no sandbox). Ours: sandboxed and confirmed.
Exit code 1 when a verdict differs.
Run: .venv/bin/python bench/engine.py [--quick] [--only NAME]
"""

import argparse
import sys
from importlib import import_module

from side_by_side import Row, print_head, print_row

ROWS = ("java_judge", "java_project", "c_project", "python_project", "cache", "duplicates")


def main() -> None:
    """Print the table, a line as soon as it is measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, to see that it runs")
    parser.add_argument("--only", action="append", choices=ROWS, help="this row only; may be given several times")
    options = parser.parse_args()
    rows: list[Row] = []
    print_head()
    for name in options.only or ROWS:
        rows.append(import_module(name).row(quick=options.quick))
        print_row(rows[-1])
    missed = [row.work for row in rows if not row.reached]
    different = sum(row.n_different for row in rows)
    print(f"{len(rows)} rows, {len(rows) - len(missed)} reach their target, {different} verdicts differ")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
