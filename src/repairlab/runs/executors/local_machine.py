"""The machine at hand as its user wants it, checked: one set of defaults for the command line and the Python API."""

from pathlib import Path
from typing import cast, get_args

from repairlab.core.errors import UserError, unknown
from repairlab.languages.table import default_cache
from repairlab.runs.executors.pool import usable_cores
from repairlab.validation.machine import LOCAL, RAY, RECHECK, Isolation, Machine


def local_machine(  # noqa: PLR0913
    *,
    workers: int | None = None,
    sandbox: str = "auto",
    allow_unsafe: bool = False,
    isolation: str = "warm",
    cache: bool | str | Path = True,
    recheck: int = RECHECK,
    access: object | None = None,
    executor: str = LOCAL,
    keep_going: bool = False,
) -> Machine:
    """Return how to run work on this machine: by default with a worker for each core that this process may use.

    On a cluster it is one for each core of its machines (0). `cache` is the folder for what is kept between runs; True: the user's
    own; False: that one, but for verdicts.
    """
    if isolation not in get_args(Isolation):
        raise unknown("isolation", isolation, get_args(Isolation))
    if recheck < 0:
        raise UserError(f"--recheck is {recheck}: write 0 for none, or 100 for one in a hundred")
    if workers is not None and workers < 1:
        raise UserError(f"workers (-j) is {workers}: at least 1 worker is needed")
    if executor not in (LOCAL, RAY) and not executor.startswith(f"{RAY}://"):
        raise unknown("executor", executor, (LOCAL, RAY, f"{RAY}://HOST:PORT"))
    return Machine(
        cache=default_cache() if isinstance(cache, bool) else Path(cache).absolute(),
        sandbox=sandbox,
        allow_unsafe=allow_unsafe,
        workers=workers or (usable_cores() if executor == LOCAL else 0),
        executor=executor,
        isolation=cast(Isolation, isolation),
        use_verdicts=cache is not False,
        recheck=recheck,
        access=access,
        keep_going=keep_going,
    )
