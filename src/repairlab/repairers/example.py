"""Fixed bugs that a few-shot prompt shows. `runs` draws them from other bugs than the one to repair."""

from repairlab.core.record import record


@record
class Example:
    """One bug and its fix."""

    id: str
    language: str
    title: str
    description: str
    buggy: str
    """The function (or file) before the fix."""
    fixed: str


@record
class ExampleSource:
    """Which fixed bugs a repairer wants to see."""

    benchmark: str | None = None
    """Name or folder; none: the other bugs of the same benchmark."""
    split: str | None = None
    """Only bugs with this split label."""
