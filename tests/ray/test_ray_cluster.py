"""Runs on a real Ray cluster: a head without cores and machines with one core each, as processes of this machine."""

import contextlib
import dataclasses
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run as repairlab
from repairlab.core.errors import UserError
from repairlab.runs.experiment import make_experiment
from repairlab.runs.messages import Notice, Progress, Step
from repairlab.runs.run import finish_run, start_run
from repairlab.runs.store import Store
from repairlab.validation.machine import Machine, local_machine
from tests.building.mining.conftest import History
from tests.runs.test_run import contents, run

cluster_utils = pytest.importorskip("ray.cluster_utils", reason="the extra [ray] is not installed")
REPAIRLAB = [sys.executable, "-m", "repairlab"]
_MEMORY = {"object_store_memory": 80_000_000}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    opened = _opened()
    yield opened
    opened.shutdown()


def _opened(attempts: int = 4) -> Any:
    """Start a cluster; Ray gives its processes 30 seconds, whatever else the machine does, so that one try may not be enough."""
    for left in reversed(range(attempts)):
        opened = cluster_utils.Cluster()
        try:
            opened.add_node(num_cpus=0, include_dashboard=False, **_MEMORY)
            opened.add_node(num_cpus=1, **_MEMORY)
            opened.add_node(num_cpus=1, **_MEMORY)
            return opened
        except Exception as error:
            opened.shutdown()
            if not left or "timed out during startup" not in str(error):
                raise
    raise AssertionError("unreachable")


@pytest.fixture
def far(cluster: Any, machine: Machine, monkeypatch: pytest.MonkeyPatch) -> Machine:
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    return dataclasses.replace(machine, executor="ray", workers=0)


def test_a_run_on_a_cluster_is_the_same_run(tiny: Path, tmp_path: Path, machine: Machine, far: Machine) -> None:
    run(tiny, tmp_path / "near", machine, repairer="templates", n=12)
    run(tiny, tmp_path / "far", far, repairer="templates", n=12)
    assert contents(tmp_path / "far") == contents(tmp_path / "near")


def test_a_machine_that_dies_costs_nothing(tiny: Path, tmp_path: Path, machine: Machine, far: Machine, cluster: Any) -> None:
    dying = cluster.add_node(num_cpus=2, **_MEMORY)  # whose workers die one after the other
    seen: list[Step] = []

    def step(event: Step) -> None:
        seen.append(event)
        if sum(isinstance(item, Progress) for item in seen) == 3 and dying in cluster.worker_nodes:
            cluster.remove_node(dying, allow_graceful=False)

    benchmark = open_benchmark(str(tiny))
    start_run(make_experiment({"benchmark": str(tiny), "repairer": "templates", "n": 30}), benchmark, tmp_path / "far", far)
    finish_run(benchmark, tmp_path / "far", far, step)
    assert dying not in cluster.worker_nodes
    run(tiny, tmp_path / "near", machine, repairer="templates", n=30)
    assert contents(tmp_path / "far") == contents(tmp_path / "near")
    outcomes = [outcome.candidate_id for outcome in Store(tmp_path / "far").outcomes()]
    assert len(outcomes) == len(set(outcomes))


def test_a_killed_run_goes_on_and_leaves_nobody_behind(tiny: Path, tmp_path: Path, machine: Machine, far: Machine) -> None:
    folder = tmp_path / "far"
    command = [*REPAIRLAB, "run", str(tiny), "--repairer", "templates", "-n", "30", "--to", str(folder), "--executor", "ray"]
    with subprocess.Popen([*command, "--no-cache"], stderr=subprocess.DEVNULL) as driver:
        while driver.poll() is None and not (folder / "outcomes.jsonl").exists():
            time.sleep(0.05)
        driver.send_signal(signal.SIGKILL)
    done = subprocess.run([*REPAIRLAB, "run", "--resume", str(folder), "--executor", "ray", "--no-cache"], check=False)
    assert done.returncode == 0
    run(tiny, tmp_path / "near", machine, repairer="templates", n=30)
    assert contents(folder) == contents(tmp_path / "near")
    end = time.monotonic() + 60
    while _workers() and time.monotonic() < end:
        time.sleep(0.2)
    assert not _workers()


