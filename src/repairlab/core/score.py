"""A number, its interval and its recipe."""

from repairlab.core.record import record


@record
class Score:
    """One value of one metric over one run."""

    metric: str
    k: int | None
    value: float
    low: float
    high: float
    """95 % bootstrap interval over bugs."""
    n_bugs: int
    """The denominator: bugs that the value is averaged over."""
    n_samples: int
    """Candidates that the value is made from."""
    n_undecided: int
    """Candidates left out because our own machinery failed on them."""
    signature: str
    """All that must be equal for two values to be comparable."""
