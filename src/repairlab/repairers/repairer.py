"""What every repairer is, how it is opened for a run, which fixed bugs it may see, and what it may raise."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.errors import HarnessError
from repairlab.core.model import Prompt
from repairlab.core.problem import Problem
from repairlab.core.record import record


@record
class Example:
    """One bug and its fix."""

    id: str
    language: str
    title: str
    description: str
    buggy: str
    """The function (or file) before the fix."""
    fixed: str


@record
class ExampleSource:
    """Which fixed bugs a repairer wants to see."""

    benchmark: str | None = None
    """Name or folder; none: the other bugs of the same benchmark."""
    split: str | None = None
    """Only bugs with this split label."""


class Repairer(Protocol):
    """Anything that proposes fixes."""

    name: str

    def propose(self, problem: Problem, history: tuple[Attempt, ...]) -> Iterator[Candidate]:
        """Yield candidates, best first, with ranks 1, 2, 3 …; the caller takes as many as it wants."""
        ...


class Unreachable(HarnessError):  # noqa: N818  # a fact about now, told to whoever asked
    """Somebody who is needed did not answer although asked again and again; later they may."""


class OverBudget(HarnessError):  # noqa: N818  # as above
    """Going on would cost more than the user allows."""


@record
class NoSettings:
    """The settings of a repairer that has none."""


class TranscriptKeeper(Protocol):
    """Makes what was asked, and what came back, part of the run."""

    def __call__(self, prompt: Prompt, *answers: str) -> None:
        """Write it down, each text once."""
        ...


@record
class RepairContext:
    """What a repairer is opened with: its own settings, and what it needs of a run."""

    settings: Any
    """Of the record that its factory names."""
    access: Any
    """Of the record of local settings that its factory names."""
    n: int
    """Candidates per bug."""
    seed: int
    one_by_one: bool = False
    """Whether each candidate may be the last that is wanted, so that none should be made ahead."""
    examples: tuple[Example, ...] = ()
    folder: Path
    """Of the run, for a ledger of what was asked and paid."""
    cache: Path
    """For what is kept between runs."""
    append: Callable[[Path, bytes], object]
    """Adds the line of a JSON object to a file of the run."""
    notify: Callable[[str], None]
    """Tells the user something."""
    keep: TranscriptKeeper
    earlier: tuple[Candidate, ...] = ()
    """Candidates of the bug at hand that an earlier start of the run stored."""
    workspaces: Callable[[Any, Any], AbstractContextManager[Any]] | None = None
    """Takes settings and local settings of the repairer `command`, and gives what starts its program in fresh workspaces of the bug
    at hand; none where no sandbox is."""


@record
class SamplingPlan:
    """How many candidates a run draws, and when it stops; none: as the user said, or the default."""

    n: int | None = None
    rounds: int | None = None
    stop_when_fixed: bool | None = None


@record
class AskEstimate:
    """What a repairer would ask a model about one problem, at most."""

    requests: int
    tokens_in: int
    tokens_out: int


@record
class RepairerFactory:
    """A repairer of the table: how it is opened, and what its settings mean to a run. Loading one must be quick."""

    name: str
    about: str
    open: Callable[[RepairContext], AbstractContextManager[Repairer]]
    """Opens it for all bugs of a run; imports what is heavy."""
    settings: type = NoSettings
    """Record of what decides its candidates; becomes options, a table of experiment files, and part of a run's identity. Its method
    `check`, if it has one, refuses values that make no sense."""
    access: type = NoSettings
    """Record of what does not: how others are reached from this machine, for example. No part of a run."""
    plan: Callable[[Any, SamplingPlan, str], SamplingPlan] = lambda settings, asked, feedback: asked  # noqa: ARG005
    """Takes settings, what the user asked for, and the feedback policy; returns how candidates are drawn."""
    examples: Callable[[Any], ExampleSource | None] = lambda settings: None  # noqa: ARG005
    """Says which fixed bugs it wants to see."""
    check: Callable[[Any, Any, Path], None] = lambda settings, access, cache: None  # noqa: ARG005
    """Takes settings, local settings and the cache; raises UserError when nothing could be proposed with them."""
    unfit: Callable[[Any, int], Callable[[Problem], str | None]] | None = None
    """Takes settings and seed; returns what says why it cannot work on a problem. None: it can work on all."""
    estimate: Callable[[Any, int, tuple[Example, ...]], Callable[[Problem], AskEstimate]] | None = None
    """Takes settings, candidates per bug and examples; returns what says how much is asked about a problem. None: nobody knows."""
    label: Callable[[Any], tuple[str, ...]] = lambda settings: ()  # noqa: ARG005
    """Parts of a run's default name, behind that of the repairer."""
    asks_model: Callable[[Any], bool] = lambda settings: False  # noqa: ARG005
    """Whether it asks a language model and books it in the run's ledger."""
    failure: Callable[[Candidate], str | None] = lambda candidate: "no usable answer"  # noqa: ARG005
    """Says how the start or the answer behind a candidate without edits failed; none: it did not. A run whose first bugs all fail
    with the same words stops."""
    advice: str = ""
    """What to check then, for the error message."""
    is_deterministic: bool = True
    """Whether it proposes the same for the same problem, settings and seed."""
    waits: bool = False
    """Whether it waits for others for long, so that who stops a run should not."""
    finds_place: bool = False
    """Whether it can look for the bug itself, where no place is shown."""
    reads_tests: bool = False
    """Whether it makes use of a failing test that it is shown."""
    works_on_tree: bool = False
    """Whether it works on a tree, in which test files can be shown to it."""
    any_form: bool = False
    """Whether it yields patches of any form, such as texts, instead of candidates."""
    concurrency: Callable[[Any], int] | None = None
    """How many bugs it can work on at the same time in threads of one process, by its local settings; none: one per worker."""
