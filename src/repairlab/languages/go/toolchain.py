"""Building Go trees, running their tests and programs, and reading what tests print with -test.v; nothing is fetched.

The build cache lies in the tree, beside what is built: it names results by their inputs, and tests cannot write to it. Code under
test can print lines of results, too. A failure counts wherever it is said; whether a pass can be believed, counter-tests tell.
"""

import functools
import json
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution
from repairlab.core.outcome import TestResult, TestVerdict
from repairlab.core.recipe import Build, Test, matching
from repairlab.core.record import digest
from repairlab.languages import host, reports
from repairlab.languages.language import Batch, Listing, Report, Toolchain, Tools

_OUT = "build"
_CACHE = f"{_OUT}/cache"
_PROGRAM = f"./{_OUT}/program"
_TESTS = "_test.go"
_OLDEST = (1, 18)
_ENV = (
    ("CGO_ENABLED", "0"),
    ("GO111MODULE", "on"),
    ("GONOSUMDB", "*"),
    ("GOPROXY", "off"),
    ("GOSUMDB", "off"),
    ("GOTELEMETRY", "off"),
    ("GOTOOLCHAIN", "local"),
    ("GOWORK", "off"),
)
_FLAGS = "-buildvcs=false -p=2"
_RACE = ("CGO_ENABLED", "1")
"""What the race detector needs besides its flag."""
_GOROUTINE = re.compile(r"\bgo\s+[\w.]+\s*[({]")
# A main function of the tests may exit in its own way, so its exit code says nothing.
_LIST = """
here=$PWD
while [ "$#" -gt 0 ]; do
    cd "$here/$1" && "$here/$2" -test.list '^Test' | sed "s|^|$1::|" >&3 || exit
    shift 2
done
"""
# What small programs and their tests import; if Go comes without compiled packages, these are compiled once for all bugs.
_PACKAGES = """bufio bytes container/heap container/list context encoding/json errors fmt io math math/big math/bits math/rand os
reflect regexp sort strconv strings sync testing time unicode unicode/utf8"""


