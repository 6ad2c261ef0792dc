"""The words that a network of trees writes, from the grammar that its representation has learnt."""

from collections.abc import Mapping
from typing import Any

from repairlab.learning.networks.grammar_vocabulary import GrammarWord, TreeGrammar, WordKind
from repairlab.learning.representations.recoder import RecoderTree
from repairlab.learning.representations.recoder_grammar import COPY, EDITS, END, UNKNOWN, rule_parts, terminal_parts


def tree_grammar(learnt: Mapping[str, Any]) -> TreeGrammar:
    """Return the words of a grammar: edits, rules, terminals, and a placeholder for each type of leaf."""
    made = RecoderTree(**learnt)
    grammar = made.grammar
    assert grammar is not None
    kinds = {edit: WordKind.ADD if takes_tree else WordKind.DELETE for edit, takes_tree in EDITS.items()}
    kinds |= {"modify": WordKind.MODIFY, END: WordKind.FINISH, COPY: WordKind.COPY}
    words = [GrammarWord(text=text, kind=kind) for text, kind in kinds.items()]
    inner = set()
    for rule in grammar.rules:
        type_, _ = rule_parts(rule) or ("", ())
        inner.add(type_)
        words.append(GrammarWord(text=rule, kind=WordKind.RULE, type=type_, slots=grammar.slots_of(rule)))
    leaves = {type_ for found in grammar.slots.values() for type_ in found} - inner
    for text in grammar.terminals:
        type_, _ = terminal_parts(text) or ("", "")
        leaves.add(type_)
        words.append(GrammarWord(text=text, kind=WordKind.TERMINAL, type=type_))
    words += [GrammarWord(text=f"{type_}={UNKNOWN}", kind=WordKind.TERMINAL, type=type_) for type_ in sorted(leaves)]
    return TreeGrammar(words=tuple(words), slots=dict(grammar.slots), longest=made.max_written)
