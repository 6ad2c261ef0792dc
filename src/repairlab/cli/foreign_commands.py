"""Commands of other tools that people type here, and what does the same."""

from collections.abc import Sequence

from repairlab.core.errors import UserError

_VERBS = {
    "pids": "`repairlab list` lists the benchmarks; a project begins its bugs' ids: repairlab list BENCHMARK -i 'Lang-*'",
    "bids": "`repairlab list` lists the bugs: repairlab list BENCHMARK -i 'PROJECT-*'",
    "query": "`repairlab list` prints what is known of bugs: repairlab list BENCHMARK --json",
    "env": "`repairlab doctor` lists the tools of this machine",
    "relevant": "`repairlab work export` prints the tests: repairlab work export FOLDER -p tests.all",
    "evaluate": "`repairlab validate` judges candidates: repairlab validate BENCHMARK FILE",
    "run_evaluation": "`repairlab validate` judges predictions: repairlab validate BENCHMARK FILE",
}
"""Verbs of Defects4J, BugsInPy and SWE-bench."""
_OPTIONS = {("work", "checkout"): {"-p": "", "-v": "", "-w": "FOLDER"}, ("list",): {"-p": "", "-b": ""}}
"""Options of Defects4J's verbs `checkout` and `info`, by what does the same here; each takes a value."""


def point_from(verb: str, arguments: Sequence[str]) -> None:
    """Raise a UserError that names our command when these are another tool's."""
    if verb in _VERBS:
        raise UserError(f"there is no verb {verb!r}. {_VERBS[verb]}")
    words = (verb, *arguments[:1]) if verb == "work" else (verb,)
    options = _OPTIONS.get(words, {})
    given = dict(options)
    for place, argument in enumerate(arguments):
        name = argument[:2]
        if name in options:
            given[name] = argument[2:] or (arguments[place + 1] if place + 1 < len(arguments) else "")
    if given == options:
        return
    number = given.get("-v") or given.get("-b") or ""
    command = f"repairlab {' '.join(words)}"
    ours = f"{command} BENCHMARK/{given['-p'] or 'PROJECT'}-{number.rstrip('bf') or 'NUMBER'}"
    if "-w" in given:
        ours += f" {given['-w']}{' --fixed' if number.endswith('f') else ''}"
    raise UserError(f"{command} takes a benchmark and the id of a bug in it, not a project and a number. Write: {ours}")
