"""Try a part of any kind against the promises of its kind, check by check."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.core.errors import HarnessError, UserError, unknown
from repairlab.core.record import record
from repairlab.registry import KINDS, load, parts_of
from repairlab.validation.machine import Machine


class NotTried(Exception):  # noqa: N818  # no error: the check needs something that is not there
    """A check could not be tried, for the reason that the message says."""


@record
class Check:
    """One promise of a part, and whether it keeps it."""

    name: str
    problem: str = ""
    """What is wrong; empty if nothing."""
    not_tried: str = ""
    """Why it could not be tried."""


@record
class SelfTestContext:
    """What a part is tried with."""

    machine: Machine
    folder: Path
    """An empty folder for the checks."""
    settings: Mapping[str, Any]
    """Settings of a repairer."""
    sources: tuple[Path, ...] = ()
    """What an importer should read."""


def attempt(name: str, promise: Callable[[], str | None]) -> Check:
    """Try one promise, a function that returns what is wrong; an exception in the part's code is wrong, too."""
    try:
        return Check(name=name, problem=promise() or "")
    except NotTried as reason:
        return Check(name=name, not_tried=str(reason))
    except (UserError, HarnessError) as error:
        return Check(name=name, problem=str(error))
    except Exception as error:
        return Check(name=name, problem=f"{type(error).__name__}: {error}")


CHECKS = {
    "languages": "repairlab.cli.contracts.running:language_checks",
    "sandboxes": "repairlab.cli.contracts.running:sandbox_checks",
    "importers": "repairlab.cli.contracts.running:importer_checks",
    "formats": "repairlab.cli.contracts.scoring:format_checks",
    "repairers": "repairlab.cli.contracts.proposing:repairer_checks",
    "strategies": "repairlab.cli.contracts.proposing:strategy_checks",
    "metrics": "repairlab.cli.contracts.scoring:metric_checks",
    "representations": "repairlab.cli.contracts.proposing:representation_checks",
    "tables": "repairlab.cli.contracts.scoring:table_checks",
}
"""Kind → its checks; loaded when a part of the kind is tried."""


def find_part(text: str) -> tuple[str, str]:
    """Return kind and name of a part given as KIND/NAME, or as NAME if only one kind has it."""
    kind, slash, name = text.partition("/")
    if slash and kind in KINDS:
        parts = parts_of(kind)
        if name not in parts:
            raise unknown(parts.noun, name, parts)
        return kind, name
    found = [kind for kind in KINDS if text in parts_of(kind)]
    if not found:
        raise unknown("part", text, {name for kind in KINDS for name in parts_of(kind)})
    if len(found) > 1:
        raise UserError(f"there are several parts of the name {text}: write one of {', '.join(f'{kind}/{text}' for kind in found)}")
    return found[0], text


def run_selftest(
    kind: str, name: str, machine: Machine, *, settings: Mapping[str, Any] | None = None, sources: tuple[Path, ...] = ()
) -> Iterator[Check]:
    """Try one part; its checks come one after the other."""
    parts_of(kind)[name]  # failing to load is reported here
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # commands of a sandbox run as other users
        context = SelfTestContext(machine=machine, folder=Path(folder), settings=settings or {}, sources=sources)
        yield from load(CHECKS[kind])(name, context)
