"""How a user says that a project is built and tested: a TOML file beside the clones."""

import dataclasses
from pathlib import Path
from typing import Any, Literal

from repairlab.building.importers.defects4c_recipes import LONG_BUILD, Recipe, Record, Tree, hidden_files
from repairlab.building.importers.importer import TreeFile
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.checking import checked, read_toml

_FOLDER = ".repairlab"
"""Where scripts of a hook lie in a tree, hidden and restored as tests are."""
_MAKEFILE = f".PHONY: all\nall:\n\t@+sh {_FOLDER}/build.sh\n"
_TEST = """#!/bin/sh
if [ "$1" = --list ]; then
    {list}
    exit
fi
{test}
"""


@record
class Hook:
    """What a user says of one project."""

    build: str | dict[str, Any]
    """A shell script that runs at the root of the tree, or a table as `[build]` in bug.toml."""
    test: str
    """For `lines` a shell script, at the root of the tree, whose arguments are names of tests; else `test.program` of bug.toml."""
    parse: Literal["lines", "ctest", "automake", "gtest", "catch2"] = "lines"
    """How what it prints is read: the frameworks of bug.toml whose tests can be listed."""
    list: str = ""
    """For `lines`: a shell script that prints the names of all tests, one a line."""
    files: tuple[str, ...] = ()
    """Patterns of tests, hidden from repairers; by default whatever is called so."""
    sanitize: bool = False
    env: dict[str, str] = dataclasses.field(default_factory=dict)


class Hooks:
    """The hooks beside the clones."""

    def __init__(self, folder: Path | None) -> None:
        """Take the folder of the clones."""
        self._folder = folder

    def get(self, project: str) -> Hook | None:
        """Return the hook of a project (OWNER___NAME): OWNER___NAME.toml or NAME.toml, if there is one."""
        for name in (project, project.partition("___")[2]):
            path = (self._folder or Path()) / f"{name}.toml"
            if self._folder is not None and path.is_file():
                return read_hook(path)
        return None


def read_hook(path: Path) -> Hook:
    """Read a hook; what is wrong with it is a UserError that names the key."""
    data, text = read_toml(path)
    hook = checked(Hook, data, str(path), toml=text)
    if hook.parse == "lines" and not hook.list.strip():
        raise UserError(f"{path}: list is missing: with parse = 'lines' it must print the names of all tests")
    return hook


def hook_recipe(hook: Hook, bug: Record, tree: Tree) -> Recipe:
    """Return the recipe that a hook describes; which tests show the bug is found by running them."""
    scripts: dict[str, str] = {}
    build, program = hook.build, hook.test
    if isinstance(build, str):
        scripts |= {"build.sh": f"set -e\n{build.strip()}\n", "hook.mk": _MAKEFILE}
        build = {"tool": "make", "flags": ["-f", f"{_FOLDER}/hook.mk"], "sanitize": hook.sanitize}
    if hook.parse == "lines":
        scripts["test.sh"] = _TEST.format(list=hook.list.strip(), test=hook.test.strip())
        program = f"{_FOLDER}/test.sh"
    return Recipe(
        build={"limits": LONG_BUILD, **build},
        test={
            "framework": hook.parse,
            "program": program,
            "files": (*(hook.files or hidden_files(bug, tree)), f"{_FOLDER}/**"),
            "trigger": ("*",),
            "regression": (),
            "env": {**dict(bug.env), **hook.env},
        },
        added={f"{_FOLDER}/{name}": TreeFile(content=text.encode(), executable=True) for name, text in scripts.items()},
        discover=("*",),
        unsorted=True,
    )
