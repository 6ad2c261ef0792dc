"""Where a pretrained model lies: a folder, a name on the hub, or one GGUF file."""

import struct
from pathlib import Path
from typing import Any

from repairlab.core.record import record

SUFFIX = ".gguf"
UNREADABLE = (OSError, ValueError, KeyError, struct.error)
"""What `from_pretrained` raises for a place that holds no such model."""


@record
class PretrainedPlace:
    """What `from_pretrained` is called with."""

    name: str
    more: dict[str, Any]

    @classmethod
    def of(cls, pretrained: str | Path) -> "PretrainedPlace":
        """Return the place for a setting; a GGUF file is named by its folder and name, and read as full numbers."""
        path = Path(pretrained)
        if path.suffix != SUFFIX:
            return cls(name=str(pretrained), more={})
        return cls(name=str(path.parent), more={"gguf_file": path.name})
