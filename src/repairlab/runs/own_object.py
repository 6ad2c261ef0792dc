"""A repairer that is the caller's object: workers get a copy if they can load one, and otherwise ask for each candidate.

Objects of notebooks and scripts, lambdas, open connections and large models stay in the main process. There a thread answers each
worker, one candidate at a time, so that both kinds pass through the same loop.
"""

import contextlib
import io
import os
import pickle
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, Pipe
from pathlib import Path
from typing import Annotated, Any

from repairlab.core.arguments import check_value
from repairlab.core.bug import Bug
from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.errors import HarnessError, Interrupted, UserError
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.formats.patch_forms import candidate_of
from repairlab.repairers.plain import plain_factory
from repairlab.repairers.repairer import RepairContext, Repairer, RepairerFactory
from repairlab.runs.executors.forking import fork, wait_for

Patches = Annotated[Iterable[object], "a list of patches, such as [patch]"]
_BACKLOG = 128
LARGEST = 2**24
"""Largest object, in bytes, that is copied to workers; each would hold a copy."""


class OwnCodeError(UserError):
    """The user's repairer raised an exception."""


class AnyForm:
    """Turn what a repairer yields into candidates."""

    def __init__(self, repairer: Repairer, name: str, bug: Callable[[str], Bug]) -> None:
        """Take the repairer, and what returns the bug of an id."""
        self._repairer, self.name, self._bug = repairer, name, bug

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield a candidate for each patch."""
        for rank, patch in enumerate(self._patches(problem, history), start=len(history) + 1):
            yield candidate_of(patch, self._bug(problem.id), rank=rank, repairer=self.name)

    def _patches(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[object]:
        with own_code(self.name, f"while proposing for {problem.id}"):
            patches: Any = self._repairer.propose(problem, history)
            check_value(f"the repairer {self.name}", f"what it returns for {problem.id}", patches, Patches)
            yield from patches


@contextmanager
def own_code(name: str, doing: str) -> Iterator[None]:
    """Turn an exception of the user's code in the block into one message that names the line it reached."""
    try:
        yield
    except (UserError, HarnessError, Interrupted, MemoryError):
        raise
    except Exception as error:
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise OwnCodeError(f"{_place(error) or name}: {said}, {doing}") from error


def _place(error: Exception) -> str:
    """Return the last line that an error passed in the file where the user's code began; empty if there is none."""
    lines = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    package = f"{Path(__file__).parents[1]}{os.sep}"
    passed = [(file, line) for file, line in lines if not file.startswith((package, contextlib.__file__))]
    if not passed:
        return ""
    file = passed[0][0]
    path, here = Path(file), Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{[line for name, line in passed if name == file][-1]}"


@record
class SentRepairer:
    """How workers ask a repairer object: through a copy, or where the original answers."""

    name: str
    pickled: bytes | None
    address: str
    key: bytes

    def factory(self) -> RepairerFactory:
        """Return how a worker opens it."""
        if self.pickled is not None:
            return plain_factory(pickle.loads(self.pickled), self.name, any_form=True)
        return plain_factory(_Asking(self), self.name)


class _Asking:
    """Stands in a worker for a repairer of the main process."""

    def __init__(self, sent: SentRepairer) -> None:
        self.name, self._sent = sent.name, sent

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield what the main process answers."""
        with Client(self._sent.address, "AF_UNIX", authkey=self._sent.key) as connection:
            connection.send((problem, history))
            while (said := connection.recv()) is not None:
                if isinstance(said, Exception):
                    raise said
                yield said
                connection.send("next")


class OwnRepairer:
    """A repairer that is an object or a function of the caller's."""

    def __init__(self, value: object, name: str) -> None:
        self.name, self._value = name, value
        self.factory = plain_factory(value, name)

    @contextmanager
    def opened(self, context: RepairContext, bug: Callable[[str], Bug]) -> Iterator[SentRepairer]:
        """Give what workers need; those without a copy are answered inside the block."""
        address = f"\0repairlab-{os.urandom(8).hex()}"  # in no folder: the kernel forgets it with its process
        pickled = _pickled(self._value)
        sent = SentRepairer(name=self.name, pickled=pickled, address=address, key=os.urandom(32))
        if pickled is not None:
            yield sent
            return
        with self.factory.open(context) as repairer, Listener(address, "AF_UNIX", _BACKLOG, sent.key) as listener:
            answering = threading.Thread(target=_accept, args=(listener, AnyForm(repairer, self.name, bug)), daemon=True)
            answering.start()
            try:
                yield sent
            finally:
                with suppress(OSError, EOFError), Client(address, "AF_UNIX", authkey=sent.key) as connection:
                    connection.send(None)  # nothing else wakes a process that waits for workers
                answering.join()


def _accept(listener: Listener, repairer: Repairer) -> None:
    """Answer each worker in a separate thread."""
    while True:
        try:
            connection = listener.accept()
            asked = connection.recv()
        except (OSError, EOFError, AuthenticationError):
            continue  # a worker died, or a stranger connected
        if asked is None:
            connection.close()
            return
        threading.Thread(target=_answer, args=(connection, repairer, *asked), daemon=True).start()


def _answer(connection: Connection, repairer: Repairer, problem: Problem, history: tuple[Attempt, ...]) -> None:
    """Send one candidate whenever the worker wants one; an error of the repairer is raised in the worker."""
    with connection, suppress(OSError, EOFError):
        try:
            for candidate in repairer.propose(problem, history):
                connection.send(candidate)
                connection.recv()
            connection.send(None)
        except (UserError, HarnessError) as error:
            connection.send(error)
        except (OSError, EOFError):
            raise
        except Exception:
            connection.send(RuntimeError(f"in the repairer {repairer.name}:\n{traceback.format_exc()}"))


def _pickled(value: object) -> bytes | None:
    """Return a copy of an object that a worker can load, or None if there is none or it is too large."""
    file = _Limited()
    try:
        pickle.Pickler(file).dump(value)
    except Exception:  # other people's objects may do anything when they are inspected
        return None
    data = file.getvalue()
    ours, theirs = Pipe()
    with theirs:
        worker = fork(_try_to_load, (data,), theirs)
    with ours:
        try:
            return data if ours.recv() else None
        except EOFError:
            return None
        finally:
            wait_for(worker)


class _Limited(io.BytesIO):
    """A file that refuses more than the largest object."""

    def write(self, data: Any) -> int:
        if self.tell() + len(data) > LARGEST:
            raise ValueError("too large")
        return super().write(data)


def _try_to_load(data: bytes, pipe: Connection) -> None:
    try:
        pickle.loads(data)
    except Exception:  # a class of the main module, for example
        pipe.send(False)
    else:
        pipe.send(True)
