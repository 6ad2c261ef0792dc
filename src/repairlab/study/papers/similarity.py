"""How similar candidates are to the buggy and to the fixed code: distributions, exact matches, match metrics."""

import math
from collections.abc import Callable, Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.figure import Axis, Figure, Shape, label, line
from repairlab.core.outcome import Verdict
from repairlab.core.table import Cell, Table, mean, percent
from repairlab.languages.facts import title
from repairlab.metrics.codebleu import CodeBleu
from repairlab.metrics.matching import MatchCounts, MatchSettings
from repairlab.metrics.statistics import Distribution, Tested, distribution, rank_sum, signed_rank
from repairlab.study.papers.closeness import Closeness
from repairlab.study.papers.facts import BugFacts, PaperFacts, RunFacts, ks_of
from repairlab.study.papers.rates import pass_percent
from repairlab.study.ranking.stored import UNBUILT

_Side = Callable[[Closeness], float | None]
_SIDES: tuple[tuple[str, _Side], ...] = (
    ("buggy", lambda item: item.to_buggy),
    ("fixed", lambda item: item.to_fixed),
)
_CODES: Mapping[str, Callable[[CodeBleu], float | None]] = {
    "CodeBLEU": lambda code: code.value,
    "n-grams": lambda code: code.ngram,
    "weighted n-grams": lambda code: code.weighted,
    "syntax": lambda code: code.syntax,
    "data flow": lambda code: code.flow,
}
_WIDTH, _LEFT, _RIGHT, _ROW, _TOP = 960, 330, 24, 26, 30


def similarity(facts: PaperFacts) -> Table:
    """Return the distribution of similarities per system, with Wilcoxon's tests."""
    runs = compared(facts)
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        plausible, others = groups(run)
        rows += [
            (run.name, "plausible", *_spreads(plausible, others, _SIDES)),
            (run.name, "other", *_spreads(others, None, _SIDES)),
        ]
    return Table(
        name="similarity",
        title="Similarity of candidates to the buggy and to the fixed code",
        source="NL2Fix, figure 4",
        columns=("system", "candidates", *_COLUMNS),
        rows=tuple(rows),
        n_heads=2,
        notes=(
            "Similarity is 1 − edit distance / length of the longer text, white space folded; the table codebleu has NL2Fix's "
            "measure. Each distinct candidate that applies counts once.",
            *_NOTES,
            *facts.missing,
        ),
        figure=_figure(runs, _SIDES, "Similarity to the buggy and to the fixed code"),
    )


_COLUMNS = (
    "n",
    *(f"{what} to {side}" for side, _ in _SIDES for what in ("median", "IQR", "kurtosis", "p (plausible > other)")),
    "p (to buggy > to fixed)",
)
_NOTES = (
    "p: one-sided, Wilcoxon's rank-sum test between plausible and other candidates, and his signed-rank test between the "
    "two similarities of each candidate. Kurtosis is the excess over that of a normal distribution.",
)


def codebleu(facts: PaperFacts) -> Table:
    """Return the distribution of CodeBLEU and its parts per system, with Wilcoxon's tests."""
    runs = compared(facts)
    if not any(item.codes for run in runs for bug in run.bugs for item in bug.closeness):
        raise UserError("it takes a minute for a thousand candidates: ask with --only codebleu; it is for languages with data flow")
    rows: list[tuple[Cell, ...]] = []
    for run in runs:
        plausible, others = groups(run)
        for name, value in _CODES.items():
            sides = _sides_of(value)
            rows += [
                (run.name, name, "plausible", *_spreads(plausible, others, sides)),
                (run.name, name, "other", *_spreads(others, None, sides)),
            ]
    return Table(
        name="codebleu",
        title="CodeBLEU of candidates with the buggy and with the fixed code, and its parts",
        source="NL2Fix, figure 4",
        columns=("system", "measure", "candidates", *_COLUMNS),
        rows=tuple(rows),
        n_heads=3,
        notes=("As CodeXGLUE's code counts. Each distinct candidate that applies counts once.", *_NOTES, *facts.missing),
        figure=_figure(runs, _sides_of(_CODES["CodeBLEU"]), "CodeBLEU with the buggy and with the fixed code"),
    )


def _sides_of(value: Callable[[CodeBleu], float | None]) -> tuple[tuple[str, _Side], ...]:
    def at(place: int) -> _Side:
        return lambda item: value(item.codes[place]) if item.codes else None

    return tuple((side, at(place)) for place, (side, _) in enumerate(_SIDES))


