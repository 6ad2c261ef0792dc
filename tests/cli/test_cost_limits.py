"""Cost limits and prices: no limit without a price, both remembered by the run, and no answer booked as free by mistake."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import repairlab
from repairlab.cli.main import run
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.repairers.ledger import FILE, Ledger, Request, read_requests
from repairlab.runs.repairing import PRICES, prices_of
from repairlab.runs.store import Store
from repairlab.sandbox.sandbox import Sandbox
from tests.repairers.llm.answering import Asked, Said, Server, answering, chat

COST = 0.011
"""Of one answer, with the prices below."""
LLM = ("--repairer", "llm", "--strategy", "zero-shot", "-n", "1", "--concurrency", "1")
PRICED, UNPRICED, HOSTED = ("--model", "vllm/priced"), ("--model", "vllm/unpriced"), ("--model", "openai/no-such-model")
LIMIT, TABLE = ("--cost-limit", "0.01"), ("--prices", "prices.toml")
AGENT = ("--repairer", "command", "--command", "true", "-n", "1")
TALK = ("--repairer", "llm", "--strategy", "conversation", "--feedback", "message", "--attempts", "1", "--turns", "2")
SHOTS = ("--repairer", "llm", "--strategy", "few-shot", "--selection", "embedding", "--embedding-model", "vllm/embedder", "-n", "1")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory, sandbox: Sandbox) -> Path:
    """Return a cache without answers."""
    del sandbox
    folder = tmp_path_factory.mktemp("cache")
    folder.chmod(0o755)
    return folder


@pytest.fixture
def server(cache: Path, tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Return a server whose answers fix nothing; the current folder has prices for one of its models."""
    del tiny
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("REPAIRLAB_CACHE", str(cache))
    Path("prices.toml").write_text('[models]\n"vllm/priced" = { input = 10, output = 10 }\n', encoding="utf-8")
    Path("other.toml").write_text('[models]\n"vllm/other" = { input = 10, output = 10 }\n', encoding="utf-8")
    Path("free.toml").write_text('[models]\n"vllm/unpriced" = { input = 0 }\n', encoding="utf-8")
    Path("late.toml").write_text('[models]\n"vllm/unpriced" = { input = 10, output = 10 }\n', encoding="utf-8")
    Path("half.toml").write_text('[models]\n"vllm/unpriced" = { input = 10 }\n', encoding="utf-8")
    Path("limit.toml").write_text("[access]\ncost_limit_usd = 0.01\n", encoding="utf-8")

    def script(asked: Asked) -> Said:
        return Said(
            body={"data": []}
            if asked.method == "GET"
            else chat("```python\ndef total(self):\n    return 0\n```", usage=(1000, 100))
        )

    with answering(script) as made:
        yield made


def n_asked(server: Server) -> int:
    return sum(asked.method == "POST" for asked in server.asked)


