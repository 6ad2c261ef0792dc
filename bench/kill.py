"""kill -9 of a run's main process at random moments, resumed each time, against a run that nobody disturbed.

No verdict may be lost, doubled or changed; no process and no temporary folder may be left behind. Exit code 1 otherwise.
Run: .venv/bin/python bench/kill.py [-n KILLS] [--seed N] [-i BUGS …]
"""

import argparse
import contextlib
import ctypes
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from repairlab.runs.integrity import find_damage
from repairlab.runs.store import Store

REPAIRLAB = (sys.executable, "-m", "repairlab")
_PATIENCE_S = 30.0


def main() -> None:
    """Run undisturbed, run disturbed, compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", type=int, default=20, help="how often to kill")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--candidates", type=int, default=20, help="candidates per bug")
    parser.add_argument("-i", dest="include", action="append", help="bugs, as for `repairlab run` [default: c-*]")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(36, 1)  # PR_SET_CHILD_SUBREAPER: what a killed run leaves behind becomes our child
    with tempfile.TemporaryDirectory(prefix="kill-") as folder:
        chosen = [part for bug in options.include or ["c-*"] for part in ("-i", bug)]
        settings = ["--repairer", "templates", "-n", str(options.candidates), *chosen]
        problems = try_killing(Path(folder), settings, options.n, random.Random(options.seed))
    print("\n".join(problems) or "no verdict lost, doubled or changed; no process and no folder left behind")
    sys.exit(1 if problems else 0)


def try_killing(folder: Path, settings: list[str], n_kills: int, dice: random.Random) -> list[str]:
    """Return what went wrong."""
    (folder / "tmp").mkdir()
    env = {**os.environ, "TMPDIR": str(folder / "tmp")}
    command = [*REPAIRLAB, "run", "starter", *settings, "-j", "2", "--no-cache", "--to"]
    start_s, took_s = undisturbed([*command, str(folder / "whole")], env, folder / "whole/outcomes.jsonl")
    print(f"undisturbed: {len(facts(folder / 'whole'))} verdicts in {took_s:.0f} s, the first after {start_s:.1f} s", flush=True)
    problems = []
    number = n_done = 0
    while number < n_kills:
        process = subprocess.Popen(
            [*command, str(folder / "killed")], env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        wait_for_moment(process, folder / "killed/outcomes.jsonl", dice, start_s)
        finished = process.poll() is not None
        number += not finished
        process.send_signal(signal.SIGKILL)
        process.wait()
        if left := processes_left():
            problems.append(f"kill {number}: still running after {_PATIENCE_S:g} s: {left}")
        n_now = facts(folder / "killed").total()
        if finished:
            print(f"finished with {n_now} verdicts; another run begins", flush=True)
            problems += differences(folder / "whole", folder / "killed")
            (folder / "killed").rename(folder / f"finished-{number}")
            n_done = 0
        else:
            print(f"kill {number}: {n_now - n_done} more verdicts, {n_now} in all", flush=True)
            n_done = n_now
    done = subprocess.run([*command, str(folder / "killed")], env=env, check=False, capture_output=True, text=True)
    if done.returncode:
        problems.append(f"the last start failed: {done.stderr}")
    problems += differences(folder / "whole", folder / "killed")
    problems += [f"left behind: {path}" for path in (folder / "tmp").iterdir()]
    return problems


def undisturbed(command: list[str], env: dict[str, str], outcomes: Path) -> tuple[float, float]:
    """Run a command and return after how many seconds there was an outcome and after how many it ended."""
    begin = time.monotonic()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while not outcomes.exists() and process.poll() is None:
            time.sleep(0.01)
        start_s = time.monotonic() - begin
        if process.wait():
            raise SystemExit(f"the undisturbed run failed with exit code {process.returncode}")
    return start_s, time.monotonic() - begin


def wait_for_moment(process: subprocess.Popen[bytes], outcomes: Path, dice: random.Random, start_s: float) -> None:
    """Wait for a random moment: one in four while the run still starts, else after some more verdicts."""
    lines = outcomes.read_bytes().count(b"\n") if outcomes.exists() else 0
    wanted = lines + dice.randint(1, 8)
    if dice.random() < 0.25:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(dice.uniform(0, start_s))
        return
    while process.poll() is None and (not outcomes.exists() or outcomes.read_bytes().count(b"\n") < wanted):
        time.sleep(0.01)
    time.sleep(dice.uniform(0, 0.2))


def facts(run: Path) -> Counter[tuple[object, ...]]:
    """Return a line of outcomes.jsonl each, without times."""
    return Counter(
        (outcome.bug_id, outcome.candidate_id, outcome.verdict, outcome.equivalent_to) for outcome in Store(run).outcomes()
    )


def differences(whole: Path, killed: Path) -> Iterator[str]:
    """Yield what the disturbed run has too little, too much or otherwise."""
    expected, found = facts(whole), facts(killed)
    yield from (f"lost or changed: {item}" for item in (expected - found).elements())
    yield from (f"doubled or changed: {item}" for item in (found - expected).elements())
    yield from (f"damaged: {damage}" for damage in find_damage(Store(killed)))
    if Counter(map(repr, Store(whole).candidates())) != Counter(map(repr, Store(killed).candidates())):
        yield "the candidates differ"
    if Counter((end.bug_id, end.ended) for end in Store(whole).ends()) != Counter(
        (end.bug_id, end.ended) for end in Store(killed).ends()
    ):
        yield "the ends differ"


def processes_left() -> list[str]:
    """Return the command lines of what the killed run left running; what ends by itself may take a moment to do so."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
        if not children or time.monotonic() > deadline:
            return [
                Path("/proc", pid, "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200] for pid in children
            ]
        time.sleep(0.05)


if __name__ == "__main__":
    main()
