"""Which nodes of a grammar define, read and join variables: each language's folder states its own in `flow.py`.

`data_flow` and `codexglue_flow` follow these tables; other packages ask `flow_of`.
"""

from collections.abc import Mapping
from functools import cache

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.facts import every, facts, title
from repairlab.registry import load


@record
class Defines:
    """Where a node holds what it defines and the value of it: names of fields."""

    name: str
    value: str


@record
class CodexglueNodes:
    """How CodeXGLUE's extractor of data flow sees the language."""

    declarations: tuple[str, ...]
    assignments: tuple[str, ...]
    updates: tuple[str, ...]
    branches: tuple[str, ...]
    """Conditional statements, and the children of them that begin another branch."""
    other_branches: tuple[str, ...]
    for_each: Mapping[str, Defines]
    counting_loops: Mapping[str, str]
    """Loops whose head is followed twice but for their first part, and that part."""
    while_loops: tuple[str, ...]
    first: tuple[str, ...] = ()
    """What is followed before its neighbours: the loops of comprehensions."""
    pairwise: bool = False
    """Whether several names are assigned one by one: `a, b = b, a`."""
    needs_else: bool = False
    """Whether the version of 2020 fails on a condition without `else`."""


@record
class FlowNodes:
    """The nodes of a grammar by what they do to variables."""

    keywords: frozenset[str]
    """Words that weigh more in weighted n-grams."""
    names: frozenset[str]
    """Leaves that may be variables."""
    literals: frozenset[str]
    """Nodes that are one value, whatever is in them."""
    declarations: Mapping[str, Defines]
    """New variables with or without a value."""
    parameters: Mapping[str, str]
    """Parameters of functions: the field of the name; empty where every name in the node is one."""
    assignments: Mapping[str, Defines]
    """An empty `value` is all of the node but the name; an operator other than `=` reads the variable, too."""
    updates: frozenset[str]
    """Steps such as `i++`."""
    members: Mapping[str, tuple[str, ...]]
    """Nodes in which only some fields are read: the object of a field, the value of a named argument."""
    calls: Mapping[str, str]
    """Calls: the field of what is called, which is no variable where it is a mere name."""
    places: frozenset[str]
    """Targets that are a part of a variable: fields, elements, what a pointer points to."""
    conditions: Mapping[str, tuple[str, ...]]
    """Nodes with a condition first: the fields of the branches, of which one is taken."""
    switches: frozenset[str]
    cases: frozenset[str]
    tries: frozenset[str]
    handlers: frozenset[str]
    """Parts of a try statement that go on from wherever it was left."""
    loops: Mapping[str, tuple[str, ...]]
    """Loops: the fields that come again, in the order in which they do."""
    for_each: Mapping[str, Defines]
    """Loops over the parts of a value."""
    ends: frozenset[str]
    """What never goes on behind itself: return, throw."""
    functions: frozenset[str]
    """What is run at another time than it is read."""
    blocks: frozenset[str]
    """Where variables that are declared inside end; empty: they live on."""
    parentheses: frozenset[str]
    """Nodes that only hold another one together."""
    declaration: str = ""
    """The node whose bare declarators are variables without a value."""
    tuples: frozenset[str] = frozenset()
    """Nodes whose parts are assigned one by one where both sides have as many."""
    reads_address: str = ""
    """The node that takes the address of a variable, which the called function may then change."""
    codexglue: CodexglueNodes | None = None


@cache
def flow_of(language: str) -> FlowNodes:
    """Return the table of a language; UserError where there is none."""
    if language not in languages_with_flow():
        known = ", ".join(title(name) for name in languages_with_flow())
        raise UserError(f"data flow of {title(language)} is not known here; it is of {known}")
    table: FlowNodes = load(facts(language).flow)
    return table


def languages_with_flow() -> tuple[str, ...]:
    """Return the languages whose data flow is known."""
    return tuple(item.name for item in every() if item.flow)
