"""Run a program on an input in the sandbox and return its output, as SandboxFusion does."""

import base64
import binascii
import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from repairlab.building.importers.small_programs import program_place
from repairlab.core.errors import UserError
from repairlab.core.execution import BuildLimits, Command, Ending, Execution, Limits
from repairlab.core.recipe import Test
from repairlab.core.record import record
from repairlab.languages.facts import Facts, every, facts
from repairlab.languages.language import language
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.paths import check_path
from repairlab.validation.worktree import temporary_folder

_SLACK_S = 5.0
"""Wall time beyond the time-out, which counts CPU time here."""
_LARGEST_FETCHED = 16 * 1024 * 1024
_LIMITS = (Ending.CPU_LIMIT, Ending.WALL_LIMIT)


@record
class CodeRun:
    """A program to run."""

    language: str
    code: str
    stdin: str
    compile_timeout_s: float
    run_timeout_s: float
    memory_mb: int
    files: tuple[tuple[str, bytes], ...] = ()
    fetch: tuple[str, ...] = ()


def language_of(name: str) -> str | None:
    """Return our name of a language from the client's name for it, or from a fence."""
    wanted = name.lower()
    return next((stated.name for stated in every() if wanted in (stated.name, *stated.fences)), None)


def decoded(files: dict[str, str | None]) -> tuple[tuple[str, bytes], ...]:
    """Return the files of a request, whose contents are in base64."""
    found = []
    for path, content in files.items():
        check_path(path)
        try:
            found.append((path, base64.b64decode(content or "", validate=True)))
        except (binascii.Error, ValueError):
            raise UserError(f"the content of file {path[:200]!r} is not in base64") from None
    return tuple(found)


@contextmanager
def open_code_runner(sandbox: Sandbox, emit: Callable[[dict[str, Any]], None]) -> Iterator[Callable[[CodeRun], None]]:
    """Give a function that runs one program after another."""
    yield lambda item: emit(run_code(item, sandbox))


def run_code(item: CodeRun, sandbox: Sandbox) -> dict[str, Any]:
    """Build and run a program in its own folder, and return SandboxFusion's answer."""
    stated = facts(item.language)
    path, start = program_place(item.language, item.code)
    test = Test(framework="stdio", program=start)
    with temporary_folder() as folder:
        tree = folder / "work"
        tree.mkdir()
        for name, content in (*item.files, (path, item.code.encode("utf-8", "surrogatepass"))):
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            (tree / name).write_bytes(content)
        compiled = _build(item, stated, test, sandbox, tree)
        if compiled is not None and not _is_good(compiled):
            return _answer("Failed", compiled, None, {})
        command = language(item.language).toolchain.program(stated.build, test)
        limits = Limits(cpu_s=item.run_timeout_s, wall_s=item.run_timeout_s + _SLACK_S, memory_mb=item.memory_mb)
        done = _told(sandbox.run(_with_input(command, item).under(limits), tree), item.run_timeout_s)
        return _answer("Success" if _is_good(done) else "Failed", compiled, done, _fetched(item.fetch, tree))


def _with_input(command: Command, item: CodeRun) -> Command:
    return dataclasses.replace(
        command, stdin=item.stdin.encode("utf-8", "surrogatepass"), writable=bool(item.fetch), private=not item.fetch
    )


def _build(item: CodeRun, stated: Facts, test: Test, sandbox: Sandbox, tree: Path) -> dict[str, Any] | None:
    """Return the result of the build; None for languages without one."""
    if stated.build.tool == "none":
        return None
    limits = BuildLimits(cpu_s=item.compile_timeout_s, wall_s=item.compile_timeout_s + _SLACK_S)
    names = sorted(path.relative_to(tree).as_posix() for path in tree.rglob("*") if path.is_file())
    told: dict[str, Any] | None = None
    for command in language(item.language).toolchain.build(stated.build, test, names):
        told = _told(sandbox.run(command.under(limits), tree), item.compile_timeout_s)
        if not _is_good(told):
            break
    return told


def _is_good(told: dict[str, Any]) -> bool:
    return (told["status"], told["return_code"]) == ("Finished", 0)


def _told(done: Execution, timeout_s: float) -> dict[str, Any]:
    status = "TimeLimitExceeded" if done.ending in _LIMITS else "Finished"
    code = done.exit_code if done.exit_code is not None else -(done.signal or 9)
    said = "" if done.ending in (Ending.EXITED, Ending.SIGNALLED, *_LIMITS) else f"\nended by the {done.ending}"
    return {
        "status": status,
        "execution_time": round(timeout_s if status == "TimeLimitExceeded" else done.wall_s, 6),
        "return_code": None if status == "TimeLimitExceeded" else code,
        "stdout": done.stdout.decode("utf-8", "replace"),
        "stderr": done.stderr.decode("utf-8", "replace") + said,
    }


def _answer(status: str, compiled: Any, run: Any, files: dict[str, str]) -> dict[str, Any]:
    return {
        "status": status,
        "message": "",
        "compile_result": compiled,
        "run_result": run,
        "executor_pod_name": None,
        "files": files,
    }


def _fetched(names: tuple[str, ...], tree: Path) -> dict[str, str]:
    """Return the files that the program left, in base64; links, which may lead anywhere, are excluded."""
    found, left = {}, _LARGEST_FETCHED
    for name in names:
        file = tree / name
        inside = [part for part in (file, *file.parents) if part != tree and part.is_relative_to(tree)]
        if any(part.is_symlink() for part in inside) or not file.is_file() or file.stat().st_size > left:
            continue
        content = file.read_bytes()
        left -= len(content)
        found[name] = base64.b64encode(content).decode("ascii")
    return found
