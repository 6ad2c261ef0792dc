"""What every language offers: reading source text, and building and testing trees of it; and a language by its name."""

import os
import random
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Protocol, runtime_checkable

from repairlab.core.execution import Command, Execution, Limits
from repairlab.core.outcome import TestResult
from repairlab.core.recipe import Build, Framework, Test
from repairlab.core.record import record
from repairlab.core.text import Span
from repairlab.languages.counter import TestBody
from repairlab.languages.facts import LANGUAGES, Facts, by_extension


@record
class Function:
    """A function, method, constructor or operator found in a source text."""

    name: str
    """Simple name: `withdraw`, `operator+`, `<init>` for Java constructors keeps the class name, `~Stack`."""
    qualified: str
    """Enclosing classes, namespaces and functions joined by dots, then the name: `Bank.Account.withdraw`."""
    span: Span
    """From the first decorator, annotation, template head or attribute to the end of the body."""
    body: Span
    """The body alone, braces included (Python: the indented block)."""
    parameters: tuple[str, ...]
    """Parameter texts, white space normalised, to tell overloads apart."""

    @property
    def signature(self) -> str:
        """Return the qualified name with the parameters: `Bank.Account.withdraw(int amount, String note)`."""
        return f"{self.qualified}({', '.join(self.parameters)})"


@record
class Token:
    """One lexical token; comments and white space are none (Python: NEWLINE, INDENT and DEDENT are tokens)."""

    kind: str
    """`name`, `keyword`, `number`, `string`, `operator`, `directive`, `newline`, `indent`, `dedent`, `error`."""
    text: str
    span: Span


@record
class Tools:
    """Where the tools of this machine are; empty means: find them."""

    cache: str
    """Folder for what repairlab compiles or downloads once."""
    junit: str = ""
    """Folder with JUnit jars."""
    python: str = ""
    """Interpreter that candidates run under."""


@record
class Batch:
    """Tests that one command runs in one process."""

    command: Command
    tests: tuple[str, ...]
    nonce: str
    """Marks report lines as the runner's own."""


@record
class Report:
    """A batch's report: finished tests, and the one that had begun when the process ended."""

    results: tuple[TestResult, ...]
    unfinished: str | None = None
    error: str = ""
    """Why the suite could not run at all (import error in a test file, missing class); shown, never counted as a pass."""
    built: str | None = None
    """What a build would have said that was left to this process (`Inspecting`): empty when all is well; None: it cannot tell."""


class Syntax(Protocol):
    """Reading source text; tolerates syntax errors and never raises."""

    def functions(self, source: str) -> list[Function]:
        """Return all functions in order of their start, outer before inner."""
        ...

    def strip_comments(self, source: str) -> str:
        """Return the text without comments (and docstrings left alone); strings, text blocks, raw strings, shebang untouched."""
        ...

    def tokens(self, source: str) -> list[Token]:
        """Return the token stream."""
        ...

    def normal_form(self, source: str) -> str:
        """Return a text equal for two sources that differ only in comments and white space."""
        ...

    def has_errors(self, source: str) -> bool:
        """Return whether the parser found a syntax error."""
        ...

    def sees_text(self, source: str, *, of_others: bool = False) -> bool:
        """Return whether a program with this text may look at how source text is laid out; in doubt it may.

        `of_others`: whether at that of files which do not include it.
        """
        ...


class Toolchain(Protocol):
    """Turns recipes into commands and reads their reports; runs nothing itself."""

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that build a tree whose files are `files` (relative paths); each must succeed."""
        ...

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the stdin/stdout program."""
        ...

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return the commands that run `tests` in this order; with `stop`, each may end at its first failure."""
        ...

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read a batch's report."""
        ...

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether a crash was the language's own out-of-memory error (MemoryError, OutOfMemoryError, bad_alloc)."""
        ...

    def versions(self) -> dict[str, str]:
        """Return the tools used and their versions, for the environment digest; raises HarnessError naming a missing one."""
        ...


