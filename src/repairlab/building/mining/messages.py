"""What a commit's message must say for the commit to count as a fix: rules by name, as papers state them, or a pattern."""

import re
from collections.abc import Callable, Mapping

from repairlab.core.errors import UserError

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
}
"""`words`: a word of fixing. `defects4c`: a word of mending and one of faults, as its scripts have it; `defects4c-paper`: any of
both, as its text has it. `npr4j`: names an issue by number."""


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