def compared(facts: PaperFacts) -> list[RunFacts]:
    """Return the runs whose candidates were compared with the code; a UserError says why there are none."""
    runs = [run for run in facts.runs if run.has_texts]
    if not runs:
        raise UserError("; ".join(facts.missing) or "the benchmark is not at hand")
    return runs


def groups(run: RunFacts) -> tuple[list[Closeness], list[Closeness]]:
    """Return the plausible and the other distinct candidates."""
    found = [item for bug in run.bugs for item in bug.closeness]
    return [item for item in found if item.is_plausible], [item for item in found if not item.is_plausible]


def _spreads(
    found: Sequence[Closeness], others: Sequence[Closeness] | None, sides: Sequence[tuple[str, _Side]]
) -> tuple[Cell, ...]:
    cells: list[Cell] = [len(found)]
    for _, side in sides:
        values = _values(found, side)
        spread = distribution(values)
        tested = rank_sum(values, _values(others, side)) if others is not None else None
        cells += [spread.median, spread.iqr, spread.kurtosis, _p(tested)] if spread else [None] * 4
    both = [(one, other) for item in found for one, other in [[side(item) for _, side in sides]] if None not in (one, other)]
    tested = signed_rank([one or 0.0 for one, _ in both], [other or 0.0 for _, other in both])
    return (*cells, _p(tested))


def _values(found: Sequence[Closeness], side: _Side) -> list[float]:
    return [value for item in found if (value := side(item)) is not None]


def _p(tested: Tested | None) -> float | None:
    return float(f"{tested.p_value:.6g}") if tested else None


def _figure(runs: Sequence[RunFacts], sides: Sequence[tuple[str, _Side]], title: str) -> Figure | None:
    boxes: list[tuple[RunFacts, str, Distribution]] = []
    for side, value in sides:
        for run in runs:
            for group, found in zip(("plausible", "other"), groups(run), strict=True):
                spread = distribution(_values(found, value))
                if spread:
                    boxes.append((run, f"{group} to {side}", spread))
    if not boxes:
        return None
    low = math.floor(10 * min(0.9, *(spread.q1 for *_, spread in boxes))) / 10
    axis = Axis(low=low, high=1.0, start=_LEFT, end=_WIDTH - _RIGHT)
    bottom = _TOP + _ROW * len(boxes)
    shapes: list[Shape] = []
    for number in range(6):
        value_at = axis.low + (axis.high - axis.low) * number / 5
        shapes += [
            line(axis(value_at), _TOP - 8, axis(value_at), bottom, tone="grid"),
            label(axis(value_at), bottom + 18, f"{value_at:.2f}", anchor="middle"),
        ]
    for index, (run, what, spread) in enumerate(boxes):
        shapes += _box(axis, _TOP + _ROW * index + 9, run, what, spread)
    words = "; ".join(f"{run.name}, {what}: median {spread.median:.2f}, IQR {spread.iqr:.2f}" for run, what, spread in boxes)
    return Figure(width=_WIDTH, height=bottom + 28, title=title, words=words, shapes=tuple(shapes))


def _box(axis: Axis, y: float, run: RunFacts, what: str, spread: Distribution) -> list[Shape]:
    """Draw quartiles as a box and the ends at most 1.5 IQR away, as Tukey does."""
    tone = str(run.index)
    low, high = max(spread.low, spread.q1 - 1.5 * spread.iqr), min(spread.high, spread.q3 + 1.5 * spread.iqr)
    text = f"{run.name}, {what}: median {spread.median:.3f}, quartiles {spread.q1:.3f} and {spread.q3:.3f}, n = {spread.n}"
    width = max(axis(spread.q3) - axis(spread.q1), 1)
    return [
        label(_LEFT - 12, y + 4, f"{run.name}: {what}", anchor="end"),
        line(axis(low), y, axis(high), y, tone=tone),
        Shape(
            kind="box",
            x=axis(spread.q1),
            y=y - 7,
            x2=width,
            y2=14,
            tone=tone,
            text=text,
            opacity=0.35 if what.startswith("other") else 0.85,
        ),
        line(axis(spread.median), y - 7, axis(spread.median), y + 7, tone="ink", thick=True),
    ]


def exact(facts: PaperFacts) -> Table:
    """Return how many bugs were fixed, and how many of them exactly as the developer did."""
    columns = ("system", "fixed bugs", "exact bugs", "plausible candidates", "exact candidates", "exact %")
    return Table(
        name="exact",
        title="Exact matches: equal to the developer's fix but for white space",
        source="NL2Fix, table 4",
        columns=columns,
        rows=tuple(_exact_row(run) for run in compared(facts)),
        notes=(
            "Plausible candidates are counted once for each distinct text; their functions are compared, or the changed files "
            "where more than the function changed.",
            *facts.missing,
        ),
    )


