"""repairlab: build benchmarks of real bugs, ask repairers for fixes, validate them in a sandbox, score and compare."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from repairlab.core.installation import VERSION

__version__ = VERSION
__all__ = [
    "Access",
    "Attempt",
    "Benchmark",
    "Bug",
    "Candidate",
    "Comparison",
    "Edit",
    "HarnessError",
    "Health",
    "Origin",
    "Outcome",
    "Problem",
    "Records",
    "RepairerChoice",
    "Reward",
    "RewardScale",
    "Run",
    "RunScores",
    "Score",
    "TestResult",
    "UserError",
    "Validator",
    "Verdict",
    "Visibility",
    "__version__",
    "benchmark_names",
    "check",
    "compare",
    "load",
    "open_run",
    "repairer",
    "repairer_names",
    "run",
    "score",
    "validate",
]

if TYPE_CHECKING:
    from repairlab.api import *


def __getattr__(name: str) -> Any:
    """Load the API when one of its names is first used: importing the package alone costs nothing."""
    if name not in __all__:
        import difflib  # noqa: PLC0415  # importing the package alone costs nothing

        near = difflib.get_close_matches(name, __all__, n=1)
        advice = f". Did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"module 'repairlab' has no attribute {name!r}{advice}")
    return getattr(import_module("repairlab.api"), name)


def __dir__() -> list[str]:
    return __all__
