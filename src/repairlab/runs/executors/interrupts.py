"""Ctrl-C, and SIGTERM, as something to read beside the pipes of workers."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait

_MARK = b"."
"""What Ctrl-C writes; no number of a signal in use here."""


@contextmanager
def watch_ctrl_c() -> Iterator[int]:
    """Give a descriptor that can be read after Ctrl-C, which would otherwise cut a message of a worker in half.

    SIGTERM, by which schedulers end a job, counts as two of them: stop, and wait for nobody.
    """
    read, write = os.pipe()
    own = threading.current_thread() is threading.main_thread()  # others may not, and are not interrupted
    marks = {signal.SIGINT: _MARK, signal.SIGTERM: 2 * _MARK} if own else {}
    before = {number: signal.signal(number, lambda *_, mark=mark: os.write(write, mark)) for number, mark in marks.items()}
    os.set_blocking(write, False)
    # Handlers run between two steps of the interpreter: a signal just before it falls asleep would be seen when it wakes up, so
    # that each signal also writes its number to the pipe, at once.
    woken = signal.set_wakeup_fd(write, warn_on_full_buffer=False) if own else -1
    try:
        yield read
    finally:
        if own:
            signal.set_wakeup_fd(woken)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read)
        os.close(write)


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM end at once what the main process does here, which may take minutes, and cuts no message in half."""
    own = threading.current_thread() is threading.main_thread()
    numbers = (signal.SIGINT, signal.SIGTERM) if own else ()
    before = {number: signal.signal(number, signal.default_int_handler) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def was_pressed(ctrl_c: int) -> bool:
    """Return whether Ctrl-C was pressed, once more, since this was asked last."""
    while is_readable(ctrl_c):
        if os.read(ctrl_c, 1) == _MARK:
            return True
    return False


def is_readable(descriptor: int) -> bool:
    """Return whether there is something to read right now."""
    return bool(wait([descriptor], 0))
