"""All match metrics of predictions against references at once, pair by pair."""

import math
from collections.abc import Sequence

from repairlab.core.record import record
from repairlab.languages.facts import languages_with_flow
from repairlab.metrics.bleu import BleuCounts, BleuVariant, bleu, tokens_of
from repairlab.metrics.codebleu import CodeBleu, CodeBleuCounts, CodeBleuVariant
from repairlab.metrics.exact_match import is_well_formed, same_text, same_tokens, same_tree
from repairlab.metrics.similarity import edit_similarity, folded

KS = (1, 5, 10, 50, 100)
_MOST_CHARACTERS = 50_000
"""Of longer texts, only this much is compared by edits."""


@record
class MatchSettings:
    """What must be equal for two scores to be comparable."""

    language: str
    bleu: BleuVariant = "codexglue"
    codebleu: CodeBleuVariant = "codexglue"

    @property
    def signature(self) -> str:
        """Return it as `name:value|…`."""
        return f"language:{self.language}|bleu:{self.bleu}|codebleu:{self.codebleu}"


@record
class MatchScores:
    """Shares and means over pairs, each between 0 and 1."""

    n: int
    exact_text: float
    """Equal except for the amount of white space: CodeXGLUE's accuracy."""
    exact_tokens: float
    exact_tree: float
    exact_within: dict[int, float]
    """k → share of pairs with an exact text among the first k predictions; only k that some pair has predictions for."""
    bleu: float
    codebleu: CodeBleu | None
    """None for languages without one."""
    edit_similarity: float
    well_formed: float
    unchanged: float
    """Predictions that are the buggy text."""
    missing: float
    """Pairs without any prediction; they count as an empty one."""
    compiles: float | None = None
    """Predictions that a compiler accepts, if one was asked (FixEval's compilation accuracy)."""


class MatchCounts:
    """What match metrics are made from, for any number of pairs; only the first prediction counts, but for `exact_within`."""

    def __init__(self, settings: MatchSettings) -> None:
        """Begin with no pair."""
        self._settings = settings
        self._bleu = BleuCounts()
        has_codebleu = settings.language in languages_with_flow()
        self._codebleu = CodeBleuCounts(settings.language, variant=settings.codebleu) if has_codebleu else None
        self._n = self._missing = self._text = self._tokens = self._tree = self._unchanged = self._well_formed = self._longest = 0
        self._first_exact: dict[int, int] = {}
        self._similarities: list[float] = []

    def add(self, predictions: Sequence[str], reference: str, buggy: str) -> None:
        """Count one pair."""
        language = self._settings.language
        first = predictions[0] if predictions else ""
        self._n += 1
        self._missing += not predictions
        self._text += same_text(first, reference)
        self._tokens += same_tokens(first, reference, language)
        self._tree += same_tree(first, reference, language)
        self._unchanged += same_text(first, buggy)
        self._well_formed += is_well_formed(first, language)
        self._similarities.append(edit_similarity(folded(first)[:_MOST_CHARACTERS], folded(reference)[:_MOST_CHARACTERS]))
        self._bleu.add(tokens_of(first, self._settings.bleu), tokens_of(reference, self._settings.bleu))
        if self._codebleu is not None:
            self._codebleu.add(first.strip(), reference.strip())
        self._longest = max(self._longest, len(predictions))
        rank = next((at for at, text in enumerate(predictions, start=1) if same_text(text, reference)), None)
        if rank is not None:
            self._first_exact[rank] = self._first_exact.get(rank, 0) + 1

    def result(self) -> MatchScores:
        """Return the scores of all pairs so far, of which there must be at least one."""
        n = self._n
        within = {k: sum(count for rank, count in self._first_exact.items() if rank <= k) / n for k in KS if k <= self._longest}
        return MatchScores(
            n=n,
            exact_text=self._text / n,
            exact_tokens=self._tokens / n,
            exact_tree=self._tree / n,
            exact_within=within,
            bleu=bleu(self._bleu, variant=self._settings.bleu),
            codebleu=None if self._codebleu is None else self._codebleu.result(),
            edit_similarity=math.fsum(self._similarities) / n,
            well_formed=self._well_formed / n,
            unchanged=self._unchanged / n,
            missing=self._missing / n,
        )
