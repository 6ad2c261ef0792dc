"""Filter pairs by length, identity, syntax and number of hunks."""

from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.core.pair import Pair
from repairlab.core.record import record, to_data
from repairlab.languages.facts import names
from repairlab.languages.language import language
from repairlab.learning.pairs.edits import edit_of
from repairlab.learning.pairs.pair_files import Decision, Drop, Rewritten, read_head, rewrite
from repairlab.metrics.exact_match import is_well_formed, same_tokens


@record
class FilterSettings:
    """What is left out; lengths are in tokens of the language and apply to the buggy and the fixed text."""

    min_tokens: int = 0
    max_tokens: int | None = None
    identical: bool = False
    """Pairs whose texts differ only in white space and comments."""
    unparsable: bool = False
    """Pairs with a text that does not parse."""
    one_hunk: bool = False
    """Pairs that change more than one place."""


def filter_pairs(source: Path, to: Path, settings: FilterSettings, *, done: Callable[[], None] = lambda: None) -> Rewritten:
    """Write a set without the pairs that the settings leave out."""
    if settings == FilterSettings():
        raise UserError("nothing is to be left out; say what: --min-tokens, --max-tokens, --identical, --unparsable, --one-hunk")
    if settings.max_tokens is not None and settings.max_tokens < max(1, settings.min_tokens):
        raise UserError(
            f"--max-tokens is {settings.max_tokens}: that leaves no length; it must be at least {max(1, settings.min_tokens)}"
        )
    facts, _ = read_head(source)
    if facts.language not in names():
        raise UserError(f"{source} is in {facts.language!r}, which is no language known here: {', '.join(names())}")
    step = {"by": "pairs filter", "settings": to_data(settings)}
    return rewrite(source, to, step, lambda split, pair: decide(split, pair, facts.language, settings), done=done)


def decide(split: str, pair: Pair, name: str, settings: FilterSettings) -> Decision:
    """Say whether a pair stays; the first reason against it counts."""
    if settings.min_tokens or settings.max_tokens is not None:
        lengths = [len(language(name).syntax.tokens(text)) for text in (pair.buggy, pair.fixed)]
        if min(lengths) < settings.min_tokens:
            return Drop(reason=f"fewer than {settings.min_tokens} tokens")
        if settings.max_tokens is not None and max(lengths) > settings.max_tokens:
            return Drop(reason=f"more than {settings.max_tokens} tokens")
    if settings.identical and same_tokens(pair.buggy, pair.fixed, name):
        return Drop(reason="identical but for white space and comments")
    if settings.unparsable:
        for side, text in (("buggy", pair.buggy), ("fixed", pair.fixed)):
            if not is_well_formed(text, name):
                return Drop(reason=f"the {side} text does not parse")
    if settings.one_hunk and edit_of(pair.buggy, pair.fixed).n_hunks > 1:
        return Drop(reason="more than one hunk")
    return split