def _exact_row(run: RunFacts) -> tuple[Cell, ...]:
    plausible = [(bug.samples.bug_id, item) for bug in run.bugs for item in bug.closeness if item.is_plausible]
    same = [(bug_id, item) for bug_id, item in plausible if item.is_exact]
    return (
        run.name,
        sum(bug.is_fixed for bug in run.bugs),
        len({bug_id for bug_id, _ in same}),
        len(plausible),
        len(same),
        percent(len(same), len(plausible)),
    )


_MATCH_COLUMNS = (
    "system",
    "language",
    "bugs",
    "compared",
    "exact text %",
    "exact tokens %",
    "exact tree %",
    "BLEU",
    "CodeBLEU",
    "syntax match %",
    "data flow match %",
    "edit similarity %",
    "well-formed %",
    "compiles %",
    "plausible %",
)


def match(facts: PaperFacts) -> Table:
    """Return match metrics of the first candidate of every bug, for each system and language."""
    rows: list[tuple[Cell, ...]] = []
    for run in compared(facts):
        languages = dict.fromkeys(bug.samples.language for bug in run.bugs)
        rows += [_match_row(run, language, [bug for bug in run.bugs if bug.samples.language == language]) for language in languages]
    return Table(
        name="match",
        title="Match of the first candidates with the developers' fixes",
        source="FixEval, table 3",
        columns=_MATCH_COLUMNS,
        rows=tuple(rows),
        n_heads=2,
        notes=(
            "Exact, well-formed, compiles (by the bug's own build: javac, bytecode) and plausible are shares of all bugs; BLEU, "
            "CodeBLEU with its syntax and data flow, and edit similarity are those of bugs whose "
            f"first candidate applies. {MatchSettings(language='each').signature}. Functions are compared, or the changed files "
            "where more than the function changed.",
            *facts.missing,
        ),
    )


def _match_row(run: RunFacts, language: str, bugs: list[BugFacts]) -> tuple[Cell, ...]:
    counts = MatchCounts(MatchSettings(language=language))
    texts = [bug.first for bug in bugs if bug.first is not None]
    for item in texts:
        counts.add([item.candidate], item.fixed, item.buggy)
    plausible = percent(sum(bug.samples.verdicts[:1] == (Verdict.PLAUSIBLE,) for bug in bugs), len(bugs))
    firsts = [verdict for bug in bugs for verdict in bug.samples.verdicts[:1] if verdict is not Verdict.UNDECIDED]
    compiles = percent(sum(verdict not in UNBUILT for verdict in firsts), len(bugs))
    head = (run.name, title(language), len(bugs), len(texts))
    if not texts:
        return (*head, *(0.0,) * 3, *(None,) * 5, 0.0, compiles, plausible)
    scores = counts.result()
    parts = scores.codebleu
    code = (parts.value, parts.syntax, parts.flow) if parts else (None, None, None)
    of_all = [percent(share * len(texts), len(bugs)) for share in (scores.exact_text, scores.exact_tokens, scores.exact_tree)]
    of_texts = [None if share is None else percent(share, 1) for share in (scores.bleu, *code, scores.edit_similarity)]
    return (*head, *of_all, *of_texts, percent(scores.well_formed * len(texts), len(bugs)), compiles, plausible)


def landing(facts: PaperFacts) -> Table:
    """Return how much of the fixes' changes the candidates also make, beside how often they are plausible."""
    runs = compared(facts)
    ks = ks_of(runs)
    columns = ("system", "place shown", "bugs", "candidates", "file recall %", "function recall %", "line recall %")
    return Table(
        name="landing",
        title="Where candidates landed, and how often they were plausible, by what was shown of the place",
        source="Agentless",
        columns=(*columns, *(f"pass@{k} %" for k in ks)),
        rows=tuple(_landing_row(run, ks) for run in runs),
        n_heads=2,
        notes=(
            "Recall: the share of the files, functions and lines changed by the fix that a candidate changes, too; averaged over "
            "a bug's distinct candidates that apply, then over bugs.",
            *facts.missing,
        ),
    )


def _landing_row(run: RunFacts, ks: Sequence[int]) -> tuple[Cell, ...]:
    bugs = [[item.landing for item in bug.closeness] for bug in run.bugs if bug.closeness]
    means = [
        mean([100 * sum(getattr(item, share) for item in items) / len(items) for items in bugs])
        for share in ("files", "functions", "lines")
    ]
    shown = run.scores.run.manifest.experiment.visibility.localisation
    return (run.name, shown, len(bugs), sum(map(len, bugs)), *means, *(pass_percent(run, k) for k in ks))
