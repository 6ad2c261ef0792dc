"""How well the first candidates match the developer's fixes, beside how many of them pass (FixEval, table 3)."""

from repairlab.core.outcome import Verdict
from repairlab.core.table import Cell, Table, percent
from repairlab.languages.facts import title
from repairlab.metrics.matching import MatchCounts, MatchSettings
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts
from repairlab.study.papers.similarity import compared

_COLUMNS = (
    "system",
    "language",
    "bugs",
    "compared",
    "exact text %",
    "exact tokens %",
    "exact tree %",
    "BLEU",
    "CodeBLEU",
    "edit similarity %",
    "well-formed %",
    "plausible %",
)


def match(facts: PaperFacts) -> Table:
    """Return match metrics of the first candidate of every bug, for each system and language."""
    rows: list[tuple[Cell, ...]] = []
    for run in compared(facts):
        languages = dict.fromkeys(bug.samples.language for bug in run.bugs)
        rows += [_row(run, language, [bug for bug in run.bugs if bug.samples.language == language]) for language in languages]
    return Table(
        name="match",
        title="Match of the first candidates with the developers' fixes",
        source="FixEval, table 3",
        columns=_COLUMNS,
        rows=tuple(rows),
        n_heads=2,
        notes=(
            "Exact, well-formed and plausible are shares of all bugs; BLEU, CodeBLEU and edit similarity are those of bugs whose "
            f"first candidate applies. {MatchSettings(language='each').signature}. Functions are compared, or the changed files "
            "where more than the function changed.",
            *facts.missing,
        ),
    )


def _row(run: RunFacts, language: str, bugs: list[BugFacts]) -> tuple[Cell, ...]:
    counts = MatchCounts(MatchSettings(language=language))
    texts = [bug.first for bug in bugs if bug.first is not None]
    for item in texts:
        counts.add([item.candidate], item.fixed, item.buggy)
    plausible = percent(sum(bug.samples.verdicts[:1] == (Verdict.PLAUSIBLE,) for bug in bugs), len(bugs))
    head = (run.name, title(language), len(bugs), len(texts))
    if not texts:
        return (*head, *(0.0,) * 3, *(None,) * 3, 0.0, plausible)
    scores = counts.result()
    code = scores.codebleu.value if scores.codebleu else None
    of_all = [percent(share * len(texts), len(bugs)) for share in (scores.exact_text, scores.exact_tokens, scores.exact_tree)]
    of_texts = [None if share is None else percent(share, 1) for share in (scores.bleu, code, scores.edit_similarity)]
    return (*head, *of_all, *of_texts, percent(scores.well_formed * len(texts), len(bugs)), plausible)
