"""What every table of papers promises: rows as wide as its columns, made of any runs or left out with a reason."""

from collections.abc import Iterator

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.contracts.check import Check, NotTried, SelfTestContext, attempt
from repairlab.core.errors import UserError
from repairlab.core.table import Table
from repairlab.runs.experiment import make_experiment
from repairlab.runs.run import begin, complete
from repairlab.study.bugs import read_texts
from repairlab.study.papers.facts import PaperFacts
from repairlab.study.papers.reading import read_facts
from repairlab.study.papers.table import TABLES
from repairlab.study.systems import read_systems


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a table on two runs over a bug of the built-in benchmark."""
    made: list[PaperFacts] = []
    yield attempt("there are runs to make it of", lambda: made.append(_facts(context)))
    for facts in made:
        yield attempt("it is made of runs", lambda: _makes(name, facts))  # noqa: B023  # called at once


def _facts(context: SelfTestContext) -> PaperFacts:
    benchmark = open_benchmark("starter")
    folders = [context.folder / repairer for repairer in ("copy", "reference")]
    for folder in folders:
        bug_id = next(iter(benchmark)).id
        experiment = make_experiment({"benchmark": "starter", "repairer": folder.name, "n": 1, "k": (1,), "include": (bug_id,)})
        begin(experiment, benchmark, folder, context.machine)
        complete(benchmark, folder, context.machine, lambda step: None)  # noqa: ARG005
    systems = read_systems(folders, evidence=None)
    return read_facts(systems, read_texts(systems))


def _makes(name: str, facts: PaperFacts) -> str:
    try:
        table = TABLES[name](facts)
    except UserError as error:
        raise NotTried(f"these runs do not support it: {error}") from error
    if not isinstance(table, Table):
        return f"it is {type(table).__name__}, no Table"
    wrong = [row for row in table.rows if len(row) != len(table.columns)]
    return f"a row has {len(wrong[0])} cells and the table {len(table.columns)} columns" if wrong else ""
