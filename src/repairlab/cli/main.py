"""The command `repairlab`: finds the verb, loads only its file, and turns expected failures into a message and an exit code."""

import gc
import io
import os
import shlex
import signal
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from repairlab.core.errors import HarnessError, Interrupted, UserError, unknown
from repairlab.core.installation import VERSION

if TYPE_CHECKING:
    import typer

STOPPED = 130
GROUPS = {
    "Try": {
        "demo": "Run three repairers on built-in bugs and show the leaderboard.",
        "doctor": "Check this machine, or list and try installed parts.",
        "list": "List benchmarks or the bugs of one, or describe a bug.",
        "work": "Check out, compile and test a bug, as in Defects4J.",
    },
    "Build": {
        "import": "Import a published benchmark or a set of bug–fix pairs.",
        "mine": "Mine a benchmark of fixes from project histories.",
        "pairs": "Make, filter, split, export and match sets of bug–fix pairs.",
        "check": "Prove that bugs fail unpatched and pass with their reference fix.",
        "minimise": "Remove from reference fixes what their tests do not need.",
        "label": "Label bugs by fix: location, patterns, category, difficulty.",
        "audit": "Audit a benchmark for duplicates, leaked fixes and weak tests.",
        "environment": "Fetch, list, verify and remove container images.",
    },
    "Repair": {
        "run": "Ask a repairer for fixes to every bug and validate them.",
        "validate": "Validate candidates from a file.",
        "locate": "Rank suspicious lines and functions from test runs.",
        "prompt": "Show the prompt a model would get, or a template to edit.",
        "study": "Run a study: systems × conditions × benchmarks × seeds.",
        "train": "Train a network on bug–fix pairs.",
        "predict": "Predict fixes for pairs or bugs with a trained network.",
    },
    "Read": {
        "score": "Compute the scores of runs and compare them bug by bug.",
        "show": "Show the bugs, candidates, diffs and transcripts of a run.",
        "rank": "Rank the candidates of a run and evaluate the order.",
        "assess": "Assess which plausible candidates are correct.",
        "report": "Write an HTML report, or the papers' tables and figures.",
        "rescore": "Compute scores from published verdicts without running tests.",
        "verify": "Verify a run: check its seals and validate a random sample again.",
        "view": "Browse runs and benchmarks in a web browser.",
    },
    "Share": {
        "site": "Write a static site of leaderboards from runs.",
        "publish": "Write benchmarks, runs or candidates for others and their tools.",
        "serve": "Serve verdicts and rewards over HTTP.",
    },
}
VERBS = {name: text for group in GROUPS.values() for name, text in group.items()}
"""Each verb is a file of this package with a function of its name, or with `VERBS` of its own; the text begins its docstring."""
ALIASES: Mapping[str, Sequence[str]] = {
    "plugins": ("doctor", "--parts"),
    "selftest": ("doctor", "--try"),
    "info": ("list", "--about"),
    "checkout": ("work", "checkout"),
    "compile": ("work", "compile"),
    "test": ("work", "test"),
    "export": ("work", "export"),
    "pair": ("pairs", "make"),
    "match": ("pairs", "match"),
    "compare": ("score", "--compare"),
    "tables": ("report", "--tables"),
    "convert": ("publish",),
    "task": ("publish", "--task"),
}
"""Verbs of the last release and their current names; they go with the next one."""

_JUDGING = ("run", "validate")
"""Verbs whose workers are forked from a server, which loads while this process does; `doctor --try` is one."""
_STANDARD_ERROR = 2


