"""Check that the program of the repairer `command` can start in the sandbox, and start it in workspaces of a bug."""

import contextlib
import functools
import os
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command, Ending, Execution, Mount
from repairlab.core.installation import PACKAGE
from repairlab.core.model import Access
from repairlab.core.problem import Problem
from repairlab.languages.language import language
from repairlab.repairers.command.forwarding import Upstream
from repairlab.repairers.command.model_relay import ModelRelay, open_upstream
from repairlab.repairers.command.repairer import Started, Usage, environment_variables
from repairlab.repairers.command.settings import CommandSettings, addresses
from repairlab.repairers.command.trajectory import trajectory
from repairlab.repairers.ledger import FILE, Ledger
from repairlab.repairers.repairer import OverBudget
from repairlab.runs.messages import Task
from repairlab.runs.repairing import prices_of
from repairlab.runs.self_check import PORT, SCRIPT, SelfCheck
from repairlab.runs.store import Store, append_line
from repairlab.runs.workspace import LOG, WorkspaceMaker
from repairlab.sandbox.ports import Halt, Port, forward_to, run_with_ports
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Conversing, Sandbox
from repairlab.sandbox.supervise import ENVIRONMENT
from repairlab.validation.changes import read_plain
from repairlab.validation.validator import BugError
from repairlab.validation.worktree import files_below

LONGEST_LOG = 1_000_000
"""Characters kept of a program's log, from its beginning and its end."""
_LARGEST_LOG = 64 * 1024 * 1024
_FIRST_PORT = 8000
_WORDS = {
    Ending.CPU_LIMIT: "CPU limit",
    Ending.WALL_LIMIT: "time limit",
    Ending.MEMORY_LIMIT: "memory limit",
    Ending.OUTPUT_LIMIT: "output limit",
    Ending.DISK_LIMIT: "disk limit",
}


@contextlib.contextmanager
def open_workspaces(task: Task, sandbox: Sandbox, settings: CommandSettings, access: Access) -> Iterator["Starter"]:
    """Give a function that starts the program for one bug; its workspaces are deleted after the block."""
    append = functools.partial(append_line, run_id=Store(task.folder).run_id)
    ledger = Ledger(task.folder / FILE, limit_usd=access.cost_limit_usd, prices=prices_of(task.folder), append=append)
    with tempfile.TemporaryDirectory(prefix="repairlab-workspace-", ignore_cleanup_errors=True) as folder:
        script = "" if isinstance(sandbox, ProcessSandbox) else SCRIPT  # which has no network
        maker = WorkspaceMaker(task.bug, task.experiment.visibility, sandbox, Path(folder), script=script)
        yield Starter(task, settings, sandbox, maker, ledger, open_upstream(settings, access))


