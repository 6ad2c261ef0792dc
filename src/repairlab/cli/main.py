"""The command `repairlab`: finds the verb, loads only its file, and turns expected failures into one message and an exit code."""

import io
import os
import signal
import sys
from importlib import import_module

from repairlab.cli.foreign_commands import point_from
from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.core.version import VERSION

STOPPED = 130
VERBS = {
    "demo": "Run the whole line on the built-in benchmark and show the leaderboard.",
    "plugins": "List all parts by kind: ours and those of other packages, and whether they load.",
    "selftest": "Try a part, one of ours or of another package, against all that its kind promises.",
    "doctor": "Say what works on this machine and how to get what is missing.",
    "list": "List the benchmarks, or the bugs of one.",
    "info": "Describe a benchmark or a bug.",
    "checkout": "Write a bug's tree to a folder to work on.",
    "compile": "Build a working copy in the sandbox.",
    "test": "Run the tests of a working copy in the sandbox.",
    "import": "Import a benchmark, or bug–fix pairs, that have another form.",
    "mine": "Make a benchmark of the fixes in the histories of projects.",
    "pair": "Make bug–fix pairs of what people handed in: a rejected program and the accepted one that it became.",
    "minimise": "Leave out of the fixes of a benchmark what their tests do not need.",
    "label": "Label bugs by what their fixes do: location, repair actions and patterns, error type, category, difficulty.",
    "audit": "Audit a benchmark for duplicates, leaked fixes and tests, and weak tests.",
    "publish": "Write a benchmark for others (tables without tests or fixes, data card, checksums, changes), or runs as Parquet.",
    "pairs": "Show, split, filter, dedup, decontaminate, describe and export sets of bug–fix pairs.",
    "match": "Match predictions against the fixes of a set of pairs: exact match, BLEU, CodeBLEU, edit similarity, syntax.",
    "train": "Train a network on bug–fix pairs: one command for every system of the papers.",
    "predict": "Let a trained model predict the fixes of pairs, for `repairlab match`, or of bugs, for `repairlab validate`.",
    "export": "Print a property of a working copy's bug.",
    "check": "Prove that bugs fail unpatched and pass with their reference fix.",
    "prompt": "Show what a model would be asked about a bug, or a strategy's prompt template to copy and change.",
    "run": "Ask a repairer for fixes of every bug and validate them.",
    "validate": "Validate candidates made elsewhere.",
    "serve": "Serve verdicts over HTTP: rewards for trainers, and the requests of SandboxFusion's and Defects4C's clients.",
    "task": "Write a benchmark as a task of lm-evaluation-harness. Inspect needs none: `inspect eval repairlab/BENCHMARK`.",
    "convert": "Write candidates in another tool's format.",
    "rank": "Rank the candidates of a run and say what the order is worth.",
    "assess": "Say which plausible candidates are correct: the fix itself, rules and evidence, and what people say.",
    "score": "Compute the scores of a run.",
    "show": "Show the bugs of a run, the candidates of a bug, or one candidate with diff, tests and transcript.",
    "compare": "Compare runs bug by bug, every pair of them.",
    "report": "Write an HTML report over runs.",
    "view": "Show runs and benchmarks in the browser.",
    "tables": "Make the papers' tables and figures from runs.",
    "rescore": "Compute scores from published verdicts, without executing anything.",
}
"""Each verb is a file of this package with a function of its name, or with `VERBS` of its own; the text begins its docstring."""

_JUDGING = ("run", "selftest", "validate")
"""Verbs whose workers are forked from a server: it loads while this process does."""
_STANDARD_ERROR = 2


def main() -> None:
    """Run the command line; being ended by SIGTERM is the same as Ctrl-C, so that nothing is left behind."""
    open_closed_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    code = run(sys.argv[1:])
    if code == STOPPED:
        # All is stored and closed. A thread that is just connecting to a model cannot be told, and is not waited for.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def open_closed_streams() -> None:
    """Open what the caller closed of standard input, output and error: the next file, a cache perhaps, would stand in for it."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 a negative answer, 2 wrong input, 3 our machinery failed, 130 Ctrl-C."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # messages of candidates' tests hold whatever those wrote
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        print(usage())  # noqa: T201  # the answer to --help
        return 0
    if arguments[0] == "--version":
        print(f"repairlab {VERSION}")  # noqa: T201
        return 0
    try:
        return _run_verb(arguments[0], arguments[1:])
    except UserError as error:
        return _fail(error, 2)
    except HarnessError as error:
        return _fail(error, 3)
    except Interrupted as stop:
        return _fail(UserError(str(stop) or "stopped; nothing was written"), STOPPED)
    except BrokenPipeError:
        return 0  # the reader of our output, such as `head`, has seen enough
    except OSError as error:
        return _fail(UserError(f"{error.strerror}: {error.filename}"), 2) if error.filename else _fail(error, 3)


def _fail(error: Exception, code: int) -> int:
    print(f"repairlab: {error}", file=sys.stderr)  # noqa: T201
    return code


def usage() -> str:
    """Return the help text of the command itself."""
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {name:<{width}}  {text}" for name, text in VERBS.items())
    return (
        "Usage: repairlab VERB [OPTIONS] [ARGUMENTS]\n\n"
        "Automated program repair: benchmarks, repairers, sandboxed validation, scores.\n\n"
        f"{verbs}\n\n"
        "repairlab VERB --help tells what a verb takes. Begin with: repairlab demo"
    )


def _run_verb(verb: str, arguments: list[str]) -> int:
    point_from(verb, arguments)
    if verb not in VERBS:
        raise unknown("verb" if not verb.startswith("-") else "option", verb, VERBS, listing="repairlab --help")
    if verb in _JUDGING and not {"--help", "-h"} & set(arguments):
        from repairlab.runs.executors.forking import start_server  # noqa: PLC0415

        start_server()
    import typer  # noqa: PLC0415  # only verbs need these: `--help` answers without

    from repairlab.cli.sections import SectionedCommand  # noqa: PLC0415

    module = import_module(f"repairlab.cli.{verb}")
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if hasattr(module, "VERBS"):  # a verb with verbs of its own
        app.callback(help=VERBS[verb])(lambda: None)
        for name, function in module.VERBS.items():
            app.command(name=name, cls=SectionedCommand)(function)
    else:
        function = getattr(module, f"{verb}_bugs" if verb in ("list", "import") else verb)
        # Some verbs have options that are made from settings records, for which these are loaded now.
        app.command(name=verb, cls=SectionedCommand)(module.with_own_options() if hasattr(module, "with_own_options") else function)
    try:
        app(args=["--help"] if arguments == ["-h"] else arguments, prog_name=f"repairlab {verb}")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0
