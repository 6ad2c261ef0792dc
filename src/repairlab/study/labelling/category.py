"""Suggest Defects4C's category (A.1–D.2) and CWE weakness for a fix, by rules or by asking a model; people decide."""

import re
from collections.abc import Callable, Sequence

from repairlab.benchmarks.labels_file import FoundLabel
from repairlab.core.diff import unified_diff
from repairlab.core.model import Message, Prompt
from repairlab.core.record import record
from repairlab.repairers.llm.client.model import ChatModel, Sampling, Unanswerable
from repairlab.study.labelling.actions import actions
from repairlab.study.labelling.file_change import FileChange
from repairlab.study.labelling.patterns import patterns
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
    """A category and what speaks for it."""

    category: str
    evidence: str


def suggest(changes: Sequence[FileChange]) -> list[Suggestion]:
    """Return the categories that a fix suggests, the likeliest first."""
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
        """Return whether a new comparison involves sizes and something near involves memory."""
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


MEANINGS = {
    "A.1": "the wrong function is called, or with wrong arguments; the fix calls the right one",
    "A.2": "a variable, parameter or result has the wrong type; the fix changes a type or converts",
    "A.3": "a function returns the wrong value; the fix changes what is returned",
    "A.4": "the wrong variable or constant is used or set; the fix uses the right one",
    "B": "a condition of a branch or loop is wrong or incomplete; the fix changes the expression",
    "C.1": "a pointer or reference may be null; the fix checks it",
    "C.2": "memory or another resource is not released, or its use is not limited",
    "C.3": "memory is read or written outside its bounds; the fix checks or corrects sizes",
    "D.1": "cases are not told apart or in the wrong order; the fix adds, removes or moves branches",
    "D.2": "calls are missing, superfluous or in the wrong order; the fix adds, removes or moves them",
}
_ANSWER = re.compile(r"category\W+([A-D](?:\.\d)?)\b(?:[\s\S]*?\bCWE\W*(\d{1,4}))?", re.IGNORECASE)
_SAID = 400
_LONGEST = 12_000
"""Characters of a fix that are shown."""


def ask(model: ChatModel, bug_id: str, changes: Sequence[FileChange]) -> list[FoundLabel]:
    """Return a model's suggestion; empty if it makes none."""
    try:
        (answer,) = model.complete(question(changes), Sampling(temperature=0.0, max_tokens=300))
    except Unanswerable:
        return []
    said = " ".join(answer.text.split())[:_SAID]
    return [
        FoundLabel(bug=bug_id, rule=rule, values=(value,), is_suggested=True, by=model.name, evidence=said)
        for rule, value in read_answer(answer.text).items()
    ]


def question(changes: Sequence[FileChange]) -> Prompt:
    """Return the rubric with a fix."""
    rubric = "\n".join(f"{name} {title}: {MEANINGS[name]}." for name, (title, _) in CATEGORIES.items())
    diff = "".join(unified_diff(change.path, change.before, change.after) for change in changes)[:_LONGEST]
    return Prompt(
        messages=(
            Message(
                role="system", content="You classify software defects by their fixes. You answer in the form that is asked for."
            ),
            Message(
                role="user",
                content=(
                    f"Categories:\n{rubric}\n\nThe fix of a defect:\n```diff\n{diff}\n```\n\n"
                    "Which category names the root cause best? If several fit, take the more specific one. "
                    "Answer with three lines:\n"
                    "category: <one of the ids above>\ncwe: CWE-<number of the weakness, or none>\nreason: <one sentence>"
                ),
            ),
        )
    )


def read_answer(text: str) -> dict[str, str]:
    r"""Return the category and the weakness that an answer names; nothing where it names none that there is.

    >>> read_answer("category: C.1\ncwe: CWE-476\nreason: it may be null")
    {'category': 'C.1', 'cwe': 'CWE-476'}
    """
    found = _ANSWER.search(text)
    if found is None or found[1].upper() not in CATEGORIES:
        return {}
    return {"category": found[1].upper(), **({"cwe": f"CWE-{found[2]}"} if found[2] else {})}
