"""How this machine runs the work, as its user wants it, and which of its properties decide verdicts."""

import functools
import math
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, cast, get_args

from repairlab.core.errors import UserError, unknown
from repairlab.core.installation import VERSION
from repairlab.core.option import Option
from repairlab.core.record import record
from repairlab.languages.facts import LANGUAGES
from repairlab.languages.language import default_cache, language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.cache import engine_digest

Isolation = Literal["warm", "process"]
"""Share what candidates of a bug have in common (warm), or give every test a fresh process and every candidate a clean build."""

RECHECK = 100
LOCAL = "local"
RAY = "ray"


MACHINE, VERDICTS, COURSE = "Machine", "Verdicts", "Course of the run"
"""Sections of help."""


@record
class Machine:
    """How this machine runs the work; none of it changes a verdict."""

    cache: Path
    """Folder for what is kept between runs."""
    sandbox: Annotated[
        str, Option("bubblewrap, landlock, podman, docker, process, or auto: the best that works here.", section=MACHINE)
    ] = "auto"
    allow_unsafe: Annotated[bool, Option("Run candidates without isolation; only for code you trust.", section=MACHINE)] = False
    workers: Annotated[int, Option("Worker processes.", letter="-j", usual="one per available core")] = 1
    executor: Annotated[
        str, Option("Where workers run: local, ray (this machine's Ray cluster), or ray://HOST:PORT.", section=MACHINE)
    ] = LOCAL
    isolation: Annotated[
        Isolation, Option("warm, or process: a fresh process per test and a clean build per candidate.", section=VERDICTS)
    ] = "warm"
    use_verdicts: Annotated[bool, Option("Do not read or write the verdict cache.", flag="--no-cache", section=VERDICTS)] = True
    recheck: Annotated[int, Option("Recompute one in N cached verdicts and compare; 0 for none.", section=VERDICTS)] = RECHECK
    keep_going: Annotated[bool, Option("Go on even if the first bugs all fail in the same way.", section=COURSE)] = False
    accept_changes: Annotated[bool, Option("Resume although the file of the repairer has changed.", section=COURSE)] = False
    access: object | None = None
    """Local settings of the repairer, such as how models are reached; None: its defaults."""

    @property
    def verdict_cache(self) -> Path | None:
        """The folder of verdicts of earlier runs, if they count."""
        return self.cache if self.use_verdicts else None

    def open_sandbox(self) -> Sandbox:
        """Return a sandbox of the chosen kind."""
        return open_sandbox(self.sandbox, cache=self.cache, allow_unsafe=self.allow_unsafe)


def environment_of(languages: Sequence[str], machine: Machine) -> dict[str, str]:
    """Return what decides verdicts on this machine: our own engine and the tools; HarnessError names a missing one."""
    versions = {
        "repairlab": VERSION,
        "engine": engine_digest(),
        "machine": platform.machine(),
        "sandbox": _sandbox_name(machine),
    }
    for name in sorted(set(languages)):
        versions.update(_tools(name))
    return versions


@functools.cache
def _sandbox_name(machine: Machine) -> str:
    return machine.open_sandbox().name


@functools.cache
def _tools(name: str) -> dict[str, str]:
    brought = {f"language {part.name}": part.source for part in LANGUAGES.of_others() if part.name == name}
    return language(name).toolchain.versions() | brought  # how others turn recipes into commands is not part of our engine


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
    accept_changes: bool = False,
) -> Machine:
    """Return how to run work on this machine, by default with a worker for each core that this process may use.

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
        accept_changes=accept_changes,
    )


def usable_cores() -> int:
    """Return how many cores this process may use: those of its affinity, or its control group's share."""
    cores = len(os.sched_getaffinity(0))
    try:
        quota, period = Path("/sys/fs/cgroup/cpu.max").read_text(encoding="ascii").split()
        return max(1, min(cores, math.ceil(int(quota) / int(period))))
    except (OSError, ValueError):  # no such file, or "max": no share
        return cores
