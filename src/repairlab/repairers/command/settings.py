"""Settings of the repairer `command`: one record with defaults and help texts, of which the command line makes its options."""

import dataclasses
import re
from typing import Annotated, Any, Literal, get_args, get_type_hints

from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.record import record

CandidateSource = Literal["workspace", "stdout"]


@record
class CommandSettings:
    """Everything that decides what a program is given and how far it may go; part of a run's settings."""

    command: Annotated[str, "Shell command that repairs the tree in its current folder, or prints unified diffs."]
    preset: Annotated[str | None, "Name of the preset that the command comes from: mini-swe-agent, script or diffs."] = None
    candidates_from: Annotated[CandidateSource, "workspace: what it changed is a candidate; stdout: every diff that it prints."] = (
        "workspace"
    )
    calls: Annotated[int, "Starts per bug when candidates come from stdout; a workspace gives one candidate per start."] = 1
    model: Annotated[str | None, "PROVIDER/NAME of the model that the program may ask; $OPENAI_BASE_URL tells it where."] = None
    base_url: Annotated[str | None, "Address of the model's server; by default the provider's own."] = None
    addresses: Annotated[tuple[str, ...], "HOST:PORT that the program may reach, as a port of its loopback."] = ()
    mounts: Annotated[tuple[str, ...], "File or folder of this machine that the program may read."] = ()
    env: Annotated[tuple[str, ...], "NAME=VALUE for the program; becomes part of the run's records."] = ()
    wall_s: Annotated[float, "Seconds that one start may take."] = 1800.0
    cpu_s: Annotated[float, "Seconds of CPU time that one start may use."] = 1800.0
    memory_mb: Annotated[int, "Memory of one start."] = 4096
    disk_mb: Annotated[int, "What one start may write."] = 1024
    output_mb: Annotated[float, "What one start may print."] = 16.0
    processes: Annotated[int, "Processes and threads of one start."] = 256
    request_limit: Annotated[int | None, "Requests to the model per start."] = None
    token_limit: Annotated[int | None, "Tokens of prompts and answers per start."] = None
    cost_limit_usd: Annotated[float | None, "US dollars per start."] = None

    @property
    def limits(self) -> Limits:
        """Return what the sandbox enforces."""
        return Limits(
            cpu_s=self.cpu_s,
            wall_s=self.wall_s,
            memory_mb=self.memory_mb,
            output_mb=self.output_mb,
            processes=self.processes,
            disk_mb=self.disk_mb,
        )

    def n_calls(self, n: int) -> int:
        """Return how often the program is started for a bug of which `n` candidates are wanted."""
        return n if self.candidates_from == "workspace" else self.calls


@record
class Address:
    """A named address, and where a program inside the sandbox finds it."""

    host: str
    port: int
    inside: int
    """Port of the loopback inside."""


def help_of(setting: str) -> str:
    """Return the help text of a setting, with its default.

    >>> help_of("wall_s")
    'Seconds that one start may take [default: 1800].'
    """
    hints: dict[str, Any] = get_type_hints(CommandSettings, include_extras=True)
    text: str = get_args(hints[setting])[1]
    default = next(field.default for field in dataclasses.fields(CommandSettings) if field.name == setting)
    if default is dataclasses.MISSING or default is None or default == ():
        return text
    return (
        f"{text.removesuffix('.')} [default: {default:g}]."
        if isinstance(default, float)
        else f"{text.removesuffix('.')} [default: {default}]."
    )


def check(settings: CommandSettings) -> None:
    """Refuse values with which no program can run."""
    if not settings.command.strip():
        raise UserError('the repairer command needs a program. For example: --command "python3 /opt/agent/fix.py", or a --preset')
    for name in ("calls", "wall_s", "cpu_s", "memory_mb", "disk_mb", "output_mb", "processes"):
        if getattr(settings, name) <= 0:
            raise UserError(f"setting command.{name} is {getattr(settings, name):g}: it must be more than 0")
    for name in ("request_limit", "token_limit", "cost_limit_usd"):
        value = getattr(settings, name)
        if value is not None and value < 0:
            raise UserError(f"setting command.{name} is {value:g}: write 0 or more")
        if value is not None and settings.model is None:
            raise UserError(f"setting command.{name} counts what is asked of a model, and none is named: add --model PROVIDER/NAME")
    if settings.base_url is not None and settings.model is None:
        raise UserError("--base-url says where a model is, and none is named: add --model PROVIDER/NAME")
    for item in settings.env:
        if not re.match(r"[A-Za-z_][A-Za-z0-9_]*=", item) or "\0" in item:
            raise UserError(f"--env is {item!r}: write NAME=VALUE")
    addresses(settings)


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
