"""What a network reads of a bug and what it writes, as words."""

from typing import NamedTuple

from repairlab.core.record import record
from repairlab.learning.representations.representation import Encoded


class TreeNode(NamedTuple):
    """A node of a syntax tree that a network reads and edits; nodes are counted from 0, and -1 means none."""

    tag: int
    """2 in the bug, 1 beside it, 0 elsewhere."""
    parent: int
    left: int
    """The sibling before it."""
    first: int
    """The first of its siblings in places of the same kind."""
    end: int
    """The number after that of its last descendant."""
    type: str
    slot: str
    """Its place in the rule of its parent."""
    repeats: bool
    """More of its kind may stand beside it."""
    separated: bool
    """They have words between them."""
    vanishes: bool
    """Its parent can do without it."""


@record
class NetworkInput:
    """What a network reads of one bug."""

    source: tuple[str, ...]
    context: tuple[str, ...] = ()
    span: tuple[int, int] = (0, 0)
    """Where in the source the bug is, for networks that point to it: the first token, and the one after the last."""
    nodes: tuple[TreeNode, ...] = ()
    """For a source that lists the nodes of a tree."""


@record
class Written:
    """One thing that a network wrote."""

    tokens: tuple[str, ...]
    logprob: float
    n_tokens: int


def network_input(encoded: Encoded) -> NetworkInput:
    """Return what a network reads of an encoded sample; where the bug is, or the nodes of a tree, its memory says."""
    places = encoded.memory if isinstance(encoded.memory, dict) else {}
    span = (places.get("first", 0), places.get("last", 0))
    return NetworkInput(source=encoded.source, context=encoded.context, span=span, nodes=places.get("nodes", ()))
