"""Make a candidate of whatever somebody hands over as a patch of one bug: text of any form, edits, files.

A text that cannot be read makes a candidate without edits, which will be UNAPPLICABLE; a mapping with unknown keys is an error.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import field
from repairlab.core.problem import Problem
from repairlab.core.text import Span
from repairlab.formats.reading import edits_of_diff, fitted
from repairlab.languages.language import language
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.answers.reading import Wanted

PatchForm = Literal["function", "file", "diff", "answer", "edits"]
"""The new text of the function to fix; of its whole file; a unified diff; a model's answer, with prose and fences; edits."""
KEYS: Mapping[str, PatchForm | None] = {
    "function": "function",
    "file": "file",
    "patch": "diff",
    "edits": "edits",
    "answer": "answer",
    "text": None,
}
"""The keys that say what a candidate is, here, in files of candidates and in requests; the form of `text` is recognised."""
BESIDE = ("bug", "model", "repairer", "origin", "verdict", "problem")
"""The keys that may stand beside one of these."""
_DIFF = re.compile(r"^--- .*\r?\n\+\+\+ .*\r?\n@@ -", re.MULTILINE)
_MARKED = re.compile(r"^[ \t>]*(?:```|~~~|<{5,9} ?SEARCH)", re.MULTILINE)
_NOT_YET_CODE = re.compile(r"\s*(?:$|[@#]|//|/\*|\*|\"\"\")")
"""Blank lines, comments, decorators and annotations, which may precede a function."""


def candidate_of(patch: object, bug: Bug, *, form: PatchForm | None = None, rank: int = 1, repairer: str = "api") -> Candidate:
    """Return the candidate that a patch means; without a form it is recognised (`recognise` says how).

    Besides text (or its UTF-8 bytes) a patch may be a candidate, an edit, edits, a mapping with one of `KEYS`, or one from paths to
    the new texts of whole files, where none instead of a text deletes the file. Any other mapping is a UserError.
    """
    if form is not None and form not in get_args(PatchForm):
        raise unknown("form of a patch", str(form), get_args(PatchForm))
    bug_id, problem = bug.id, None
    if isinstance(patch, Mapping) and not _is_files(patch, bug):
        key = key_of(patch)
        if form is not None and KEYS[key] not in (None, form):
            raise UserError(f"the patch has the key {key!r}, but its form is given as {form!r}; leave one of them out")
        named, problem = patch.get("bug", bug.id), patch.get("problem")
        bug_id = bug.id if named.endswith(f"/{bug.id}") else named
        patch, form = patch[key], KEYS[key] or form
    text, origin = _text(patch), Origin(repairer=repairer)
    try:
        if problem is not None:
            raise UserError(problem)
        if isinstance(patch, Candidate):
            return _checked(patch, rank)
        return Candidate(bug_id=bug_id, edits=_edits(patch, text, bug, form), rank=rank, origin=origin)
    except UserError as error:
        reason = str(error)
    except Exception as error:  # other people's objects may do anything when they are inspected
        reason = f"the patch cannot be read: {type(error).__name__}"
    return Candidate(bug_id=bug_id, edits=(), rank=rank, origin=origin, problem=reason, answer=text)


def key_of(entry: Mapping[str, Any], *, beside: Collection[str] = BESIDE) -> str:
    """Return the one key of an entry that says what the candidate is; any other key is a UserError.

    >>> key_of({"bug": "sum", "patch": "..."})
    'patch'
    """
    for key in entry:
        if key not in KEYS and key not in beside:
            raise unknown("key", str(key), (*KEYS, *beside))
    given = [key for key in KEYS if key in entry]
    if len(given) != 1:
        raise UserError(f"exactly one of {', '.join(KEYS)} is needed, found {', '.join(given) or 'none'}")
    for key in (*given, "bug", "model", "repairer", "problem"):
        if key in entry and key != "edits" and (key, entry[key]) != ("answer", None):
            field(dict(entry), key, str)
    return given[0]


def _is_files(patch: Mapping[Any, object], bug: Bug) -> bool:
    """Return whether every key is a file of the buggy tree or looks like a path; a UserError names one that is neither."""
    for name in patch:
        if name in KEYS or name in BESIDE:
            return False
        if not isinstance(name, str) or not _is_path(name, bug):
            nearest = unknown("key", str(name), (*KEYS, *BESIDE))
            raise UserError(f"{nearest} Other keys are paths of files with their new texts")
    return bool(patch)


def _is_path(name: str, bug: Bug) -> bool:
    try:
        return "/" in name or bool(PurePosixPath(name).suffix) or Path(bug.tree.source, name).is_file()
    except (OSError, ValueError):
        return False


