"""How a service is run; the verb `serve` makes it of its options."""

from pathlib import Path

from repairlab.core.problem import Localisation
from repairlab.core.record import record

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@record
class ServiceSettings:
    """What a service allows its clients."""

    state: Path
    """Folder for jobs, which survive a restart."""
    queue: int = 1000
    """Candidates that may wait for a worker, of all clients together; no client may have more than half of them waiting."""
    batch: int = 256
    """Candidates of one request; jobs may have more."""
    body_mb: float = 16.0
    rate: float = 0.0
    """Candidates per second and client; 0: no limit."""
    deadline_s: float = 600.0
    """How long a request may take; a client may ask for less."""
    patience_s: float = 30.0
    """How long a request may take to arrive."""
    drain_s: float = 30.0
    """How long requests may go on after SIGTERM."""
    localisation: Localisation = "line"
    """How precisely clients are shown the place of a bug, at most."""
