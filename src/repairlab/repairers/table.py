"""The repairers by name: built-in ones, and those that other packages register.

An entry is a `RepairerFactory`, or a class with `name` and `propose`: it is called with its settings where it has a record
`Settings` of them, else without arguments. A repairer of a file is named PATH.py:NAME.
"""

from collections.abc import Mapping
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.option import check_names
from repairlab.core.storage.checking import checked
from repairlab.registry import Parts, lacking
from repairlab.repairers.plain import is_reference, load_reference, plain_factory
from repairlab.repairers.repairer import Repairer, RepairerFactory


def _check(value: object) -> str:
    return "" if isinstance(value, RepairerFactory) else lacking("name", "propose", callable_too=True)(value)


REPAIRERS: Parts[Any] = Parts(
    "repairers",
    "repairer",
    {
        "copy": "repairlab.repairers.baselines:Copy",
        "llm": "repairlab.repairers.llm.factory:FACTORY",
        # Behind `llm`, as `neural` is: --model alone means that one.
        "command": "repairlab.repairers.command.factory:FACTORY",
        "neural": "repairlab.learning.neural:FACTORY",
        "templates": "repairlab.repairers.templates.repairer:Templates",
    },
    check=_check,
)


def names() -> tuple[str, ...]:
    """Return the names of all repairers, sorted."""
    return tuple(sorted(REPAIRERS))


def factory(name: str) -> RepairerFactory:
    """Return how a repairer is opened and what its settings are; its module is imported only now."""
    if is_reference(name) and name not in REPAIRERS:
        return load_reference(name)
    entry = REPAIRERS[name]
    return entry if isinstance(entry, RepairerFactory) else plain_factory(entry, name, about=REPAIRERS.about(name))


def find_factory(name: str) -> RepairerFactory | None:
    """Return the same; none for a name that is neither in the table nor of a file."""
    return factory(name) if name in REPAIRERS or is_reference(name) else None


def repairer(name: str, settings: Any = None) -> Repairer:
    """Return a repairer that needs nothing of a run; UserError for one that does."""
    entry = REPAIRERS[name]
    if isinstance(entry, RepairerFactory):
        raise UserError(f"the repairer {name} works in runs only: repairlab run BENCHMARK --repairer {name}")
    made: Repairer = entry() if not hasattr(entry, "Settings") else entry(settings or entry.Settings())
    return made


def make_settings(kind: type, given: Mapping[str, Any], name: str) -> Any:
    """Make a settings record of the repairer of this name; what is wrong is a UserError."""
    check_names(kind, dict(given), f"the repairer {name}")
    made: Any = checked(kind, dict(given), f"setting of the repairer {name}")
    if hasattr(made, "check"):
        made.check()
    return made
