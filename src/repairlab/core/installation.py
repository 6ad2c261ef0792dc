"""The version of repairlab, the folder of its package, and optional packages: which are missing, and how to add them."""

import importlib.util
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path

from repairlab.core.errors import UserError

VERSION = "0.1.0"
PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of the package. Benchmarks come with it, so sandboxes hide it even where it is installed under /usr."""


def adding(extra: str) -> str:
    """Return the command that adds an extra to this process's environment."""
    python, wanted = shlex.quote(sys.executable), f"'repairlab[{extra}]'"
    if importlib.util.find_spec("pip") is None:  # environments made by uv
        return f"uv pip install --python {python} {wanted}"
    return f"{python} -m pip install {wanted}"


def require(what: str, extra: str, packages: Iterable[str]) -> None:
    """Raise UserError if packages of an extra are missing that `what` needs."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"{what} needs {', '.join(missing)}; get them with: {adding(extra)}")
