"""What every sandbox promises: nothing breaks out of it, its limits hold, and it tells what it saw."""

from collections.abc import Iterator

from repairlab.cli.contracts.check import Check, SelfTestContext, attempt
from repairlab.core.execution import Command, Ending
from repairlab.sandbox.breakout import try_to_break_out
from repairlab.sandbox.cgroups import find_control_groups
from repairlab.sandbox.doctor import TRIALS, SandboxCheck
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import SANDBOXES


def checks(name: str, context: SelfTestContext) -> Iterator[Check]:
    """Try a sandbox."""
    opened: list[Sandbox] = []

    def opens() -> None:
        opened.append(SANDBOXES[name](context.machine.cache, groups=find_control_groups()))

    yield attempt("it opens here", opens)
    for sandbox in opened:
        yield attempt("nothing breaks out of it", lambda: _holds(sandbox, context))  # noqa: B023  # called at once
        yield attempt("exit codes, output and signals come back", lambda: _tells(sandbox, context))  # noqa: B023
        for limit in TRIALS:
            yield attempt(limit.name, lambda: _limits(limit, sandbox, context))  # noqa: B023


def _holds(sandbox: Sandbox, context: SelfTestContext) -> str:
    tried = try_to_break_out(sandbox, context.machine.cache)
    return "; ".join(f"{item.name}: {item.broken}" for item in tried if item.broken)


def _tells(sandbox: Sandbox, context: SelfTestContext) -> str:
    script = "cat; printf e >&2; printf report >&3; exit 7"
    seen = sandbox.run(Command(argv=("sh", "-c", script), stdin=b"o\0\n"), context.folder)
    if (seen.ending, seen.exit_code, seen.stdout, seen.stderr, seen.report) != (Ending.EXITED, 7, b"o\0\n", b"e", b"report"):
        return f"{script!r} gave {seen}"
    killed = sandbox.run(Command(argv=("sh", "-c", "kill -9 $$")), context.folder)
    return "" if killed.ending is Ending.SIGNALLED and killed.signal == 9 else f"a killed command gave {killed}"


def _limits(limit: SandboxCheck, sandbox: Sandbox, context: SelfTestContext) -> str:
    seen = sandbox.run(Command(argv=("sh", "-c", limit.script), limits=limit.limits), context.folder)
    return "" if limit.held(seen) else f"it does not hold: {seen.ending}"
