"""`repairlab test`."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.options import AllowUnsafe, Json, SandboxName, WorkFolder, WorkFolderArgument, machine
from repairlab.cli.output import data, print_json, talk
from repairlab.core.record import to_data
from repairlab.runs.checkout import bug_of, build_and_test, test_names


def test(
    folder: WorkFolderArgument = None,
    work: WorkFolder = Path(),
    name: Annotated[str | None, typer.Option("--test", "-t", help="Run this test or case only.")] = None,
    relevant: Annotated[
        bool, typer.Option("--relevant", "-r", help="Run the relevant tests: all that the bug names (default).")
    ] = False,
    trigger: Annotated[bool, typer.Option("--trigger", help="Run the trigger tests only.")] = False,
    sandbox: SandboxName = "auto",
    allow_unsafe: AllowUnsafe = False,
    json: Json = False,
) -> None:
    """Run the tests of a working copy in the sandbox."""
    work = folder or work
    bug = bug_of(work)
    names = test_names(bug, name, trigger_only=trigger and not relevant)
    done = build_and_test(work, bug, machine(1, sandbox, allow_unsafe).open_sandbox(), names)
    if json:
        print_json({"bug": bug.id, "build_error": done.build_error, "tests": to_data(done.results)})
        raise typer.Exit(1 if done.build_error or done.failing else 0)
    if done.build_error:
        talk().print(done.log, markup=False)
        talk().print(f"Build of {bug.id} failed: {done.build_error}", markup=False)
        raise typer.Exit(1)
    data().print(f"Failing tests: {len(done.failing)}")
    for result in done.failing:
        data().print(f"  - {result.id}", markup=False)
    (work / "failing_tests").write_text(
        "".join(f"--- {result.id}\n{result.verdict}: {result.message}\n" for result in done.failing), encoding="utf-8"
    )
    raise typer.Exit(1 if done.failing else 0)
