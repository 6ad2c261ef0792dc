import json
import random
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from repairlab.core.errors import HarnessError, UserError
from repairlab.core.model import Access, Message, Prompt
from repairlab.core.record import digest
from repairlab.repairers.ledger import Ledger, Request, asking_for, read_requests
from repairlab.repairers.llm.client.answer_file import AnswerFile
from repairlab.repairers.llm.client.cached_model import CachedModel, Keeping
from repairlab.repairers.llm.client.http import Client, Clock
from repairlab.repairers.llm.client.model import ChatModel, Sampling, ScriptedModel
from repairlab.repairers.llm.client.open import open_embedder, open_model
from repairlab.repairers.llm.client.providers import endpoint
from repairlab.repairers.llm.client.served import ServedModel, Terms
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.repairers.repairer import Unreachable
from tests.repairers.llm.answering import Asked, Said, answering, chat

PROMPT = Prompt(messages=(Message(role="user", content="mend this"),))
KEY = "sk-secret-0123456789"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENROUTER_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_without_key_nothing_is_opened(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"\$OPENAI_API_KEY is not set"):
        open_model(LlmSettings(model="openai/gpt-4o"), Access(), cache=tmp_path)


def test_an_unknown_provider_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="unknown provider"):
        open_model(LlmSettings(model="nobody/x"), Access(), cache=tmp_path)
    with pytest.raises(UserError, match="unknown provider"):
        open_embedder("nobody/x", Access(), cache=tmp_path)


def test_a_finished_run_replays_without_server_and_without_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ledger = Ledger(tmp_path / "requests.jsonl")
    with answering([Said(body=chat("one")), Said(body=chat("two"))]) as server:
        settings = LlmSettings(model="openai/gpt-4o", base_url=server.base_url)
        with open_model(settings, Access(), cache=tmp_path, ledger=ledger) as model, asking_for("b"):
            before = [*model.complete(PROMPT, Sampling()), *model.complete(PROMPT, Sampling(), first=1)]
    monkeypatch.delenv("OPENAI_API_KEY")
    with open_model(settings, Access(offline=True), cache=tmp_path, ledger=ledger) as model:
        assert list(model.complete(PROMPT, Sampling(), n=2)) == before
        with pytest.raises(Unreachable, match="--offline"):
            model.complete(PROMPT, Sampling(), n=3)
    assert [line.from_cache for line in read_requests(tmp_path / "requests.jsonl")] == [False, False, True, True]
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_behind_a_bad_line_nothing_is_lost_and_nothing_paid_twice(tmp_path: Path) -> None:
    dice, lock, paid = random.Random(7), threading.Lock(), Counter[int]()
    faults = [
        Said(status=429, body={"error": "slow down"}, headers=(("Retry-After", "0"),)),
        Said(status=500, body=b"oops"),
        Said(ending="drop"),
        Said(body=chat("half of it"), ending="half"),
        Said(body=b"garbage"),
    ]

    def script(asked: Asked) -> Said:
        with lock:
            if dice.random() < 0.4:
                return dice.choice(faults)
            numbers = range(asked.body["seed"], asked.body["seed"] + min(asked.body.get("n", 1), 2))
            paid.update(numbers)
            return Said(body=chat(*(f"answer {number}" for number in numbers), usage=(10, 5 * len(numbers))))

    def complete(model: ChatModel, first: int) -> tuple[str, ...]:
        return tuple(answer.text for answer in model.complete(PROMPT, Sampling(), first=first, n=10))

    ledger = Ledger(tmp_path / "requests.jsonl")
    with answering(script) as server:
        place = endpoint("vllm/x", base_url=server.base_url, environ={})
        inner = ServedModel(Client(place, Access(retries=30), clock=Clock(sleep=lambda _: None)), Terms(ledger=ledger))
        with CachedModel(inner, Keeping(file=AnswerFile(tmp_path), ledger=ledger)) as model, ThreadPoolExecutor(6) as pool:
            texts = list(pool.map(lambda first: complete(model, first), [0, 5, 10, 15, 20, 5, 0]))
    assert texts == [tuple(f"answer {first + number}" for number in range(10)) for first in [0, 5, 10, 15, 20, 5, 0]]
    assert paid == Counter(range(30))
    assert sum(line.n for line in read_requests(tmp_path / "requests.jsonl") if not line.from_cache) == 30


