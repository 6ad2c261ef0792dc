"""Trees of languages that are only checked, not compiled: each file by itself. Their tool chains share such trees through it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from repairlab.core.execution import Command
from repairlab.core.recipe import Build, Test
from repairlab.languages.language import Toolchain


class Checking(Toolchain, Protocol):
    """A tool chain that checks files."""

    def knowing(self, files: Collection[str]) -> Toolchain:
        """Return a tool chain that need not look at these files."""
        ...


class CheckedTree:
    """A tree of which every file was checked once: whether it is sound does not depend on the others."""

    def __init__(self, toolchain: Checking, build: Build) -> None:
        """Take the tool chain that checks."""
        self._toolchain, self._build = toolchain, build
        self._files: frozenset[str] = frozenset()

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the command that checks every source file."""
        self._files = frozenset(files)
        return self._toolchain.build(self._build, test, files)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain:
        """Return what checks just the changed files, if all others are sound."""
        return self._toolchain.knowing(self._files - changed.keys() if prepared else ())
