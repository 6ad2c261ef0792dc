"""How much of the data flow of the reference a candidate has, too, whatever its variables are called: the last part of CodeBLEU."""

from collections import Counter
from collections.abc import Sequence

from repairlab.languages.codexglue_flow import codexglue_flow
from repairlab.languages.data_flow import data_flow

_Edge = tuple[int, str, tuple[int, ...]]


class FlowCounts:
    """Data flow of references that is found again, for any number of pairs."""

    def __init__(self, language: str, *, variant: str) -> None:
        """Take a variant of CodeBLEU; `strict` follows programs as they run, the others as CodeXGLUE does where it can."""
        self._language, self._variant = language, variant
        self.matches = self.possible = 0

    def add(self, candidate: str, reference: str) -> None:
        """Count one pair of texts, free of comments."""
        mine, theirs = self._edges(candidate), self._edges(reference)
        self.possible += theirs.total()
        self.matches += (mine & theirs).total()

    @property
    def share(self) -> float | None:
        """Return the share that was found; none when no reference has any flow."""
        return self.matches / self.possible if self.possible else None

    def _edges(self, text: str) -> Counter[_Edge]:
        if self._variant != "strict":
            items = codexglue_flow(self._language, text, of_2020=self._variant == "codexglue-2020")
            if items is not None:
                return renamed([(item.name, item.relation, item.sources) for item in items])
        return renamed([(edge.target, edge.relation, (edge.source,)) for edge in data_flow(self._language, text)])


def renamed(edges: Sequence[tuple[str, str, tuple[str, ...]]]) -> Counter[_Edge]:
    """Return edges with every variable replaced by its place in the order of first use; sources come before their targets.

    >>> renamed([("y", "comesFrom", ("x",)), ("x", "comesFrom", ())])
    Counter({(1, 'comesFrom', (0,)): 1, (0, 'comesFrom', ()): 1})
    """
    numbers: dict[str, int] = {}
    found: Counter[_Edge] = Counter()
    for target, relation, sources in edges:
        parents = tuple(numbers.setdefault(name, len(numbers)) for name in sources)
        found[numbers.setdefault(target, len(numbers)), relation, parents] += 1
    return found
