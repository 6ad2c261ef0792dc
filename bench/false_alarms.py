"""What blind tests, counter-tests and other surroundings say of honest candidates, and how strong their passes are.

Candidates are the reference fix with a blank line more, and fix patterns. One that passes its tests and is called tampering, or
lucky, is an alarm; every one of them is printed, to be read.
Run: PYTHONPATH=src python bench/false_alarms.py BENCHMARK... [-n 20] [--sample 40 --seed 13] [--page docs/results/judging.md]
"""

import argparse
import dataclasses
import random
import sys
from collections import Counter
from itertools import islice
from pathlib import Path

import repairlab as rl
from repairlab.repairers.templates.repairer import Templates


def main() -> None:
    """Print a row for each benchmark; the exit code says whether there was an alarm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("benchmarks", nargs="+", metavar="BENCHMARK", help="names or folders")
    parser.add_argument("-n", type=int, default=20, help="candidates of fix patterns for each bug [default: 20]")
    parser.add_argument("--sample", type=int, help="so many bugs, drawn at random; by default all")
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("-j", type=int, default=2, help="worker processes [default: 2]")
    parser.add_argument("--page", type=Path, help="a page with a table of strengths, whose rows are written anew")
    options = parser.parse_args()
    alarms = 0
    for name in options.benchmarks:
        bench = rl.load(name)
        ids = bench.ids
        if options.sample and options.sample < len(ids):
            ids = tuple(sorted(random.Random(options.seed).sample(ids, options.sample)))
        counts: Counter[str] = Counter()
        reasons: Counter[str] = Counter()
        for number, bug_id in enumerate(ids, 1):
            counts += examined(bench[bug_id], options.n, options.j, reasons)
            print(f"\r{name} {number}/{len(ids)} {dict(counts)}", end="", file=sys.stderr, flush=True)
        print(file=sys.stderr)
        print(f"{name}: {len(ids)} bugs; " + "; ".join(f"{what} {n}" for what, n in sorted(counts.items())), flush=True)
        alarms += sum(n for what, n in counts.items() if what.endswith("ALARM"))
        if options.page:
            why = "; ".join(f"{n}: {reason}" for reason, n in reasons.most_common())
            with_row(options.page, [bench.name, str(len(ids)), *(str(counts[column]) for column in COLUMNS), why])
    sys.exit(1 if alarms else 0)


def examined(bug: rl.Bug, n: int, workers: int, reasons: Counter[str]) -> Counter[str]:
    """Judge the fix and fix patterns of a bug, and count what came out, and why passes are unchecked."""
    first, *others = bug.oracle.reference
    honest = [dataclasses.replace(first, text=f"{first.text}\n"), *others]
    patterns = list(islice(Templates().propose(bug.problem, ()), n))
    counts: Counter[str] = Counter()
    with rl.Validator(bug, workers=workers, cache=False) as validator:
        for number, outcome in enumerate(validator.map([honest, *patterns])):
            whose = "patterns" if number else "fixes"
            counts[f"{whose}, all"] += 1
            is_alarm = outcome.message.startswith(("tampering", "passes by luck"))
            if is_alarm or (not number and outcome.verdict is not rl.Verdict.PLAUSIBLE):
                counts[f"{whose}, {'ALARM' if is_alarm else 'not passing'}"] += 1
                print(f"\n{bug.id} {whose} {number}: {outcome.verdict} {outcome.message}", flush=True)
            elif outcome.verdict is rl.Verdict.PLAUSIBLE:
                counts[f"{whose}, plausible"] += 1
                counts[f"{whose}, {outcome.strength}"] += 1
                if outcome.strength != "blind":
                    print(f"\n{bug.id} {whose} {number}: {outcome.strength}: {outcome.guard}", flush=True)
                if outcome.strength == "unchecked":
                    reasons[outcome.guard.partition("; ")[2].partition(":")[0]] += 1
            elif outcome.verdict is rl.Verdict.UNDECIDED:
                counts[f"{whose}, undecided"] += 1
    return counts


COLUMNS = tuple(
    f"{whose}, {what}" for whose in ("fixes", "patterns") for what in ("plausible", "blind", "checked", "unchecked", "ALARM")
)


def with_row(page: Path, cells: list[str]) -> None:
    """Write the row of a benchmark into the table of a page whose header begins with `benchmark | bugs`."""
    lines = page.read_text(encoding="utf-8").split("\n")
    start = next(at for at, line in enumerate(lines) if line.startswith("| benchmark | bugs |")) + 2
    end = next(at for at in range(start, len(lines)) if not lines[at].startswith("|"))
    rows = [line for line in lines[start:end] if not line.startswith(f"| {cells[0]} |")]
    lines[start:end] = sorted([*rows, f"| {' | '.join(cells)} |"])
    page.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
