"""Presets: how external tools are started, one TOML file each in the folder `presets`."""

import dataclasses
import functools
import shlex
import shutil
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Literal

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.core.storage.checking import checked

CandidateSource = Literal["workspace", "stdout"]


@record
class Preset:
    """How a tool is started."""

    about: str
    command: str
    """Shell command; `$PROGRAM` is the program as a shell starts it."""
    program: str = ""
    """Name of the program; empty if every user has a different one."""
    install: str = ""
    """How to install it."""
    env: tuple[str, ...] = ()
    candidates_from: CandidateSource | None = None
    mounts: tuple[str, ...] = ()
    """What it needs from this machine, filled in for an installed program."""

    @property
    def is_agent(self) -> bool:
        """Return whether it is an external tool that asks a model."""
        return bool(self.program)


@functools.cache
def presets() -> dict[str, Preset]:
    """Return all presets by name, agents first."""
    folder = files("repairlab.repairers.command") / "presets"
    found = {}
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if item.name.endswith(".toml"):
            text = item.read_text(encoding="utf-8")
            found[item.name.removesuffix(".toml")] = checked(Preset, tomllib.loads(text), item.name, toml=text)
    return dict(sorted(found.items(), key=lambda item: not item[1].is_agent))


def preset(name: str, program: Path | None) -> Preset:
    """Return a preset for a program of this machine; by default, the program on the search path."""
    if name not in presets():
        raise unknown("preset", name, presets())
    known = presets()[name]
    found = shutil.which(known.program) if program is None and known.program else program
    if found is None:
        hint = f" Install it, for example: {known.install}" if known.install else ""
        raise UserError(f"the preset {name} needs to know where its program is: --program PATH.{hint}")
    path = Path(found).expanduser().absolute()  # not resolved: a link in a virtual environment's bin identifies the environment
    if not path.is_file():
        raise UserError(f"--program is {program}, which is no file")
    start = f"java -jar {shlex.quote(str(path))}" if path.suffix == ".jar" else shlex.quote(str(path))
    command = known.command.strip().replace("$PROGRAM", start)
    if not known.is_agent:
        return dataclasses.replace(known, command=command, mounts=(str(path),))
    # A script of Node finds its interpreter beside itself.
    command = f'PATH={shlex.quote(str(path.parent))}:"$PATH"\n{command}'
    return dataclasses.replace(known, command=command, mounts=mounts_of(path))


def mounts_of(program: Path) -> tuple[str, ...]:
    """Return what a program of a virtual environment or of npm needs to start; for others, just the program."""
    environment = program.parent.parent
    if (environment / "pyvenv.cfg").is_file():
        return (str(environment), *python_homes(environment))
    target = program.resolve()
    places = (parent for path in (program, target) for parent in path.parents if parent.name == "node_modules")
    if (folder := next(places, None)) is None:
        return tuple(dict.fromkeys((str(program), str(target))))
    is_global = folder not in program.parents  # bin/claude is a link into lib/node_modules
    return (str(environment if is_global else folder),)


def python_homes(environment: Path) -> tuple[str, ...]:
    """Return the installation behind a virtual environment's interpreter, unless sandboxes have it anyway."""
    home = (environment / "bin" / "python").resolve().parent.parent
    return () if home == Path("/usr") else (str(home),)
