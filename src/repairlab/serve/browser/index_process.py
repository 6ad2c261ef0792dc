"""The process that follows runs and computes their scores, so that pages never wait for it.

It ends when its standard input does: when the viewer stops, however that happens.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from repairlab.core.errors import UserError
from repairlab.serve.browser.open_runs import Workbench

_PAUSE_S = 1.0


def follow(bench: Workbench) -> bool:
    """Do a little of what is left to do, and return whether there was anything."""
    is_busy = False
    for run in bench.runs.values():
        try:
            is_busy |= run.index.follow() or run.compute()
        except UserError:  # pages say it
            continue
    return is_busy


def main(cache: str, folders: list[str]) -> None:
    """Follow runs for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the viewer's affair
    threading.Thread(target=_end_with_input, daemon=True).start()
    os.nice(5)
    bench = Workbench(Path(cache))
    bench.open(folders)
    while True:
        if not follow(bench):
            time.sleep(_PAUSE_S)


def _end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)  # what is in the index is whole at any moment


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