def test_a_slow_machine_changes_nothing(tiny: Path, tmp_path: Path, machine: Machine, far: Machine, cluster: Any) -> None:
    slow = cluster.add_node(num_cpus=1, **_MEMORY)
    is_over = threading.Event()
    slowing = threading.Thread(target=_slow_down, args=(slow, is_over))
    slowing.start()
    try:
        run(tiny, tmp_path / "far", far, repairer="templates", n=30)
    finally:
        is_over.set()
        slowing.join()
        cluster.remove_node(slow)
    run(tiny, tmp_path / "near", machine, repairer="templates", n=30)
    assert contents(tmp_path / "far") == contents(tmp_path / "near")


def _slow_down(node: Any, is_over: threading.Event) -> None:
    """Let the workers of a machine have a fifth of the time."""
    raylet = node.all_processes["raylet"][0].process.pid
    while not is_over.is_set():
        actors = [pid for pid in _children(raylet) if _command(pid).startswith(b"ray::")]
        servers = [pid for actor in actors for pid in _children(actor)]
        pids = [*actors, *servers, *(pid for server in servers for pid in _children(server))]
        for number, seconds in ((signal.SIGSTOP, 0.4), (signal.SIGCONT, 0.1)):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            time.sleep(seconds)


def test_mining_on_a_cluster_finds_the_same(shop: History, tmp_path: Path, far: Machine) -> None:
    del far  # for the address of the cluster
    for where in ("local", "ray"):
        command = ["mine", str(shop.folder), "--to", str(tmp_path / where), "--name", "mined", "--extent", "file"]
        assert repairlab([*command, "--executor", where]) == 0
    near, there = (_texts(tmp_path / where) for where in ("local", "ray"))
    assert near == there and sum(name.endswith("bug.toml") for name in near) == 2


def _texts(folder: Path) -> dict[str, bytes]:
    """Return the files of a benchmark, but for what says how long it took."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "import.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_machine_that_would_judge_otherwise_is_left_out_by_name(tiny: Path, tmp_path: Path, far: Machine, cluster: Any) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    programs = [item for path in map(Path, os.environ["PATH"].split(os.pathsep)) if path.is_dir() for item in path.iterdir()]
    for program in {item.name: item for item in reversed(programs) if item.name != "bwrap"}.values():
        (folder / program.name).symlink_to(program)
    node = cluster.add_node(num_cpus=1, env_vars={"PATH": str(folder)}, **_MEMORY)
    try:
        notices: list[str] = []
        benchmark = open_benchmark(str(tiny))
        start_run(make_experiment({"benchmark": str(tiny), "repairer": "copy"}), benchmark, tmp_path / "far", far)
        finish_run(benchmark, tmp_path / "far", far, lambda step: notices.append(step.text) if isinstance(step, Notice) else None)
    finally:
        cluster.remove_node(node)
    assert len(notices) == 1 and notices[0].startswith("left out: ") and "bubblewrap" in notices[0]
    assert len(list(Store(tmp_path / "far").outcomes())) == 2


@pytest.mark.parametrize("address", ["127.0.0.1:1", "ray://127.0.0.1:1", "nobody"])
def test_no_cluster_is_a_clear_error(tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", address)
    done = subprocess.run(
        [*REPAIRLAB, "run", "starter", "--repairer", "copy", "--to", str(tmp_path / "run"), "--executor", "ray", "--limit", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert f"no Ray cluster answers at {address}" in done.stderr and "ray start --head" in done.stderr


def test_an_unknown_executor_is_named() -> None:
    with pytest.raises(UserError, match=r"executor 'slurm'.*ray"):
        local_machine(executor="slurm")


def _workers() -> list[int]:
    """Return the processes that fork workers within a cluster."""
    parents = _parents()
    return [
        pid
        for pid, parent in parents.items()
        if b"repairlab.runs.executors.forking" in _command(pid) and _command(parent).startswith(b"ray::")
    ]


def _children(pid: int) -> list[int]:
    return [child for child, parent in _parents().items() if parent == pid]


def _parents() -> dict[int, int]:
    """Return the parents of all processes."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            found[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
    return found


def _command(pid: int) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""
