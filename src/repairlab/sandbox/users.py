"""Unprivileged user ids for commands started by root, one for each command that runs; both back ends take them from here."""

import contextlib
import os
import socket
from collections.abc import Iterator

from repairlab.core.errors import HarnessError
from repairlab.sandbox.failures import our_failure

FIRST = 64000
COUNT = 1500
"""Ids below 65534 (nobody) exist in containers too, and few systems give these to anybody. A worker holds a handful."""


@contextlib.contextmanager
def unprivileged_id() -> Iterator[int]:
    """Hold a user id that no other running command of this machine has, so that their process counts do not mix."""
    # A name in the abstract socket space is held by one process at a time and freed by the kernel whatever happens.
    for attempt in range(COUNT):
        number = FIRST + (os.getpid() + attempt) % COUNT
        with our_failure("cannot hold a user id"):
            lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with lock:
            try:
                lock.bind(f"\0repairlab-uid-{number}")
            except OSError:
                continue
            yield number
            return
    raise HarnessError(f"all {COUNT} user ids for sandboxed commands are in use; run fewer at once (-j)")
