"""Load on `repairlab serve`: many clients, then the same from the cache, then with workers and the server killed meanwhile.

Verdicts are compared with those of `repairlab run` without a cache; exit code 1 when one is lost or wrong.
Run: .venv/bin/python bench/serve.py [--clients 50] [--requests 200] [--bugs 4] [--candidates 40] [--skip-calm | --skip-kills]
"""

import argparse
import asyncio
import contextlib
import json
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

import repairlab as rl
from repairlab.runs.store import Store

BATCH = 64
N_BATCHES = 200
KILL_EVERY_S = 2.0
HEAD = b"POST /v1/validate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


def main() -> None:
    """Find the truth, then ask for it in three ways."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--requests", type=int, default=200, help="of each client")
    parser.add_argument("--bugs", type=int, default=4)
    parser.add_argument("--candidates", type=int, default=40, help="of each bug")
    parser.add_argument("--skip-calm", action="store_true")
    parser.add_argument("--skip-kills", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="serve-", ignore_cleanup_errors=True) as folder:
        truth = find_truth(Path(folder, "truth"), options.bugs, options.candidates)
        print(f"{len(truth)} candidates: {dict(Counter(verdict for _, verdict in truth))}; load average {os.getloadavg()[0]:.1f}")
        n_bad = 0 if options.skip_calm else measure(Path(folder, "calm"), truth, options.clients, options.requests)
        if not options.skip_kills:
            n_bad += measure_kills(Path(folder, "killed"), truth, options.clients, options.requests)
    sys.exit(1 if n_bad else 0)


def find_truth(folder: Path, n_bugs: int, n_candidates: int) -> list[tuple[dict[str, Any], str]]:
    """Return requests with their verdicts."""
    bench = rl.load("starter").filter("python-*", limit=n_bugs)
    rl.run(bench, rl.repairer("templates", n=n_candidates), to=folder, cache=False)
    store = Store(folder)
    verdicts = {outcome.candidate_id: outcome.verdict.value for outcome in store.outcomes()}
    found = {}
    for candidate in store.candidates():
        edits = [
            {"path": edit.path, "text": edit.text}
            | ({"span": {"start": edit.span.start, "end": edit.span.end}} if edit.span else {})
            for edit in candidate.edits
        ]
        found[candidate.id] = ({"bug": f"starter/{candidate.bug_id}", "edits": edits}, verdicts[candidate.id])
    return list(found.values())


class Server:
    """A service that may be killed and started again on its port."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self._env = {**os.environ, "REPAIRLAB_CACHE": str(folder / "cache")}
        self._options = ["--port", str(self.port), "-j", "2", "--state", str(folder / "state"), "--queue", "2000"]
        self._log = folder / "log"
        folder.mkdir(parents=True)
        self.start()

    def start(self) -> None:
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "repairlab", "serve", "starter", *self._options], stderr=log, env=self._env
            )
        end = time.monotonic() + 120
        while time.monotonic() < end:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"http://127.0.0.1:{self.port}/v1/health", timeout=120).status_code == 200:
                    return
            time.sleep(0.1)
        raise SystemExit(f"the service does not start: {self._log.read_text()}")

    def workers(self) -> list[int]:
        """Return the processes that are forks of the service's fork server."""
        parents, forking = {}, set()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
                if b"executors.forking" in (folder / "cmdline").read_bytes():
                    forking.add(int(folder.name))
        return [pid for pid, parent in parents.items() if parent in forking and parents.get(parent) == self.process.pid]

    def cpu_s(self) -> float:
        """Return the CPU time of the process of the service, without its workers."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Return what the process of the service has in memory."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else 0.0


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[Server]:
    server = Server(folder)
    try:
        yield server
    finally:
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(60)


class Asker:
    """One client with one connection; as little of it as possible, so that it is the service that is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, body: bytes) -> tuple[int, bytes]:
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=2**24)
        reader, writer = self._streams
        writer.write(HEAD % len(body) + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer)
        assert length
        return int(answer.split(b" ", 2)[1]), await reader.readexactly(int(length[1]))

    async def ask(self, body: bytes) -> Any:
        """Ask until there is an answer."""
        while True:
            try:
                status, text = await self.post(body)
            except (OSError, asyncio.IncompleteReadError):
                self.close()
                await asyncio.sleep(0.2)
                continue
            if status == 200:
                return json.loads(text)
            if status not in (429, 503):
                raise SystemExit(f"{status}: {text[:300]!r}")
            await asyncio.sleep(0.2)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


