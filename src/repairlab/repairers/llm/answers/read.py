"""Read a model's answer into edits of the buggy file, whatever the answer looks like.

`docs/how-it-works/answers.md` says what is accepted, how it is read and what is refused.
"""

from collections.abc import Iterator

from repairlab.core.candidate import Edit
from repairlab.core.problem import Problem
from repairlab.repairers.llm.answers import diffs, search_replace
from repairlab.repairers.llm.answers.blocks import Block, blocks, variants
from repairlab.repairers.llm.answers.functions import TargetText, completed, find, from_body
from repairlab.repairers.llm.answers.infill import Hole
from repairlab.repairers.llm.answers.placing import edits, file_edits, filled, has_gap
from repairlab.repairers.llm.answers.prose import bare_code, cleaned, code_only, is_refusal, is_sentence, sees_no_bug
from repairlab.repairers.llm.answers.reading import (
    CUT,
    EMPTY,
    LEFT_OUT,
    NO_BUG,
    NO_CODE,
    NO_FUNCTION,
    NO_PLACE,
    REFUSED,
    TOO_LONG,
    Reading,
    Wanted,
)
from repairlab.repairers.llm.answers.target import Aim, aim

_LONGEST = 100_000
_MAX_BLOCKS = 30
_MAX_EXAMINED = 100_000
"""Characters of code examined in one answer, besides four times the file; endless repetition costs no more."""


def read(answer: str, problem: Problem, wanted: Wanted) -> Reading:
    """Return the edits that an answer proposes, or why there are none; never raises."""
    if not answer.strip():
        return Reading(problem=EMPTY)
    if len(answer) > _LONGEST + 4 * len(problem.source):
        return Reading(problem=TOO_LONG)
    text, is_cut = cleaned(answer)
    if not text.strip():
        return Reading(problem=CUT if is_cut else EMPTY)
    found = blocks(text)[:_MAX_BLOCKS]
    changes = _changes(text, found, problem)
    if changes is not None and (changes.edits or not problem.path):
        return changes
    if not problem.path:
        return Reading(problem=_why(text, found, NO_PLACE, is_cut=is_cut))
    own = aim(problem)
    reading = _READERS[wanted.shape if not own.is_file or wanted.shape != "function" else "file"](own, found, problem, wanted)
    if reading.edits:
        return reading
    if changes is not None:
        return changes
    return Reading(problem=_why(text, found, reading.problem, is_cut=is_cut))


def _why(text: str, found: list[Block], reason: str | None, *, is_cut: bool) -> str:
    """Return the reason when nothing could be read: without code, what the prose says."""
    if reason in (CUT, LEFT_OUT):
        return reason
    has_marked = any(not block.is_bare and block.text.strip() for block in found)
    if not has_marked or reason is None:
        if is_refusal(text):
            return REFUSED
        if sees_no_bug(text):
            return NO_BUG
    if is_cut:
        return CUT
    if has_marked or code_only(text) is not None:
        return reason or NO_FUNCTION
    return NO_CODE


def _changes(text: str, found: list[Block], problem: Problem) -> Reading | None:
    """Return what search/replace blocks or diffs in the answer make of the file; None if it has neither."""
    swaps, is_cut = search_replace.swaps(text)
    if swaps:
        return search_replace.apply(swaps, problem)
    if is_cut:
        return Reading(problem=CUT)
    if "@@" not in text and "+++ " not in text and not any(block.info[:5] in ("diff", "patch", "udiff") for block in found):
        return None
    parts = [block for block in found if diffs.is_diff(block.text, block.info)]
    marked = [block for block in parts if not block.is_bare] or parts
    hunks = [hunk for block in marked for hunk in diffs.hunks(block.text)]
    return diffs.apply(hunks, problem) if hunks else None


def _texts(own: Aim, found: list[Block]) -> Iterator[tuple[Block, str]]:
    """Yield every piece of an answer in every way to read it; unmarked text only from the target's first line on."""
    left = _MAX_EXAMINED + 4 * len(own.source)
    for block in found:
        for text in variants(block.text):
            code = bare_code(own, text) if block.is_bare else text
            if code is not None and code.strip() and left > 0:
                yield block, code
                left -= len(code)


