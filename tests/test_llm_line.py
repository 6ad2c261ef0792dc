"""The whole line with a language model: a real server, real requests, real validation. The model is tiny and talks nonsense."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.candidate import Candidate
from repairlab.repairers.ledger import FILE, read_requests
from repairlab.repairers.llm.prompts.table import names
from repairlab.runs.store import Store
from tests.llm_server.fault_proxy import HARMLESS, FaultProxy
from tests.llm_server.llama_server import Endpoint

Start = Callable[..., int]
QUICK = ("zero-shot", "reasoning", "infill-line")
"""Strategies that the ordinary tests run; `make test-llm` runs all."""


@pytest.fixture
def seed() -> str:
    """Return a seed that no earlier test used, so that no kept answer is found."""
    return str(random.SystemRandom().randrange(2**30))


@pytest.fixture
def start(tiny: Path, tmp_path: Path, seed: str, sandbox: object, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Return a function that runs the tiny benchmark with a model."""
    monkeypatch.chdir(tmp_path)

    def begin(base_url: str, to: str, *more: str) -> int:
        return run([*command(tiny, base_url, seed), "--to", to, *more])

    return begin


def command(benchmark: Path, base_url: str, seed: str) -> list[str]:
    model = ["--repairer", "llm", "--model", "llamacpp/tiny", "--base-url", base_url, "--max-tokens", "32", "--seed", seed]
    model.append("--keep-going")  # it talks nonsense
    return ["run", str(benchmark), *model, "-j", "2"]


def candidates(folder: Path) -> dict[tuple[str, int], Candidate]:
    return {(item.bug_id, item.rank): item for item in Store(folder).candidates()}


def records(folder: Path) -> dict[tuple[str, int], str]:
    return {place: item.id for place, item in candidates(folder).items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    "strategy",
    [pytest.param(name, marks=() if name in QUICK else pytest.mark.llm) for name in names() if name != "conversation"],
)
def test_every_strategy_goes_down_the_whole_line(strategy: str, start: Start, llama_server: Endpoint, tmp_path: Path) -> None:
    assert start(llama_server.base_url, "asked", "-n", "2", "--strategy", strategy, "--skip-unfit", "--json") == 0
    made = candidates(tmp_path / "asked")
    bugs = {"sum"} if strategy == "verdict" else {"sum", "shop"}
    assert set(made) == {(bug, rank) for bug in bugs for rank in (1, 2)}
    for candidate in made.values():
        assert (candidate.origin.repairer, candidate.origin.model) == ("llm", "llamacpp/tiny")
        assert candidate.origin.tokens_out > 0
        assert dict(candidate.origin.settings)["strategy"] == strategy


@pytest.mark.slow
def test_a_conversation_learns_from_its_failures(start: Start, llama_server: Endpoint, tmp_path: Path) -> None:
    talk = ("--strategy", "conversation", "--feedback", "message", "--attempts", "2", "--turns", "2", "--show-error")
    assert start(llama_server.base_url, "talked", *talk) == 0
    made = candidates(tmp_path / "talked")
    places = {(bug, item.origin.attempt, item.origin.turn) for (bug, _), item in made.items()}
    assert places == {(bug, attempt, turn) for bug in ("sum", "shop") for attempt in (0, 1) for turn in (0, 1)}


