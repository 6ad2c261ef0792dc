"""What Harbor does with a task, by buildah alone: build its image, let an agent work, let a verifier judge what that leaves."""

import itertools
import os
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.recipe import matching

ORACLE = "bash /solution/solve.sh"
FORGERY = """
    mkdir -p tests && printf 'import os\\nos._exit(0)\\n' | tee conftest.py sitecustomize.py tests/conftest.py > /dev/null
    printf 'all check test:\\n\\t@echo ok\\n' > Makefile
    for path in {hidden}; do mkdir -p "$(dirname "$path")" && : > "$path"; done
    mkdir -p /logs/verifier 2>/dev/null
    echo 1 > /logs/verifier/reward.txt; echo '{{"reward": 1}}' > /logs/verifier/reward.json; true
"""
"""Puts other test files and settings in the place of the hidden ones, with their very names, and rewards itself."""
BASE = "docker.io/library/debian:bookworm-slim"
_BASE = 'FROM scratch\nADD root.tar /\nCMD ["bash"]\n'


class Images:
    """Images and containers in a folder, without a daemon; steps that tasks share are run once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._names = itertools.count()

    def buildah(self, *arguments: str | Path) -> str:
        places = ("--root", str(self._folder / "storage"), "--runroot", str(self._folder / "run"))
        done = subprocess.run(["buildah", *places, *map(str, arguments)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"buildah {' '.join(map(str, arguments))}: {(done.stderr or done.stdout)[-2000:]}")
        return done.stdout.strip()

    def need_base(self) -> None:
        """Make the image that tasks begin with of Debian's packages, where it is not there: registries may be out of reach."""
        if BASE.rpartition("/")[2].partition(":")[0] in self.buildah("images", "--format", "{{.Name}}"):
            return
        with tempfile.TemporaryDirectory() as made:
            root = Path(made) / "root.tar"
            command = ["mmdebstrap", "--variant=minbase", "--include=ca-certificates", "bookworm", str(root)]
            subprocess.run(command, capture_output=True, check=True)
            (Path(made) / "Dockerfile").write_text(_BASE)
            self.buildah("build", "--isolation", "chroot", "-t", BASE, made)

    def build(self, task: Path) -> str:
        name = f"localhost/{task.name}"
        self.buildah("build", "--isolation", "chroot", "--layers", "-t", name, task / "environment")
        return name

    @contextmanager
    def container(self, image: str) -> Iterator[str]:
        name = self.buildah("from", "--name", f"c{os.getpid()}-{next(self._names)}", image)
        try:
            yield name
        finally:
            self.buildah("rm", name)

    def run(self, container: str, command: str, user: str = "root") -> None:
        self.buildah("run", "--isolation", "chroot", "--user", user, container, "--", "bash", "-c", command)

    def copy(self, container: str, source: Path, target: str) -> None:
        self.buildah("copy", container, source, target)


def forgery(task: Path) -> str:
    """Return the work of an agent that edits tests instead of the program."""
    facts = tomllib.loads((task / "tests/bug.toml").read_text())
    tree = task / "tests/tree"
    files = [path.relative_to(tree).as_posix() for path in sorted(tree.rglob("*")) if path.is_file()]
    hidden = [path for path in matching(files, tuple(facts["test"].get("files", ()))) if path != facts["path"]]
    return FORGERY.format(hidden=" ".join(map(shlex.quote, hidden)))


def reward(images: Images, image: str, task: Path, work: str, *, shared: bool = False) -> tuple[str, str]:
    """Return the reward of an agent that runs one command, and what the verifier said; `shared`: in the agent's own container."""
    with images.container(image) as agent, tempfile.TemporaryDirectory() as kept:
        if work == ORACLE:
            images.copy(agent, task / "solution", "/solution")
        if work:
            images.run(agent, f"cd /app && {work}", user="agent")
        if shared or not work:
            return _verified(images, agent, task)
        shutil.copytree(Path(images.buildah("mount", agent)) / "app", Path(kept) / "app", symlinks=True)
        images.buildah("umount", agent)
        with images.container(image) as verifier:
            images.copy(verifier, Path(kept) / "app", "/app")
            return _verified(images, verifier, task)


def _verified(images: Images, container: str, task: Path) -> tuple[str, str]:
    images.copy(container, task / "tests", "/tests")
    images.run(container, "mkdir -p /logs/verifier && chmod 777 /logs/verifier && rm -f /logs/verifier/reward.*")
    images.run(container, "cd /app && (bash /tests/test.sh) > /logs/verifier/test-stdout.txt 2>&1 || true")
    logs = Path(images.buildah("mount", container)) / "logs/verifier"
    found = {path.name: path.read_text() for path in logs.iterdir()}
    images.buildah("umount", container)
    return found.get("reward.json") or found.get("reward.txt", "none").strip(), found["test-stdout.txt"].strip()
