"""What every metric is: a pure function of samples, and how its values are to be read. `table` lists the metrics."""

from collections.abc import Callable, Sequence

from repairlab.core.record import record
from repairlab.core.samples import Samples
from repairlab.metrics.settings import ScoreSettings
from repairlab.metrics.values import Values

Measured = Sequence[Samples]


@record
class Metric:
    """One metric; the table has its name, which holds `@k` exactly when it is asked for at a k."""

    about: str
    """What it says, in one line."""
    measure: Callable[[Measured, ScoreSettings, int], Values]
    """Takes samples, settings of the run and k, which is 0 for a metric without one; a UserError, which begins with the name of the
    metric and a colon, says why the run cannot have it."""
    is_share: bool = True
    """Whether values lie between 0 and 1 and are shown in per cent."""
    changed_by_stopping: bool = False
    """Whether stopping at the first plausible candidate changes it without making it meaningless, which its signature then says."""
    depends_on_n: bool = True
    """Whether candidates after the first k change it; without it, runs with different n are comparable."""
    depends_on_policy: bool = True
    """Whether it reads how many tests passed; a metric of verdicts alone is the same under both policies."""