def test_offline_without_cache_makes_no_sense(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--offline uses kept answers"):
        open_model(LlmSettings(model="vllm/x"), Access(offline=True, use_cache=False), cache=tmp_path)


def test_without_cache_every_answer_is_asked_for(tmp_path: Path) -> None:
    with answering([Said(body=chat("one")), Said(body=chat("two"))]) as server:
        settings = LlmSettings(model="vllm/x", base_url=server.base_url)
        with open_model(settings, Access(use_cache=False), cache=tmp_path) as model:
            assert [model.complete(PROMPT, Sampling())[0].text for _ in range(2)] == ["one", "two"]
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_price_is_told_once_and_forbids_a_cost_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    settings, told = LlmSettings(model="openrouter/some/model"), list[str]()
    open_model(settings, Access(), cache=tmp_path, notify=told.append).close()
    assert len(told) == 1
    assert "the price of openrouter/some/model is not known" in told[0]
    with pytest.raises(UserError, match=r"a cost limit cannot be kept\. .*--prices FILE"):
        open_model(settings, Access(cost_limit_usd=1), cache=tmp_path)
    (tmp_path / "prices.toml").write_text('[models]\n"openrouter/some/model" = { input = 1, output = 1 }\n', encoding="utf-8")
    open_model(settings, Access(cost_limit_usd=1, prices=str(tmp_path / "prices.toml")), cache=tmp_path, notify=told.append).close()
    assert len(told) == 1


class Torn(Ledger):
    """A ledger of a run that ends with its first line."""

    def add(self, request: Request) -> None:
        super().add(request)
        raise HarnessError("the end")


def test_what_is_booked_is_kept(tmp_path: Path) -> None:
    with answering([Said(body=chat("one", "two"))]) as server:
        settings = LlmSettings(model="vllm/x", base_url=server.base_url)
        torn = Torn(tmp_path / "requests.jsonl")
        with open_model(settings, Access(), cache=tmp_path, ledger=torn) as model, pytest.raises(HarnessError, match="the end"):
            model.complete(PROMPT, Sampling(), n=2)
        with open_model(settings, Access(offline=True), cache=tmp_path) as model:
            assert [answer.text for answer in model.complete(PROMPT, Sampling(), n=2)] == ["one", "two"]
    assert [line.n for line in read_requests(tmp_path / "requests.jsonl")] == [2]


def test_what_is_booked_of_a_model_in_process_is_kept(tmp_path: Path) -> None:
    inner, file = ScriptedModel(lambda _, number: f"answer {number}"), AnswerFile(tmp_path)
    with CachedModel(inner, Keeping(file=file, ledger=Torn(tmp_path / "requests.jsonl"))) as model:
        with pytest.raises(HarnessError, match="the end"):
            model.complete(PROMPT, Sampling(), n=2)
        key = digest(inner.name, "", PROMPT, Sampling())
        assert [answer.text for answer in file.answers(key, [0, 1]).values()] == ["answer 0", "answer 1"]


def test_prices_of_the_users_own_are_booked(tmp_path: Path) -> None:
    (tmp_path / "prices.toml").write_text('[models]\n"vllm/x" = { input = 1_000_000, output = 2e6 }\n', encoding="utf-8")
    ledger = Ledger(tmp_path / "requests.jsonl")
    with answering([Said(body=chat("one", usage=(10, 5)))]) as server:
        settings = LlmSettings(model="vllm/x", base_url=server.base_url)
        with open_model(settings, Access(prices=str(tmp_path / "prices.toml")), cache=tmp_path / "cache", ledger=ledger) as model:
            assert model.complete(PROMPT, Sampling())[0].cost_usd == 20.0
            model.complete(PROMPT, Sampling())
    assert ledger.spent() == 20.0


def test_the_context_window_is_the_users_or_the_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with open_model(LlmSettings(model="openai/gpt-4", context_window=99), Access(), cache=tmp_path) as model:
        assert model.context_window == 99
    with open_model(LlmSettings(model="vllm/x", context_window=99), Access(offline=True), cache=tmp_path) as model:
        assert model.context_window == 99
    with open_model(LlmSettings(model="openai/gpt-4-0613"), Access(), cache=tmp_path) as model:
        assert model.context_window == 8192


def test_embedders_are_kept_too(tmp_path: Path) -> None:
    body = {"data": [{"index": 0, "embedding": [0.5, 0.25]}]}
    with answering([Said(body=body)]) as server:
        for _ in range(2):
            with open_embedder("vllm/e", Access(), cache=tmp_path, base_url=server.base_url) as embedder:
                assert embedder.embed(["a"]) == [[0.5, 0.25]]
    assert len(server.asked) == 1


def test_what_is_opened_is_a_model(tmp_path: Path) -> None:
    with open_model(LlmSettings(model="vllm/x"), Access(), cache=tmp_path) as model:
        as_model: ChatModel = model
        assert (as_model.name, as_model.count_tokens("abcd")) == ("vllm/x", 2)


def test_the_key_is_nowhere_in_what_goes_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ledger = Ledger(tmp_path / "requests.jsonl")
    refused = Said(status=401, body={"error": {"message": f"wrong key {KEY}"}})
    with answering([refused]) as server:
        settings = LlmSettings(model="openai/x", base_url=server.base_url)
        with open_model(settings, Access(), cache=tmp_path, ledger=ledger) as model, pytest.raises(UserError) as caught:
            model.complete(PROMPT, Sampling())
    assert f"Bearer {KEY}" in json.dumps([asked.headers for asked in server.asked])
    frames = [caught.traceback[index].frame.f_locals for index in range(len(caught.traceback))]
    assert KEY not in f"{caught.value} {caught.value.__cause__!r} {[str(local) for local in frames[1:]]}"
    assert KEY not in (tmp_path / "requests.jsonl").read_text()
