"""A benchmark as tasks for Harbor (https://www.harborframework.com/docs/tasks): one folder for each bug.

`environment/` makes the image that an agent works in: the buggy tree without tests. `tests/` comes into a fresh container of that
image when the agent is done: the judge, which is repairlab's own, the bug as a record, and its tree with all tests. `solution/`
holds the developer's fix.
"""

import dataclasses
import functools
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from repairlab.benchmarks.catalog import Benchmark, open_benchmark
from repairlab.benchmarks.writing import toml, write_file
from repairlab.building.harbor import judge
from repairlab.building.harbor.judge import BUG, TREE
from repairlab.building.importers.small_programs import safe_id
from repairlab.core.bug import Bug, Tree
from repairlab.core.errors import UserError
from repairlab.core.execution import RUNTIME_OVERHEAD_MB
from repairlab.core.installation import PACKAGE
from repairlab.core.recipe import matching
from repairlab.core.record import SCHEMA_VERSION, record, to_data
from repairlab.core.storage.folders import new_folder
from repairlab.languages.facts import facts
from repairlab.validation.worktree import files_below

SCHEMA = "1.3"
APP = "/app"
WRITTEN = 946684800  # 2000-01-01
"""Modification time of every file in an image, so that no date reveals the bug."""
_AGENT_S = 3600.0
_STARTING_S = 600.0
"""Time for the judge to get ready: it compiles its own runners, and Go its library."""

_DOCKERFILE = """\
FROM debian:bookworm-slim

{installing}RUN useradd --create-home --shell /bin/bash agent
COPY --chown=agent:agent app {app}
WORKDIR {app}
"""
_INSTALLING = """\
RUN apt-get update \\
    && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends {packages} \\
    && rm -rf /var/lib/apt/lists/*
"""
_PACKAGES = ("ca-certificates", "gcc", "git", "libc6-dev", "patch", "python3")
"""What agents and the judge need in every language: a layer that all images share."""
_TEST = """\
#!/bin/bash
# Judge /app by the tests in this folder, each by its name. No reward means that the judge failed.
logs=/logs/verifier
mkdir -p "$logs"
chmod 700 /tests "$logs"
rm -rf /opt/judge
python3 -I -m zipfile -e /tests/judge.zip /opt/judge
python3 -I /opt/judge /app /tests > /opt/judge/verdict.txt
code=$?
cat /opt/judge/verdict.txt
rm -rf "${logs:?}"/reward.*
cp /opt/judge/verdict.txt "$logs/verdict.txt"
if [ "$code" = 0 ]; then
    echo 1 > "$logs/reward.txt"
elif [ "$code" = 1 ]; then
    echo 0 > "$logs/reward.txt"
fi
"""
_SOLVE = """\
#!/bin/bash
# Apply the developer's fix.
set -e
cd /app
patch -p1 --no-backup-if-mismatch < "$(dirname "$0")/fix.patch"
"""
_INSTRUCTION = """\
{issue}

The code is in `{app}`, and it is in {language}. Find the bug and fix it there. Do not change how the program is built or called.
Hidden tests judge the result; changes of test files and of build or test settings are not taken.
"""


@record
class Tasks:
    """What was written."""

    folder: Path
    bugs: tuple[str, ...]
    left_out: tuple[str, ...]
    """Bugs that cannot be tasks, each with the reason."""


def write_tasks(name: str, to: Path, done: Callable[[], None] = lambda: None) -> Tasks:
    """Write the bugs of a benchmark as tasks into a new folder, all or nothing."""
    benchmark = open_benchmark(name)
    bugs, left_out = [], []
    with new_folder(to) as aside:
        for bug in benchmark:
            if bug.oracle.build.environment:
                left_out.append(f"{bug.id}: its packages ({bug.oracle.build.environment}) are no packages of Debian")
            else:
                _write(bug, benchmark, aside / bug.id)
                bugs.append(bug.id)
            done()
        if not bugs:
            raise UserError(f"no bug of {name} can be a task of Harbor; the first: {left_out[0] if left_out else 'there is none'}")
    return Tasks(folder=to, bugs=tuple(bugs), left_out=tuple(left_out))


