"""Operating system errors that are failures of ours: too few descriptors, no memory, a full disk."""

import contextlib
import shutil
from collections.abc import Iterator

from repairlab.core.errors import HarnessError


@contextlib.contextmanager
def our_failure(what: str) -> Iterator[None]:
    """Turn an operating system error into a HarnessError that says what could not be done."""
    try:
        yield
    except (OSError, shutil.Error) as error:
        raise HarnessError(f"{what}: {error}") from error
