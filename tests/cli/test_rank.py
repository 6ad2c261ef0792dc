"""`repairlab rank`, from a run folder and a server of embeddings to the score table."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.cli.main import run
from repairlab.core.candidate import Edit
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment, Manifest
from repairlab.runs.store import BugEnd, Store
from tests import builders
from tests.llm_server.llama_server import Endpoint

P, W, CE = Verdict.PLAUSIBLE, Verdict.WRONG, Verdict.UNCOMPILABLE
TOTAL = "def total(numbers):\n    result = {}\n    for number in numbers:\n        result += number\n    return result"


class Embeddings(BaseHTTPRequestHandler):
    """Answers /v1/embeddings with the counts of characters."""

    protocol_version = "HTTP/1.1"
    n_requests = 0

    def do_POST(self) -> None:
        type(self).n_requests += 1
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        vectors = [[text.count(chr(code)) for code in range(32, 127)] for text in texts]
        body = json.dumps(
            {
                "object": "list",
                "data": [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)],
                "model": "letters",
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent."""


@pytest.fixture
def server() -> Iterator[str]:
    """Start the server and return its address."""
    Embeddings.n_requests = 0
    with ThreadingHTTPServer(("127.0.0.1", 0), Embeddings) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield f"http://127.0.0.1:{listening.server_address[1]}/v1"
        listening.shutdown()
        thread.join()


