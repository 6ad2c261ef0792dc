"""What a self-test is made of: checks with a name each, and what came of them."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import record
from repairlab.validation.machine import Machine


class NotTried(Exception):  # noqa: N818  # no error: the check needs something that is not there
    """A check could not be tried, for the reason that the message says."""


@record
class Check:
    """One thing that a part promises, and whether it keeps it."""

    name: str
    problem: str = ""
    """What is wrong; empty when nothing is."""
    not_tried: str = ""
    """Why it could not be tried."""


@record
class SelfTestContext:
    """With what a part is tried."""

    machine: Machine
    folder: Path
    """An empty folder for whatever the checks write."""
    settings: Mapping[str, Any]
    """Settings of a repairer."""
    sources: tuple[Path, ...] = ()
    """What an importer shall read."""


def attempt(name: str, promise: Callable[[], str | None]) -> Check:
    """Try one promise, a function that returns what is wrong; whatever the code of the part raises is wrong, too."""
    try:
        return Check(name=name, problem=promise() or "")
    except NotTried as reason:
        return Check(name=name, not_tried=str(reason))
    except (UserError, HarnessError) as error:
        return Check(name=name, problem=str(error))
    except Exception as error:
        return Check(name=name, problem=f"{type(error).__name__}: {error}")