def start(server: Server, *options: str, to: str = "made") -> int:
    return run(["run", "tiny", *options, "--base-url", server.base_url, "--to", to, "-j", "1", "--json"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((*LLM, *UNPRICED, *LIMIT), '"vllm/unpriced" = { input = 0, output = 0 }'),
        ((*LLM, *HOSTED, *LIMIT), "the price of openai/no-such-model is not known"),
        ((*LLM, *UNPRICED, "--cost-limit", "0"), "the price of vllm/unpriced is not known"),
        ((*LLM, *UNPRICED, *LIMIT, "--prices", "other.toml"), "Add it to other.toml"),
        ((*LLM, *UNPRICED, *LIMIT, "--prices", "half.toml"), "Add it to half.toml"),
        ((*AGENT, *UNPRICED, *LIMIT, "--prices", "half.toml"), "Add it to half.toml"),
        ((*LLM, *UNPRICED, *LIMIT, "--offline"), "the price of vllm/unpriced is not known"),
        ((*LLM, *UNPRICED, *LIMIT, "--no-answer-cache"), "the price of vllm/unpriced is not known"),
        ((*LLM, *UNPRICED, *LIMIT, "--dry-run"), "the price of vllm/unpriced is not known"),
        ((*TALK, *UNPRICED, *LIMIT), "the price of vllm/unpriced is not known"),
        ((*SHOTS, *PRICED, *TABLE, *LIMIT), "the price of vllm/embedder is not known"),
        ((*AGENT, *UNPRICED, *LIMIT), "the price of vllm/unpriced is not known"),
        ((*AGENT, *UNPRICED, "--call-cost", "1"), "the price of vllm/unpriced is not known"),
        ((*LLM, *UNPRICED, "--config", "limit.toml"), "the price of vllm/unpriced is not known"),
        ((*LLM, *PRICED, *TABLE, "--cost-limit", "nan"), "--cost-limit is nan: write US dollars"),
        ((*LLM, *PRICED, *TABLE, "--cost-limit", "inf"), "--cost-limit is inf: write US dollars"),
        ((*LLM, *PRICED, "--prices", "absent.toml", *LIMIT), "cannot read the prices in absent.toml"),
        ((*LLM, *PRICED, *TABLE, "-k", "5"), "-k is 5, but the run draws 1 candidate per bug: choose k 1, or a larger -n"),
    ],
)
def test_a_limit_that_cannot_be_kept_is_refused_before_anything_is_asked(
    server: Server, options: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start(server, *options) == 2
    assert message in capsys.readouterr().err
    assert n_asked(server) == 0
    assert not Path("made").exists()


@pytest.mark.parametrize(
    ("body", "n"),
    [
        (chat("No idea.", usage=(0, 0)), 1),
        ({"choices": [], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}, 1),
        ({"choices": [{"finish_reason": "error"}], "usage": {"prompt_tokens": 1000, "completion_tokens": 100}}, 1),
    ],
    ids=["counts of nothing", "no choices", "an error"],
)
def test_no_answer_is_free_because_of_what_its_server_says(body: object, n: int, server: Server) -> None:
    del server  # for its folder

    def script(asked: Asked) -> Said:
        return Said(body={"data": []} if asked.method == "GET" else body)

    with answering(script) as odd:
        assert start(odd, *LLM, *PRICED, *TABLE, "--cost-limit", "0.001", "--no-answer-cache") == 3
        assert n_asked(odd) == n
    assert sum(request.cost_usd or 0 for request in read_requests(Path("made", FILE))) > 0.001


def test_an_agent_without_a_model_has_nothing_that_a_limit_could_count(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "tiny", *AGENT, *LIMIT, "--to", "made"]) == 2
    assert "--cost-limit counts what is asked of a model" in capsys.readouterr().err
    assert n_asked(server) == 0


def test_the_python_api_refuses_a_limit_without_a_price(server: Server) -> None:
    chosen = repairlab.repairer("llm", model="vllm/unpriced", base_url=server.base_url, n=1)
    with pytest.raises(UserError, match="the price of vllm/unpriced is not known"):
        repairlab.run("tiny", chosen, to="made", access=Access(cost_limit_usd=1.0))
    assert n_asked(server) == 0


