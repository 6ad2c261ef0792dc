"""CodeBLEU (Ren et al. 2020): n-grams, n-grams weighted by keywords, subtrees and data flow, a quarter each.

Variants: `codexglue-2020` is the code behind CodeXGLUE's table, `codexglue` that of today, both with their faults but for the
order of hash tables; `strict` has none of them: tokens and comments of the language itself, clipped subtrees, real data flow, only
orders that texts are long enough for, and a part that a corpus has nothing of is left out instead of counted as 0.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from tree_sitter import Node

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.codexglue_flow import codexglue_flow
from repairlab.languages.data_flow import data_flow
from repairlab.languages.facts import flow_of, languages_with_flow, title
from repairlab.languages.language import language as language_named
from repairlab.languages.parser import Parsed
from repairlab.metrics.bleu import ORDERS, BleuCounts, bleu, brevity_penalty, ngrams
from repairlab.metrics.exact_match import token_texts

CodeBleuVariant = Literal["codexglue-2020", "codexglue", "strict"]
CODEBLEU_VARIANTS: tuple[CodeBleuVariant, ...] = ("codexglue-2020", "codexglue", "strict")
_OTHER_WORDS = 0.2
"""Weight of a token that is not a keyword."""
_LEAST = 0.1
"""Matches that an order without any counts as (nltk's smoothing method 1)."""
_JAVA_COMMENTS = re.compile(r"""//[^\n]*|/[*].*?[*]/|(['"])(?:\\.|(?!\1)[^\\])*\1""", re.DOTALL)


@record
class CodeBleu:
    """The four parts, each between 0 and 1; None if references have nothing to compare."""

    ngram: float
    weighted: float
    syntax: float | None
    flow: float | None
    value: float | None
    """The mean of the parts; without data flow `codexglue` counts that as 0, `codexglue-2020` fails and has no value."""


class CodeBleuCounts:
    """What CodeBLEU is made from, for any number of pairs."""

    def __init__(self, language: str, *, variant: CodeBleuVariant = "codexglue") -> None:
        """Take the language of all texts."""
        if language not in languages_with_flow():
            known = ", ".join(map(title, languages_with_flow()))
            raise UserError(f"CodeBLEU: it is not defined for {title(language)} but for {known}")
        self._language, self._variant = language, variant
        self._keywords = flow_of(language).keywords
        self._ngrams = BleuCounts()
        self._recalled = [0.0] * ORDERS
        self._to_recall = [0.0] * ORDERS
        self._syntax = SyntaxCounts(language, clipped=variant == "strict")
        self._flow = FlowCounts(language, variant=variant)

    def add(self, candidate: str, reference: str) -> None:
        """Count one pair of texts."""
        mine, theirs = self._tokens(candidate), self._tokens(reference)
        self._ngrams.add(mine, theirs)
        self._recall(mine, theirs)
        bare_candidate, bare_reference = self._uncommented(candidate), self._uncommented(reference)
        self._syntax.add(bare_candidate, bare_reference)
        self._flow.add(bare_candidate, bare_reference)

    def result(self) -> CodeBleu:
        """Return the score of all pairs so far."""
        ngram = self._strict_bleu() if self._variant == "strict" else bleu(self._ngrams, variant="nltk-method1")
        weighted = self._weighted()
        syntax, flow = self._syntax.share, self._flow.share
        parts = [ngram, weighted, syntax, flow]
        value: float | None
        if self._variant == "strict":
            known = [part for part in parts if part is not None]
            value = math.fsum(known) / len(known)
        elif self._variant == "codexglue-2020" and flow is None:
            value = None
        else:
            value = math.fsum(part or 0.0 for part in parts) / len(parts)
        return CodeBleu(ngram=ngram, weighted=weighted, syntax=syntax, flow=flow, value=value)

    def _tokens(self, text: str) -> list[str]:
        if self._variant != "strict":
            return text.split()
        return token_texts(text, self._language)

    def _uncommented(self, text: str) -> str:
        if self._variant == "strict":
            return language_named(self._language).syntax.strip_comments(text).rstrip()
        return without_java_comments(text)

    def _recall(self, mine: Sequence[str], theirs: Sequence[str]) -> None:
        """Count the n-grams of the reference that the candidate has: despite its name, this part is a recall."""
        for order in range(ORDERS):
            wanted = ngrams(theirs, order + 1)
            both = wanted & ngrams(mine, order + 1)
            total = self._weight(wanted, order)
            self._recalled[order] += self._weight(both, order)
            self._to_recall[order] += total if self._variant == "strict" else max(1.0, total)

    def _weight(self, counted: Counter[tuple[str, ...]], order: int) -> float:
        if order:
            return counted.total()
        return sum(n * (1.0 if gram[0] in self._keywords else _OTHER_WORDS) for gram, n in counted.items())

    def _weighted(self) -> float:
        return _geometric(self._recalled, self._to_recall) if self._recalled[0] else 0.0

    def _strict_bleu(self) -> float:
        if not self._ngrams.matches[0]:
            return 0.0
        return brevity_penalty(self._ngrams) * _geometric(self._ngrams.matches, self._ngrams.possible)


def _geometric(found: Sequence[float], wanted: Sequence[float]) -> float:
    """Return the geometric mean of shares over the orders that occur."""
    shares = [(one or _LEAST) / of for one, of in zip(found, wanted, strict=True) if of]
    return math.exp(math.fsum(math.log(share) for share in shares) / len(shares))


def codebleu(candidate: str, reference: str, language: str, *, variant: CodeBleuVariant = "codexglue") -> CodeBleu:
    """Return the CodeBLEU of one pair.

    >>> codebleu("int f ( int a ) { return a ; }", "int f ( int b ) { return b ; }", "c", variant="strict").flow
    1.0
    """
    counts = CodeBleuCounts(language, variant=variant)
    counts.add(candidate, reference)
    return counts.result()


def without_java_comments(text: str) -> str:
    r"""Return a text as CodeXGLUE takes comments out of every language: by Java's rules, and without blank lines.

    >>> without_java_comments("n = a // 2\n\nm = 1")
    'n = a  \nm = 1'
    """
    bare = _JAVA_COMMENTS.sub(lambda found: " " if found[0].startswith("/") else found[0], text)
    return "\n".join(line for line in bare.split("\n") if line.strip())


_Shape = tuple[object, ...]


class SyntaxCounts:
    """Subtrees of references that are found again, for any number of pairs."""

    def __init__(self, language: str, *, clipped: bool) -> None:
        """Take whether a subtree of the candidate serves one of the reference only, or as many as are equal to it."""
        self._language, self._clipped = language, clipped
        self.matches = self.possible = 0

    def add(self, candidate: str, reference: str) -> None:
        """Count one pair of texts, free of comments."""
        ids: dict[_Shape, int] = {}
        mine, theirs = (Counter(shapes(Parsed(self._language, text).root, ids)) for text in (candidate, reference))
        self.possible += theirs.total()
        self.matches += (mine & theirs).total() if self._clipped else sum(n for shape, n in theirs.items() if shape in mine)

    @property
    def share(self) -> float | None:
        """Return the share that was found; None if there was nothing to find."""
        return self.matches / self.possible if self.possible else None


def shapes(root: Node, ids: dict[_Shape, int]) -> list[int]:
    """Return a number for the shape of every node that has children, and of the root; equal shapes have equal numbers.

    A shape is what an S-expression shows: kinds of nodes and the fields they are in, no names, values or operators.
    """
    found: list[int] = []
    cursor = root.walk()
    frames: list[tuple[Node, str | None, list[tuple[str | None, int]]]] = []
    while True:
        frames.append((cursor.node or root, cursor.field_name, []))
        if cursor.goto_first_child():
            continue
        while True:
            node, field, parts = frames.pop()
            unexpected = (node.text or b"")[:1] if node.type == "ERROR" and not node.child_count else b""
            shape = ids.setdefault((node.type, node.is_missing, unexpected, *parts), len(ids))
            if node.child_count or not frames:
                found.append(shape)
            if not frames:
                return found
            if node.is_named or node.is_missing:
                frames[-1][2].append((field, shape))
            if cursor.goto_next_sibling():
                break
            cursor.goto_parent()


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
        """Return the share that was found; None if no reference has any flow."""
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
