"""Candidates of a model that answers at once: asked for, read, stored and deduplicated, our way and the naive one.

Naive: what published scripts do: one request after the other with the standard library, answers read by a regular expression, and
the whole file of results written anew after each bug. Ours: `repairlab run` without validation: concurrent requests, kept answers,
tolerant reading, an append-only run, normal forms. The server is another process, so that its time is not ours.
Run: .venv/bin/python bench/llm_throughput.py [--quick]
"""

import argparse
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from side_by_side import cpu_model, measure

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.model import Access
from repairlab.core.problem import shown
from repairlab.runs.experiment import Experiment, make_experiment
from repairlab.runs.messages import Task
from repairlab.runs.repairing import open_repairer
from repairlab.runs.sampler import Sampler, sample
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation.machine import Machine
from repairlab.validation.validator import BugValidator, Conditions

TARGET = 200
_SERVER = r"""
import json, os, random, re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        code = re.findall(r"```\w*\n(.*?)```", asked["messages"][-1]["content"], re.DOTALL)[-1]
        draw = random.Random(asked["seed"])
        choices = []
        for index in range(asked["n"]):
            lines = code.splitlines()
            if draw.random() < 0.4:  # six in ten answers repeat another one
                at = draw.randrange(1, len(lines)) if len(lines) > 1 else 0
                indentation = lines[at][: len(lines[at]) - len(lines[at].lstrip())]
                lines.insert(at, f"{indentation}v = {draw.randrange(10**9)};")
            text = "Here is the fixed code:\n\n```\n" + "\n".join(lines) + "\n```\nIt should work now."
            choices.append({"index": index, "finish_reason": "stop", "message": {"role": "assistant", "content": text}})
        usage = {"prompt_tokens": 300, "completion_tokens": 200 * len(choices), "total_tokens": 300 + 200 * len(choices)}
        self.reply({"choices": choices, "usage": usage, "model": "instant"})

    def do_GET(self):
        if self.path.endswith("/quit"):
            os._exit(0)
        self.reply({"data": [{"id": "instant", "max_model_len": 100000}]})

    def reply(self, data):
        body = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass

class Server(ThreadingHTTPServer):
    request_queue_size = 128

server = Server(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work, to see that it runs")
    n = 10 if parser.parse_args().quick else 100
    bugs = list(open_benchmark("starter"))
    total = n * len(bugs)
    with serving() as base_url, tempfile.TemporaryDirectory() as folder:
        n_naive, naive = measure(lambda: ask_naively(bugs, n, base_url, Path(folder)))
        n_ours, ours = measure(lambda: ask(bugs, n, base_url, Path(folder)))
    print(f"{cpu_model()}; {total} candidates: {len(bugs)} bugs × {n}, a server that answers at once")
    for name, distinct, cost in (("naive", n_naive, naive), ("ours", n_ours, ours)):
        print(
            f"{name:6} {total / cost.wall_s:8.0f} candidates/s  {1000 * cost.cpu_s / total:6.2f} ms CPU each  "
            f"{cost.wall_s:6.1f} s  {distinct} distinct"
        )
    rate = total / ours.wall_s
    print(f"target {TARGET}/s: {'reached' if rate >= TARGET else 'missed'}; wall ratio {naive.wall_s / ours.wall_s:.1f}×")


@contextlib.contextmanager
def serving() -> Iterator[str]:
    """Run the server in a process of its own that is not counted."""
    shell = ["setsid", "--fork", sys.executable, "-c", _SERVER]
    with subprocess.Popen(shell, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        port = int(process.stdout.readline())
        try:
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{port}/quit")


def settings_of(n: int, base_url: str) -> Experiment:
    model = {"model": "vllm/instant", "base_url": base_url}
    return make_experiment({"benchmark": "starter", "repairer": "llm", "n": n, "llm": model})


def ask(bugs: list[Bug], n: int, base_url: str, folder: Path) -> int:
    """Draw all candidates as a run does, and find which are equal; returns how many are not."""
    experiment = settings_of(n, base_url)
    machine = Machine(cache=folder / "cache", access=Access(concurrency=8))
    run = folder / "run"
    run.mkdir()
    tasks = [
        Task(
            bug=bug,
            experiment=experiment,
            folder=run,
            machine=machine,
            environment="",
            tools="",
            given=None,
            candidates={},
            outcomes={},
            given_up={},
        )
        for bug in bugs
    ]
    forms: dict[str, str] = {}
    store = Store(run)
    with (
        open_repairer(tasks[0], print) as repairer,
        Sampler(tasks, lambda task: sample(task, repairer), threads=8) as sampler,
    ):
        for task in sampled(sampler):
            with BugValidator(Conditions(bug=task.bug), FakeSandbox(lambda _: exited())) as validator:
                for place in task.candidates.values():
                    candidate = store.at(Candidate, place)
                    name = candidate.id
                    if name not in forms:
                        forms[name] = validator.form(candidate, name)
    if sampler.ended_by:
        raise sampler.ended_by
    return len(set(forms.values()))


def sampled(sampler: Sampler) -> Iterator[Task]:
    """Yield tasks as soon as their candidates are there."""
    for task in sampler.tasks():
        if task is not None:
            yield task
        else:
            os.read(sampler.wakeup, 4096)


def ask_naively(bugs: list[Bug], n: int, base_url: str, folder: Path) -> int:
    """Ask one request after the other, 20 answers each, and write everything after each bug."""
    results: dict[str, list[str]] = {}
    for bug in bugs:
        problem = shown(bug.problem, settings_of(n, base_url).visibility)
        text = f"Fix this bug: {problem.title}\n{problem.description}\n```\n{problem.target.text}\n```"
        patches: list[str] = []
        while len(patches) < n:
            body = {
                "model": "instant",
                "messages": [{"role": "user", "content": text}],
                "n": min(20, n - len(patches)),
                "temperature": 0.8,
                "max_tokens": 1024,
                "seed": len(patches),
            }
            request = urllib.request.Request(
                f"{base_url}/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request) as answer:
                choices = json.load(answer)["choices"]
            for choice in choices:
                found = re.search(r"```\w*\n(.*?)```", choice["message"]["content"], re.DOTALL)
                patches.append(found[1] if found else "")
        results[bug.id] = patches
        (folder / "patches.json").write_text(json.dumps(results), encoding="utf-8")
    return sum(len(set(patches)) for patches in results.values())


if __name__ == "__main__":
    main()
