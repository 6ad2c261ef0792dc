"""Settings of the repairer `command`, which become its command-line options."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Annotated

from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.option import Option, settings_of
from repairlab.core.record import record
from repairlab.repairers.command.preset import CandidateSource, preset


@record
class CommandSettings:
    """Everything that decides what a program is given and how far it may go; part of a run's settings."""

    command: Annotated[
        str,
        Option(
            "Shell command that repairs the tree in its current folder, or prints unified diffs.",
            example='--command "python3 /opt/agent/fix.py", or a --preset',
        ),
    ] = ""
    preset: Annotated[
        str | None, Option("A known tool: aider, claude-code, codex, mini-swe-agent, opencode, openhands, script or diffs.")
    ] = None
    program: Annotated[str | None, Option("Path of the preset's program. [default: the search path's]", may_change=True)] = None
    candidates_from: Annotated[
        CandidateSource | None,
        Option("workspace: its changes are the candidate; stdout: every diff it prints. [default: the preset's]"),
    ] = None
    calls: Annotated[int, Option("Starts per bug if candidates come from stdout; a workspace gives one per start.")] = 1
    model: Annotated[
        str | None, Option("PROVIDER/NAME of the model that the program may ask; $OPENAI_BASE_URL tells it where.")
    ] = None
    base_url: Annotated[str | None, Option("Address of the model's server. [default: the provider's]", may_change=True)] = None
    addresses: Annotated[tuple[str, ...], Option("HOST:PORT that the program may reach; repeatable.", flag="--allow-address")] = ()
    mounts: Annotated[
        tuple[str, ...], Option("File or folder of this machine that the program may read; repeatable.", flag="--mount")
    ] = ()
    env: Annotated[tuple[str, ...], Option("NAME=VALUE for the program, recorded with the run; repeatable.")] = ()
    wall_s: Annotated[float, Option("Wall seconds per start.", flag="--call-timeout")] = 1800.0
    cpu_s: Annotated[float, Option("CPU seconds per start.", flag="--call-cpu")] = 1800.0
    memory_mb: Annotated[int, Option("Megabytes of memory per start.", flag="--call-memory")] = 4096
    disk_mb: Annotated[int, Option("Megabytes one start may write.", flag="--call-disk")] = 1024
    output_mb: Annotated[float, Option("Megabytes one start may print.", flag="--call-output")] = 16.0
    processes: Annotated[int, Option("Processes and threads per start.", flag="--call-processes")] = 256
    request_limit: Annotated[int | None, Option("Requests to the model per start.", flag="--turn-limit")] = None
    token_limit: Annotated[int | None, Option("Tokens of prompts and answers per start.", flag="--token-limit")] = None
    cost_limit_usd: Annotated[float | None, Option("US dollars per start.", flag="--call-cost")] = None

    @property
    def limits(self) -> Limits:
        """Return the limits that the sandbox enforces."""
        return Limits(
            cpu_s=self.cpu_s,
            wall_s=self.wall_s,
            memory_mb=self.memory_mb,
            output_mb=self.output_mb,
            processes=self.processes,
            disk_mb=self.disk_mb,
        )

    def n_calls(self, n: int) -> int:
        """Return how often the program is started for a bug with `n` candidates."""
        return n if self.source == "workspace" else self.calls

    @property
    def source(self) -> CandidateSource:
        """Return where candidates come from."""
        return self.candidates_from or "workspace"

    def resolved(self) -> "CommandSettings":
        """Return the settings completed by those of the preset; the user's own add to them or take precedence."""
        if self.preset is None:
            return self
        known = preset(self.preset, None if self.program is None else Path(self.program))
        return dataclasses.replace(
            self,
            command=self.command or known.command,
            candidates_from=self.candidates_from or known.candidates_from,
            mounts=(*known.mounts, *self.mounts),
            env=(*known.env, *self.env),
        )

    def check(self) -> None:
        """Refuse values with which no program can run."""
        if self.preset is None and self.program is not None:
            raise UserError("--program belongs to a --preset; without one, write the whole --command")
        if self.preset is None and not self.command.strip():
            raise UserError(
                'the repairer command needs a program. For example: --command "python3 /opt/agent/fix.py", or a --preset'
            )
        flags = {setting.name: setting.flag for setting in settings_of(type(self))}
        for name in ("calls", "wall_s", "cpu_s", "memory_mb", "disk_mb", "output_mb", "processes"):
            if getattr(self, name) <= 0:
                raise UserError(f"{flags[name]} (setting command.{name}) is {getattr(self, name):g}: it must be more than 0")
        for name in ("request_limit", "token_limit", "cost_limit_usd"):
            value = getattr(self, name)
            if value is not None and not 0 <= value < math.inf:
                raise UserError(f"setting command.{name} is {value:g}: write 0 or more")
            if value is not None and self.model is None:
                raise UserError(
                    f"setting command.{name} counts what is asked of a model, and none is named: add --model PROVIDER/NAME"
                )
        if self.base_url is not None and self.model is None:
            raise UserError("--base-url says where a model is, and none is named: add --model PROVIDER/NAME")
        for item in self.env:
            if not re.match(r"[A-Za-z_][A-Za-z0-9_]*=", item) or "\0" in item:
                raise UserError(f"--env is {item!r}: write NAME=VALUE")
        addresses(self)


@record
class Address:
    """A named address, and where a program in the sandbox finds it."""

    host: str
    port: int
    inside: int
    """Port of the loopback inside."""


def addresses(settings: CommandSettings) -> tuple[Address, ...]:
    """Return the named addresses; ports below 1024, which programs cannot have inside, move up by 8000.

    >>> addresses(CommandSettings(command="x", addresses=("localhost:9000", "example.org:443")))[1].inside
    8443
    """
    found: dict[int, Address] = {}
    for text in settings.addresses:
        host, colon, port = text.rpartition(":")
        if not colon or not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 65536:
            raise UserError(f"--allow-address is {text!r}: write HOST:PORT, such as localhost:9000")
        inside = int(port) if int(port) >= 1024 else int(port) + 8000
        if inside in found:
            raise UserError(
                f"{text} and {found[inside].host}:{found[inside].port} would be the same port {inside} inside: name one"
            )
        found[inside] = Address(host=host.strip("[]"), port=int(port), inside=inside)
    return tuple(found.values())
