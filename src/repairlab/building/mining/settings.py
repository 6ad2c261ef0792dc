"""How a history is mined: which messages, which changes, which time; and presets that name the paper whose rules they are."""

import datetime
import re
from collections.abc import Callable, Mapping
from typing import Any

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.languages.fix_extent import EXTENTS, Extent


@record
class MiningSettings:
    """What decides which commits become bugs."""

    message: str = "words"
    """A rule of `RULES`, or a pattern between slashes."""
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
    min_stars: int = 0
    licences: tuple[str, ...] = ()
    """Licences that a repository may have; none: any. Both need the metadata of repositories."""

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
    "defects4c": {"message": "defects4c", "extent": "one-header"},
    "defects4c-paper": {"message": "defects4c-paper", "extent": "one-function"},
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


_MENDS = ("fix", "solve", "repair")
_FAULTS = ("bug", "issue", "problem", "error", " fault", "vulnerab")
_ISSUE = re.compile(r"\b(?:issue|bug)s?\s*(?:[:#]\s*)+\d+", re.IGNORECASE)
_WORDS = re.compile(
    r"\b(?:fix(?:e[sd]|ing)?|bug(?:s|fix)?|repairs?|(?:re)?solve[sd]?|close[sd]?|regression|incorrect(?:ly)?|wrong(?:ly)?|crash\w*)\b",
    re.I,
)
_LENGTHS = range(10, 5001)


def _defects4c(message: str) -> bool:
    text = message.lower()
    return _is_sized(text) and any(word in text for word in _MENDS) and any(word in text for word in _FAULTS)


def _defects4c_paper(message: str) -> bool:
    text = message.lower()
    return _is_sized(text) and any(word in text for word in (*_MENDS, *_FAULTS))


def _is_sized(text: str) -> bool:
    return len(text) in _LENGTHS and not text.startswith("merge")


RULES: Mapping[str, Callable[[str], bool]] = {
    "words": lambda message: _WORDS.search(message) is not None,
    "defects4c": _defects4c,
    "defects4c-paper": _defects4c_paper,
    "npr4j": lambda message: _ISSUE.search(message) is not None,
    "any": lambda message: True,  # noqa: ARG005
    "cve": lambda message: False,  # noqa: ARG005
}
"""`words`: a word of fixing. `defects4c`: a word of mending and one of faults, as its scripts have it; `defects4c-paper`: any of
both, as its text has it. `npr4j`: names an issue by number. `cve`: none but the patches of CVEs, which need no message."""


def message_rule(name: str) -> Callable[[str], bool]:
    """Return a rule by its name, or for a pattern between slashes, which must be found: `/CVE-[0-9]+/`.

    >>> message_rule("npr4j")("Bug #12: off by one"), message_rule("/^Fix/")("Add a fix")
    (True, False)
    """
    if name in RULES:
        return RULES[name]
    if not (len(name) > 2 and name.startswith("/") and name.endswith("/")):
        raise UserError(f"{name!r} is no rule for messages. Possible: {', '.join(RULES)}, or a regular expression as /fix(es)?/")
    try:
        pattern = re.compile(name[1:-1])
    except re.error as error:
        raise UserError(f"{name} is no regular expression: {error}") from None
    return lambda message: pattern.search(message) is not None
