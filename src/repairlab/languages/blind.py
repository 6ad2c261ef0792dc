"""Blind test files: the tests of a file without what they expect, so that code under test can read no answer from them.

A blind test says what its assertions look at, and nothing else; whoever wrote it compares that elsewhere, when the process has
ended. What the test expected is known there, or is what the reference fix says in the same place.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable

from repairlab.core.recipe import Framework
from repairlab.core.record import record

How = Literal["equal", "near", "different", "same", "raised", "less", "at most", "more", "at least"]
"""How what is said must relate to what is expected. `same`: it must be what the reference fix says, type included."""


@record
class BlindCheck:
    """One assertion of a test file, and what must be true of what it looks at."""

    number: int
    """By which what is said refers to it; unique among the files of a bug."""
    line: int
    text: str
    """The assertion as it stands in the test, for messages."""
    how: How = "equal"
    expected: str = ""
    """A frozen value, or nothing: what the reference fix says there."""
    tolerance: str = ""
    """Of `near`: how far off a number may be, `0.01` or, relative to what is expected, `1e-6r`."""
    always: bool = True
    """Whether each run of its test that passes comes by here; not so within `if`, `except` or after an early return."""


@record
class BlindFile:
    """A test file without what it expects."""

    text: str
    checks: tuple[BlindCheck, ...] = ()
    open: Mapping[str, str] = {}
    """Test functions that still hold what they expect, each with the reason in a few words."""


@runtime_checkable
class Blinding(Protocol):
    """What makes blind test files of a language; offered by those that can."""

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations; its checks are numbered from `first`.

        What a test says it writes as `NONCE:number:frozen;` with the frozen value percent-encoded; where a test has ended it writes
        `NONCE:end:name;`. Everything that cannot be withheld stays as it is, and its test is `open`.
        """
        ...

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order: the number of a check, or `end`, and the frozen value or the test's name."""
        ...
