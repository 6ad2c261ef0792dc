"""Control groups: where they can be made, and that commands are in them."""

import os
from pathlib import Path

import pytest

from repairlab.core.execution import Command, Limits
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.cgroups import find_control_groups
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox


def write(root: Path, own: str, handed_down: str) -> tuple[Path, Path]:
    (root / "cgroup" / "slice" / "session").mkdir(parents=True)
    (root / "cgroup" / "slice" / "cgroup.subtree_control").write_text(handed_down)
    (root / "membership").write_text(f"1:name=systemd:/\n{own}\n")
    return root / "cgroup", root / "membership"


def test_without_controllers_or_without_version_two_there_are_none(tmp_path: Path) -> None:
    assert find_control_groups(root=tmp_path, membership=tmp_path / "missing") is None
    root, membership = write(tmp_path / "a", "0::/slice/session", "cpu pids")
    assert find_control_groups(root=root, membership=membership) is None
    root, membership = write(tmp_path / "b", "4:memory:/slice/session", "memory pids")
    assert find_control_groups(root=root, membership=membership) is None


def test_a_folder_that_is_no_cgroup_file_system_is_not_taken_for_one(tmp_path: Path) -> None:
    root, membership = write(tmp_path, "0::/slice/session", "cpu memory pids")
    assert find_control_groups(root=root, membership=membership) is None  # no group can be joined there


def test_a_command_is_in_a_group_of_its_slot_with_room_for_its_limits(cache: Path, tree: Path) -> None:
    groups = find_control_groups()
    if groups is None:
        pytest.skip("no control groups can be made here")
    sandboxes: list[Sandbox] = [ProcessSandbox(cache, allow_unsafe=True, groups=groups)]
    if os.path.exists("/usr/bin/bwrap"):  # noqa: PTH110
        sandboxes.append(BubblewrapSandbox.open(cache, groups=groups))
    for sandbox in sandboxes:
        assert sandbox.name.endswith("+cgroup")
        with sandbox.slot(tree) as slot:
            seen = slot.run(Command(argv=("cat", "/proc/self/cgroup"), limits=Limits(processes=100)), tree)
            (group,) = Path("/sys/fs/cgroup").rglob(f"repairlab-{os.getpid()}-*")
            assert group.name.encode() in seen.stdout
            assert int((group / "pids.max").read_text()) > 100
        assert not group.exists()
