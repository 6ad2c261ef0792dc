"""What the runners of Python tests share: the report on file descriptor 3, and the way from their start to their end.

They start inside the sandbox, beside the code under test, which may patch modules as it likes: all that the report needs is bound
before that is imported. A fork server gets ready outside of any tree, and once more in a fork for each. REPAIRLAB_PATH names
folders to import from, REPAIRLAB_TEST_FILES what is ready for a tree, or loaded where there is REPAIRLAB_LOADED; standard input
brings one JSON request: `nonce`, `tests`, `stop`, and `build`, files that have to compile.
"""

from __future__ import annotations

import builtins
import contextlib
import fcntl
import gc
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repairlab.languages.python.runners.python_ready import compile_tree, inspect, load_library, python_files
    from repairlab.languages.python.runners.python_saying import sayings
else:
    from python_ready import compile_tree, inspect, load_library, python_files
    from python_saying import sayings

_FIRST_PRIVATE_DESCRIPTOR = 100
_LONGEST_MESSAGE = 2000
_SILENCE = {"cov": ("--no-cov",), "pytest_cov": ("--no-cov",), "xdist": ("-n0",), "randomly": ("-p", "no:randomly")}
"""Options that keep plugins from measuring, from running tests in other processes, and from shuffling them."""

_codes: dict[tuple[str, bytes], CodeType] = {}
"""What was compiled, by path and content."""
_loaded_before: set[str] = set()
"""Modules that were loaded before there was a tree."""

gc.disable()  # until tests run: what is loaded before stays

# Nothing else of this folder but pytest: it may be imported next, or by the tests. An environment has its own.
sys.path[:] = [*sys.path[1:], *([str(Path(__file__).parent.parent / "packages")] if sys.prefix == sys.base_prefix else [])]


class Channel:
    """The report: JSON lines on a private descriptor that children do not inherit."""

    def __init__(self, nonce: str) -> None:
        self._nonce = nonce
        self._process = os.getpid()
        first = _FIRST_PRIVATE_DESCRIPTOR + int.from_bytes(nonce[:2].encode(), "big") % 500
        self._descriptor = fcntl.fcntl(3, fcntl.F_DUPFD_CLOEXEC, first)
        os.close(3)
        self._encode = json.JSONEncoder().encode
        self._write, self._getpid = os.write, os.getpid
        self._times, self._wall = os.times, time.perf_counter
        self._began = (0.0, 0.0)
        self._held = b""
        self.ended: set[str] = set()

    def _send(self, event: dict[str, Any], *, hold: bool = False) -> None:
        # A test may fork and let the child run on: only the process that was started reports.
        if self._getpid() != self._process:
            return
        self._held += (self._encode({"nonce": self._nonce, **event}) + "\n").encode()
        while self._held and not hold:
            self._held = self._held[self._write(self._descriptor, self._held) :]

    def _now(self) -> tuple[float, float]:
        return sum(self._times()[:4]), self._wall()

    def write(self, text: bytes) -> None:
        """Write what a blind test says; a child that a test left behind says nothing."""
        while text and self._getpid() == self._process:
            text = text[self._write(self._descriptor, text) :]

    def start(self, test: str) -> None:
        """Say that a test begins."""
        self._began = self._now()
        self._send({"event": "start", "test": test})

    def end(self, test: str, status: str, message: str = "") -> None:
        """Say how a test ended."""
        if test in self.ended:
            return
        self.ended.add(test)
        cpu, wall = self._now()
        cpu_s, wall_s = (cpu - self._began[0], wall - self._began[1]) if self._began[1] else (0.0, 0.0)
        message = message.strip()[:_LONGEST_MESSAGE]
        event = {"event": "end", "test": test, "status": status, "message": message, "cpu_s": cpu_s, "wall_s": wall_s}
        # Nothing runs before the next word, so it can wait for that.
        self._send(event, hold=True)

    def built(self, message: str) -> None:
        """Say what a build would say, or nothing when all is well."""
        self._send({"event": "built", "message": message})

    def error(self, message: str) -> None:
        """Say why tests could not be loaded."""
        self._send({"event": "error", "message": message.strip()[:_LONGEST_MESSAGE]})

    def done(self) -> None:
        """Say that the runner came to its proper end."""
        self._send({"event": "done"})

    def flush(self) -> None:
        """Report what was held back."""
        if self._getpid() == self._process:
            self._write(self._descriptor, self._held)


def code_of(function: Any) -> list[Any]:
    """Return what a test function consists of, wrappers included: code under test may put other code in its place."""
    found = []
    while function is not None:
        function = getattr(function, "__func__", function)
        found.append(getattr(function, "__code__", function))
        function = getattr(function, "__wrapped__", None)
    return found


def load(name: str, **given: Any) -> Any:
    """Return a module of this folder, which gets some names and stays out of `sys.modules`."""
    spec = importlib.util.spec_from_file_location(name, str(Path(__file__).parent / f"{name}.py"))
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]  # there is such a file
    vars(module).update(given)
    spec.loader.exec_module(module)  # type: ignore[union-attr]  # as above
    return module


def _folders() -> list[str]:
    """Return the folders of the tree that modules are imported from."""
    named = filter(None, os.environ.get("REPAIRLAB_PATH", "").split(os.pathsep))
    return [str(Path.cwd()), *(str(Path(folder).absolute()) for folder in named)]


def is_own_pytest() -> bool:
    """Return whether the tests of the tree are run by the pytest that it holds."""
    return "REPAIRLAB_OWN_PYTEST" in os.environ


