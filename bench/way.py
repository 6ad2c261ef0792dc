"""How long the way of one bug is, from `repairlab run starter --repairer templates` to the leaderboard: files, classes and hops.

The two commands run for real, worker processes included, and every call is watched. A file is *on the way* when one of its
functions is handed, or returns, a record of the line (bug, problem, candidate, outcome, score); a hop is one file calling another
there. What merely runs (options, settings, sandbox, progress) is counted beside it. `--python` names the interpreter of another
state of the code.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUG = "python-version-order"
KINDS = ("way", "holder", "hop", "file", "class")
WATCH = """
import os, sys, threading

NOUNS = {"Benchmark", "Bug", "Problem", "Oracle", "Candidate", "Outcome", "Score", "Row"}
out = os.open(os.environ["WAY_TO"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
seen = set()


def tell(*words):
    if words not in seen:
        seen.add(words)
        os.write(out, (" ".join(words) + "\\n").encode())


def file_of(code):
    _, found, path = code.co_filename.rpartition("/repairlab/")
    return path if found and path.endswith(".py") else None


def is_noun(value):
    kind = type(value)
    if kind in (tuple, list) and value:
        kind = type(value[0])
    return kind.__name__ in NOUNS and kind.__module__.startswith("repairlab.")


def watch(frame, event, value):
    code = frame.f_code
    if event not in ("call", "return") or not code.co_flags & 1:  # bodies of modules and classes
        return
    path = file_of(code)
    n_arguments = code.co_argcount + code.co_kwonlyargcount
    first = code.co_varnames[0] if n_arguments else ""
    if event == "call" and code.co_name in ("__init__", "__new__"):
        made = frame.f_locals.get(first)
        kind = made if isinstance(made, type) else type(made)
        if kind.__module__.startswith("repairlab."):
            tell("class", kind.__module__ + "." + kind.__qualname__)
    if path is None:
        return
    tell("file", path)
    held = [value] if event == "return" else [frame.f_locals.get(name) for name in code.co_varnames[:n_arguments]]
    if any(is_noun(each) for each in held):
        tell("way", path)
        if first == "self":
            kind = type(frame.f_locals.get("self"))
            tell("holder", kind.__module__ + "." + kind.__qualname__)
        above = frame.f_back
        while above is not None and file_of(above.f_code) is None:
            above = above.f_back
        if above is not None and file_of(above.f_code) != path:
            tell("hop", file_of(above.f_code) + "->" + path)


threading.setprofile(watch)
sys.setprofile(watch)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable, help="interpreter of the environment to measure")
    parser.add_argument("--bug", default=BUG)
    parser.add_argument("--list", action="store_true", help="print the files on the way, too")
    options = parser.parse_args()
    found = follow(options.python, options.bug)
    whole = {kind: set().union(*(seen[kind] for seen in found.values())) for kind in KINDS}
    print(f"{'':10}{'files':>8}{'classes':>9}{'hops':>7}    run at all: files, classes made")
    for name, seen in (*found.items(), ("both", whole)):
        way, holder, hop, file, made = (len(seen[kind]) for kind in KINDS)
        print(f"{name:10}{way:>8}{holder:>9}{hop:>7}{file:>25}{made:>9}")
    if options.list:
        for kind in KINDS[:3]:
            print(f"\n{kind}:", *sorted(whole[kind]), sep="\n  ")


def follow(python: str, bug: str) -> dict[str, dict[str, set[str]]]:
    """Run the line on one bug and return what was seen, by verb and kind."""
    found: dict[str, dict[str, set[str]]] = {}
    with tempfile.TemporaryDirectory(prefix="repairlab-way-") as temporary:
        Path(temporary, "sitecustomize.py").write_text(WATCH)
        run = str(Path(temporary, "run"))
        for verb in (
            ["run", "starter", "--repairer", "templates", "-i", bug, "-n", "5", "-j", "1", "--no-cache", "--to", run],
            ["report", run],
        ):
            seen = Path(temporary, f"seen-{verb[0]}")
            environment = os.environ | {
                "PYTHONPATH": os.pathsep.join(filter(None, (temporary, os.environ.get("PYTHONPATH")))),
                "WAY_TO": str(seen),
                "XDG_CACHE_HOME": str(Path(temporary, "cache")),  # a kept index would hide the files that read a bug
            }
            subprocess.run([python, "-m", "repairlab", *verb], env=environment, check=True, stdout=subprocess.DEVNULL)
            lines = [line.split(" ", 1) for line in seen.read_text().splitlines()]
            found[verb[0]] = {kind: {what for of, what in lines if of == kind} for kind in KINDS}
    return found


if __name__ == "__main__":
    main()
