"""What is particular to the back end without isolation."""

import os
import tempfile
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.execution import Command
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