def plugin_options() -> list[str]:
    """Return pytest's options that load the plugins named by the project."""
    names = [name for name in os.environ.get("REPAIRLAB_PLUGINS", "").split(",") if name]
    return [*(part for name in names for part in ("-p", name)), *(part for name in names for part in _SILENCE.get(name, ()))]


def is_server() -> bool:
    """Return whether a launcher wants forks of this process."""
    return os.environ.get("REPAIRLAB_FORK_SERVER", "0") != "0"


def _import_zygote() -> None:
    if "serve_trees" not in vars(sys):
        with contextlib.suppress(ImportError):  # it leaves its functions in `sys`
            import _zygote  # type: ignore[import-not-found]  # noqa: F401, PLC0415


def turn_to_tree() -> None:
    """In a fork server that has read no tree yet, return in a fork for each tree, within it; else at once."""
    if not is_server():
        return
    _import_zygote()
    gc.collect()
    gc.freeze()
    _loaded_before.update(sys.modules)
    folder, *variables = os.fsdecode(vars(sys)["serve_trees"]()).rstrip("\0").split("\0")
    os.chdir(folder)
    for variable in variables:
        name, _, os.environ[name] = variable.partition("=")


def is_loading() -> bool:
    """Return whether forks are to find their test files loaded: nobody is judged then."""
    return is_server() and "REPAIRLAB_LOADED" in os.environ


def prepare_forks() -> list[Path]:
    """Do once what every fork of a server would have to do, and return the test files that forks will load."""
    tests = [Path.cwd() / name for name in os.environ.get("REPAIRLAB_TEST_FILES", "").split(os.pathsep) if name]
    files = python_files()
    load_library(files)
    compile_tree(_codes, [path for path in files if path not in tests])  # pytest compiles tests in another way
    return tests


def _take_server() -> Callable[[], object]:
    """Return what stops here as a fork server and returns in each fork (see the folder zygote), or at once when none is wanted."""
    wanted = is_server()
    _import_zygote()
    os.environ.pop("REPAIRLAB_FORK_SERVER", None)
    for name in ("script_ended", "serve_script", "serve_imports", "keep_modules", "added_modules", "read_kept", "serve_trees"):
        vars(sys).pop(name, None)
    serve_forks: Callable[[], object] = vars(sys).pop("serve_forks", bool)
    return serve_forks if wanted else bool


def _read_request() -> dict[str, Any]:
    request: dict[str, Any] = json.loads(sys.stdin.buffer.read())
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    return request


def has_tree_loaded() -> bool:
    """Return whether a module of the tree was imported."""
    here = f"{Path.cwd()}{os.sep}"
    return any(str(vars(sys.modules[name]).get("__file__")).startswith(here) for name in sys.modules.keys() - _loaded_before)


def _belongings() -> set[str]:
    """Return what a fork does not inherit: other threads, and open files."""
    return {f"{kind}{name}" for kind in ("fd", "task") for name in Path("/proc/self", kind).iterdir()}


def main(framework: str, run: Callable[[Callable[..., tuple[Channel, dict[str, Any]]]], bool]) -> None:
    """Run, and leave without running anything more of the code under test.

    `run` gets what reads the request and hides the channel, to be called once, before anything of the code under test is read: a
    fork server stops there. One that is to load tests first calls it later, and says whether that went well. `run` returns whether
    the framework came to its proper end.
    """
    gc.enable()
    had = _belongings() if is_loading() else set()
    serve_forks = _take_server()
    leave, flush = os._exit, [sys.stdout.flush, sys.stderr.flush]
    for name in (__name__, "python_ready", "python_saying"):
        sys.modules.pop(name, None)  # code under test has no business here
    sys.argv[:] = [framework]
    # As by `python -m`: processes that tests spawn would load the script again, without its neighbours, and die.
    sys.modules["__main__"].__spec__ = importlib.util.spec_from_loader(f"{framework}.__main__", None)
    sys.path[:0] = _folders()
    for name in ("REPAIRLAB_TEST_FILES", "REPAIRLAB_LOADED", "REPAIRLAB_PLUGINS", "REPAIRLAB_OWN_PYTEST"):
        os.environ.pop(name, None)
    if folders := os.environ.pop("REPAIRLAB_PATH", ""):
        os.environ["PYTHONPATH"] = folders

    channels: list[Channel] = []

    def write(text: bytes) -> None:
        channels[0].write(text)

    def begin(*, loaded: bool | None = None) -> tuple[Channel, dict[str, Any]]:
        for stream in flush:
            stream()
        is_ready = not has_tree_loaded() if loaded is None else loaded and _belongings() == had
        if serve_forks is not bool and not is_ready:
            leave(1)  # no fork may start with it; each run is then its own process
        vars(builtins).update(sayings(write))
        gc.collect()
        gc.freeze()  # collections in forks need not look at what was here before them
        serve_forks()
        request = _read_request()
        channels.append(Channel(request.pop("nonce")))
        if paths := request.pop("build", None):
            _inspect(channels[0], paths)
        return channels[0], request

    def _inspect(channel: Channel, paths: list[str]) -> None:
        said = inspect(paths, _codes)
        if said is not None:
            channel.built(said)
        if said:
            leave(1)

    finished = run(begin)
    for channel in channels:
        (channel.done if finished else channel.flush)()
    for stream in flush:
        stream()
    leave(0 if finished else 1)
