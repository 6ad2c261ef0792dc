"""The words of a network that writes trees, with the grammar they follow, and nodes of a source as numbers."""

import dataclasses
import json
from collections.abc import Sequence
from enum import IntEnum
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.record import record, to_data
from repairlab.core.storage.checking import checked
from repairlab.learning.networks.inputs import NetworkInput
from repairlab.learning.networks.vocabulary import SPECIAL, NumberedSource, WordVocabulary

GRAMMAR_FILE = "grammar.json"
N_CHARACTERS = 10
N_FACTS = 8 + N_CHARACTERS
"""Numbers that describe a node: its tag, parent, left sibling, first of its kind, end, type, slot, flags and characters."""
REPEATS, SEPARATED, VANISHES = 1, 2, 4
N_CODES = 128
"""Characters that are distinguished."""
ENDLESS = 1 << 20
"""Steps of what cannot be written."""


class WordKind(IntEnum):
    """What a word does when it is written."""

    NOTHING = 0
    MODIFY = 1
    """A tree replaces a node."""
    ADD = 2
    """A tree is put beside a node."""
    DELETE = 3
    FINISH = 4
    """No more edits."""
    COPY = 5
    RULE = 6
    TERMINAL = 7
    END = 8
    """The end mark of every sequence."""


@record
class GrammarWord:
    """One word: an edit, a rule or a terminal."""

    text: str
    kind: WordKind
    type: str = ""
    """What a rule or terminal makes."""
    slots: tuple[str, ...] = ()
    """The places that a rule opens, from left to right."""


@record
class TreeGrammar:
    """The words, and which types may stand in which slot."""

    words: tuple[GrammarWord, ...]
    slots: dict[str, tuple[str, ...]]
    longest: int
    """Most words of a written sequence."""

    @property
    def types(self) -> list[str]:
        """Return all types in their order; the number of one is its place here and one more."""
        return sorted({type_ for found in self.slots.values() for type_ in found} | {word.type for word in self.words if word.type})

    def costs(self) -> dict[str, int]:
        """Return how many words it takes at least to fill each slot.

        >>> words = (GrammarWord(text="a -> .b", kind=WordKind.RULE, type="a", slots=("a.b",)),
        ...          GrammarWord(text="b=x", kind=WordKind.TERMINAL, type="b"))
        >>> TreeGrammar(words=words, slots={"a.b": ("b",), "root": ("a",)}, longest=9).costs()
        {'a.b': 1, 'root': 2}
        """
        costs = dict.fromkeys(self.slots, ENDLESS)
        while True:
            by_type: dict[str, int] = {}
            for word in self.words:
                if word.type:
                    cost = 1 + sum(costs.get(slot, ENDLESS) for slot in word.slots)
                    by_type[word.type] = min(cost, by_type.get(word.type, ENDLESS))
            found = {
                slot: min((by_type.get(type_, ENDLESS) for type_ in types), default=ENDLESS) for slot, types in self.slots.items()
            }
            if found == costs:
                return costs
            costs = found


class NodeLabels(WordVocabulary):
    """The words read of nodes; each node can be pointed at."""

    def source(self, tokens: Sequence[str], longest: int) -> NumberedSource:
        """Return the labels of nodes; the words beyond the vocabulary are pointers to them."""
        found = super().source(tokens, longest)
        return dataclasses.replace(found, extra=tuple(f"@{number}" for number in range(len(found.ids) - 1)))


class GrammarVocabulary(WordVocabulary):
    """The words written: edits, rules and terminals."""

    def __init__(self, grammar: TreeGrammar) -> None:
        """Take the grammar, whose words are numbered behind the special ones."""
        super().__init__([word.text for word in grammar.words])
        self.grammar = grammar
        self._types = {name: number for number, name in enumerate(grammar.types, start=1)}
        self._slots = {name: number for number, name in enumerate(grammar.slots, start=1)}

    @classmethod
    def open(cls, folder: Path) -> "GrammarVocabulary":
        """Read it from the folder of a model."""
        path = folder / GRAMMAR_FILE
        try:
            return cls(checked(TreeGrammar, json.loads(path.read_text(encoding="utf-8"))))
        except (OSError, ValueError, UserError) as error:
            raise UserError(f"{path} is no grammar: {error}; was the folder copied completely?") from None

    def save(self, folder: Path, name: str = GRAMMAR_FILE) -> None:
        """Write it into the folder of a model."""
        (folder / name).write_text(json.dumps(to_data(self.grammar), ensure_ascii=False) + "\n", encoding="utf-8")

    def node_facts(self, read: NetworkInput, n: int) -> list[int]:
        """Return the numbers of the first `n` nodes, one after another; 0 stands for what is missing."""
        made = []
        for label, node in zip(read.source[:n], read.nodes[:n], strict=True):
            flags = REPEATS * node.repeats + SEPARATED * node.separated + VANISHES * node.vanishes
            places = (node.tag + 1, node.parent + 1, node.left + 1, node.first + 1, node.end)
            kinds = (self._types.get(node.type, 0), self._slots.get(node.slot, 0), flags)
            characters = [ord(character) % N_CODES for character in label[:N_CHARACTERS]]
            made += [*places, *kinds, *characters, *[0] * (N_CHARACTERS - len(characters))]
        return made


@record
class WordTables:
    """The grammar by numbers, as tensors are made of it; rows of words begin with the special ones."""

    kinds: list[int]
    """Of `WordKind`."""
    types: list[int]
    slots: list[list[int]]
    allowed: list[list[int]]
    """The types of each slot; slot 0 is one that the grammar lacks."""
    costs: list[int]


def word_tables(grammar: TreeGrammar) -> WordTables:
    """Return the grammar by numbers."""
    types = {name: number for number, name in enumerate(grammar.types, start=1)}
    slots = {name: number for number, name in enumerate(grammar.slots, start=1)}
    costs = grammar.costs()
    special = [int(WordKind.NOTHING)] * (len(SPECIAL) - 1) + [int(WordKind.END)]
    return WordTables(
        kinds=[*special, *(int(word.kind) for word in grammar.words)],
        types=[*(0 for _ in special), *(types.get(word.type, 0) for word in grammar.words)],
        slots=[*([] for _ in special), *([slots.get(slot, 0) for slot in word.slots] for word in grammar.words)],
        allowed=[[], *([types[name] for name in grammar.slots[slot]] for slot in slots)],
        costs=[ENDLESS, *(min(costs[slot], ENDLESS) for slot in slots)],
    )