async def load(port: int, truth: list[tuple[dict[str, Any], str]], n_clients: int, n_requests: int) -> dict[str, Any]:
    """Let clients ask, and return what came of it."""
    bodies = [(json.dumps(body).encode(), verdict) for body, verdict in truth]
    took: list[float] = []
    counts: Counter[str] = Counter()

    async def client(number: int) -> None:
        dice, asker = random.Random(number), Asker(port)
        for _ in range(n_requests):
            body, verdict = dice.choice(bodies)
            begun = time.perf_counter()
            answer = await asker.ask(body)
            took.append(time.perf_counter() - begun)
            while answer["verdict"] == "UNDECIDED":  # never counted as a verdict: ask again
                counts["undecided"] += 1
                answer = await asker.ask(body)
            counts["right" if answer["verdict"] == verdict else "wrong"] += 1
            counts["known"] += answer["cached"]
        asker.close()

    begun = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(n_clients)))
    seconds = time.perf_counter() - begun
    ranks = statistics.quantiles(took, n=100)
    lost = n_clients * n_requests - counts["right"] - counts["wrong"]
    return {"s": seconds, "rate": len(took) / seconds, "p50": ranks[49], "p99": ranks[98], "lost": lost, "counts": counts}


async def load_batches(port: int, truth: list[tuple[dict[str, Any], str]], n_batches: int) -> float:
    """Ask for many verdicts in each request, four requests at a time; return verdicts per second."""
    dice = random.Random(0)
    batches = [[dice.choice(truth) for _ in range(BATCH)] for _ in range(n_batches)]

    async def client(part: list[list[tuple[dict[str, Any], str]]]) -> None:
        asker = Asker(port)
        for batch in part:
            answer = await asker.ask(json.dumps({"candidates": [body for body, _ in batch]}).encode())
            assert [item["verdict"] for item in answer["outcomes"]] == [verdict for _, verdict in batch]
        asker.close()

    begun = time.perf_counter()
    await asyncio.gather(*(client(batches[number::4]) for number in range(4)))
    return n_batches * BATCH / (time.perf_counter() - begun)


def show(name: str, found: dict[str, Any], server: Server, before: tuple[float, float]) -> int:
    """Print a line, and return how many verdicts are bad."""
    counts = found["counts"]
    cpu_us = 1e6 * (server.cpu_s() - before[1]) / (counts["right"] + counts["wrong"])
    p50, p99 = 1000 * found["p50"], 1000 * found["p99"]
    print(f"{name}: {found['rate']:.0f} requests/s in {found['s']:.1f} s, p50 {p50:.1f} ms, p99 {p99:.0f} ms")
    told = f"{counts['wrong']} wrong, {counts['undecided']} undecided and asked again, {counts['known']} known"
    print(f"    {found['lost']} lost, {told}")
    print(f"    memory {before[0]:.0f} → {server.memory_mb():.0f} MB, CPU of the service {cpu_us:.0f} µs per request", flush=True)
    return int(found["lost"] + counts["wrong"])


def measure(folder: Path, truth: list[tuple[dict[str, Any], str]], n_clients: int, n_requests: int) -> int:
    """Measure a service that nobody disturbs, and return how many verdicts are bad."""
    with serving(folder) as server:
        n_bad = 0
        for name in ("new", "known"):
            before = (server.memory_mb(), server.cpu_s())
            n_bad += show(name, asyncio.run(load(server.port, truth, n_clients, n_requests)), server, before)
        cpu_s = server.cpu_s()
        rate = asyncio.run(load_batches(server.port, truth, N_BATCHES))
        cpu_us = 1e6 * (server.cpu_s() - cpu_s) / (N_BATCHES * BATCH)
        print(f"known, {BATCH} in a request: {rate:.0f} verdicts/s, {cpu_us:.0f} µs of CPU each", flush=True)
    return n_bad


def measure_kills(folder: Path, truth: list[tuple[dict[str, Any], str]], n_clients: int, n_requests: int) -> int:
    """Measure a service whose workers are killed every two seconds, and that is killed itself once."""
    kills = Counter[str]()

    async def disturb(server: Server) -> None:
        dice, number = random.Random(1), 0
        while True:
            await asyncio.sleep(KILL_EVERY_S)
            number += 1
            if number == 3:
                server.process.kill()
                server.process.wait()
                await asyncio.to_thread(server.start)
                kills["server"] += 1
            elif pids := server.workers():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(dice.choice(pids), signal.SIGKILL)
                    kills["worker"] += 1

    async def both(server: Server) -> dict[str, Any]:
        disturbing = asyncio.create_task(disturb(server))
        try:
            return await load(server.port, truth, n_clients, n_requests)
        finally:
            disturbing.cancel()

    with serving(folder) as server:
        found = asyncio.run(both(server))
        return show(f"killed {dict(kills)}", found, server, (0.0, 0.0))


if __name__ == "__main__":
    main()
