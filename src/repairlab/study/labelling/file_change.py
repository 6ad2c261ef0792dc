"""A file before and after a fix: what the rules look at."""

from functools import lru_cache
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.languages.table import language as language_of
from repairlab.study.labelling.line_runs import LineRun, line_runs
from repairlab.study.labelling.tree_edits import TreeEdits, tree_edits


@record
class FileChange:
    """The text of one file in both versions; empty where it is not there."""

    language: str
    path: str
    before: str
    after: str

    @property
    def runs(self) -> tuple[LineRun, ...]:
        """Return the places where lines differ."""
        return line_runs(self.before, self.after)

    @property
    def code(self) -> "FileChange":
        """Return the change without comments, which are no part of a fix."""
        syntax = language_of(self.language).syntax
        return FileChange(
            language=self.language,
            path=self.path,
            before=syntax.strip_comments(self.before),
            after=syntax.strip_comments(self.after),
        )

    @property
    def edits(self) -> TreeEdits:
        """Return what the change does to the syntax tree."""
        return _edits(self.language, self.before, self.after)


@lru_cache(maxsize=16)
def _edits(language: str, before: str, after: str) -> TreeEdits:
    return tree_edits(language, before, after)


def changes_of(bug: Bug) -> tuple[FileChange, ...]:
    """Return the files that the reference fix of a bug changes; those that are no text of its language are left out."""
    root = Path(bug.tree.source)
    paths = {edit.path for edit in bug.oracle.reference}
    try:
        files = {path: (root / path).read_bytes().decode() for path in paths if (root / path).is_file()}
    except UnicodeDecodeError as error:
        raise UserError(f"bug {bug.id}: a file of its fix is not UTF-8 text ({error.reason} at byte {error.start})") from None
    changed = apply_edits(bug.oracle.reference, files)
    return tuple(
        FileChange(language=bug.problem.language, path=path, before=files.get(path, ""), after=text or "")
        for path, text in sorted(changed.items())
        if files.get(path, "") != (text or "")
    )
