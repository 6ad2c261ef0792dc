"""Whether a candidate equals the reference: as text, as tokens, as a tree; and whether a text is well-formed at all.

The text is that of CodeXGLUE's accuracy, which ignores line ends; a tree is more lenient than tokens, if texts parse.
"""

from tree_sitter import Node

from repairlab.languages.facts import FlowNodes, facts, flow_of, languages_with_flow
from repairlab.languages.language import language as language_named
from repairlab.languages.parser import Parsed
from repairlab.metrics.similarity import folded

_LAYOUT = frozenset({"newline", "indent", "dedent"})
_PUNCTUATION = frozenset("(){};,")
_Normal = tuple[object, ...]


def same_text(candidate: str, reference: str) -> bool:
    r"""Whether texts are equal but for the amount of white space: the accuracy of CodeXGLUE.

    >>> same_text("return  a ;\n", "return a ;"), same_text("return a;", "return a ;")
    (True, False)
    """
    return folded(candidate) == folded(reference)


def same_tokens(candidate: str, reference: str, language: str) -> bool:
    """Whether texts have the same tokens, whatever their spacing and comments.

    >>> same_tokens("return a; // all", "return a ;", "java")
    True
    """
    return candidate == reference or token_texts(candidate, language) == token_texts(reference, language)


def token_texts(text: str, language: str) -> list[str]:
    """Return the tokens of a text; line ends and changes of depth, where they are tokens, are named by their kind."""
    found = language_named(language).syntax.tokens(text.rstrip() + "\n")
    return [token.kind if token.kind in _LAYOUT else token.text for token in found]


def same_tree(candidate: str, reference: str, language: str) -> bool:
    """Whether texts have the same tree once superfluous parentheses, and braces around a single statement, are gone.

    Texts that do not parse, and languages whose blocks are not known, are compared by tokens.

    >>> same_tree("if ((a)) { f(); }", "if (a) f();", "java"), same_tree("(a + b) * c", "a + b * c", "python")
    (True, False)
    """
    if same_tokens(candidate, reference, language):
        return True
    if language not in languages_with_flow():
        return False
    syntax = language_named(language).syntax
    parsed = [Parsed(language, syntax.strip_comments(text)) for text in (candidate, reference)]
    if any(item.root.has_error for item in parsed):
        return False
    ids: dict[_Normal, int] = {}
    one, other = (_normal(item.root, flow_of(language), ids) for item in parsed)
    return one == other


def _normal(root: Node, table: FlowNodes, ids: dict[_Normal, int]) -> int:
    """Return a number for the normal form of a tree; equal forms have equal numbers."""
    numbers: dict[int, int] = {}
    stack = [(root, False)]
    while stack:
        node, is_seen = stack.pop()
        kept = _kept(node)
        if not is_seen and kept:
            stack.append((node, True))
            stack.extend((child, False) for child in kept)
            continue
        if _is_shell(node, kept, table):
            numbers[node.id] = numbers[kept[0].id]
        else:
            form = (node.type, *(numbers[child.id] for child in kept)) if kept else (node.type, node.text)
            numbers[node.id] = ids.setdefault(form, len(ids))
    return numbers[root.id]


def _kept(node: Node) -> list[Node]:
    return [child for child in node.children if child.is_named or child.type not in _PUNCTUATION]


def _is_shell(node: Node, kept: list[Node], table: FlowNodes) -> bool:
    """Whether a node says no more than its only child."""
    if len(kept) != 1 or not kept[0].is_named:
        return False
    if node.type in table.parentheses:
        return True
    around = node.parent.type if node.parent else ""
    is_body = around in table.conditions or around in table.loops or around in table.for_each or around == "else_clause"
    is_block = node.type in table.blocks and node.type not in table.loops and node.type not in table.for_each
    return is_body and is_block and "declaration" not in kept[0].type


def is_well_formed(text: str, language: str) -> bool:
    """Whether a text parses without an error, by itself or as a method within a class; an empty one does not.

    >>> is_well_formed("int f ( ) { return 1 ; }", "java"), is_well_formed("int f ( { return", "java")
    (True, False)
    """
    if not text.strip():
        return False
    syntax, around = language_named(language).syntax, facts(language).method_around
    return not syntax.has_errors(text) or bool(around and not syntax.has_errors(around % text))
