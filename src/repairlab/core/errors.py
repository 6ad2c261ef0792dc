"""The only two kinds of expected failure, and Ctrl-C; anything else that is raised is a bug of repairlab's own."""

import difflib
from collections.abc import Iterable


class UserError(Exception):
    """The input is wrong: one message that says what failed, what was possible and the next step; exit code 2."""


class UnknownItemError(UserError, KeyError):
    """No item has this key; what is indexed raises it, as mappings do."""

    def __str__(self) -> str:
        return str(self.args[0])


class HarnessError(Exception):
    """Our own machinery or environment failed: the candidate at hand is UNDECIDED, the run goes on; exit code 3."""


class Interrupted(Exception):  # noqa: N818  # not an error: somebody asked for it
    """The work was asked to stop; all that was done is stored, or nothing is; exit code 130."""


def unknown(kind: str, value: str, known: Iterable[str]) -> UserError:
    """Return the error for a name that is not in a table, with the nearest known name.

    >>> str(unknown("repairer", "templatse", ["copy", "templates"]))
    "unknown repairer 'templatse'. Known: copy, templates. Did you mean 'templates'?"
    """
    names = sorted(known)
    shown = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    message = f"unknown {kind} {value!r}. Known: {shown or 'none'}."
    near = difflib.get_close_matches(value, names, n=1)
    return UserError(f"{message} Did you mean {near[0]!r}?" if near else message)
