"""How large the bugs of the runs are: their fixes, titles and descriptions (NL2Fix, table 1)."""

from collections import defaultdict

from repairlab.core.bug import Bug
from repairlab.core.table import Table
from repairlab.formats.nl2fix_dataset import HEAD, Size, Versions, measured, rows_by_project
from repairlab.languages.table import language
from repairlab.study.papers.closeness import Yardstick
from repairlab.study.papers.facts import PaperFacts
from repairlab.study.papers.similarity import compared


def bug_sizes(facts: PaperFacts) -> Table:
    """Return the bugs of all runs by project, each once."""
    runs = compared(facts)
    bugs = {(run.scores.run.manifest.benchmark_digest, bug.samples.bug_id): bug for run in runs for bug in run.bugs}
    projects: dict[str, list[Size]] = defaultdict(list)
    for bug in bugs.values():
        if bug.size is not None:
            projects[bug.project].append(bug.size)
    return Table(
        name="bugs",
        title="Bugs by project; means per bug from the third column on",
        source="NL2Fix, table 1",
        columns=HEAD,
        rows=rows_by_project(projects),
        notes=(
            "Changes are those of the target function, or of the changed files where more changes; tokens are without comments.",
            *facts.missing,
        ),
    )


def size_of_bug(bug: Bug) -> Size | None:
    """Measure a bug; none when its fix does not apply to the files that are at hand."""
    texts = Yardstick(bug).texts(bug.oracle.reference)
    if texts is None:
        return None
    syntax = language(bug.problem.language).syntax
    return measured(
        Versions(texts.buggy, texts.fixed),
        lambda text: [token.text for token in syntax.tokens(text)],
        title=bug.problem.title,
        description=bug.problem.description,
    )
