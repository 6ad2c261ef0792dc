"""Blind test files: the tests of a file without what they expect, so that the code under test can read no answer from them.

A blind test writes down what its assertions look at. Once the process has ended, repairlab compares these values with what the test
expected, or with what the reference fix says in the same place.
"""

import dataclasses
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol, runtime_checkable
from urllib.parse import unquote

from repairlab.core.recipe import Framework
from repairlab.core.record import record

How = Literal[
    "equal", "near", "different", "same", "raised", "less", "at most", "more", "at least", "contains", "lacks", "in", "not in",
    "matches", "same items",
]  # fmt: skip
"""How a value must relate to the expected one. `same`: equal to that of the reference fix, type included. `raised`: the value is
the list of the classes of an exception, or null; expected is the name of one of these, or a list of such names. `matches`: a
pattern of Python is found in the text."""


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
    of_two: bool = False
    """Whether a list of two values is said, which must relate so to each other; nothing is expected then."""
    always: bool = True
    """Whether each run of its test that passes comes by here; not so within `if`, `except` or after an early return."""


class BlindChecks:
    """The checks of a file, numbered as they are made."""

    def __init__(self, first: int) -> None:
        """Take the number of the first."""
        self.first, self.made = first, list[BlindCheck]()

    def add(
        self,
        line: int,
        text: str,
        how: How = "equal",
        expected: str = "",
        tolerance: str = "",
        *,
        of_two: bool = False,
        always: bool = True,
    ) -> int:
        """Note a check and return its number."""
        number, text = self.first + len(self.made), " ".join(text.split())
        self.made.append(
            BlindCheck(
                number=number, line=line, text=text, how=how, expected=expected, tolerance=tolerance, of_two=of_two, always=always
            )
        )
        return number


@record
class BlindFile:
    """A test file without what it expects."""

    text: str
    checks: tuple[BlindCheck, ...] = ()
    open: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Test functions that still hold what they expect, each with the reason in a few words."""
    shared: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What holds expectations of tests in other files, which name it; each with the reason in a few words."""
    gone: Collection[str] = ()
    """The names that stood in what was taken out."""
    names: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Names of tests that held an expectation: the ends of their ids as they were, and as they are here."""


@runtime_checkable
class Blinding(Protocol):
    """What makes blind test files of a language; offered by those that can."""

    def blind(self, source: str, framework: Framework, nonce: str, first: int) -> BlindFile:
        """Return a test file without its expectations; its checks are numbered from `first`.

        What a test says it writes as `NONCE:number:frozen;` with the frozen value percent-encoded; where a test has ended it writes
        `NONCE:end:name;`. A test that cannot be blind is `open`: it stays as it is or, better, is left out; it is not run.
        """
        ...

    def said(self, nonce: str, output: str) -> Sequence[tuple[str, str]]:
        """Return what tests said in their order: the number of a check, or `end`, and the frozen value or the test's name."""
        ...


@runtime_checkable
class OpaqueBlinding(Protocol):
    """Can make a blind file again when some assertions turn out to look at values that cannot be taken apart."""

    def blind_opaque(self, source: str, framework: Framework, nonce: str, first: int, opaque: Collection[str]) -> BlindFile:
        """Return a blind test file; assertions with these texts say no more than whether they hold."""
        ...


def said_in(nonce: str, output: str) -> list[tuple[str, str]]:
    """Return what tests said in an output, in order.

    >>> said_in("n", "n:1:%5B%22i%22%2C%2212%22%5D;n:end:test_a;")
    [('1', '["i","12"]'), ('end', 'test_a')]
    """
    return [(number, unquote(value)) for number, value in re.findall(rf"{re.escape(nonce)}:(\d+|end):([^;\s]*);", output)]