@record
class Listing:
    """The tests of some places: classes, files or modules."""

    tests: tuple[str, ...]
    error: str = ""
    """Why the tests of a place could not be listed: the first such reason."""


@runtime_checkable
class Lister(Protocol):
    """A tool chain that can list tests."""

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names the tests of classes (Java), files (pytest) or modules (unittest) in a built tree."""
        ...

    def listed(self, batch: Batch, execution: Execution) -> Listing:
        """Read that command's output."""
        ...


@runtime_checkable
class EnvironmentProvider(Protocol):
    """A tool chain that can install what a tree is tested with."""

    def provide(self, build: Build, lock: Path) -> None:
        """Install the environment of a recipe on this machine, from its lock, unless it exists; runs outside a sandbox."""
        ...


@record
class Answer:
    """A resident process's answer to one request."""

    execution: Execution
    odd: str = ""
    """Why this says nothing about the candidate, which then needs its own process."""


@record
class Together:
    """How to run a program on many inputs in one process."""

    nonce: str
    """Marks that process's output."""
    limits: Limits
    """Of one run."""
    patience_s: float
    """No further run is begun after this time."""


class WarmTools(Protocol):
    """A process that compiles one candidate of a bug after another, and one that runs all cases of a single candidate.

    The compiling process never runs a candidate's code, so its word is final.
    """

    compiler: Command
    """Starts the process that compiles; bugs with the same command can share one."""
    compiled: Toolchain
    """The tool chain for trees that hold the compiler's output: its build is the request, everything else runs in new processes."""

    def opening(self, tree: str, known: bytes = b"") -> Command:
        """Return the compiler's first request: compile the buggy tree, which lies in a folder of the compiler's, if that helps.

        `known` is the report of an earlier opening of the same tree.
        """
        ...

    def kept(self, tree: Path) -> Path | None:
        """Return where the report of opening such a tree is stored, for later openings; None: not worth it."""
        ...

    def compiling(self, tree: str, changed: Mapping[str, str | None]) -> Command | None:
        """Return the request to compile an opened tree with new texts of files; None if it cannot serve that."""
        ...

    def closing(self, tree: str) -> Command:
        """Return the compiler's last request for a tree."""
        ...

    def products(self, compiled: Execution, base: Mapping[str, bytes]) -> dict[str, bytes]:
        """Return the files from a compilation; `base` are those of the buggy tree, to which the answer may refer."""
        ...

    def together(
        self, compiled: Execution, base: Mapping[str, bytes], inputs: Sequence[bytes], request: Together
    ) -> Command | None:
        """Return the command that runs a compiled program on many inputs in one process; None if each needs its own."""
        ...

    def answers(self, together: Execution, nonce: str) -> list[Execution]:
        """Return the results of the inputs, in order, as far as separate processes would certainly say the same."""
        ...

    def request(self, command: Command, nonce: str) -> bytes:
        """Return the bytes of a request."""
        ...

    def answer(self, command: Command, nonce: str, reply: bytes) -> Answer:
        """Read a reply; raises ValueError if it is malformed."""
        ...


@runtime_checkable
class Warmable(Protocol):
    """A tool chain that can also use resident processes."""

    def warm(self, build: Build, test: Test, files: Sequence[str]) -> WarmTools:
        """Return how, for a buggy tree with these `files`."""
        ...


@runtime_checkable
class SlowToWarm(Protocol):
    """A warm tool chain whose first preparation takes long, and that can tell earlier whether it will work."""

    def check_resident(self) -> None:
        """Raise HarnessError if resident processes are impossible on this machine."""
        ...


