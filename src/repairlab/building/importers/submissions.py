"""What a source of submissions is: problems, the programs submitted for them, and how a judge would test those."""

import datetime
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from repairlab.building.importers.importer import Settings
from repairlab.building.importers.small_programs import JudgedProgram
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict
from repairlab.core.record import record

REJECTED = "rejected"
"""The status of a program of which a source only says that it is wrong."""


@record
class JudgedSubmission:
    """A submitted program."""

    id: str
    problem: str
    user: str
    language: str
    """In our names; a source's name that we do not know stays as it is."""
    time: float
    """Seconds since 1970, or a position in an order."""
    status: str
    """What the judge said, in its own words."""
    verdict: Verdict | None
    """What that means: PLAUSIBLE is accepted; None: the judge reached no verdict."""
    file: Path | None = None
    code: str = ""
    """The program, if it is not in its own file."""
    dialect: str = ""
    """Version of the language, as the source names it."""
    report: str = ""
    """Pattern of what the judge wrote into the program."""
    is_dated: bool = False
    """Whether `time` is a real time."""

    @property
    def is_accepted(self) -> bool:
        """Return whether the judge accepted it."""
        return self.verdict is Verdict.PLAUSIBLE

    @property
    def date(self) -> str | None:
        """Return when it was submitted, if known."""
        if not self.is_dated:
            return None
        return datetime.datetime.fromtimestamp(self.time, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def read(self) -> str:
        """Return the program, without what the judge wrote into it."""
        text = read_text(self.file) if self.file else self.code
        return re.sub(self.report, "", text, count=1, flags=re.DOTALL) if self.report else text


@record
class PairTexts:
    """A wrong and a right submission, with their texts."""

    name: str
    """Id of the bug that they make."""
    wrong: JudgedSubmission
    right: JudgedSubmission
    texts: tuple[str, str]


@record
class SubmittedProblem:
    """A problem and everything submitted for it."""

    id: str
    submissions: tuple[JudgedSubmission, ...]
    difficulty: str | None = None
    """In the source's words, if it says."""
    program: Callable[[PairTexts], JudgedProgram] | None = None
    """How two programs are tested; None without tests."""


@record
class SubmissionSource:
    """What a source holds."""

    name: str
    licence: str
    problems: Iterator[SubmittedProblem]


@record
class FormSettings:
    """What is known besides the submissions."""

    tests: Path | None = None
    """Folder with the test cases of problems, if the submissions come without."""
    judge: Settings = Settings()
    """How outputs are compared, as for imports."""


Read = Callable[[Path, FormSettings], SubmissionSource]
"""The function `read` of each form; problems are read lazily."""


def own_tests(settings: FormSettings, root: Path) -> None:
    """Refuse a folder of tests for submissions that bring their own."""
    if settings.tests:
        raise UserError(f"--problems {settings.tests}: the submissions in {root} come with tests of their own; leave it out")


def by_user(problem: str, user: str, order: Sequence[tuple[str, Path, Verdict]], language: str) -> list[JudgedSubmission]:
    """Return one user's path through a problem: id, file and verdict of each program, in order."""
    return [
        JudgedSubmission(
            id=name,
            problem=problem,
            user=user,
            language=language,
            time=place,
            status="accepted" if verdict is Verdict.PLAUSIBLE else REJECTED,
            verdict=verdict,
            file=file,
        )
        for place, (name, file, verdict) in enumerate(order)
    ]
