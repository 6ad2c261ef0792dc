"""Whether a text is well-formed."""

from repairlab.languages.facts import facts
from repairlab.languages.table import language as language_named


def is_well_formed(text: str, language: str) -> bool:
    """Whether a text parses without an error, by itself or as a method within a class; an empty one does not.

    >>> is_well_formed("int f ( ) { return 1 ; }", "java"), is_well_formed("int f ( { return", "java")
    (True, False)
    """
    if not text.strip():
        return False
    syntax, around = language_named(language).syntax, facts(language).method_around
    return not syntax.has_errors(text) or bool(around and not syntax.has_errors(around % text))
