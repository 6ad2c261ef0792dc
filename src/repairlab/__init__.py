"""repairlab: build benchmarks of real bugs, ask repairers for fixes, validate them in a sandbox, score and compare."""

__version__ = "0.1.0"
__all__ = ["__version__"]