@pytest.mark.parametrize(
    ("later", "code", "n"),
    [
        (("run", "--resume", "made"), 3, 1),
        (("run", "--resume", "made", "--no-answer-cache"), 3, 1),
        (("run", "--resume", "made", "--prices", "prices.toml"), 3, 1),
        (("run", "--resume", "made", "--cost-limit", "0.011"), 3, 1),
        (("run", "--resume", "made", "--cost-limit", "0.02"), 0, 2),
        (("run", "--resume", "made", "--prices", "other.toml"), 2, 1),
        (("run", "tiny", *LLM, *PRICED, "--to", "made"), 3, 1),
        (("run", "tiny", *LLM, *PRICED, "--to", "made", "--cost-limit", "1"), 0, 2),
    ],
)
def test_a_run_remembers_its_limit_and_its_prices(
    server: Server, later: tuple[str, ...], code: int, n: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert start(server, *LLM, *PRICED, *TABLE, *LIMIT, "--no-answer-cache") == 3
    said = capsys.readouterr().err
    assert "the run has cost $0.0110 and its limit is $0.0100; going on needs a higher --cost-limit. Go on with: " in said
    assert "repairlab run --resume made --cost-limit 0.0220" in said
    before = Store(Path("made")).manifest()
    Path("prices.toml").rename("elsewhere.toml")  # a run has its own copy
    if "prices.toml" in later:
        later = tuple("elsewhere.toml" if part == "prices.toml" else part for part in later)
    address = ("--base-url", server.base_url) if "tiny" in later else ()
    assert run([*later, *address, "--json"]) == code
    assert n_asked(server) == n
    assert [request.cost_usd for request in read_requests(Path("made", FILE))] == pytest.approx([COST] * n)
    after = Store(Path("made")).manifest()
    assert (after == before) == ("--cost-limit" not in later)
    assert '"vllm/priced"' in Path("made", PRICES).read_text(encoding="utf-8")


def test_the_list_price_of_a_model_counts_wherever_its_server_is(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(server, *LLM, "--model", "openai/gpt-4o", "--cost-limit", "0.000001") == 3
    assert "has cost $0.0035 and its limit is $0.000001;" in capsys.readouterr().err
    assert n_asked(server) == 1


def test_a_server_that_is_known_to_be_free_keeps_every_limit(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(server, *LLM, *UNPRICED, *LIMIT, "--prices", "free.toml", "--seed", "1") == 0
    assert "2 requests; 2000 tokens in, 200 out; $0.0000 paid" in capsys.readouterr().err


def test_what_has_no_price_is_unknown_until_a_price_is_given(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(server, *LLM, *UNPRICED, "--seed", "2") == 0
    said = capsys.readouterr().err
    assert "unknown cost for 2 requests to vllm/unpriced; give its price with: repairlab run --resume made --prices FILE" in said
    assert [request.cost_usd for request in read_requests(Path("made", FILE))] == [None, None]
    assert [candidate.origin.cost_usd for candidate in Store(Path("made")).candidates()] == [None, None]
    assert run(["report", "--tables", "made", "--only", "cost", "--json"]) == 0
    ((_, *unknown),) = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert unknown[5:7] == [None, None]
    assert run(["run", "--resume", "made", "--prices", "late.toml", "--json"]) == 0
    assert "$0.0220 paid" in capsys.readouterr().err
    assert run(["report", "--tables", "made", "--only", "cost", "--json"]) == 0
    ((_, *known),) = json.loads(capsys.readouterr().out)["tables"][0]["rows"]
    assert known[5:7] == pytest.approx([2 * COST, 2 * COST])
    assert [row["cost_usd"] for row in repairlab.open_run("made").rows()] == pytest.approx([COST, COST])


def test_a_kept_answer_costs_nothing_now_and_what_its_tokens_do_in_its_candidate(server: Server) -> None:
    assert start(server, *LLM, *UNPRICED, "--seed", "3", to="first") == 0
    assert start(server, *LLM, *UNPRICED, "--seed", "3", "--prices", "late.toml", *LIMIT, to="again") == 0
    assert n_asked(server) == 2
    assert [request.cost_usd for request in read_requests(Path("again", FILE))] == [0.0, 0.0]
    assert [candidate.origin.cost_usd for candidate in Store(Path("again")).candidates()] == pytest.approx([COST, COST])


def test_zeros_of_earlier_versions_are_unknown_or_what_their_tokens_cost(server: Server) -> None:
    path = Path("requests.jsonl")
    for model in ("vllm/priced", "vllm/other", "hf/tiny"):
        Ledger(path).add(Request(bug_id="sum", model=model, kind="chat", prompt="p", n=1, tokens_in=1000, tokens_out=100))
    assert [request.cost_usd for request in read_requests(path, prices_of(Path()))] == [pytest.approx(COST), None, 0.0]
    assert [request.cost_usd for request in read_requests(path)] == [0.0, 0.0, 0.0]
    assert n_asked(server) == 0


def test_a_dry_run_shows_the_plan_and_asks_nobody(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "tiny", *LLM, *PRICED, *TABLE, *LIMIT, "-n", "3", "--to", "made", "--dry-run", "--json"]) == 0
    plan = json.loads(capsys.readouterr().out)
    assert (plan["n_bugs"], plan["n_left"], plan["n_candidates"], plan["requests"]) == (2, 2, 3, 6)
    assert plan["tokens_out"] == 6 * 1024
    assert plan["cost_usd"] == pytest.approx((plan["tokens_in"] + plan["tokens_out"]) * 10 / 1e6)
    assert (plan["cost_limit_usd"], plan["missing"]) == (0.01, [])
    assert run(["run", "tiny", *TALK, *PRICED, "--to", "made", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "requests    up to 4 to vllm/priced\n" in shown
    assert "cost        unknown: there is no price for vllm/priced; add it with --prices FILE\n" in shown
    assert run(["run", "tiny", *AGENT, *PRICED, "--base-url", server.base_url, "--to", "made", "--dry-run"]) == 0
    assert "requests    unknown: the program decides what to ask vllm/priced" in capsys.readouterr().out
    assert run(["run", "tiny", "--repairer", "copy", "-n", "1", "--to", "made", "--dry-run"]) == 0
    assert "requests    none: no model is asked\n" in capsys.readouterr().out
    assert n_asked(server) == 0
    assert not Path("made").exists()


def test_a_dry_run_of_a_run_that_was_stopped_shows_what_is_left(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(server, *LLM, *PRICED, *TABLE, *LIMIT, "--seed", "4") == 3
    capsys.readouterr()
    assert run(["run", "--resume", "made", "--dry-run"]) == 0
    shown = capsys.readouterr().out
    assert "bugs        1 of tiny 1.0.0, 1 done already\n" in shown
    assert "; the limit is $0.0100\n" in shown
    assert n_asked(server) == 1
    assert len(list(Store(Path("made")).scan_data(Candidate))) == 1


def test_a_dry_run_refuses_the_folder_of_another_run_as_the_run_does(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    assert start(server, *LLM, *PRICED, *TABLE, "--seed", "4") == 0
    capsys.readouterr()
    for more in ((), ("--dry-run",)):
        assert start(server, *LLM, *PRICED, *TABLE, "--seed", "5", "--temperature", "0.2", *more) == 2
        said = capsys.readouterr().err
        assert "seed was 4, now 5" in said and "temperature was" in said and "'strategy'" not in said


@pytest.mark.parametrize(
    ("options", "kept"), [((), (1, 5)), (("-k", "1,3"), (1, 3)), (("-k", "10"), None), (("--resume", "made", "-k", "10"), None)]
)
def test_no_k_is_asked_for_that_a_run_cannot_draw(
    server: Server, options: tuple[str, ...], kept: tuple[int, ...] | None, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = ("tiny", "--repairer", "copy", "-n", "5", "--to", "made", "--json")
    if "--resume" in options:
        assert run(["run", *copy]) == 0
        assert run(["run", *options]) == 2
    else:
        assert run(["run", *copy, *options]) == (0 if kept else 2)
    if kept:
        assert Store(Path("made")).manifest().experiment.k == kept
    else:
        assert "-k is 10, but the run draws 5 candidates per bug: choose k from 1 to 5, or a larger -n" in capsys.readouterr().err
    assert n_asked(server) == 0


def test_a_question_at_the_end_of_a_failure_gets_no_full_stop(server: Server, capsys: pytest.CaptureFixture[str]) -> None:
    del server
    dead = ("--base-url", "http://127.0.0.1:1/v1", "--retries", "0", "--seed", "5")
    assert run(["run", "tiny", *LLM, *PRICED, *dead, "--to", "made"]) == 3
    assert "is its address right (--base-url)? Go on with: repairlab run --resume made\n" in capsys.readouterr().err
