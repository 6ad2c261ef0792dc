"""Presets of the repairer `command`: known tools as settings."""

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError, unknown

PresetSettings = dict[str, Any]

_MINI = (
    '"$PROGRAM" --yolo --exit-immediately --agent-class default -c mini_textbased.yaml -c agent.step_limit=40'
    " -c model.model_kwargs.api_base=$OPENAI_BASE_URL $MINI_OPTIONS"
    ' --model-class litellm_textbased -m "openai/$REPAIRLAB_MODEL" -t "$(cat ISSUE.md)" -o "$REPAIRLAB_LOG"'
)
"""Text-based: small models and plain servers know no tool calls. The trajectory is written after each step."""
_MINI_ENV = (
    "MSWEA_CONFIGURED=true",
    "MSWEA_SILENT_STARTUP=1",
    "MSWEA_COST_TRACKING=ignore_errors",
    "MSWEA_GLOBAL_CONFIG_DIR=/tmp/mini-swe-agent",
    "LITELLM_LOCAL_MODEL_COST_MAP=True",
)


def names() -> tuple[str, ...]:
    """Return the names of all presets."""
    return tuple(_PRESETS)


def preset(name: str, program: Path | None) -> PresetSettings:
    """Return the settings of a preset for a program of this machine."""
    if name not in _PRESETS:
        raise unknown("preset", name, _PRESETS)
    if program is None:
        raise UserError(f"the preset {name} needs to know where its program is: --program PATH")
    path = program.expanduser().absolute()  # not resolved: a link in a virtual environment's bin says which environment
    if not path.is_file():
        raise UserError(f"--program is {program}, which is no file")
    return _PRESETS[name](path)


def _mini_swe_agent(program: Path) -> PresetSettings:
    environment = program.parent.parent
    mounts = (str(environment), *python_homes(environment))
    return {"command": _MINI.replace("$PROGRAM", str(program)), "mounts": mounts, "env": _MINI_ENV}


def _script(program: Path) -> PresetSettings:
    return {"command": shlex.quote(str(program)), "mounts": (str(program),)}


def _diffs(program: Path) -> PresetSettings:
    start = f"java -jar {shlex.quote(str(program))}" if program.suffix == ".jar" else shlex.quote(str(program))
    return {"command": f"{start} .", "mounts": (str(program),), "candidates_from": "stdout"}


def python_homes(environment: Path) -> tuple[str, ...]:
    """Return the installation that a virtual environment takes its interpreter from, where sandboxes do not have it anyway."""
    python = environment / "bin" / "python"
    if not (environment / "pyvenv.cfg").is_file() or not python.exists():
        raise UserError(f"{environment} is no virtual environment; make one and install the agent there: python3 -m venv DIR")
    home = python.resolve().parent.parent
    return () if home == Path("/usr") else (str(home),)


_PRESETS: dict[str, Callable[[Path], PresetSettings]] = {"mini-swe-agent": _mini_swe_agent, "script": _script, "diffs": _diffs}
