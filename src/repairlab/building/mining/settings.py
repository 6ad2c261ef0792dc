"""How a history is mined: which messages, which changes, which time; and presets that name the paper whose rules they are."""

import datetime
from collections.abc import Mapping
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.languages.fix_extent import EXTENTS, Extent


@record
class MiningSettings:
    """What decides which commits become bugs."""

    message: str = "words"
    """A rule of `messages.RULES`, or a pattern between slashes."""
    extent: Extent = "function"
    max_lines: int = 200
    """Lines of sources that a fix may add and remove."""
    since: str = ""
    until: str = ""
    """Days such as 2020-02-29 between which the fix was committed."""
    language: str | None = None
    """Only bugs whose fix is in this language."""
    limit: int | None = None
    """Of each repository at most so many commits are tried, the newest first."""

    def check(self) -> None:
        """Refuse what makes no sense."""
        if self.extent not in EXTENTS:
            raise unknown("extent of a fix", self.extent, EXTENTS)
        if self.max_lines < 1:
            raise UserError(f"--max-lines is {self.max_lines}: a fix changes at least 1 line")
        since, until = (_day(f"--{name}", value) for name, value in (("since", self.since), ("until", self.until)))
        if since and until and since >= until:
            raise UserError(f"--since {self.since} is not before --until {self.until}, so there is no commit between them")


def _day(option: str, text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text[: len("2020-02-29")]) if text else None
    except ValueError:
        raise UserError(f"{option} is {text!r}, which is not a date: write a day such as 2020-02-29") from None


PRESETS: Mapping[str, Mapping[str, Any]] = {
    "functions": {},
    "defects4c": {"message": "defects4c", "extent": "file"},
    "defects4c-paper": {"message": "defects4c-paper", "extent": "file"},
    "npr4j": {"message": "npr4j", "extent": "hunk"},
    "swe": {"message": "any", "extent": "files", "max_lines": 1000},
}
"""`functions` is ours: one function, signature unchanged, which leaves out most features. `defects4c` follows its scripts,
`defects4c-paper` its text; `npr4j` takes one hunk and an issue's number; `swe`, as SWE-bench, whatever comes with tests."""


def preset(name: str, **given: Any) -> MiningSettings:
    """Return the settings of a preset, changed by those that are given and not none."""
    if name not in PRESETS:
        raise unknown("preset", name, PRESETS)
    settings = MiningSettings(**{**PRESETS[name], **{key: value for key, value in given.items() if value is not None}})
    settings.check()
    return settings
