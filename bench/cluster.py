"""Workers of the pool beside workers on a Ray cluster: the same run of `templates`, with as many of the one as of the other.

Every machine of the cluster is a set of processes of this machine, with one core each; what Ray's own processes need is its cost.
Every run must find the same; exit code 1 otherwise. From what was measured follows, on paper, what many cores would do.
Run: PYTHONPATH=src python bench/cluster.py [-j 1,2,4] [-n 100] [-i 'python-*' …]    (extra [ray])
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from scaling import REPAIRLAB, Measured, measured

CANDIDATES = 1_060_000
"""What NPR4J's systems proposed: the example of a large experiment."""
CORES = 1_000


def main() -> None:
    """Run with each number of workers, both ways, and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-j", dest="workers", default="1,2,4", help="numbers of workers, and of machines [default: 1,2,4]")
    parser.add_argument("-n", type=int, default=100, help="candidates per bug [default: 100]")
    parser.add_argument("-i", dest="include", action="append", help="bugs, as for `repairlab run` [default: python-*]")
    options = parser.parse_args()
    from ray.cluster_utils import Cluster  # noqa: PLC0415  # an extra

    chosen = [part for bug in options.include or ["python-*"] for part in ("-i", bug)]
    command = [*REPAIRLAB, "run", "starter", "--repairer", "templates", "-n", str(options.n), *chosen, "--no-cache"]
    print(f"{len(os.sched_getaffinity(0))} cores; {' '.join(command[1:])}")
    print(f"{'workers':>7} {'candidates':>10} {'pool per s':>10} {'Ray per s':>10} {'ratio':>6}  same", flush=True)
    same = True
    with tempfile.TemporaryDirectory(prefix="cluster-") as folder:
        for workers in map(int, options.workers.split(",")):
            cluster: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
            for _ in range(workers):
                cluster.add_node(num_cpus=1)
            os.environ["RAY_ADDRESS"] = cluster.address
            pool = measured(
                [*command, "-j", str(workers), "--to", f"{folder}/pool-{workers}"], Path(folder, f"pool-{workers}"), orphans=False
            )
            there = f"{folder}/ray-{workers}"
            far = [*command, "--executor", "ray"]
            last = measured([*far, "--to", there], Path(there), orphans=False)
            few = measured([*far, "-n", str(max(1, options.n // 10)), "--to", f"{there}-few"], Path(f"{there}-few"), orphans=False)
            cluster.shutdown()
            equal = (pool.facts, pool.scores) == (last.facts, last.scores)
            same = same and equal
            ratio = (last.n / last.wall_s) / (pool.n / pool.wall_s)
            print(
                f"{workers:>7} {last.n:>10} {pool.n / pool.wall_s:>10.1f} {last.n / last.wall_s:>10.1f} {ratio:>6.2f}"
                f"  {'yes' if equal else 'NO'}",
                flush=True,
            )
            on_paper(pool, last, few, workers)
    sys.exit(0 if same else 1)


def on_paper(pool: Measured, last: Measured, few: Measured, workers: int) -> None:
    """Say what many cores would do: they are kept busy as long as the one process that hands work out can keep up.

    What that process takes for its start is known from a run with few candidates.
    """
    each_s, handed_s = pool.wall_s * workers / pool.n, max(0.0, last.cpu_s - few.cpu_s) / max(1, last.n - few.n)
    work_h, driver_h = CANDIDATES * each_s / CORES / 3600, CANDIDATES * handed_s / 3600
    print(
        f"        on paper: {CANDIDATES:,} such candidates ({1000 * each_s:.0f} ms each) on {CORES:,} cores: {work_h:.2f} h of "
        f"work, {driver_h:.2f} h of the process that hands it out ({1000 * handed_s:.1f} ms each): "
        f"{max(work_h, driver_h):.2f} h, bound by the {'workers' if work_h > driver_h else 'one process'}",
        flush=True,
    )


if __name__ == "__main__":
    main()
