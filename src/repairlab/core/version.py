"""The version of repairlab, and the folder of its package."""

from pathlib import Path

VERSION = "0.1.0"
PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package. Benchmarks come with it, so sandboxes hide it even where it is installed under /usr."""
