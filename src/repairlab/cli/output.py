"""How verbs speak: data on standard output (tables or JSON), talk and progress on standard error."""

import json
import os
import re
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from repairlab.core.amounts import count as count  # noqa: PLC0414  # verbs take it from here
from repairlab.core.outcome import Verdict
from repairlab.runs.messages import Drawn, Notice, WorkerTime
from repairlab.runs.messages import Progress as Step
from repairlab.study.diffs import visible
from repairlab.validation.stopwatch import PHASES, Phase

_UNWRITABLE = re.compile("[\ud800-\udfff]")
LOG_EVERY_S = 60.0
"""How often a log reports progress."""


class _Output(Console):
    """Standard output whose reader may have seen enough, as `head` has: the verb continues, and its exit code stands."""

    def on_broken_pipe(self) -> None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def data() -> Console:
    """Return the console of standard output."""
    return _Output(highlight=False, soft_wrap=True, emoji=False)  # code may hold texts such as :bug:


def talk() -> Console:
    """Return the console of standard error."""
    return Console(stderr=True, highlight=False, soft_wrap=True, emoji=False)


def write(text: str) -> None:
    """Print a text to standard output, as it is."""
    data().print(text, markup=False)


def say(text: str) -> None:
    """Print a text to standard error, as it is."""
    talk().print(text, markup=False)


def print_json(value: Any) -> None:
    """Print JSON to standard output; what UTF-8 cannot hold, such as lone surrogates of hostile candidates, is escaped."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    data().print(_UNWRITABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text), markup=False)


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, n_heads: int = 1) -> None:
    """Print a table to standard output; the first `n_heads` columns name the row."""
    console = _Output(highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = max(console.width, 160)  # do not fold what goes to a file or a pipe
    for part in table_parts(title, columns, rows, width=console.width, n_heads=n_heads):
        console.print(part)


def table_parts(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], *, width: int, n_heads: int = 1
) -> Iterator[RenderableType]:
    """Yield a table as it fits: in one piece, else in several with the heads repeated, else a line for each cell.

    Columns are never narrower than their longest word, so no text is broken letter by letter.
    """
    if title:
        yield Text(visible(title), style="italic")
    texts = [[Text(visible(str(cell))) for cell in row] for row in rows]
    cells = [[Text(name), *(row[index] for row in texts)] for index, name in enumerate(columns)]
    least = [max(cell_len(word) for text in column for word in (text.plain.split() or [""])) for column in cells]
    heads, others = list(range(n_heads)), list(range(n_heads, len(columns)))
    pieces = [heads]
    for index in others:
        if pieces[-1] == heads or _room([least[at] for at in (*pieces[-1], index)], width) >= 0:
            pieces[-1] = [*pieces[-1], index]
        else:
            pieces.append([*heads, index])
    if any(_room([least[index] for index in piece], width) < 0 for piece in pieces):
        yield from _records(columns, texts)
        return
    for piece in pieces:
        table = Table(header_style="bold")
        full = [max(cell_len(line) for text in cells[index] for line in (text.plain.splitlines() or [""])) for index in piece]
        for index, fitted in zip(piece, _fitted([least[index] for index in piece], full, width), strict=True):
            is_text = index == 0 or not rows or isinstance(rows[0][index], str)
            table.add_column(columns[index], justify="left" if is_text else "right", overflow="fold", width=fitted)
        for row in texts:
            table.add_row(*(row[index] for index in piece))
        yield table


def _room(widths: Sequence[int], width: int) -> int:
    """Return the length of a line beside its columns' widths: padding and borders."""
    return width - sum(widths) - 3 * len(widths) - 1


def _fitted(least: Sequence[int], full: Sequence[int], width: int) -> list[int]:
    """Return the widths of columns: what each needs, and an equal share of the rest for those that want more."""
    widths, room = list(least), _room(least, width)
    for n_served, index in enumerate(sorted(range(len(least)), key=lambda index: full[index] - least[index])):
        more = max(0, min(full[index] - least[index], room // (len(least) - n_served)))
        widths[index] += more
        room -= more
    return widths


def _records(columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> Iterator[Text]:
    for number, row in enumerate(rows):
        if number:
            yield Text("")
        for name, cell in zip(columns, row, strict=True):
            yield Text.assemble((f"{name}: ", "bold"), cell, overflow="fold")


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
        """Note one step of the run."""
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
    """Progress without a terminal: a line now and then, whether or not something happens, for the log of a long job."""

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