def _write(bug: Bug, benchmark: Benchmark, task: Path) -> None:
    own, source = Path(bug.tree.source).parent, Path(bug.tree.source)
    settings = _settings(bug, benchmark)
    write_file(task, "task.toml", toml(settings).encode())
    known = facts(bug.problem.language)
    issue = "\n\n".join(filter(None, (f"# {bug.problem.title}", bug.problem.description.strip())))
    write_file(task, "instruction.md", _INSTRUCTION.format(issue=issue, app=APP, language=known.title).encode())
    checker = facts(bug.oracle.checker.language) if bug.oracle.checker else known
    needs = {"", bug.oracle.build.tool, bug.oracle.test.framework}
    wanted = {package for stated in (known, checker) for need in needs for package in stated.packages.get(need, "").split()}
    installing = [_INSTALLING.format(packages=" ".join(sorted(part))) for part in (_PACKAGES, wanted) if part]
    dockerfile = _DOCKERFILE.format(installing="".join(installing), app=APP)
    write_file(task, "environment/Dockerfile", dockerfile.encode())
    app, tests = task / "environment/app", task / "tests"
    files = files_below(source)
    hidden = set(matching(files, bug.oracle.test.files)) - {bug.problem.path}
    for path in files:
        if path not in hidden:
            (app / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / path, app / path, follow_symlinks=False)
    for item in (app, *app.rglob("*")):
        os.utime(item, (WRITTEN, WRITTEN), follow_symlinks=False)
    shutil.copytree(source, tests / TREE, symlinks=True)
    judged = dataclasses.replace(
        bug, problem=dataclasses.replace(bug.problem, context=()), tree=Tree(source=TREE, digest=bug.tree.digest)
    )
    write_file(tests, BUG, json.dumps({"schema": SCHEMA_VERSION, **to_data(judged)}).encode())
    shutil.copy2(own / "bug.toml", tests / "bug.toml")
    write_file(tests, "test.sh", _TEST.encode(), executable=True)
    write_file(tests, "judge.zip", _packed(tuple(sorted({known.name, checker.name}))))
    write_file(task, "solution/fix.patch", (own / "fix.patch").read_bytes())
    write_file(task, "solution/solve.sh", _SOLVE.encode(), executable=True)


def _settings(bug: Bug, benchmark: Benchmark) -> dict[str, Any]:
    """Return task.toml; artifacts are copied from the agent's container to the verifier's."""
    oracle = bug.oracle
    patience_s = oracle.build.limits.wall_s + oracle.limits.wall_s * bug.n_tests
    return {
        "schema_version": SCHEMA,
        "artifacts": [APP],
        "task": {
            "name": f"repairlab/{safe_id(benchmark.name, bug.id)}",
            "description": bug.problem.title,
            "keywords": ["program-repair", bug.problem.language],
        },
        "metadata": {"benchmark": benchmark.name, "version": benchmark.version, "bug": bug.id, "digest": bug.digest},
        "verifier": {"timeout_sec": _STARTING_S + patience_s, "environment_mode": "separate"},
        "agent": {"timeout_sec": _AGENT_S, "user": "agent"},
        "environment": {
            "build_timeout_sec": 1800.0,
            "cpus": 2,
            "memory_mb": max(oracle.build.limits.memory_mb, oracle.limits.memory_mb + RUNTIME_OVERHEAD_MB),
            "storage_mb": 10240,
        },
    }


_LOADED = """\
import sys
import repairlab.building.harbor.judge
from repairlab.languages.language import language
for name in sys.argv[1:]:
    language(name).toolchain
print(*(module.__file__ for name, module in sys.modules.items() if name.startswith("repairlab") and module.__file__), sep="\\n")
"""
_NO_PARSER = '"""Stands for the parser: who runs tests needs none."""\n\nLanguage = Node = Parser = Tree = object\n'


@functools.cache
def _packed(languages: tuple[str, ...]) -> bytes:
    """Return the judge for bugs in these languages: the modules it loads, and what builds and runs their tests."""
    asked = subprocess.run([sys.executable, "-P", "-c", _LOADED, *languages], capture_output=True, text=True, check=True)
    modules = [Path(line) for line in asked.stdout.split()]
    rooms = {PACKAGE / "sandbox", *(path.parent for path in modules if path.parent.parent == PACKAGE / "languages")}
    beside = (path for room in rooms for path in room.rglob("*") if path.is_file() and path.suffix != ".pyc")
    texts = {path.relative_to(PACKAGE.parent).as_posix(): path.read_bytes() for path in (*modules, *beside)}
    texts |= {"__main__.py": Path(judge.__file__).read_bytes(), "tree_sitter.py": _NO_PARSER.encode()}
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in sorted(texts):
            archive.writestr(zipfile.ZipInfo(path), texts[path], zipfile.ZIP_DEFLATED)
    return packed.getvalue()