class SharedBuild(Protocol):
    """How one tree, built once, serves many candidates of a bug."""

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that make, in a copy of the buggy tree, what candidates share; some fail if it does not build."""
        ...

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain | None:
        """Return what builds the tree again with new texts of some files; none where a build from nothing might differ.

        `prepared` says whether all commands of `prepare` succeeded.
        """
        ...


@runtime_checkable
class Shareable(Protocol):
    """A tool chain that rebuilds only what a candidate changed."""

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> SharedBuild:
        """Return how, for the buggy tree, the file that most candidates change and the tests that they have to pass.

        Whatever is built in a `twin` was built before, beside other test files.
        """
        ...


@runtime_checkable
class Racing(Protocol):
    """A tool chain with a race detector."""

    def racing(self, tree: Path, changed: Mapping[str, str | None]) -> Toolchain | None:
        """Return what builds programs that fail on data races; None if there are no threads, or no detector."""
        ...


@runtime_checkable
class Continuing(Protocol):
    """A tool chain whose build of one tree can continue from another's."""

    def outdated(self, build: Build, *, tree: Path, changed: Collection[str], others: Collection[str]) -> tuple[str, ...] | None:
        """Return patterns of what must go from a built tree before files change in it and others come or go; none: all of it."""
        ...


@runtime_checkable
class Inspecting(Protocol):
    """A tool chain whose build makes nothing: the first test process can also check the files, before it loads any of them."""

    def inspects(self, test: Test) -> bool:
        """Return whether it does so, or the first run of a program; what these cannot tell is left to the build."""
        ...

    def has_begun(self, execution: Execution) -> bool:
        """Return whether a program was certainly compiled before its run ended."""
        ...


@runtime_checkable
class Loading(Protocol):
    """A tool chain whose test processes can find their test files loaded; not for judging, since that runs code of the tree."""

    def loading(self) -> Toolchain:
        """Return one that forks them from a process that has loaded the files and run nothing, where that is equivalent."""
        ...


@runtime_checkable
class Calling(Protocol):
    """A tool chain that can call a function of a tree by itself, outside any test."""

    def stands_alone(self, function: Function, path: str, source: str) -> bool:
        """Return whether a function of a file can be called without an object."""
        ...

    def calls(self, build: Build, function: Function, path: str, source: str, arguments: Sequence[tuple[object, ...]]) -> Command:
        """Return the command that calls a function of a built tree; it prints a JSON list per call: returned or raised, what."""
        ...

    def example_calls(self, function: Function, texts: Sequence[str]) -> list[tuple[object, ...]]:
        """Return the literal arguments of calls in these texts, and values for the types it states."""
        ...


class Language(Protocol):
    """One programming language."""

    facts: Facts
    syntax: Syntax

    @property
    def toolchain(self) -> Toolchain:
        """Return the tool chain; made on first use, so that reading source needs no tools."""
        ...

    def test_bodies(self, source: str, framework: Framework, draw: random.Random) -> list[TestBody]:
        """Return the functions of a test file and what can be changed in them so that an honest candidate fails."""
        ...


def language(name: str, tools: Tools | None = None) -> Language:
    """Return a language by name; its tools are looked for only when its tool chain is used."""
    return _made(name, tools or Tools(cache=str(default_cache())))


@cache
def _made(name: str, tools: Tools) -> Language:
    made: Language = LANGUAGES[name](tools)
    return made


def language_of_path(path: str) -> str | None:
    """Return the name of the language of a file, by its extension; none when it is no source file.

    >>> language_of_path("src/bank/Account.java")
    'java'
    """
    return by_extension().get(PurePosixPath(path).suffix)


def default_cache() -> Path:
    """Return the folder for what repairlab keeps between runs: $REPAIRLAB_CACHE, or the user's usual cache folder.

    Root's home is closed to the users that candidates run as, and so is a cache in it: root's is the machine's.
    """
    own = os.environ.get("REPAIRLAB_CACHE")
    if own:
        return Path(own)
    if os.geteuid() == 0 and not os.environ.get("XDG_CACHE_HOME"):
        return Path("/var/cache/repairlab")
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "repairlab"
