"""What only validation may see of a bug: its tests, its limits and the developer's fix."""

from typing import Literal

from repairlab.core.candidate import Edit
from repairlab.core.execution import Limits
from repairlab.core.recipe import Build, Test
from repairlab.core.record import record


@record
class Checker:
    """How a program's output is compared with the expected one."""

    kind: Literal["tokens", "lines", "exact", "float"] = "tokens"
    """`tokens`: white space only separates; `lines`: also the line breaks count; `exact`: byte for byte but for a final newline;
    `float`: tokens, numbers within the tolerance."""
    absolute: float = 1e-6
    relative: float = 1e-6


@record
class Case:
    """One run of a stdin/stdout program."""

    id: str
    input: str
    expected: str
    checker: Checker = Checker()


@record
class Oracle:
    """How a candidate for one bug is judged."""

    reference: tuple[Edit, ...]
    """The developer's fix."""
    build: Build
    test: Test
    limits: Limits
    trigger: tuple[str, ...] = ()
    """Tests that fail on the buggy tree and must pass on a fixed one."""
    regression: tuple[str, ...] = ()
    """Tests that pass on the buggy tree and must go on passing."""
    cases: tuple[Case, ...] = ()
    """Instead of tests, for stdin/stdout programs."""
    excluded: tuple[str, ...] = ()
    """Tests left out by name because they are flaky."""
