"""Defects4C's categories A.1–D.2 and weaknesses of the CWE that a fix suggests. Suggestions, never decisions: people decide."""

import re
from collections.abc import Callable, Sequence

from repairlab.core.record import record
from repairlab.study.labelling.file_change import FileChange
from repairlab.study.labelling.rules.actions import actions
from repairlab.study.labelling.rules.patterns import patterns
from repairlab.study.labelling.tree import SyntaxNode

CATEGORIES = {
    "A.1": ("Incorrect Function Usage", "CWE-628"),
    "A.2": ("Fault Input Type", "CWE-704"),
    "A.3": ("Incorrect Function Return Value", "CWE-393"),
    "A.4": ("Incorrect Variable Usage", "CWE-688"),
    "B": ("Control Expression Error", "CWE-670"),
    "C.1": ("Null Pointer Dereference", "CWE-476"),
    "C.2": ("Uncontrolled Resource Consumption", "CWE-400"),
    "C.3": ("Memory Overflow", "CWE-119"),
    "D.1": ("Improper Condition Organization", "CWE-691"),
    "D.2": ("Wrong Function Call Sequence", "CWE-696"),
}
"""Category → its name (Defects4C, table 2), and the weakness that we put beside it."""
_RELEASES = re.compile(r"(?i)free|close|release|delete|destroy|dispose|unref|shutdown|clear|cleanup")
_SIZES = re.compile(r"(?i)size|len|count|limit|max|bound|offset|index|capacity|remain|avail|_end\b")
_BUFFERS = re.compile(r"(?i)mem(cpy|move|set)|str(n?cpy|n?cat|len)|alloc|resize|snprintf|read|buf")


@record
class Suggestion:
    """A category, and what speaks for it."""

    category: str
    evidence: str


def suggest(changes: Sequence[FileChange]) -> list[Suggestion]:
    """Return the categories that a fix speaks for, the likeliest first."""
    facts = _Facts(changes)
    found = [Suggestion(category=name, evidence=why) for name, why, holds in _RULES if holds(facts)]
    first: dict[str, Suggestion] = {}
    for item in found:
        first.setdefault(item.category, item)
    return list(first.values())


class _Facts:
    """What the rules ask of a fix."""

    def __init__(self, changes: Sequence[FileChange]) -> None:
        self.edits = [change.edits for change in changes]
        self.does = {name for edits in self.edits for name in actions(edits)}
        self.does |= set(patterns(changes, self.edits))

    def new(self, *kinds: str) -> list[SyntaxNode]:
        return [node for edits in self.edits for node in edits.new(*kinds)]

    def any(self, *names: str) -> bool:
        return bool(self.does & set(names))

    @property
    def tests_sizes(self) -> bool:
        """Return whether a new comparison looks at sizes, and something of memory is near."""
        compared = [node for node in self.new("binary") if node.operator in ("<", ">", "<=", ">=") and _SIZES.search(node.text)]
        return bool(compared) and any(_BUFFERS.search(root.text) for edits in self.edits for root in _around(edits.inserted))

    @property
    def releases(self) -> bool:
        called = [node.text.partition("(")[0] for node in self.new("call")]
        return any(_RELEASES.search(name) for name in called)


def _around(nodes: Sequence[SyntaxNode]) -> list[SyntaxNode]:
    return [(node.within("function", "block") or node) for node in nodes]


_RULES: Sequence[tuple[str, str, Callable[[_Facts], bool]]] = (
    ("C.2", "it releases something", lambda facts: facts.releases and not facts.any("condExpMod", "condExpExpand")),
    ("C.1", "it asks whether something is there", lambda facts: facts.any("missNullCheckP", "missNullCheckN")),
    ("C.3", "it asks whether something is large enough", lambda facts: facts.tests_sizes),
    (
        "A.2",
        "it changes a type",
        lambda facts: facts.any("varTyChange", "mdParTyChange", "mdRetTyChange") or bool(facts.new("cast")),
    ),
    ("B", "it changes a condition", lambda facts: facts.any("condExpMod", "condExpExpand", "condExpRed", "loopCondChange")),
    (
        "D.1",
        "it adds or removes a branch",
        lambda facts: facts.any("condBranIfAdd", "condBranIfElseAdd", "condBranRem", "condBranCaseAdd", "condBranElseAdd"),
    ),
    (
        "A.1",
        "it calls something else, or with other arguments",
        lambda facts: facts.any("mcRepl", "mcParAdd", "mcParRem", "mcParSwap", "mcParValChange"),
    ),
    ("A.3", "it returns something else", lambda facts: facts.any("retExpChange", "retBranchAdd")),
    ("D.2", "it adds, removes or moves a call", lambda facts: facts.any("mcAdd", "mcRem", "mcMove", "codeMove")),
    (
        "A.4",
        "it uses or sets another variable",
        lambda facts: facts.any("varReplVar", "varReplMc", "assignAdd", "assignRem", "assignExpChange", "constChange", "varAdd"),
    ),
    ("D.1", "nothing else is seen in it", lambda facts: not facts.does - {"singleLine", "copyPaste"}),
)
