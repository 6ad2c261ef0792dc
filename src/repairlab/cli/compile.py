"""`repairlab compile`."""

from pathlib import Path

import typer

from repairlab.cli.options import AllowUnsafe, SandboxName, WorkFolder, WorkFolderArgument, machine
from repairlab.cli.output import talk
from repairlab.runs.checkout import bug_of, build_and_test


def compile(
    folder: WorkFolderArgument = None, work: WorkFolder = Path(), sandbox: SandboxName = "auto", allow_unsafe: AllowUnsafe = False
) -> None:
    """Build a working copy in the sandbox."""
    work = folder or work
    bug = bug_of(work)
    done = build_and_test(work, bug, machine(1, sandbox, allow_unsafe).open_sandbox(), [])
    if done.build_error:
        talk().print(done.log, markup=False)
        talk().print(f"Build of {bug.id} failed: {done.build_error}", markup=False)
        raise typer.Exit(1)
    talk().print(f"Build of {bug.id}: OK", markup=False)
