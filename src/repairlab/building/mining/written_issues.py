"""Issues that a model writes for bugs without one, from the failing test and what it says.

The model never sees the fix, nor the code to fix. What it writes is marked by `origin.issue` of the bug.
"""

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from repairlab.benchmarks.writing import toml
from repairlab.building.mining.issues import TrackedIssue, without_leaks
from repairlab.building.mining.trigger_tests import texts_of_tests
from repairlab.core.bug import Bug
from repairlab.core.diff import added_lines
from repairlab.core.glob import matching
from repairlab.core.prompt import Message, Prompt
from repairlab.repairers.llm.client.model import ChatModel, Sampling, Unanswerable
from repairlab.validation.apply import changed_files
from repairlab.validation.worktree import files_below

BY_MODEL = "written by model "
"""What `origin.issue` of such a bug begins with."""
_LONGEST = 6_000
"""Characters of tests that are shown."""
_ANSWER = re.compile(
    r"^[\s*#]*title[ *]*:[ *]*(.+?)[ *]*\n+(?:[\s*#]*description[ *]*:)?(.*)", re.IGNORECASE | re.DOTALL | re.MULTILINE
)
_MAX_TOKENS = 500


def write_issue(model: ChatModel, bug: Bug, folder: Path, symptom: str) -> str:
    """Have the issue of a bug written to its folder; return what its user should know, if anything."""
    try:
        (answer,) = model.complete(question(bug, symptom), Sampling(temperature=0.0, max_tokens=_MAX_TOKENS))
    except Unanswerable as error:
        return f"{bug.id}: {model.name} wrote no issue: {error}"
    written = read_answer(answer.text)
    if written is None:
        return f"{bug.id}: {model.name} wrote no issue: its answer has no title and description"
    clean, note = without_leaks(written, bug.origin.commit or "", _added(bug))
    if clean is None or not clean.description.strip():
        return f"{bug.id}: what {model.name} wrote tells the fix, and is left out"
    (folder / "issue.md").write_text(f"{clean.title}\n\n{clean.description}".rstrip() + "\n", encoding="utf-8")
    facts = tomllib.loads((folder / "bug.toml").read_text(encoding="utf-8"))
    facts["origin"] = {**facts.get("origin", {}), "issue": f"{BY_MODEL}{model.name}"}
    (folder / "bug.toml").write_text(toml(facts), encoding="utf-8")
    return f"{bug.id}: {note}" if note else ""


def question(bug: Bug, symptom: str) -> Prompt:
    """Return what a model is asked: the trigger tests, and what the first of them say."""
    tests = "\n\n".join(_trigger_texts(bug))[:_LONGEST]
    return Prompt(
        messages=(
            Message(role="system", content="You report defects as a user would who saw the symptom and cannot see the code."),
            Message(
                role="user",
                content=(
                    f"A project in {bug.problem.language} has a defect. These tests fail:\n```\n{tests}\n```\n\n"
                    f"What they say:\n```\n{symptom}\n```\n\n"
                    "Write the issue: what was done, what happened, what should happen instead. "
                    "Do not propose a fix, and do not mention tests. Answer in this form:\n"
                    "title: <one line>\ndescription: <a few sentences>"
                ),
            ),
        )
    )


def read_answer(text: str) -> TrackedIssue | None:
    r"""Return the issue of an answer; none where it has not both parts.

    >>> read_answer("Sure.\n**Title:** Totals are too small\n\nDescription: The first price is lost.")
    TrackedIssue(name='', title='Totals are too small', description='The first price is lost.', url=None)
    """
    found = _ANSWER.search(text)
    if found is None or not found[2].strip(" *\n"):
        return None
    return TrackedIssue(name="", title=found[1].strip(), description=found[2].strip(" *\n"))


def _trigger_texts(bug: Bug) -> Sequence[str]:
    root = Path(bug.tree.source)
    paths = matching(files_below(root), bug.oracle.test.files)
    return texts_of_tests(bug.oracle.trigger, {path: (root / path).read_bytes().decode(errors="replace") for path in paths})


def _added(bug: Bug) -> list[str]:
    root = Path(bug.tree.source)
    pairs = [(root / path, new or "") for path, new in changed_files(bug.fix, bug).items()]
    return [line for old, new in pairs for line in added_lines(old.read_text("utf-8") if old.is_file() else "", new)]
