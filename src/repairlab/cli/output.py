"""How verbs speak: data on standard output (tables or JSON), talk and progress on standard error."""

import json
import re
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from repairlab.core.outcome import Verdict
from repairlab.core.words import count as count  # noqa: PLC0414  # verbs take it from here
from repairlab.runs.worker import Drawn, Notice, WorkerTime
from repairlab.runs.worker import Progress as Step
from repairlab.validation.stopwatch import PHASES, Phase

_UNWRITABLE = re.compile("[\ud800-\udfff]")
LOG_EVERY_S = 60.0
"""How often a log says how far a job is."""


def data() -> Console:
    """Return the console of standard output."""
    return Console(highlight=False, soft_wrap=True, emoji=False)  # code may hold texts such as :bug:


def talk() -> Console:
    """Return the console of standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def print_json(value: Any) -> None:
    """Print JSON to standard output; what UTF-8 cannot hold, such as lone surrogates of hostile candidates, is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    data().print(_UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text), markup=False)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table to standard output."""
    table = Table(title=title, title_justify="left", header_style="bold")
    for index, column in enumerate(columns):
        table.add_column(
            column, justify="left" if index == 0 or not rows or isinstance(rows[0][index], str) else "right", overflow="fold"
        )
    for row in rows:
        table.add_row(*(Text(str(cell)) for cell in row))
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = max(console.width, 160)  # do not fold what goes to a file or a pipe
    console.print(table)


class RunBar:
    """The progress bar of a run: bugs done, candidates per second, plausible so far, time left."""

    def __init__(self, progress: Progress, total: int, *, asks_model: bool = False) -> None:
        """Begin with no bug done."""
        self._progress = progress
        waiting = "waiting for the model" if asks_model else "no candidate judged yet"
        self._task = progress.add_task(f"bugs, {waiting}", total=total)
        self._verdicts: Counter[Verdict] = Counter()
        self._fixed: set[str] = set()
        self._n_drawn = 0
        self._seconds: dict[Phase, float] = {}
        self._start = time.monotonic()

    def __call__(self, step: Step | Drawn | Notice | WorkerTime) -> None:
        """Take note of one step of the run."""
        if isinstance(step, WorkerTime):
            for phase, seconds in step.seconds.items():
                self._seconds[phase] = self._seconds.get(phase, 0.0) + seconds
            return
        if isinstance(step, Notice):
            self._progress.console.print(step.text, markup=False)
            return
        if isinstance(step, Drawn):
            self._n_drawn += step.n
        elif step.verdict is None:
            self._progress.advance(self._task)
        else:
            self._verdicts[step.verdict] += 1
            if step.verdict is Verdict.PLAUSIBLE:
                self._fixed.add(step.bug_id)
        n = self._verdicts.total()
        rate = n / max(time.monotonic() - self._start, 0.001)
        undecided = self._verdicts[Verdict.UNDECIDED]
        drawn = f" of {self._n_drawn} drawn" if self._n_drawn else ""
        text = f"bugs, {n}{drawn} candidates, {rate:.1f}/s, {count(len(self._fixed), 'bug')} with a plausible fix"
        self._progress.update(self._task, description=text + (f", {undecided} undecided" if undecided else ""))

    @property
    def timing(self) -> str:
        """Where the time of the workers went, phase by phase."""
        total = sum(self._seconds.values()) or 1.0
        parts = [f"{name} {self._seconds.get(name, 0.0):.1f} s ({self._seconds.get(name, 0.0) / total:.0%})" for name in PHASES]
        return f"Time of the workers: {', '.join(parts)}"


class _Log(Progress):
    """Progress where there is no terminal: a line now and then, whether something happens or not, for the log of a long job."""

    def __init__(self, console: Console) -> None:
        super().__init__(console=console, disable=True)
        self._over = threading.Event()

    def start(self) -> None:
        threading.Thread(target=self._say, daemon=True).start()

    def stop(self) -> None:
        self._over.set()

    def _say(self) -> None:
        while not self._over.wait(LOG_EVERY_S):
            for task in self.tasks:
                total = "" if task.total is None else f" of {task.total:.0f}"
                self.console.print(f"{task.completed:.0f}{total} {task.description}", markup=False)


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """Show a progress bar on standard error while the block runs; lines, where that is no terminal."""
    console = talk()
    columns = (
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) if console.is_terminal else _Log(console) as progress:
        yield progress
