"""Options of `repairlab run` that concern the repairer `command`, with the help texts of its settings, and what they make."""

from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from repairlab.core.errors import UserError, unknown
from repairlab.repairers.command.presets import preset as preset_settings
from repairlab.repairers.command.settings import CandidateSource, help_of

CommandLine = Annotated[str | None, typer.Option("--command", help=help_of("command"))]
Preset = Annotated[str | None, typer.Option("--preset", help="A known tool: mini-swe-agent, script or diffs; needs --program.")]
Program = Annotated[Path | None, typer.Option("--program", help="Where the program of a preset is on this machine.")]
CandidatesFrom = Annotated[str | None, typer.Option("--candidates-from", help=help_of("candidates_from"))]
Calls = Annotated[int | None, typer.Option("--calls", help=help_of("calls"))]
AllowAddress = Annotated[list[str] | None, typer.Option("--allow-address", help=help_of("addresses"))]
MountPath = Annotated[list[str] | None, typer.Option("--mount", help=help_of("mounts"))]
Env = Annotated[list[str] | None, typer.Option("--env", help=help_of("env"))]
CallTimeout = Annotated[float | None, typer.Option("--call-timeout", help=help_of("wall_s"))]
CallCpu = Annotated[float | None, typer.Option("--call-cpu", help=help_of("cpu_s"))]
CallMemory = Annotated[int | None, typer.Option("--call-memory", help=help_of("memory_mb"))]
CallRequests = Annotated[int | None, typer.Option("--call-requests", help=help_of("request_limit"))]
CallTokens = Annotated[int | None, typer.Option("--call-tokens", help=help_of("token_limit"))]
CallCost = Annotated[float | None, typer.Option("--call-cost", help=help_of("cost_limit_usd"))]


def command_settings(options: dict[str, Any], *, preset: str | None, program: Path | None) -> dict[str, Any]:
    """Return the settings that were given, by the names of their fields; lists add to what a preset has."""
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in options.items() if value is not None}
    if (source := options["candidates_from"]) is not None and source not in get_args(CandidateSource):
        raise unknown("source of candidates", source, get_args(CandidateSource))
    if preset is None:
        if program is not None:
            raise UserError("--program belongs to a --preset; without one, write the whole --command")
        return given
    known = preset_settings(preset, program)
    return known | {key: known.get(key, ()) + value if isinstance(value, tuple) else value for key, value in given.items()}
