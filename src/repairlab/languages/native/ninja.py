"""The ninja manifest of plain gcc and g++ builds."""

import shlex
from collections.abc import Mapping, Sequence

from repairlab.core.errors import UserError
from repairlab.core.recipe import Build, matching
from repairlab.languages import host

C = (".c",)
CPP = (".cc", ".cpp", ".cxx", ".c++", ".C")
# Tens of thousands of errors would keep gcc busy until the build's limit; one is enough.
MAX_ERRORS = "-fmax-errors=20"
FLAGS = ("-O1", "-fsigned-char", MAX_ERRORS)
# Only sanitizers report functions and lines of the source, so nothing else needs debugging information.
SANITIZE = ("-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer")
# The usual linker takes four times as long for a small C++ program.
GOLD = "-fuse-ld=gold"
_STANDARDS = {"gcc": "-std=c17", "g++": "-std=c++17"}
_RULES = {"gcc": "c", "g++": "cpp"}


def sources(build: Build, files: Sequence[str]) -> list[str]:
    """Return the files that are compiled."""
    found = sorted({path for path in matching(files, (*build.sources, *build.tests)) if path.endswith((*C, *CPP))})
    if not found:
        raise UserError(f"no C or C++ file matches build.sources = {list(build.sources)} or build.tests = {list(build.tests)}")
    return found


def compiler_flags(compiler: str, build: Build) -> list[str]:
    """Return the flags of gcc or g++ without header folders."""
    return [_STANDARDS[compiler], *FLAGS, *(SANITIZE if build.sanitize else ()), *build.flags]


def object_file(source: str) -> str:
    """Return what a source is compiled to."""
    return f"build/objects/{source}.o"


def manifest(build: Build, files: Sequence[str], program: str, *, cpp: bool, first: Mapping[str, str]) -> bytes:
    """Return how all sources become one program; `first` has, for some sources, a header to read before them."""
    compilers = {path: "gcc" if path.endswith(C) else "g++" for path in sources(build, files)}
    linker = "g++" if cpp or "g++" in compilers.values() else "gcc"
    for tool in {*compilers.values(), linker}:
        host.require(tool)
    host.require("ninja", "ninja-build")
    lines = ["builddir = build", "first ="]
    for tool, rule in _RULES.items():
        folders = [f"-I{folder}" for folder in build.include]
        command = f"{tool} {_shell([*compiler_flags(tool, build), *folders])} $first -MMD -MF $out.d -c $in -o $out"
        lines += [f"rule {rule}", f"  command = {command}", "  depfile = $out.d", "  deps = gcc"]
    gold = (GOLD,) if host.is_installed("ld.gold") else ()
    sanitize = SANITIZE if build.sanitize else ()
    linked = f"{linker} {_shell([*FLAGS, *sanitize, *gold, *build.flags])} $in -o $out {_shell(build.libraries)}"
    lines += ["rule link", f"  command = {linked}"]
    for path, tool in compilers.items():
        lines.append(f"build {_ninja(object_file(path))}: {_RULES[tool]} {_ninja(path)}")
        if path in first:
            lines.append(f"  first = -include {_shell([first[path]])}")
    objects = " ".join(_ninja(object_file(path)) for path in compilers)
    made = _ninja(program.removeprefix("./"))
    lines += [f"build {made}: link {objects}", f"default {made}"]
    return ("\n".join(lines) + "\n").encode()


def _shell(words: Sequence[str]) -> str:
    return shlex.join(words).replace("$", "$$")


def _ninja(path: str) -> str:
    return path.replace("$", "$$").replace(" ", "$ ").replace(":", "$:")