@pytest.fixture
def folder(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a run with four candidates for one bug: wrong, plausible, not to be built, and the first again."""
    monkeypatch.setenv("REPAIRLAB_CACHE", str(tmp_path / "cache"))
    benchmark = open_benchmark(str(tiny))
    store = Store(tmp_path / "run")
    store.create(
        Manifest(
            experiment=Experiment(benchmark=str(tiny), repairer="chat", n=4, k=(1, 2), include=("sum",)), benchmark_name="tiny",
            benchmark_version="1.0.0", benchmark_digest=benchmark.digest, bug_ids=("sum",), languages=("python",), repairlab="0",
            environment={}, environment_digest="0", created="2026-01-02T03:04:05+00:00",
        )
    )  # fmt: skip
    span = benchmark.bug("sum").problem.target.span
    given = ((TOTAL.format("2"), W), (TOTAL.format("len([0]) - 1"), P), (TOTAL.format("("), CE), (TOTAL.format(" 2"), W))
    first = ""
    for rank, (text, verdict) in enumerate(given, start=1):
        candidate = builders.candidate("sum", Edit(path="main.py", text=text, span=span), rank=rank, repairer="chat")
        first = first or candidate.id
        twin = first if rank == 4 else None
        store.append(candidate)
        store.append(
            builders.outcome(verdict, candidate, policy="first-failure", n_tests=2, equivalent_to=twin)
        )  # fmt: skip
    store.append(BugEnd(bug_id="sum", ended="asked"))
    return store.folder


def test_similarity_is_asked_of_a_server_once_stored_and_shown_beside_pass_at_k(
    folder: Path, server: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["rank", str(folder), "--embedding-model", "vllm/letters", "--base-url", server, "--json"]
    assert run(command) == 0
    captured = capsys.readouterr()
    printed = json.loads(captured.out)
    assert printed["recipe"]["embedding_model"] == "vllm/letters"
    assert (printed["name"], printed["threshold"], printed["n_candidates"]) == ("similarity", 0.95, 4)
    assert [(item["metric"], item["k"], item["value"]) for item in printed["scores"]] == [
        ("r.pass@k[similarity]", 1, 1.0), ("r.pass@k[similarity]", 2, 1.0), ("pass@k", 1, 0.25), ("pass@k", 2, 0.5),
        ("top@k", 1, 0.0), ("top@k", 2, 1.0),
    ]  # fmt: skip
    assert "1 repeat another one; written to" in captured.err
    stored = json.loads((folder / "rankings" / "similarity.json").read_text(encoding="utf-8"))
    assert stored["ranks"]["sum"][0] == 2
    assert Embeddings.n_requests == 1
    assert run([*command, "--offline"]) == 0
    assert Embeddings.n_requests == 1
    assert json.loads((folder / "rankings" / "similarity.json").read_text(encoding="utf-8")) == stored


def test_a_real_server_gives_the_embeddings(folder: Path, llama_server: Endpoint, capsys: pytest.CaptureFixture[str]) -> None:
    where = ["--embedding-model", f"vllm/{llama_server.model}", "--base-url", llama_server.base_url]
    assert run(["rank", str(folder), *where, "--threshold", "median", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert -1 <= printed["threshold"] <= 1
    assert printed["n_ranked"] + sum(printed["left_out"].values()) == 4
    assert printed["left_out"]["dissimilar"] <= 2
    assert printed["scores"][0]["metric"] == "r.pass@k[similarity]"


def test_score_shows_every_stored_ranking(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(folder), "--by", "original", "--prune", "compile"]) == 0
    assert run(["rank", str(folder), "--by", "majority", "--name", "votes", "-k", "2"]) == 0
    captured = capsys.readouterr()
    assert "r.pass@2[votes]" in captured.out
    assert "pass@1[compile]" in captured.out
    assert "signature r.pass@2|n:4|bugs:1#" in captured.out
    assert "2 of 4 candidates ranked: 1 do not build, 1 repeat another one" in captured.err
    for extra in ([], ["--duplicates", "merged"]):
        assert run(["score", str(folder), "--json", *extra]) == 0
        scores = {(item["metric"], item["k"]): item for item in json.loads(capsys.readouterr().out)["scores"]}
        assert scores["r.pass@k[votes]", 2]["value"] == 1.0
        assert scores["r.pass@k[original-compile]", 1]["value"] == 0.0
        assert scores["pass@k[compile]", 1]["value"] == pytest.approx(1 / 3)
        assert "|ranking:majority|" in scores["r.pass@k[votes]", 1]["signature"]
    assert run(["score", str(folder)]) == 0
    assert "100.0 %" in next(line for line in capsys.readouterr().out.splitlines() if "r.pass@2[votes]" in line)


def test_a_ranking_that_cannot_be_used_does_not_keep_the_other_scores_back(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "rankings").mkdir()
    (folder / "rankings" / "odd.json").write_text("{", encoding="utf-8")
    assert run(["score", str(folder)]) == 0
    captured = capsys.readouterr()
    assert "pass@1" in captured.out
    assert "no r.pass@k[odd]: " in captured.err
    assert "cannot be read" in captured.err


def test_a_k_that_the_run_does_not_have_is_left_out_with_the_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(folder), "--by", "majority", "-k", "1,9"]) == 0
    assert "no r.pass@9[majority]: k is 9, but the run asked for n = 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--by", "similarty"], "Did you mean 'similarity'"),
        (["--by", "similarity"], "needs a model that makes embeddings: --embedding-model"),
        (["--embedding-model", "vllm/x", "--threshold", "2"], "--threshold is 2.0: a cosine lies between -1 and 1"),
        (["--embedding-model", "vllm/x", "--threshold", "mean"], "write a number from -1 to 1, or median"),
        (["--embedding-model", "nobody/x"], "nobody"),
        (["--by", "logprob"], "--logprobs"),
        (["--by", "majority", "--prune", "tests"], "--prune is 'tests': write compile"),
        (["--by", "majority", "--name", "a/b"], "--name is 'a/b'"),
        (["--by", "majority", "-k", "0"], "each k must be 1 or more"),
    ],
)
def test_bad_input_is_one_clear_message_and_nothing_is_written(
    options: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["rank", str(folder), *options]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert not (folder / "rankings").exists()


def test_without_an_embedding_model_candidates_are_ranked_by_majority(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(folder)]) == 0
    assert "majority of" in capsys.readouterr().out


def test_a_missing_run_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rank", str(tmp_path / "none"), "--by", "majority"]) == 2
    assert "is no run folder" in capsys.readouterr().err


def test_an_unfinished_run_says_how_to_go_on(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bugs.jsonl").unlink()
    assert run(["rank", str(folder), "--by", "majority"]) == 2
    assert f"repairlab run --resume {folder}" in capsys.readouterr().err
