"""`tufano`: the method with its names and literals replaced by ids (Tufano et al.)."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from repairlab.languages.facts import facts
from repairlab.languages.language import Token
from repairlab.languages.nodes import walk
from repairlab.languages.parser import Parsed
from repairlab.learning.representations.code import indent_of, indented, join, outdented, read_tokens, split_fix, words
from repairlab.learning.representations.representation import Encoded, Sample, Unit, Unrepresentable

ABSTRACTED = frozenset({"name", "number", "string"})
_ID = re.compile(r"(TYPE|METHOD|VAR|STRING|CHAR|INT|FLOAT)_\d+")
_FLOAT = re.compile(r"(?!0[xX][^pP]*$).*(?:[.eEpP]|[fFdD]$)", re.DOTALL)
_N_IDIOMS = 300


def kind_of_id(word: str) -> str | None:
    """Return what an id stands for, such as VAR; None for other words."""
    found = _ID.fullmatch(word)
    return found[1] if found else None


class TufanoAbstraction:
    """Names and literals become TYPE_1, METHOD_1, VAR_1, STRING_1, … in order of first use; idioms stay."""

    name = "tufano"
    languages: frozenset[str] | None = None
    unit: Unit = "method"

    def __init__(self, *, idioms: Sequence[str] = (), new_names: bool = False) -> None:
        """Take the names and literals that stay, and whether to train on fixes with others that the buggy method does not have.

        Such fixes cannot be recovered: at test time the map knows the buggy method alone.
        """
        self.idioms = frozenset(idiom for idiom in idioms if not _ID.fullmatch(idiom))
        self.new_names = new_names

    @staticmethod
    def learn(pairs: Iterable[tuple[Sample, str]]) -> Mapping[str, Any]:
        """Return the most frequent names and literals as idioms."""
        counts: Counter[str] = Counter()
        for sample, fixed in pairs:
            for text in (sample.buggy, fixed):
                try:
                    counts.update(token.text for token in read_tokens(sample.language, text) if token.kind in ABSTRACTED)
                except Unrepresentable:
                    continue
        ranked = sorted(counts, key=lambda text: (-counts[text], text))
        return {"idioms": sorted(ranked[:_N_IDIOMS])}

    def encode(self, sample: Sample) -> Encoded:
        """Return the abstract method (single mode)."""
        return self._encoded(sample)[0]

    def target(self, sample: Sample, fixed: str) -> tuple[Encoded, tuple[str, ...]]:
        """Return both methods, abstracted with one map (pair mode)."""
        encoded, indent, abstraction = self._encoded(sample)
        n_known = len(abstraction.ids)
        split_fix(sample.language, outdented(fixed, indent))
        written = abstraction.words(outdented(fixed, indent))
        if len(abstraction.ids) > n_known and not self.new_names:
            raise Unrepresentable("the fix has names or literals that the buggy method does not have")
        memory = encoded.memory | {"map": {id_: text for text, id_ in abstraction.ids.items()}}
        return Encoded(source=encoded.source, memory=memory), written

    def recover(self, encoded: Encoded, written: tuple[str, ...]) -> tuple[str, ...]:
        """Return the method with names and literals restored, token by token; None if an id is not in the map."""
        known = encoded.memory["map"]
        if not written or any(_ID.fullmatch(token) and token not in known for token in written):
            return ()
        text = join(encoded.memory["language"], (known.get(token, token) for token in written))
        return (indented(text, encoded.memory["indent"]),)

    def _encoded(self, sample: Sample) -> tuple[Encoded, str, "_Abstraction"]:
        indent = indent_of(sample)
        abstraction = _Abstraction(sample.language, self.idioms)
        source = abstraction.words(outdented(sample.buggy, indent))
        known = {id_: text for text, id_ in abstraction.ids.items()}
        memory = {"language": sample.language, "indent": indent, "map": known}
        return Encoded(source=source, memory=memory), indent, abstraction


class _Abstraction:
    """The ids given so far."""

    def __init__(self, language: str, idioms: frozenset[str]) -> None:
        self.language, self.idioms = language, idioms
        self.ids: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def words(self, text: str) -> tuple[str, ...]:
        tokens = read_tokens(self.language, text)
        types = _types(self.language, text)
        called = {token.text for token, after in itertools.pairwise(tokens) if after.text == "("}
        return words(tokens, lambda token: (self._id(token, types, called),))

    def _id(self, token: Token, types: frozenset[str], called: set[str]) -> str:
        if token.kind not in ABSTRACTED or token.text in self.idioms:
            return token.text
        if token.text not in self.ids:
            kind = self._kind(token, types, called)
            self._counts[kind] += 1
            self.ids[token.text] = f"{kind}_{self._counts[kind]}"
        return self.ids[token.text]

    def _kind(self, token: Token, types: frozenset[str], called: set[str]) -> str:
        stated = facts(self.language)
        if token.kind == "string":
            return "CHAR" if stated.char_quote and token.text.endswith(stated.char_quote) else "STRING"
        if token.kind == "number":
            return "FLOAT" if _FLOAT.match(token.text) else "INT"
        if token.text in types:
            return "TYPE"
        if token.text in called:
            return "METHOD"
        return "TYPE" if stated.type_name and re.fullmatch(stated.type_name, token.text) else "VAR"


def _types(language: str, text: str) -> frozenset[str]:
    """Return the names that the grammar treats as types; `type_identifier` is what all grammars call them."""
    around = facts(language).method_around
    if not facts(language).grammar:
        return frozenset()
    parsed = Parsed(language, text)
    if parsed.root.has_error and around:
        parsed = Parsed(language, around % text)
    return frozenset(parsed.text(node) for node in walk(parsed.root) if node.type == "type_identifier")
