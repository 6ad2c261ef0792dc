"""What runs on a machine of a Ray cluster: the proof that it can do the work, and a worker process."""

import dataclasses
import io
import shutil
import tarfile
import tempfile
from collections.abc import Collection, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from repairlab.core.bug import ToolNeed
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.record import record
from repairlab.core.storage.folders import scratch_folder
from repairlab.languages.language import default_cache
from repairlab.runs.executors.executor import Delivery
from repairlab.runs.executors.pool import Said, Worker
from repairlab.validation.machine import Machine, environment_of
from repairlab.validation.preflight import check_needs

FOLDER = "delivered"
"""Where folders from other machines are kept, in the cache."""
COLLECT_S = 0.5
"""How long events are collected before they are sent; the end of an item is sent at once."""


@record
class NodeProof:
    """What a machine says of itself."""

    environment: Mapping[str, str]
    """What decides verdicts there."""
    problem: str = ""
    """Why it cannot work; empty: it can."""


def machine_there(machine: Machine, *, own_cache: bool) -> Machine:
    """Return how work runs on the machine where this is called, with a separate cache if requested."""
    return dataclasses.replace(machine, cache=default_cache(), workers=1) if own_cache else machine


def prove(machine: Machine, needs: Collection[ToolNeed], *, own_cache: bool) -> NodeProof:
    """Try the sandbox and the tools on the machine where this is called."""
    here = machine_there(machine, own_cache=own_cache)
    try:
        environment = environment_of([need.language for need in needs], here)
        check_needs(needs, here)
    except (HarnessError, UserError, OSError) as error:
        return NodeProof(environment={}, problem=str(error))
    return NodeProof(environment=environment)


class RayWorker:
    """A worker process on its machine; remote callers call methods by name. A second thread may ask it to stop."""

    def __init__(self, machine: Machine, *, own_cache: bool) -> None:
        self._machine = machine_there(machine, own_cache=own_cache)
        self._opened = ExitStack()
        self._scratch = self._opened.enter_context(scratch_folder())
        self._worker: Worker | None = None
        self._work: Any = None

    def do(self, work: Any, item: Any, folders: Mapping[str, Any]) -> Said:
        """Begin an item whose folders are in the cluster's store; return the worker's first reports."""
        places = {digest: self._place(digest, folder) for digest, folder in folders.items()}
        if self._worker is None:
            self._worker = Worker(self._machine, self._scratch)
        if work != self._work:
            self._work = work  # else the same bug, which the worker has open
        self._worker.do(self._work, Delivery(item=item, folders=places, machine=self._machine))
        return self.listen()

    def listen(self) -> Said:
        """Wait for the worker's next reports."""
        assert self._worker is not None
        said = self._worker.listen(COLLECT_S)
        if said.death:
            self._worker = None
        return said

    def stop(self) -> None:
        """Ask the worker to stop."""
        if self._worker is not None:
            self._worker.stop()

    def close(self) -> None:
        """Kill the worker in the middle of its work."""
        if self._worker is not None:
            self._worker.kill()
            self._worker.end()
            self._worker = None
        self._opened.close()

    def _place(self, digest: str, folder: Any) -> Path:
        """Return where a folder lies on this machine, fetching it if it is missing."""
        import ray  # noqa: PLC0415  # an extra

        place = self._machine.cache / FOLDER / digest
        if not place.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
            aside = Path(tempfile.mkdtemp(prefix=f"{digest}-", dir=place.parent))
            unpack(ray.get(folder), aside)
            try:
                aside.rename(place)
            except OSError:  # another worker was faster
                shutil.rmtree(aside, ignore_errors=True)
        return place


def pack(contents: Mapping[str, Path]) -> bytes:
    """Return files and folders, by their places, as one archive."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as file:
        for name, path in contents.items():
            file.add(path, arcname=name)
    return archive.getvalue()


def unpack(archive: bytes, place: Path) -> None:
    """Unpack what `pack` packed; nothing in it can escape the folder."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as file:
        file.extractall(place, filter="tar")
    place.chmod(0o755)
