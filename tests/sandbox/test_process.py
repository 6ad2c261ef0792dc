"""What is particular to the back end without isolation."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Ending, Limits
from repairlab.sandbox.process import ProcessSandbox


def test_it_refuses_to_be_used_by_accident(cache: Path) -> None:
    with pytest.raises(UserError, match=r"--allow-unsafe"):
        ProcessSandbox(cache)


def test_its_private_folders_are_gone_afterwards(process: ProcessSandbox, tree: Path) -> None:
    script = 'mkdir -p "$HOME/a/b" && echo x > "$HOME/a/b/c" && chmod 000 "$HOME/a/b" "$HOME/a" && dirname "$HOME"'
    seen = process.run(Command(argv=("sh", "-c", script)), tree)
    scratch = Path(seen.stdout.decode().strip())
    assert scratch.parent == Path(tempfile.gettempdir())
    assert not scratch.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root changes the user")
def test_root_always_gives_the_command_an_unprivileged_user(process: ProcessSandbox, tree: Path) -> None:
    command = Command(argv=("sh", "-c", "id -u; grep CapEff /proc/self/status; touch new"))
    for mode in (0o755, 0o700):
        tree.chmod(mode)
        seen = process.run(command, tree)
        assert seen.stdout.split()[0] != b"0"
        assert int(seen.stdout.split()[2], 16) == 0
        assert list(tree.iterdir()) == []


def test_waiting_for_a_cpu_is_not_held_against_a_command_and_sleeping_is(process: ProcessSandbox, tree: Path) -> None:
    cpus = sorted(os.sched_getaffinity(0))
    spin = "import time\nwhile time.process_time() < {}: pass"
    command = Command(argv=("python3", "-c", spin.format(0.5)), limits=Limits(cpu_s=5, wall_s=1.0))
    others = [subprocess.Popen([sys.executable, "-c", spin.format(60)], start_new_session=True) for _ in range(4 * len(cpus))]
    try:
        starved = process.run(command, tree)
    finally:
        for other in others:
            other.kill()
            other.wait()
    assert starved.busy_s is None or starved.wall_s > 1.5, starved
    slept = process.run(Command(argv=("sleep", "60"), limits=Limits(cpu_s=5, wall_s=0.3)), tree)
    assert slept.ending is Ending.WALL_LIMIT
    assert slept.wall_s < 0.9
