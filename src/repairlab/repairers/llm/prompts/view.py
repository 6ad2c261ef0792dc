"""What prompts show of a problem: the values that every template may print."""

from functools import lru_cache
from typing import Any

from repairlab.core.outcome import Verdict
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.facts import title
from repairlab.languages.table import language
from repairlab.repairers.llm.prompts.templates import absent
from repairlab.repairers.llm.settings import Comments

_VERDICTS = {
    Verdict.PLAUSIBLE: "Accepted",
    Verdict.WRONG: "Wrong Answer",
    Verdict.PRESENTATION: "Presentation Error",
    Verdict.CRASH: "Runtime Error",
    Verdict.TIMEOUT: "Time Limit Exceeded",
    Verdict.OUT_OF_MEMORY: "Memory Limit Exceeded",
    Verdict.OUTPUT_LIMIT: "Output Limit Exceeded",
    Verdict.UNCOMPILABLE: "Compilation Error",
    Verdict.UNAPPLICABLE: "Not Judged",
    Verdict.UNDECIDED: "Not Judged",
}

VARIABLES = (
    "title",
    "description",
    "language",
    "tag",
    "path",
    "name",
    "unit",
    "code",
    "source",
    "location",
    "error",
    "verdict",
    "verdict_text",
    "files",
)
"""Names of the values that every template may use; the documentation says what each is."""


@record
class View:
    """A problem with its code as prompts show it."""

    problem: Problem
    comments: Comments = "original"

    @property
    def code(self) -> str:
        """Return the target in full lines, its first line indented as in the file."""
        problem = self.problem
        if self.comments == "original":
            text = problem.target.text
        elif problem.target_without_comments != problem.target.text:
            text = problem.target_without_comments
        else:
            text = self._bare(problem.target.text)
        return _plain(indentation(problem) + text)

    @property
    def source(self) -> str:
        """Return the whole file."""
        return self.text(self.problem.source)

    def text(self, code: str) -> str:
        """Return any code of the problem's language as it is to be shown."""
        return _plain(code if self.comments == "original" else self._bare(code))

    def _bare(self, code: str) -> str:
        return without_comments(self.problem.language, code)

    def values(self) -> dict[str, Any]:
        """Return what every template may print."""
        problem = self.problem
        verdict = problem.submission_verdict
        no_verdict = f"bug {problem.id} has no submission verdict"
        return {
            "title": problem.title,
            "description": _plain(problem.description).strip("\n"),
            "language": title(problem.language),
            "tag": problem.language,
            "path": problem.path,
            "name": problem.target.name or absent("name", f"bug {problem.id} is about a whole file"),
            "unit": "file" if problem.target.name is None else "function",
            "code": self.code,
            "source": self.source,
            "location": self._location(),
            "error": _plain(problem.error) if problem.error else absent("error", f"no error message of bug {problem.id} is shown"),
            "verdict": verdict.code if verdict else absent("verdict", no_verdict),
            "verdict_text": _VERDICTS[verdict] if verdict else absent("verdict_text", no_verdict),
            "files": [{"path": file.path, "text": _plain(file.text)} for file in problem.context],
        }

    def _location(self) -> Any:
        places = self.problem.location
        if not places:
            return absent("location", f"no location of bug {self.problem.id} is shown")
        return [{"path": lines.path, "first": lines.first, "last": lines.last} for lines in places]


@lru_cache(maxsize=4096)
def without_comments(name: str, code: str) -> str:
    """Return code of a language without its comments."""
    return language(name).syntax.strip_comments(code)


def indentation(problem: Problem) -> str:
    """Return the white space before the target's first line; none when something else stands before it on that line."""
    start = problem.target.span.start
    before = problem.source[problem.source.rfind("\n", 0, start) + 1 : start]
    return before if not before.strip() else ""


def cut_out(problem: Problem, hole: Span) -> tuple[str, str]:
    """Return the target before and behind a hole in it, in full lines."""
    span = problem.target.span
    return indentation(problem) + problem.source[span.start : hole.start], problem.source[hole.end : span.end]


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n")
