"""Whether the packages that networks need are installed. Asked before anything of them is imported."""

import importlib.util

from repairlab.core.errors import UserError

PACKAGES = ("torch", "transformers", "tokenizers", "peft", "safetensors")


def require_extra(what: str, packages: tuple[str, ...] = PACKAGES) -> None:
    """Raise UserError when packages are missing that `what` needs."""
    missing = [name for name in packages if importlib.util.find_spec(name) is None]
    if missing:
        raise UserError(f"{what} needs {', '.join(missing)}; get them with: pip install 'repairlab[train]'")
