"""Fixed bugs for few-shot prompts, read from a benchmark: the only place where fixes of other bugs become examples."""

from collections.abc import Iterator, Sequence

from repairlab.benchmarks.catalog import find_target, open_benchmark
from repairlab.core.benchmark import Benchmark
from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.repairers.example import Example
from repairlab.repairers.table import REPAIRERS, factory
from repairlab.runs.experiment import Experiment


def read_examples(experiment: Experiment, benchmark: Benchmark) -> tuple[Example, ...]:
    """Return all bugs that may be shown as examples; the strategy leaves out the bug that is to be repaired."""
    if experiment.settings is None or experiment.repairer not in REPAIRERS:
        return ()
    wanted = factory(experiment.repairer).examples(experiment.settings)
    if wanted is None:
        return ()
    source = benchmark if wanted.benchmark is None else open_benchmark(wanted.benchmark)
    bugs = [bug for bug in source if wanted.split is None or bug.labels.split == wanted.split]
    if not bugs:
        splits = sorted({bug.labels.split for bug in source if bug.labels.split})
        raise UserError(
            f"no bug of {source.name} has the split {wanted.split!r}, so that there are no examples. "
            f"Splits: {', '.join(splits) or 'none'}. Leave --split out to use all other bugs"
        )
    return tuple(_examples(bugs))


def _examples(bugs: Sequence[Bug]) -> Iterator[Example]:
    for bug in bugs:
        fixed = _fixed(bug)
        if fixed is not None:
            problem = bug.problem
            yield Example(
                id=bug.id,
                language=problem.language,
                title=problem.title,
                description=problem.description,
                buggy=problem.target.text,
                fixed=fixed,
            )


def _fixed(bug: Bug) -> str | None:
    """Return the target after the developer's fix; none when the fix lies elsewhere or does away with the target."""
    problem = bug.problem
    edits = [edit for edit in bug.oracle.reference if edit.path == problem.path]
    source = apply_edits(edits, {problem.path: problem.source}).get(problem.path)
    if source is None:
        return None
    try:
        target, _ = find_target(problem.language, source, problem.target.name)
    except UserError:
        return None
    return target.text if target.text != problem.target.text else None
