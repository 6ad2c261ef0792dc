"""The only two kinds of expected failure, and Ctrl-C; any other exception is a bug in repairlab."""

import difflib
from collections.abc import Iterable, Sequence

_SHOWN = 12
"""How many names a message lists."""
_FEW_MORE = 3
"""If only this many more remain, they are listed, too, instead of counted."""


class UserError(Exception):
    """The input is wrong: one message that says what failed, what was possible and the next step; exit code 2."""


class HarnessError(Exception):
    """Our own machinery or environment failed: the current candidate is UNDECIDED, the run continues; exit code 3."""


class Interrupted(Exception):  # noqa: N818  # not an error: somebody asked for it
    """The work was asked to stop; everything done is stored, or nothing is; exit code 130."""


class UnknownNameError(UserError):
    """A name is not in a table. `brief` leaves out the table's names, for messages that say the same of many entries."""

    def __init__(self, brief: str, known: str = "") -> None:
        super().__init__(brief, known)
        self.brief = brief

    def __str__(self) -> str:
        return " ".join(filter(None, map(str, self.args)))


class UnknownItemError(UnknownNameError, KeyError):
    """No item has this key; indexed collections raise it, as mappings do."""


def unknown(kind: str, value: str | Sequence[str], known: Iterable[str], *, listing: str = "") -> UnknownNameError:
    """Return the error for names that are not in a table: the nearest known names first, then a few of all.

    `listing` is the command that lists them all.

    >>> str(unknown("repairer", "templatse", ["copy", "templates"]))
    "unknown repairer 'templatse'. Did you mean 'templates'? Known: copy, templates."
    """
    names, values = sorted(map(str, known)), [value] if isinstance(value, str) else list(dict.fromkeys(value))
    near = [match for item in values if (match := nearest(item, names))]
    brief = f"unknown {kind} {_listed(list(map(repr, values)))}."
    if near:
        brief += f" Did you mean {_listed([repr(name) for name in dict.fromkeys(near)])}?"
    shown = names if len(names) <= _SHOWN + _FEW_MORE else names[:_SHOWN]
    rest = f" … and {len(names) - len(shown)} more{f': {listing}' if listing else '.'}" if len(names) > len(shown) else "."
    return UnknownNameError(brief, f"Known: {', '.join(shown) or 'none'}{rest}")


def nearest(value: str, known: Iterable[str]) -> str | None:
    """Return the known name that was probably meant; none where all are too different.

    >>> nearest("templatse", ["copy", "templates"]), nearest("llm", ["copy", "templates"])
    ('templates', None)
    """
    return next(iter(difflib.get_close_matches(value, sorted(known), n=1)), None)


def _listed(texts: list[str]) -> str:
    return ", ".join(texts[:_SHOWN]) + (f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else "")