def _function(own: Aim, found: list[Block], problem: Problem, wanted: Wanted) -> Reading:
    """Read the whole target or, given a beginning, its continuation."""
    fallback: tuple[Edit, ...] = ()
    same: tuple[Edit, ...] = ()
    reason: str | None = None
    for block, text in _texts(own, found):
        if block.is_bare and (same or fallback):
            break
        result = find(own, text, is_closed=block.is_closed, by_name=wanted.shape == "completion")
        if result is None and wanted.shape == "completion":
            result = completed(own, block.text if block.is_bare else text, wanted.given, is_closed=block.is_closed)
        if result is None and (not block.is_bare or not is_sentence(text.split("\n", 1)[0])):
            result = from_body(own, text)
        if result is None:
            reason = reason or NO_FUNCTION
            continue
        if result.is_cut:
            reason = CUT
            continue
        result = _without_gaps(own, result)
        if result is None:
            reason = LEFT_OUT
            continue
        made = edits(own, problem.path, result)
        if own.has_errors(result.text):
            fallback = fallback or made
        elif len(found) > 1 and own.is_same(result.text):
            same = same or made
        else:
            return Reading(edits=made)
    if fallback or (same and reason not in (CUT, LEFT_OUT)):
        return Reading(edits=fallback or same)
    return Reading(problem=reason)


def _without_gaps(own: Aim, result: TargetText) -> TargetText | None:
    if not has_gap(result.text, own.function_text):
        return result
    whole = filled(result.text, own.function_text)
    return None if whole is None else result._replace(text=whole)


def _infill(own: Aim, found: list[Block], problem: Problem, wanted: Wanted) -> Reading:
    """Read the text of the hole, or the whole target with the hole filled."""
    if wanted.hole is None:
        return _function(own, found, problem, wanted)
    hole = Hole(own, wanted.hole)
    reason: str | None = None
    fallback: Reading | None = None
    same: Reading | None = None
    for block in found:
        if block.is_bare and len(found) > 1:
            continue
        if own.name and own.name in block.text and hole.is_inside:
            whole = _function(own, [block], problem, Wanted())
            if whole.edits and hole.has_rest(block.text) and find(own, block.text, is_closed=block.is_closed, by_name=True):
                return whole
            if whole.problem == LEFT_OUT or (whole.problem == CUT and not block.is_closed):
                reason = whole.problem
                continue
        for variant in variants(block.text):
            text = _bare_infill(variant) if block.is_bare else variant
            if text is None:
                continue
            if has_gap(text, own.text):
                reason = LEFT_OUT
                continue
            new = hole.fill(text)
            made = Reading(edits=(Edit(path=problem.path, text=new, span=wanted.hole),))
            if new.strip() == hole.text.strip() and len(found) > 1:
                same = same or made
            elif hole.is_sound(new):
                return made
            else:
                fallback = fallback or made
    return fallback or same or Reading(problem=reason)


def _bare_infill(text: str) -> str | None:
    """Return the code of an unmarked answer to an infill prompt; completion models only answer like that."""
    lines = [line for line in text.split("\n") if line.strip()]
    if any(is_sentence(line) for line in lines):
        return code_only(text)
    return text


def _file(own: Aim, found: list[Block], problem: Problem, wanted: Wanted) -> Reading:
    """Read the whole file, or those of its functions that the answer gives."""
    del wanted
    fallback: tuple[Edit, ...] | None = None
    reason: str | None = None
    for block in found:
        for text in variants(block.text):
            code = code_only(text) if block.is_bare else text
            if code is None or not code.strip() or (block.is_bare and len(found) > 1):
                continue
            if _is_cut(own, code, block):
                reason = CUT
                continue
            made = file_edits(own, problem.path, code)
            if made is None:
                reason = LEFT_OUT
            elif own.syntax.has_errors(code) and not own.syntax.has_errors(own.source):
                fallback = fallback or made
            else:
                return Reading(edits=made)
    return Reading(edits=fallback) if fallback and reason is None else Reading(problem=reason)


def _is_cut(own: Aim, code: str, block: Block) -> bool:
    if block.is_closed:
        return False
    if own.is_python:
        return own.syntax.has_errors(code) or own.is_misindented(code)
    return own.depth(code) > 0 or not code.rstrip().endswith(("}", ";", ">", '"', "/"))


_READERS = {"function": _function, "completion": _function, "infill": _infill, "edit": _function, "file": _file}