class Starter:
    """Starts the program, each time in a fresh workspace; the `Workspaces` of the repairer."""

    def __init__(
        self,
        task: Task,
        settings: CommandSettings,
        sandbox: Sandbox,
        maker: WorkspaceMaker,
        ledger: Ledger,
        upstream: Upstream | None,
    ) -> None:
        if not isinstance(sandbox, Conversing) or (isinstance(sandbox, ProcessSandbox) and not sandbox.isolates):
            raise UserError(f"the sandbox {sandbox.name} hides nothing, so that a program could read the tests; use another")
        if isinstance(sandbox, ProcessSandbox) and (upstream or settings.addresses):
            what = f"the model {upstream.endpoint.model}" if upstream else f"the address {settings.addresses[0]}"
            raise UserError(
                f"the sandbox {sandbox.name} has no network, so the program could not reach {what}. "
                "Use bubblewrap, podman or docker (--sandbox); `repairlab doctor` says what they need here."
            )
        self._task, self._settings, self._sandbox = task, settings, sandbox
        self._maker, self._ledger = maker, ledger
        self._mounts = checked_mounts(settings, hidden_folders(task.bug, task.folder, task.machine.cache))
        self._upstream = upstream

    def start(self, problem: Problem, number: int) -> tuple[str, Started]:
        """Start the program in a new workspace and wait for its end; return what it was told of the bug and the result.

        Raises BugError when our own machinery fails, and OverBudget when the run has reached its cost limit.
        """
        try:
            return self._maker.told(problem), self._started(problem, number)
        except OverBudget:
            raise
        except HarnessError as error:
            raise BugError(str(error)) from error

    def _started(self, problem: Problem, number: int) -> Started:
        self._maker.make(problem)
        with self._maker.workspace() as workspace, contextlib.closing(Halt()) as halt:
            relay = self._relay(halt)
            command = self._command(problem, number)
            sandbox: Conversing = self._sandbox
            ports = self._ports(workspace, relay)
            done = run_with_ports(sandbox, command, workspace, ports, halt, cache=self._task.machine.cache)
            changes = self._maker.changes(workspace)
            log = _log(done, read_plain(workspace / LOG, largest=_LARGEST_LOG))
        ended = _how(done, halt.reason)
        if relay and relay.over_budget:
            raise relay.over_budget
        return Started(
            ended=ended,
            seconds=done.wall_s,
            edits=changes.edits,
            left_out=changes.left_out,
            printed=done.stdout.decode(errors="replace"),
            log=log,
            usage=relay.usage if relay else Usage(),
            trajectory=self._trajectory(problem, number, ended, relay) if relay else "",
        )

    def _trajectory(self, problem: Problem, number: int, ended: str, relay: ModelRelay) -> str:
        agent = self._settings.preset or "command"
        session, model = f"{problem.id}-{number}", self._settings.model
        return trajectory(relay.exchanges, session=session, agent=agent, model=model, ended=ended)

    def _command(self, problem: Problem, number: int) -> Command:
        """Return the command line with its environment; only a tool that prints diffs gets a separate standard error."""
        begin = f'export REPAIRLAB_LOG="$PWD/{LOG}"\n' + ("exec 2>&1\n" if self._settings.source == "workspace" else "")
        path, tools = tools_for(self._task.bug)
        env = {
            "PATH": path,
            **environment_variables(problem),
            "REPAIRLAB_ATTEMPT": str(number),
            "REPAIRLAB_SEED": str(self._task.experiment.seed + number),
            **self._addresses(),
            **dict(item.split("=", 1) for item in self._settings.env),
        }
        return Command(
            argv=("sh", "-c", begin + self._settings.command),
            env=tuple(env.items()),
            mounts=tuple(dict.fromkeys((*self._mounts, *tools))),
            writable=True,
            address_space=False,  # programs in JavaScript, Go and Java reserve much memory
            limits=self._settings.limits,
        )

    def _addresses(self) -> dict[str, str]:
        """Return the addresses that the program may reach."""
        named, (model, check) = addresses(self._settings), _own_ports(self._settings)
        found = {PORT: str(check)} if self._maker.has_check else {}
        if named:
            found["REPAIRLAB_ADDRESSES"] = " ".join(f"{item.host}:{item.port}=127.0.0.1:{item.inside}" for item in named)
        if self._upstream:
            root = f"http://127.0.0.1:{model}"
            found |= {"OPENAI_BASE_URL": f"{root}/v1", "OPENAI_API_BASE": f"{root}/v1", "ANTHROPIC_BASE_URL": root}
            found |= {"GOOGLE_GEMINI_BASE_URL": root, "REPAIRLAB_MODEL": self._upstream.endpoint.model}
            found |= {f"{name}_API_KEY": "none" for name in ("OPENAI", "ANTHROPIC", "GEMINI")}
        return found

    def _relay(self, halt: Halt) -> ModelRelay | None:
        if self._upstream is None:
            return None
        return ModelRelay(self._upstream, self._ledger, self._settings, bug_id=self._task.bug.id, halt=halt.press)

    def _ports(self, workspace: Path, relay: ModelRelay | None) -> list[Port]:
        ports = [Port(number=item.inside, serve=forward_to(item.host, item.port)) for item in addresses(self._settings)]
        model, check = _own_ports(self._settings)
        if relay:
            ports.append(Port(number=model, serve=relay.serve))
        if self._maker.has_check:
            checks = SelfCheck(self._task.bug, self._maker, workspace, self._task.machine.open_sandbox)
            ports.append(Port(number=check, serve=checks.serve))
        return ports


