"""A run of which six in ten candidates are duplicates but for comments and white space, against validating each."""

import dataclasses
import tempfile
from pathlib import Path

from cache import run
from side_by_side import Row, candidates_of, compare, main, measure

from repairlab.benchmarks.bug_files import read_tree
from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.diff import apply_edits
from repairlab.core.outcome import Verdict
from repairlab.languages.language import default_cache
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, Conditions


def row(*, quick: bool) -> Row:
    """Run 100 candidates of which 40 are distinct."""
    n = 20 if quick else 100
    bug = open_benchmark("starter").bug("c-ring-buffer-wrap")
    distinct = candidates_of(bug, n * 4 // 10)
    candidates = [
        distinct[number] if number < len(distinct) else with_comment(distinct[number % len(distinct)], bug, number)
        for number in range(n)
    ]
    candidates = [dataclasses.replace(candidate, rank=rank) for rank, candidate in enumerate(candidates, start=1)]
    sandbox = open_sandbox(cache=default_cache())
    machine = Machine(cache=default_cache(), use_verdicts=False)
    with tempfile.TemporaryDirectory(prefix="duplicates-") as name:
        folder = Path(name)

        def each() -> list[Verdict]:
            with BugValidator(Conditions(bug=bug), sandbox) as validator:
                return [validator.validate(candidate).verdict for candidate in candidates]

        def ours() -> list[Verdict]:
            return [outcome.verdict for outcome in run(bug, candidates, machine, sandbox, folder / "all")[0]]

        made = compare(f"a run with {n - len(distinct)} duplicates of {n}", each, ours, target=2.25)
        _, alone = measure(lambda: run(bug, distinct, machine, sandbox, folder / "distinct"))
    share = made.ours.cpu_s / alone.cpu_s
    note = f"naive: each validated by our engine; ours: {share:.2f} times the cost of the distinct ones alone"
    return dataclasses.replace(made, note=note)


def with_comment(candidate: Candidate, bug: Bug, number: int) -> Candidate:
    """Return a candidate that differs in a comment only."""
    texts = apply_edits(candidate.edits, read_tree(Path(bug.tree.source)).texts)
    edits = tuple(Edit(path=path, text=None if text is None else f"/* {number} */\n\n{text}") for path, text in texts.items())
    return dataclasses.replace(candidate, edits=edits)


if __name__ == "__main__":
    main(row)
