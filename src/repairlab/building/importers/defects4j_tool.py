"""Going through an installed `defects4j` command instead of clones: `checkout` and `export`."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from repairlab.building.importers.defects4j_bug import Trees
from repairlab.building.importers.defects4j_jars import is_junit
from repairlab.building.importers.defects4j_projects import ProjectLayout
from repairlab.building.importers.importer import TreeFile
from repairlab.core.errors import UserError


class Tool:
    """The command."""

    def __init__(self, command: str) -> None:
        """Take its name or path."""
        found = shutil.which(command)
        if found is None:
            raise UserError(f"the command {command!r} of --via is not installed (not found in PATH)")
        self._command = found

    def checkout(self, project: str, number: str) -> Trees:
        """Return what the command says of a bug."""
        with tempfile.TemporaryDirectory(prefix="repairlab-") as folder:
            buggy, fixed = Path(folder, "buggy"), Path(folder, "fixed")
            self._run("checkout", "-p", project, "-v", f"{number}b", "-w", str(buggy))
            self._run("checkout", "-p", project, "-v", f"{number}f", "-w", str(fixed))
            path = [buggy / entry for entry in self._export(buggy, "cp.test").split(":")]
            jars = [jar for jar in path if jar.suffix == ".jar" and not is_junit(jar.name) and jar.is_file()]
            return Trees(
                layout=ProjectLayout(sources=self._export(buggy, "dir.src.classes"), tests=self._export(buggy, "dir.src.tests")),
                fixed=_tree(fixed),
                buggy=_tree(buggy),
                jars={jar.name: jar.read_bytes() for jar in jars},
                trigger=tuple(self._export(buggy, "tests.trigger").split()),
                relevant=tuple(self._export(buggy, "tests.relevant").split()),
            )

    def _export(self, work: Path, name: str) -> str:
        return self._run("export", "-p", name, "-w", str(work)).strip()

    def _run(self, *arguments: str) -> str:
        done = subprocess.run([self._command, *arguments], capture_output=True, check=False)
        if done.returncode:
            said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
            raise UserError(f"{self._command} {' '.join(arguments[:5])} failed: {said[-1] if said else 'it said nothing'}")
        return done.stdout.decode("utf-8", "replace")


def _tree(folder: Path) -> dict[str, TreeFile]:
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_symlink():
            files[name] = TreeFile(content=os.fsencode(path.readlink()), link=True)
        elif path.is_file() and ".git" not in path.relative_to(folder).parts:
            files[name] = TreeFile(content=path.read_bytes(), executable=os.access(path, os.X_OK))
    return files