def hidden_folders(bug: Bug, run: Path, cache: Path) -> tuple[Path, ...]:
    """Return the folders with tests, fixes, verdicts or answers, none of which a program may read."""
    own = Path(bug.tree.source).resolve().parent
    return (PACKAGE, own, own.parent, run.resolve(), cache.resolve())


def checked_mounts(settings: CommandSettings, hidden: Sequence[Path]) -> tuple[Mount, ...]:
    """Return what the program may read on this machine; UserError if that includes something hidden."""
    mounts = []
    for text in settings.mounts:
        path = Path(text).expanduser()
        if not path.is_absolute() or not path.exists():
            raise UserError(f"--mount is {text!r}: name a file or folder that exists, with its whole path")
        for folder in hidden:
            if folder.is_relative_to(path.resolve()) or path.resolve().is_relative_to(folder):
                raise UserError(f"--mount {text} would show the program what is hidden from it, in {folder}: mount less")
        mounts.append(Mount(path=os.path.normpath(path)))
    return tuple(mounts)


def _own_ports(settings: CommandSettings) -> tuple[int, int]:
    """Return the ports of the model and of `./check`, and those of the named addresses."""
    taken = {item.inside for item in addresses(settings)}
    free = (port for port in range(_FIRST_PORT, 65536) if port not in taken)
    return next(free), next(free)


def tools_for(bug: Bug) -> tuple[str, tuple[Mount, ...]]:
    """Return the search path and the mounts that give a program the tool chain of a bug."""
    build = language(bug.problem.language).toolchain.build(bug.oracle.build, bug.oracle.test, files_below(Path(bug.tree.source)))
    tools = [command for command in build if command.argv[0].startswith("/")]
    path = ":".join((ENVIRONMENT["PATH"], *dict.fromkeys(str(Path(part.argv[0]).parent) for part in tools)))
    return path, tuple(mount for part in tools for mount in part.mounts)


def _how(done: Execution, halted: str) -> str:
    """Say how a program ended."""
    if halted:
        return f"ended by the {halted}"
    if done.ending is Ending.EXITED:
        return f"exited with code {done.exit_code}"
    return f"ended by the {_WORDS[done.ending]}" if done.ending in _WORDS else f"ended by signal {done.signal}"


def _log(done: Execution, own: bytes | None) -> str:
    """Return everything the program said: its output, separate errors if any, and the log it wrote."""
    parts = [part.decode("utf-8", "replace").strip("\n") for part in (done.stdout, done.stderr, own or b"")]
    text = "\n".join(part for part in parts if part).replace("\0", "")
    if len(text) <= LONGEST_LOG:
        return text
    half = LONGEST_LOG // 2
    return f"{text[:half]}\n[… {len(text) - 2 * half} characters …]\n{text[-half:]}"


_SHELL = frozenset("|&;<>()$`\\*?[]{}~!#\n")
"""Characters that a shell interprets; a command with any of them cannot be checked before it runs."""
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
    """Return what is wrong with a command for one bug; empty if it may work."""
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
    """Say that something is missing in the sandbox, and how to add it if this machine has it."""
    if not here.is_file():
        return f"--command starts {name}, which is not on this machine: install it, or write the whole path of the program"
    whole = shlex.quote(str(here.absolute()))
    write = "" if str(here) == name and here.is_absolute() else f"write {whole} in the command and "
    return (
        f"--command names the {kind} {name}, which is not visible in the sandbox: {write}add --mount {whole}, or --mount a folder "
        "with everything it needs"
    )
