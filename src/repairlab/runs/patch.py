"""Patches of any form, and the candidates they mean."""

from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.record import record
from repairlab.formats.patch_forms import PatchForm, candidate_of
from repairlab.languages.language import language
from repairlab.metrics.similarity import bare, edit_similarity
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.prompts.table import strategy
from repairlab.repairers.llm.prompts.templates import View
from repairlab.validation.apply import changed_files

_LONGEST_COMPARED = 200_000
_NOT_QUITE = 0.999999
"""Similarity of texts with small real differences, perhaps of indentation."""


@record
class Patch:
    """What somebody proposes for a bug."""

    text: Any
    """Text, or edits, or paths with new texts: all that `candidate_of` understands."""
    form: PatchForm | None = None
    """None: it is recognised."""
    strategy: str | None = None
    """The strategy that asked for the answer."""
    localisation: str = "line"
    """How precisely the strategy showed the place of the bug."""


def candidate_of_patch(patch: Patch, bug: Bug) -> Candidate:
    """Return the candidate that a patch means; unreadable ones have no edits."""
    if patch.strategy is None:
        return candidate_of(patch.text, bug, form=patch.form)
    problem = shown(bug.problem, Visibility(localisation=patch.localisation))  # type: ignore[arg-type]  # checked before
    edits, reason = _read(patch, problem)
    answer = None if edits else str(patch.text)
    return Candidate(bug_id=bug.id, edits=edits, rank=1, origin=Origin(repairer="api"), problem=reason, answer=answer)


def _read(patch: Patch, problem: Problem) -> tuple[Any, str | None]:
    asked = strategy(patch.strategy or "")
    if reason := asked.needs(problem):
        return (), f"the strategy {asked.name} cannot ask about it: {reason}"
    reading = read(str(patch.text), problem, asked.question(View(problem=problem)).wanted)
    return reading.edits, None if reading.edits else reading.problem or "nothing could be read from the answer"


def similarity_of(candidate: Candidate, bug: Bug) -> float | None:
    """Return how alike the file to fix is before and after: 1 if only comments and layout differ; None if other files change."""
    try:
        changed = changed_files(candidate, bug)
    except (UserError, HarnessError):
        return None
    if not changed:
        return 1.0
    if set(changed) != {bug.problem.path}:
        return None
    before, after = bug.problem.source, changed[bug.problem.path] or ""
    if max(len(before), len(after)) > _LONGEST_COMPARED:  # which takes long, and nobody should have to wait for it
        return 1.0 if before == after else None
    normal_form = language(bug.problem.language).syntax.normal_form
    return 1.0 if normal_form(before) == normal_form(after) else min(edit_similarity(bare(before), bare(after)), _NOT_QUITE)
