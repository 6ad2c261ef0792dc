"""What fixes of a language are often made of: words and pieces of code that the fix templates put in. Facts hold it."""

import dataclasses
from collections.abc import Mapping

from repairlab.core.record import record


@record
class Idioms:
    """Pieces of code by what they are for; `{0}` stands for a variable. Whatever a language does not state is not tried."""

    stop: str = ""
    """A statement that ends the process at once, wherever it stands."""
    extremes: tuple[str, ...] = ()
    """Values with which a minimum or maximum begins."""
    releases: tuple[str, ...] = ()
    """Statements that release, empty or order a variable."""
    adders: tuple[str, ...] = ()
    """Methods that add to a collection."""
    appliers: tuple[str, ...] = ()
    """Functions that a value may be given to."""
    conversions: tuple[str, ...] = ()
    """What both sides of a comparison may be turned into."""
    exceptions: tuple[str, ...] = ()
    families: str = ""
    """Functions that are mistaken for each other, one family between two semicolons."""
    appended: tuple[str, ...] = ()
    """What may be written behind a value."""
    constants: tuple[str, ...] = ()
    """What may be one argument more."""
    known_names: str = ""
    """Names that need no declaration."""
    keywords: str = ""
    declared: tuple[str, ...] = ()
    """Types with which a variable may be declared."""
    types: tuple[str, ...] = ()
    """Types that stand for others."""
    casts: tuple[str, ...] = ()
    wider: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    """Types that a number's type may become."""