@pytest.mark.slow
def test_a_finished_run_is_replayed_without_a_server(
    start: Start, llama_server: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start(llama_server.base_url, "first", "-n", "3") == 0
    with FaultProxy(llama_server.base_url, share=0).running() as proxy:
        moved = proxy.base_url
    assert start(llama_server.base_url, "again", "-n", "3", "--offline") == 0
    assert records(tmp_path / "first") == records(tmp_path / "again")
    assert all(request.from_cache for request in read_requests(tmp_path / "again" / FILE))
    capsys.readouterr()
    assert start(moved, "elsewhere", "-n", "3", "--offline") == 3
    assert "--offline" in capsys.readouterr().err


@pytest.mark.slow
def test_faults_on_the_way_change_nothing(start: Start, llama_server: Endpoint, tmp_path: Path) -> None:
    assert start(llama_server.base_url, "plain", "-n", "6") == 0
    with FaultProxy(llama_server.base_url, share=0.8, delay_s=0.05).running() as proxy:
        assert start(proxy.base_url, "faulty", "-n", "6") == 0
    plain, faulty = records(tmp_path / "plain"), records(tmp_path / "faulty")
    assert plain.keys() == faulty.keys()
    # The server's own rounding depends on which requests meet, and may tip an answer over once in a long while.
    assert sum(plain[place] != faulty[place] for place in plain) <= 1
    # What came through is exactly what the run has.
    delivered = [choice["message"]["content"] for reply in proxy.replies for choice in json.loads(reply).get("choices", [])]
    unread = [item.answer for item in candidates(tmp_path / "faulty").values() if item.answer is not None]
    assert len(delivered) == len(faulty)
    assert not Counter(unread) - Counter(delivered)
    assert sum(count for fault, count in proxy.met.items() if fault not in HARMLESS) > 0
    assert {count for body, count in proxy.delivered.items() if body} == {1}


@pytest.mark.slow
def test_a_killed_run_goes_on_without_asking_again(
    tiny: Path, llama_server: Endpoint, tmp_path: Path, seed: str, sandbox: object
) -> None:
    folder = tmp_path / "killed"
    with FaultProxy(llama_server.base_url, share=1, worst=10**6, faults=("delay",), delay_s=0.3).running() as proxy:
        arguments = [*command(tiny, proxy.base_url, seed), "-n", "12", "--concurrency", "1", "--to", str(folder)]
        first = subprocess.Popen([sys.executable, "-m", "repairlab", *arguments], stderr=subprocess.PIPE, start_new_session=True)
        while len(answered(folder)) < 2 and first.poll() is None:
            time.sleep(0.02)
        os.killpg(first.pid, signal.SIGKILL)
        first.communicate()
        kept = sum(request.n for request in answered(folder))
        done = subprocess.run(
            [sys.executable, "-m", "repairlab", "run", "--resume", str(folder), "--keep-going"],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert 0 < kept < 24
    assert len(candidates(folder)) == 24
    # One request of each of the two processes was under way: it may be asked for again, or be kept and not booked.
    assert sum(count - 1 for body, count in proxy.delivered.items() if body) <= 2
    booked = Counter((request.prompt, request.first + place) for request in answered(folder) for place in range(request.n))
    assert 24 - len(booked) <= 2 * max(request.n for request in answered(folder))
    # What is booked is kept, and never paid for twice.
    assert set(booked.values()) == {1}


def answered(folder: Path) -> list[Any]:
    return [request for request in read_requests(folder / FILE) if not request.from_cache and request.problem is None]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--model", "openai/gpt-4o"), 2, "OPENAI_API_KEY"),
        (("--model", "gpt-4o"), 2, "openai/gpt-4o"),
        (("--model", "llamacpp/tiny", "--base-url", "http://127.0.0.1:9/v1", "--retries", "0"), 3, "--resume"),
        (("--model", "llamacpp/tiny", "--strategy", "zero-shoot"), 2, "zero-shot"),
        (("--model", "llamacpp/tiny", "--strategy", "verdict"), 2, "--skip-unfit"),
        (("--model", "llamacpp/tiny", "--strategy", "conversation"), 2, "--feedback"),
        (("--model", "llamacpp/tiny", "--greedy", "--temperature", "1"), 2, "--greedy"),
        (("--model", "llamacpp/tiny", "--temperature", "7"), 2, "--temperature"),
        (("--strategy", "zero-shot"), 2, "--model"),
        (("--repairer", "templates", "--model", "llamacpp/tiny"), 2, "--repairer llm"),
        (("--model", "llamacpp/tiny", "--prompt-file", "no-such-file"), 2, "no-such-file"),
        (("--model", "llamacpp/tiny", "--strategy", "few-shot", "--split", "train"), 2, "train"),
    ],
)
def test_what_cannot_work_says_why(  # noqa: PLR0917
    options: tuple[str, ...],
    code: int,
    message: str,
    tiny: Path,
    llama_server: Endpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    given = [option.replace("{url}", llama_server.base_url) for option in options]
    assert run(["run", str(tiny), "-n", "1", *given]) == code
    assert message in capsys.readouterr().err


@pytest.mark.slow
def test_a_cost_limit_stops_a_run_that_can_go_on(
    start: Start, llama_server: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"llamacpp/tiny" = { input = 1000000.0, output = 1000000.0 }\n', encoding="utf-8")
    costly = ("-n", "2", "--prices", str(prices), "--concurrency", "1")
    assert start(llama_server.base_url, "limited", *costly, "--cost-limit", "1") == 3
    assert "--cost-limit" in capsys.readouterr().err
    made = candidates(tmp_path / "limited")
    assert 0 < len(made) < 4
    assert run(["run", "--resume", "limited", "--cost-limit", "100000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["scores"]
    assert {place: item.id for place, item in made.items()}.items() <= records(tmp_path / "limited").items()
