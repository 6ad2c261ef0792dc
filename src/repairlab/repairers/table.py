"""The repairers by name: built-in ones, and those that other packages register; called by `runs` and the command line."""

from importlib import import_module
from importlib.metadata import entry_points

from repairlab.core.errors import unknown
from repairlab.repairers.repairer import Repairer

GROUP = "repairlab.repairers"
"""Entry-point group through which other packages join; an entry point is a class that needs no arguments."""

_BUILT_IN = {
    "copy": "repairlab.repairers.baselines:Copy",
    "templates": "repairlab.repairers.templates.engine:Templates",
}


def names() -> tuple[str, ...]:
    """Return the names of all repairers, sorted."""
    return tuple(sorted({*_BUILT_IN, *(point.name for point in entry_points(group=GROUP))}))


def repairer(name: str) -> Repairer:
    """Return the repairer of this name; its module is imported only now."""
    made: Repairer
    if name in _BUILT_IN:
        module, attribute = _BUILT_IN[name].split(":")
        made = getattr(import_module(module), attribute)()
        return made
    for point in entry_points(group=GROUP, name=name):
        made = point.load()()
        return made
    raise unknown("repairer", name, names())