def main() -> None:
    """Run the command line; SIGTERM counts as Ctrl-C, so that nothing is left behind."""
    gc.set_threshold(50_000)  # loading a verb makes many objects and drops none
    open_closed_streams()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    gc.disable()  # most of what is loaded stays
    code = run(sys.argv[1:], alone=True)
    if code == STOPPED:
        # All is stored and closed. A thread that is just connecting to a model cannot be told, and is not waited for.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def open_closed_streams() -> None:
    """Open closed standard input, output and error: otherwise the next file, perhaps a cache, would take their place."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STANDARD_ERROR:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)


def run(arguments: list[str], *, alone: bool = False) -> int:
    """Run one command and return its exit code: 0 done, 1 a negative answer, 2 wrong input, 3 our machinery failed, 130 Ctrl-C.

    `alone` says that this process does nothing else.
    """
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # messages of candidates' tests hold whatever those wrote
    if not arguments or arguments[0] in ("--help", "--help-all", "-h", "help"):
        print(usage())  # noqa: T201  # the answer to --help
        return 0
    if arguments[0] == "--version":
        print(f"repairlab {VERSION}")  # noqa: T201
        return 0
    try:
        return _run_verb(arguments[0], arguments[1:], alone=alone)
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
    groups = "\n\n".join(
        "\n".join([f"{title}:", *(f"  {name:<{width}}  {text}" for name, text in verbs.items())]) for title, verbs in GROUPS.items()
    )
    return (
        "Usage: repairlab VERB [OPTIONS] [ARGUMENTS]\n\n"
        "Automated program repair: benchmarks, repairers, sandboxed validation, scores.\n\n"
        f"{groups}\n\n"
        "Start with: repairlab demo\n"
        "Options of a verb: repairlab VERB --help"
    )


def _run_verb(old: str, given: list[str], *, alone: bool) -> int:
    verb, *arguments = (*ALIASES.get(old, (old,)), *given)
    point_from(verb, arguments)
    if verb not in VERBS:
        raise unknown("verb" if not verb.startswith("-") else "option", verb, [*VERBS, *ALIASES], listing="repairlab --help")
    if old in ALIASES:
        said = f"repairlab {old} is now: repairlab {' '.join(ALIASES[old])} (the next release drops the old name)"
        print(said, file=sys.stderr)  # noqa: T201
    wants_all = "--help-all" in arguments
    arguments = ["--help" if text == "--help-all" or given == ["-h"] == [text] else text for text in arguments]
    if (verb in _JUDGING or (verb == "doctor" and "--try" in arguments)) and "--help" not in arguments:
        from repairlab.runs.executors.forking import start_server  # noqa: PLC0415

        start_server(by_fork=alone)
    try:
        app = app_of(verb, arguments)
        gc.freeze()
        gc.enable()
        app(args=arguments, prog_name=f"repairlab {verb}", obj=wants_all)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    return 0


def app_of(verb: str, arguments: Sequence[str] = ()) -> "typer.Typer":
    """Return the command of a verb, or the group of its commands."""
    import typer  # noqa: PLC0415  # only verbs need these: `--help` answers without

    from repairlab.cli.sections import SectionedCommand  # noqa: PLC0415

    module = import_module(f"repairlab.cli.{verb}")
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    if hasattr(module, "VERBS"):  # a verb with sub-verbs
        app.callback(help=VERBS[verb])(lambda: None)
        for name, function in module.VERBS.items():
            app.command(name=name, cls=SectionedCommand)(function)
    else:
        function = getattr(module, f"{verb}_bugs" if verb in ("list", "import") else verb)
        # The options of some verbs come from settings records, which are loaded for them now.
        app.command(name=verb, cls=SectionedCommand)(
            module.with_own_options(arguments) if hasattr(module, "with_own_options") else function
        )
    return app


_FOREIGN_VERBS = {
    "pids": "`repairlab list` lists the benchmarks; a project begins its bugs' ids: repairlab list BENCHMARK -i 'Lang-*'",
    "bids": "`repairlab list` lists the bugs: repairlab list BENCHMARK -i 'PROJECT-*'",
    "query": "`repairlab list` prints what is known of bugs: repairlab list BENCHMARK --json",
    "env": "`repairlab doctor` lists the tools of this machine",
    "relevant": "`repairlab work export` prints the tests: repairlab work export FOLDER -p tests.all",
    "evaluate": "`repairlab validate` judges candidates: repairlab validate BENCHMARK FILE",
    "run_evaluation": "`repairlab validate` judges predictions: repairlab validate BENCHMARK FILE",
}
"""Verbs of Defects4J, BugsInPy and SWE-bench."""
_FOREIGN_OPTIONS = {("work", "checkout"): {"-p": "", "-v": "", "-w": "FOLDER"}, ("list",): {"-p": "", "-b": ""}}
"""Options of Defects4J's verbs `checkout` and `info`, by our equivalent; each takes a value."""


def point_from(verb: str, arguments: Sequence[str]) -> None:
    """Raise a UserError that names our command if these arguments are another tool's."""
    words = (verb, *arguments[:1]) if verb == "work" else (verb,)
    if words[-1] in _FOREIGN_VERBS:
        raise UserError(f"there is no verb {' '.join(words)!r}. {_FOREIGN_VERBS[words[-1]]}")
    is_info = words == ("work", "info")
    ours = ("list",) if is_info else words
    options = _FOREIGN_OPTIONS.get(ours, {})
    given, others = dict(options), list[str]()
    left = iter(arguments[len(words) - 1 :])
    for argument in left:
        name = argument[:2]
        if name in options:
            given[name] = argument[2:] or next(left, "")
        else:
            others.append(argument)
    command = f"repairlab {' '.join(ours)}"
    if given != options:
        raise UserError(_translated(command, given, others))
    if is_info:
        bug = shlex.join(others) or "BENCHMARK/BUG"
        raise UserError(f"there is no verb 'work info'. `repairlab list` describes a bug: repairlab list --about {bug}")


def _translated(command: str, given: Mapping[str, str], others: Sequence[str]) -> str:
    """Return the replacement for a command with Defects4J's options."""
    number = given.get("-v") or given.get("-b") or ""
    named = [argument for argument in others if not argument.startswith("-")]
    if named and not given["-p"] and not number:
        flags = [argument for argument in others if argument.startswith("-")]
        return f"{command} takes the folder without -w. Write: {command} {shlex.join([named[0], given['-w'] or 'FOLDER', *flags])}"
    ours = f"{command} BENCHMARK/{given['-p'] or 'PROJECT'}-{number.rstrip('bf') or 'NUMBER'}"
    if "-w" in given:
        ours += f" {given['-w'] or 'FOLDER'}{' --fixed' if number.endswith('f') else ''}"
    return f"{command} takes a benchmark and the id of a bug in it, not a project and a number. Write: {ours}"