def recognise(text: str, problem: Problem) -> PatchForm:
    """Return the form of a text, by the first of these rules that holds.

    - A diff has a line `--- `, then one `+++ `, then one `@@ -`, and no fence.
    - A file has at least half of the lines that the buggy file has outside of the function to fix; with fences in it
      it has no syntax errors.
    - An answer has a fence or a SEARCH block.
    - Where the whole file is to be fixed, code without syntax errors is a file.
    - A function has its own name and a parenthesis in its first line of code, which does not end like a sentence.
    - All else is an answer, too.
    """
    is_marked = _MARKED.search(text) is not None
    if _DIFF.search(text) and not is_marked:
        return "diff"
    has_errors = language(problem.language).syntax.has_errors
    if _has_rest(text, problem) and not (is_marked and has_errors(text)):
        return "file"
    if is_marked:
        return "answer"
    if problem.target.name is None:
        return "answer" if has_errors(text) else "file"
    name = problem.target.name.partition("(")[0].rpartition(".")[2]
    first = next((line for line in text.split("\n") if not _NOT_YET_CODE.match(line)), "")
    is_function = re.search(rf"(?<!\w){re.escape(name)}\s*\(", first) is not None
    return "function" if is_function and not first.rstrip().endswith((".", "!", "?")) else "answer"


def _has_rest(text: str, problem: Problem) -> bool:
    """Return whether a text has what surrounds the function to fix."""
    span = problem.target.span if problem.target.name is not None else Span(start=0, end=0)
    around = f"{problem.source[: span.start]}\n{problem.source[span.end :]}"
    wanted = [line for line in map(str.strip, around.split("\n")) if any(map(str.isalnum, line))]
    found = set(map(str.strip, text.split("\n")))
    return bool(wanted) and 2 * sum(line in found for line in wanted) >= len(wanted)


def _text(patch: object) -> str | None:
    """Return the text of a patch that is text."""
    if isinstance(patch, bytes | bytearray):
        try:
            return patch.decode("utf-8")
        except UnicodeDecodeError:
            return None
    return str.__str__(patch) if isinstance(patch, str) else None


def _edits(patch: object, text: str | None, bug: Bug, form: PatchForm | None) -> tuple[Edit, ...]:
    if text is not None:
        return edits_of_text(text, bug, form)
    if form not in (None, "edits"):
        raise UserError(f"a patch of the form {form} is text, not an object of type {type(patch).__name__}")
    if isinstance(patch, bytes | bytearray):
        raise UserError("the patch is not UTF-8 text")
    if isinstance(patch, Edit):
        return (_sound(patch),)
    if isinstance(patch, Mapping):
        return tuple(_sound(Edit(path=path, text=new)) for path, new in patch.items())
    if isinstance(patch, list | tuple):
        return tuple(_sound(_edit(item)) for item in patch)
    raise UserError(f"a patch is text, a candidate, edits or a mapping, not an object of type {type(patch).__name__}")


def edits_of_text(text: str, bug: Bug, form: PatchForm | None) -> tuple[Edit, ...]:
    """Return the edits that a text means; a UserError says why it means none."""
    problem = bug.problem
    if not text.strip():
        raise UserError("the answer is empty")
    match form or recognise(text, problem):
        case "diff":
            return edits_of_diff(text, bug)
        case "file":
            return (Edit(path=problem.path, text=text),)
        case "function":
            return (Edit(path=problem.path, text=fitted(text, bug), span=problem.target.span),)
        case "answer":
            reading = read(text, problem, Wanted(shape="file" if problem.target.name is None else "function"))
            if not reading.edits:
                raise UserError(reading.problem or "nothing could be read from the answer")
            return reading.edits
        case "edits":
            raise UserError("edits are records or mappings with path, text and span, not text")


def _edit(item: object) -> Edit:
    """Return an edit given as a record, or as a mapping like those in files of candidates."""
    if isinstance(item, Edit):
        return item
    if not isinstance(item, Mapping) or not {"path", "text"} <= set(item) <= {"path", "text", "span"}:
        raise UserError("an edit has path, text and perhaps span")
    span = item.get("span")
    if isinstance(span, Mapping):
        span = Span(start=span["start"], end=span["end"])
    return Edit(path=item["path"], text=item["text"], span=span)


def _sound(edit: Edit) -> Edit:
    """Return an edit whose fields have the right types, which records do not check themselves."""
    span = edit.span
    if not isinstance(edit.path, str) or not (edit.text is None or isinstance(edit.text, str)):
        raise UserError("the path of an edit is text, and so is its new text, unless it deletes the file")
    if span is not None and not (isinstance(span, Span) and isinstance(span.start, int) and isinstance(span.end, int)):
        raise UserError("the span of an edit has a start and an end, both whole numbers")
    return Edit(path=str.__str__(edit.path), text=None if edit.text is None else str.__str__(edit.text), span=span)


def _checked(candidate: Candidate, rank: int) -> Candidate:
    texts: Iterable[object] = (candidate.bug_id, candidate.problem or "", candidate.answer or "")
    is_sound = isinstance(candidate.edits, tuple) and isinstance(candidate.origin, Origin)
    if not is_sound or not all(isinstance(text, str) for text in texts):
        raise UserError("the candidate's fields are not of the types that they should be")
    return Candidate(
        bug_id=candidate.bug_id,
        edits=tuple(map(_sound, candidate.edits)),
        rank=rank,
        origin=candidate.origin,
        problem=candidate.problem,
        answer=candidate.answer,
    )