class GoToolchain:
    """The Toolchain of Go."""

    def __init__(self, tools: Tools, *, detects_races: bool = False) -> None:
        self._tools, self._detects_races = tools, detects_races

    def shared(self, build: Build, *, tree: Path, changing: str, tests: Sequence[str] = (), twin: bool = False) -> "_SharedTree":
        """Return how one tree serves many candidates of a bug: Go rebuilds what has changed, and knows what that is."""
        del tree, changing, tests, twin
        return _SharedTree(self, build)

    def racing(self, tree: Path, changed: Mapping[str, str | None]) -> "GoToolchain | None":
        """Return what builds programs that fail on data races; None if there are no goroutines, or no detector."""
        texts = (path.read_text(encoding="utf-8", errors="replace") for path in tree.rglob("*.go") if path.is_file())
        if not any(_GOROUTINE.search(text or "") for text in (*changed.values(), *texts)):
            return None
        found = GoToolchain(self._tools, detects_races=True)
        try:
            return found if found._compiled else None
        except HarnessError:
            return None

    def build(self, build: Build, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands that build the program, or the test program of each package that has tests."""
        if build.tool != "go":
            raise UserError(f"Go cannot be built with build.tool = {build.tool!r}. Possible: go")
        own = [path for path in files if path.endswith(".go") and not path.startswith((f"{_OUT}/", "vendor/"))]
        if test.framework == "stdio":
            place = self._packages(build, test, files, own)
            return (self._builder(build, files, ["go", "build", *build.flags, "-o", _PROGRAM, *place]),)
        wanted = set(matching(own, test.files))
        folders = sorted({_folder(path) for path in wanted if path.endswith(_TESTS)})
        # Only the bug's tests count, not others, least of all a candidate's.
        foreign = [path for path in own if path.endswith(_TESTS) and path not in wanted]
        overlay = json.dumps({"Replace": dict.fromkeys(foreign, "")}).encode() if foreign else b""
        flags = [*build.flags, *(["-overlay=/dev/stdin"] if foreign else [])]
        return tuple(
            self._builder(
                build, files, ["go", "test", "-c", "-vet=off", *flags, "-o", f"./{_binary(folder)}", f"./{folder}"], overlay
            )
            for folder in folders
        )

    def program(self, build: Build, test: Test) -> Command:
        """Return the command that runs the program."""
        del build
        return Command(argv=(_PROGRAM,), env=test.env, address_space=False)

    def batches(self, build: Build, test: Test, tests: Sequence[str], *, stop: bool) -> tuple[Batch, ...]:
        """Return one batch per package; a test is called `folder::TestName/subtest`, the tree's own folder is `.`."""
        del stop
        del build
        by_folder: dict[str, list[str]] = {}
        for name in dict.fromkeys(tests):
            folder, mark, _ = name.partition("::")
            if not mark:
                raise UserError(f"test {name!r} names no folder; write FOLDER::TestName, or .::TestName in the tree's own")
            by_folder.setdefault(folder, []).append(name)
        return tuple(_batch(test, folder, tuple(names)) for folder, names in by_folder.items())

    def listing(self, build: Build, test: Test, places: Sequence[str]) -> Batch:
        """Return the command that names the tests of folders."""
        del build
        pairs = [part for folder in places for part in (folder, _binary(folder))]
        command = Command(argv=("/bin/sh", "-c", _LIST, "sh", *pairs), env=test.env, private=True, address_space=False)
        return Batch(command=command, tests=tuple(places), nonce="")

    def listed(self, batch: Batch, execution: Execution) -> Listing:
        """Read what that command found."""
        del batch
        names = tuple(line for line in execution.report.decode("utf-8", "replace").splitlines() if "::Test" in line)
        said = reports.shorten(execution.stderr.decode("utf-8", "replace"))[-300:]
        return Listing(tests=names, error="" if execution.succeeded else f"the tests could not be listed to the end: {said}")

    def report(self, test: Test, batch: Batch, execution: Execution) -> Report:
        """Read what the test program said."""
        del test
        return read_report(batch, execution)

    def out_of_memory(self, execution: Execution) -> bool:
        """Return whether the runtime ran out of memory."""
        said = execution.stderr
        return not execution.succeeded and (b"fatal error: runtime: out of memory" in said or b"cannot allocate memory" in said)

    def versions(self) -> dict[str, str]:
        """Return the version of Go."""
        found = host.version(host.require("go", "golang-go"), "version")
        number = re.search(r"go(\d+)\.(\d+)", found)
        if number and (int(number[1]), int(number[2])) < _OLDEST:
            raise HarnessError(f"{found} is too old; repairlab needs Go {'.'.join(map(str, _OLDEST))} or newer")
        return {"go": found}

    def _packages(self, build: Build, test: Test, files: Sequence[str], own: Sequence[str]) -> list[str]:
        """Return what the program is: the package of a folder or, without a module, its files."""
        folder = test.program or "."
        if "go.mod" in files:
            return [f"./{folder}"]
        sources = matching(own, build.sources) if build.sources else [path for path in own if _folder(path) == folder]
        found = [f"./{path}" for path in sources if not path.endswith(_TESTS)]
        if not found:
            raise UserError(f"there is no Go file in {folder!r}, nor one that matches build.sources = {list(build.sources)}")
        return found

    def _builder(self, build: Build, files: Sequence[str], argv: Sequence[str], stdin: bytes = b"") -> Command:
        host.require("go", "golang-go")
        compiled = self._compiled
        start = f"[ -d {_CACHE} ] || cp -r {shlex.quote(str(compiled))} {_CACHE}; " if compiled else ""
        mode = "-mod=vendor" if "vendor/modules.txt" in files else "-mod=mod"
        flags = f"{_FLAGS} -race" if self._detects_races else _FLAGS
        script = f'mkdir -p {_OUT}; {start}export GOCACHE="$PWD/{_CACHE}" GOPATH="$HOME/go"; exec {shlex.join(argv)}'
        return Command(
            argv=("/bin/sh", "-c", script),
            stdin=stdin,
            env=(
                *_ENV,
                *([_RACE] if self._detects_races else []),
                ("GOFLAGS", f"{flags} {mode}" if "go.mod" in files else flags),
            ),
            mounts=host.mounts(compiled) if compiled else (),
            writable=True,
            address_space=False,
            limits=build.limits,
        )

    @functools.cached_property
    def _compiled(self) -> Path | None:
        """A build cache with the usual packages of the standard library; None if Go comes with them compiled."""
        root, race = Path(_go("env", "GOROOT")), self._detects_races
        if any(root.glob(f"pkg/*{'_race' if race else ''}/fmt.a")):
            return None
        home = Path(self._tools.cache).absolute() / f"go-{'race-' if race else ''}{digest(self.versions())}"
        with host.made_once(home) as scratch:
            if scratch is not None:
                _go("build", "-buildvcs=false", *(["-race"] if race else []), *_PACKAGES.split(), cache=scratch)
        return home


class _SharedTree:
    """A tree with the build cache of the buggy program; what a candidate changes is compiled, all else is found there."""

    def __init__(self, toolchain: GoToolchain, build: Build) -> None:
        self._toolchain, self._build = toolchain, build

    def prepare(self, test: Test, files: Sequence[str]) -> tuple[Command, ...]:
        """Return the commands of the build."""
        return self._toolchain.build(self._build, test, files)

    def toolchain(self, changed: Mapping[str, str | None], *, prepared: bool = True) -> Toolchain:
        """Return what rebuilds the tree: results in the cache are named by everything they were made of."""
        del changed, prepared
        return self._toolchain


def _folder(path: str) -> str:
    return PurePosixPath(path).parent.as_posix()


def _binary(folder: str) -> str:
    """Return the path of a package's test program; no package folder begins with a dot."""
    return f"{_OUT}/tests/{'.root' if folder == '.' else folder.replace('/', '.')}.test"


def _batch(test: Test, folder: str, tests: tuple[str, ...]) -> Batch:
    """Return the command that runs tests of a package, in its folder as `go test` does; what it prints is the report.

    Go runs tests in the order of their source, so stopping at the first that fails could hide the failure of a trigger test.
    """
    names = dict.fromkeys(name.partition("::")[2].partition("/")[0] for name in tests)
    wanted = "^(?:" + "|".join(re.escape(name) for name in names) + ")$"
    binary = f"{os.path.relpath('.', folder)}/{_binary(folder)}"
    argv = (binary, "-test.v", f"-test.run={wanted}")
    command = Command(
        argv=("/bin/sh", "-c", 'exec "$0" "$@" >&3', *argv), cwd=folder, env=test.env, private=True, address_space=False
    )
    return Batch(command=command, tests=tests, nonce="")


def _go(*arguments: str, cache: Path | None = None) -> str:
    """Return the answer of this machine's go command; nothing of a candidate is involved."""
    host.require("go", "golang-go")
    env = {**os.environ, **dict((*_ENV, *([_RACE] if "-race" in arguments else []))), **({"GOCACHE": str(cache)} if cache else {})}
    done = subprocess.run(["go", *arguments], capture_output=True, text=True, check=False, env=env)
    if done.returncode != 0:
        raise HarnessError(f"go {arguments[0]} does not work: {done.stderr.strip()[:300]}")
    return done.stdout.strip()


# A test's output may precede it on its line, but no test name contains a blank.
_RESULT = re.compile(r"--- (?P<word>PASS|FAIL|SKIP): (?P<name>\S+) \((?P<seconds>\d+\.\d+)s\)$", re.MULTILINE)
_STEP = re.compile(r"^=== (?:RUN|CONT|NAME) +(?P<name>\S+)$")
_SAID = re.compile(r"^\s+(?P<text>\S+\.go:\d+: .*)$")
_ENDS = {0: "PASS", 1: "FAIL"}
"""A test program's last words, by its exit code."""
_PANIC = re.compile(rb"^(?:panic|fatal error|runtime): .+", re.MULTILINE)


def read_report(batch: Batch, execution: Execution) -> Report:
    """Return how the tests ended; if the program did not end properly, the one at fault is unfinished."""
    text = execution.report.decode("utf-8", "replace").replace("\r\n", "\n")
    started, messages = _steps(text)
    ends: dict[str, tuple[str, float]] = {}
    for match in _RESULT.finditer(text):
        if ends.get(match["name"], ("", 0.0))[0] != "FAIL":
            ends[match["name"]] = match["word"], float(match["seconds"])
    names = {test: test.partition("::")[2] for test in batch.tests}
    results = {test: _result(test, *ends[name], message=messages.get(name, "")) for test, name in names.items() if name in ends}
    if _is_whole(text, execution):
        return Report(results=tuple(results.values()))
    unfinished = _at_fault(names, started, ends)
    panic = _PANIC.search(execution.stderr)
    kept = tuple(result for test, result in results.items() if test != unfinished)
    return Report(results=kept, unfinished=unfinished, error=reports.shorten(panic[0].decode("utf-8", "replace")) if panic else "")


def _is_whole(text: str, execution: Execution) -> bool:
    said = text.rstrip().rpartition("\n")[2]
    return execution.ending is Ending.EXITED and said == _ENDS.get(-1 if execution.exit_code is None else execution.exit_code)


def _at_fault(names: dict[str, str], started: list[str], ends: dict[str, tuple[str, float]]) -> str:
    """Return the test in which the program ended: the last one that began and did not pass; else the first missing one."""
    open_tests = [test for test, name in names.items() if name in started and ends.get(name, ("FAIL", 0))[0] == "FAIL"]
    in_order = sorted(open_tests, key=lambda test: started.index(names[test]))
    missing = [test for test, name in names.items() if name not in ends]
    return (in_order[-1:] or missing[:1] or list(names)[-1:])[0]


def _steps(text: str) -> tuple[list[str], dict[str, str]]:
    """Return the tests that began, in order, and the first output of each."""
    started: list[str] = []
    messages: dict[str, str] = {}
    for line in text.splitlines():
        if step := _STEP.match(line):
            started.append(step["name"])
        elif started and (said := _SAID.match(line)):
            name = started[-1]
            while name:  # a test fails with its subtests
                messages.setdefault(name, said["text"])
                name = name.rpartition("/")[0]
    return started, messages


def _result(test: str, word: str, seconds: float, *, message: str) -> TestResult:
    verdict = TestVerdict.PASSED if word == "PASS" else TestVerdict.WRONG
    shown = {"PASS": "", "FAIL": message or "the test failed", "SKIP": f"the test was skipped: {message}".rstrip(": ")}[word]
    return TestResult(id=test, verdict=verdict, wall_s=seconds, message=reports.shorten(shown))
