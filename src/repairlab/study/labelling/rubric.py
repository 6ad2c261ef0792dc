"""What a model is asked to suggest a category of Defects4C and a weakness, and what its answer says."""

import re
from collections.abc import Sequence

from repairlab.benchmarks.labels_file import FoundLabel
from repairlab.core.diff import unified_diff
from repairlab.core.prompt import Message, Prompt
from repairlab.repairers.llm.client.model import ChatModel, Sampling, Unanswerable
from repairlab.study.labelling.file_change import FileChange
from repairlab.study.labelling.rules.category import CATEGORIES

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
    """Return what a model suggests; nothing where it does not say."""
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
