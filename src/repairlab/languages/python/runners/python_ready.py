"""What fork servers of Python tests get ready for their forks, without running anything of the tree; the runners call it."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import os
import re
import sys
import warnings
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

_MOST_FILES = 500
"""How many files are looked at."""
_QUOTED = re.compile(rb"\"{3}|'{3}")
_IMPORT = re.compile(rb"^(?:from\s+(\w[\w.]*)\s+import|import\s+(\w[\w., \t]*))", re.MULTILINE)
_LISTING = re.compile(rb"\bsys\b[^\n]*\bmodules\b")
"""What a file says that can see which modules are loaded."""


def load_library(files: list[Path]) -> None:
    """Import the library modules that files of the tree import, unless the tree has one of that name."""
    if any(_LISTING.search(path.read_bytes()) for path in files if path.is_file()):
        return
    depth = len(Path.cwd().parts)
    own = {part[:-3] if part.endswith(".py") else part for path in files for part in path.parts[depth:]}
    library = getattr(sys, "stdlib_module_names", None) or {path.stem for path in Path(os.__file__).parent.iterdir()}
    wanted = {name for path in files for name in imported(path) if name.partition(".")[0] in library - own}
    for name in sorted(wanted - sys.modules.keys()):
        # A module that warns or prints when it is imported has to do that in the fork.
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(Exception):
            warnings.simplefilter("error")
            importlib.import_module(name)
            if said.getvalue():
                del sys.modules[name]


def compile_tree(made: dict[tuple[str, bytes], CodeType], files: list[Path]) -> None:
    """Compile files of the tree once for all forks; what comes of it depends on nothing but path and content.

    Who imports then uses what was made, and what is added to it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a fork will meet it, and say so
        for path in files:
            with contextlib.suppress(Exception):
                content = path.read_bytes()
                made[str(path), content] = compile(content, str(path), "exec", dont_inherit=True)
    make = SourceFileLoader.source_to_code

    def known(self: Any, data: Any, path: Any, **options: Any) -> Any:
        found = made.get((path, data)) if isinstance(path, str) and isinstance(data, bytes) and not options else None
        return found or make(self, data, path, **options)

    SourceFileLoader.source_to_code = known  # type: ignore[method-assign]


def inspect(paths: list[str], made: dict[tuple[str, bytes], CodeType]) -> str | None:
    """Return why files do not compile, as the build says it, or nothing; none where a process with more room has to tell.

    What compiles is added to what was made.
    """
    try:
        return "".join(_problem(path, made) for path in paths)
    except Exception:
        return None


def _problem(path: str, made: dict[tuple[str, bytes], CodeType]) -> str:
    full, content = str(Path.cwd() / path), Path(path).read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with contextlib.suppress(Exception):  # a warning is for whoever imports the file, but says no more
            made[full, content] = compile(content, full, "exec", dont_inherit=True)
            return ""
        warnings.simplefilter("ignore")
        try:
            compile(content, path, "exec", dont_inherit=True)
        except SyntaxError as error:
            return f"{path}:{error.lineno or 1}: {type(error).__name__}: {error.msg}\n"
    return ""


def python_files() -> list[Path]:
    """Return the Python files of the tree."""
    found = (f"{folder}{os.sep}{name}" for folder, _, names in os.walk(Path.cwd()) for name in names if name.endswith(".py"))
    return [Path(path) for path in sorted(found)[:_MOST_FILES]]


def imported(path: Path) -> Iterator[str]:
    """Yield the modules that a file imports while it is loaded."""
    nodes: list[ast.AST] = []
    with contextlib.suppress(Exception):  # a fork will meet it, and say so
        text = path.read_bytes()
        if not _QUOTED.search(text):  # what begins at the margin is then a statement
            yield from (name.split()[0].decode() for names in _IMPORT.findall(text) for name in b"".join(names).split(b",") if name)
            return
        nodes = list(ast.parse(text).body)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module
