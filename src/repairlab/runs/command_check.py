"""Checks before a run that the sandbox shows the program which a command names, and its script."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Mount
from repairlab.repairers.command.settings import CommandSettings
from repairlab.runs.commanding import tools_for
from repairlab.sandbox.sandbox import Sandbox

_SHELL = frozenset("|&;<>()$`\\*?[]{}~!#\n")
"""What a shell makes something else of; of a command with these nothing is known before it runs."""
_LOOK = """\
case $1 in
    */*) if ! test -e "$1"; then echo missing; elif ! test -x "$1"; then echo closed; fi ;;
    *) command -v "$1" > /dev/null || echo missing ;;
esac
if test -n "$2"; then
    if ! test -e "$2"; then echo missing; elif ! test -r "$2"; then echo closed; fi
fi | sed 's/^/script /'"""


def check_command(settings: CommandSettings, mounts: Sequence[Mount], bugs: Sequence[Bug], sandbox: Sandbox) -> None:
    """Raise UserError when a command cannot start for any of these bugs, as far as its words tell."""
    program, script = _words(settings.command)
    if not program:
        return
    found = {_look(program, script, mounts, bug, sandbox) for bug in {bug.problem.language: bug for bug in reversed(bugs)}.values()}
    if "" in found or len(found) != 1:
        return
    (text,) = found
    raise UserError(text)


def _words(command: str) -> tuple[str, str]:
    """Return the program of a command, and the first argument that is not an option: the script of an interpreter, or whatever.

    >>> _words("TRIES=3 python3 -u /opt/agent.py --fast"), _words("java -jar apr.jar ."), _words("cd shop && make")
    (('python3', '/opt/agent.py'), ('java', 'apr.jar'), ('', ''))
    """
    try:
        words = [] if _SHELL & set(command) else shlex.split(command)
    except ValueError:
        words = []
    while words and re.match(r"[A-Za-z_][A-Za-z0-9_]*=", words[0]):
        del words[0]
    arguments = [word for word in words[1:] if not word.startswith("-")]
    return (words[0] if words else "", arguments[0] if arguments else "")


def _look(program: str, script: str, mounts: Sequence[Mount], bug: Bug, sandbox: Sandbox) -> str:
    """Return what is wrong with a command for one bug; nothing when it may work."""
    tree = Path(bug.tree.source)
    for kind, name in (("program", program if "/" in program else ""), ("script", script)):
        if not name.startswith("/") and Path(name).is_file() and not (tree / name).exists():
            return _unseen(kind, name, Path(name))
    if "/" in program and not program.startswith("/"):
        return ""
    path, tools = tools_for(bug)
    with tempfile.TemporaryDirectory(prefix="repairlab-command-") as folder:
        command = Command(
            argv=("sh", "-c", _LOOK, "sh", program, script if script.startswith("/") and Path(script).is_file() else ""),
            env=(("PATH", path),),
            mounts=tuple(dict.fromkeys((*mounts, *tools))),
        )
        said = sandbox.run(command, Path(folder)).stdout.decode(errors="replace").split("\n")
    if "closed" in said:
        return f"--command starts {program}, which cannot be executed in the sandbox: chmod a+rx {program}"
    if "missing" in said:
        return _unseen("program", program, Path(shutil.which(program) or program))
    if "script closed" in said:
        return f"--command names {script}, which cannot be read in the sandbox: chmod a+r {script}"
    return _unseen("script", script, Path(script)) if "script missing" in said else ""


def _unseen(kind: str, name: str, here: Path) -> str:
    """Say that something is not in the sandbox, and how it comes there if this machine has it."""
    if not here.is_file():
        return f"--command starts {name}, which is not on this machine: install it, or write the whole path of the program"
    whole = shlex.quote(str(here.absolute()))
    write = "" if str(here) == name and here.is_absolute() else f"write {whole} in the command and "
    return (
        f"--command names the {kind} {name}, which is not visible in the sandbox: {write}add --mount {whole}, or --mount a folder "
        "with everything it needs"
    )
