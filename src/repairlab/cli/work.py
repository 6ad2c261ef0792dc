"""`repairlab work`: a bug's tree as a folder to work on, with the words of Defects4J."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.benchmarks.catalog import open_bug
from repairlab.cli.options import Json, on_machine
from repairlab.cli.output import data, print_json, say, write
from repairlab.core.record import to_data
from repairlab.runs.checkout import CheckoutResult, bug_of, build_and_test, check_out, test_names
from repairlab.runs.checkout import export as exported
from repairlab.validation.machine import Machine

FolderArgument = Annotated[Path | None, typer.Argument(metavar="FOLDER", help="The working copy, as with --work.")]
Folder = Annotated[Path, typer.Option("--work", "-w", help="The working copy.")]


def checkout(
    bug: Annotated[str, typer.Argument(help="BENCHMARK/BUG, for example starter/c-ring-buffer-wrap.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    fixed: Annotated[bool, typer.Option("--fixed", help="Check out the fixed tree instead.")] = False,
    no_tests: Annotated[bool, typer.Option("--no-tests", help="Leave out the tests, as a repairer sees it.")] = False,
) -> None:
    """Write the tree of a bug to a new folder."""
    check_out(bug, open_bug(bug), folder, fixed=fixed, tests=not no_tests)
    say(f"Checked out {bug} ({'fixed' if fixed else 'buggy'}) to {folder}")


@on_machine("sandbox", "allow_unsafe")
def compile(folder: FolderArgument = None, work: Folder = Path(), *, here: Machine) -> None:
    """Build a working copy in the sandbox."""
    bug = bug_of(folder or work)
    _need_build(bug.id, build_and_test(folder or work, bug, here.open_sandbox(), []))
    say(f"Build of {bug.id}: OK")


@on_machine("sandbox", "allow_unsafe")
def test(
    folder: FolderArgument = None,
    work: Folder = Path(),
    name: Annotated[str | None, typer.Option("--test", "-t", help="Run only this test or case.")] = None,
    relevant: Annotated[
        bool, typer.Option("--relevant", "-r", help="Run the tests that the bug names, as without options.")
    ] = False,
    trigger: Annotated[bool, typer.Option("--trigger", help="Run only the trigger tests.")] = False,
    json: Json = False,
    *,
    here: Machine,
) -> None:
    """Run the tests of a working copy in the sandbox."""
    work = folder or work
    bug = bug_of(work)
    names = test_names(bug, name, trigger_only=trigger and not relevant)
    done = build_and_test(work, bug, here.open_sandbox(), names)
    if json:
        print_json({"bug": bug.id, "build_error": done.build_error, "tests": to_data(done.results)})
        raise typer.Exit(1 if done.build_error or done.failing else 0)
    _need_build(bug.id, done)
    data().print(f"Failing tests: {len(done.failing)}")
    for result in done.failing:
        write(f"  - {result.id}")
    (work / "failing_tests").write_text(
        "".join(f"--- {result.id}\n{result.verdict}: {result.message}\n" for result in done.failing), encoding="utf-8"
    )
    raise typer.Exit(1 if done.failing else 0)


def export(
    name: Annotated[str, typer.Option("--property", "-p", help="tests.trigger, tests.all, classes.modified, path, target, …")],
    folder: FolderArgument = None,
    work: Folder = Path(),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")] = None,
) -> None:
    """Print a property of the bug of a working copy."""
    text = "\n".join(exported(bug_of(folder or work), name))
    if output is None:
        write(text)
    else:
        output.write_text(text + "\n", encoding="utf-8")


def _need_build(bug_id: str, done: CheckoutResult) -> None:
    """End with exit code 1, and say why, when a working copy does not build."""
    if done.build_error:
        say(done.log)
        say(f"Build of {bug_id} failed: {done.build_error}")
        raise typer.Exit(1)


VERBS = {"checkout": checkout, "compile": compile, "test": test, "export": export}
