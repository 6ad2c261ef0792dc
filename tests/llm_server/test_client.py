"""The client of `repairers.llm` against the real server, plain and through the fault proxy."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.model import Access, Message, Prompt
from repairlab.repairers.ledger import Ledger, read_requests
from repairlab.repairers.llm.client.cached_model import CachedModel
from repairlab.repairers.llm.client.model import Completion, Sampling, Unanswerable
from repairlab.repairers.llm.client.open import open_embedder, open_model
from repairlab.repairers.llm.settings import LlmSettings
from repairlab.repairers.repairer import Unreachable
from tests.llm_server.fault_proxy import FAULTS, HARMLESS, Fault, FaultProxy
from tests.llm_server.llama_server import Endpoint, serve

SHORT = Sampling(max_tokens=24, seed=7)
CODE = Prompt(text="def total(numbers):\n    result = 0\n")


def chat(text: str) -> Prompt:
    return Prompt(messages=(Message(role="system", content="You repair programs."), Message(role="user", content=text)))


@contextmanager
def opened(base_url: str, cache: Path, *, access: Access | None = None, model: str = "openai/tiny") -> Iterator[CachedModel]:
    settings = LlmSettings(model=model, base_url=base_url)
    with open_model(settings, access or Access(timeout_s=60), cache=cache, ledger=Ledger(cache / "requests.jsonl")) as model_:
        yield model_


@pytest.fixture
def model(llama_server: Endpoint, tmp_path: Path) -> Iterator[CachedModel]:
    with opened(llama_server.base_url, tmp_path) as model:
        yield model


def test_answers_are_numbered_whatever_the_requests(llama_server: Endpoint, tmp_path: Path) -> None:
    with opened(llama_server.base_url, tmp_path / "a") as model:
        ten = model.complete(chat("Repair."), SHORT, n=10)
    with opened(llama_server.base_url, tmp_path / "b") as model:
        parts = model.complete(chat("Repair."), SHORT, n=1) + model.complete(chat("Repair."), SHORT, first=1, n=2)
        parts += model.complete(chat("Repair."), SHORT, first=3, n=7)
    assert [answer.text for answer in ten] == [answer.text for answer in parts]
    assert len({answer.text for answer in ten}) > 3


def test_a_seed_names_other_answers(model: CachedModel) -> None:
    one, two = (model.complete(chat("Repair."), Sampling(max_tokens=24, seed=seed), n=4) for seed in (0, 100))
    assert {answer.text for answer in one} != {answer.text for answer in two}


def test_greedy_answers_are_copies(model: CachedModel) -> None:
    answers = model.complete(chat("Repair."), Sampling(temperature=0, max_tokens=24), n=3)
    assert len({answer.text for answer in answers}) == 1


def test_answers_end_at_stop_texts_and_at_the_limit(model: CachedModel) -> None:
    stopped = model.complete(chat("Repair."), Sampling(max_tokens=24, stop=("\n",)))[0]
    cut = model.complete(chat("Repair."), Sampling(max_tokens=2))[0]
    assert (stopped.finish, "\n" in stopped.text) == ("stop", False)
    assert (cut.finish, cut.tokens_out) == ("length", 2)


def test_tokens_are_counted_for_every_answer(model: CachedModel) -> None:
    sampling = Sampling(max_tokens=6, seed=2)
    together = model.complete(chat("Repair."), sampling, n=4)
    assert sum(answer.tokens_in for answer in together) >= 10
    assert all(0 < answer.tokens_out <= 6 for answer in together)
    assert all(answer.tokens_out == 6 for answer in together if answer.finish == "length")


def test_log_probabilities_come_when_asked_for(model: CachedModel) -> None:
    sampling = Sampling(max_tokens=12, logprobs=True)
    for prompt in (chat("Repair."), CODE):
        assert all(answer.logprob is not None and answer.logprob < 0 for answer in model.complete(prompt, sampling, n=3))
    assert all(answer.logprob is None for answer in model.complete(CODE, SHORT, n=3))


def test_a_text_is_continued_and_a_gap_is_filled(model: CachedModel) -> None:
    gap = Prompt(text=CODE.text, suffix="    return result\n")
    continued, filled = model.complete(CODE, SHORT, n=5), model.complete(gap, SHORT, n=5)
    assert len(continued) == len(filled) == 5
    assert [answer.text for answer in continued] != [answer.text for answer in filled]


def test_the_context_window_is_that_of_a_slot(model: CachedModel) -> None:
    assert model.context_window == 8192


def test_texts_get_vectors(llama_server: Endpoint, tmp_path: Path) -> None:
    texts = ["def f(x):", "int main() {", "def f(x):", ""] + [f"return {number}" for number in range(100)]
    with open_embedder("openai/tiny", Access(), cache=tmp_path, base_url=llama_server.base_url) as embedder:
        vectors = embedder.embed(texts[:3])
        assert vectors[0] == vectors[2] != vectors[1]
        assert len(embedder.embed(texts[4:])) == 100


def test_what_can_never_be_answered_is_told(model: CachedModel, llama_server: Endpoint, tmp_path: Path) -> None:
    with pytest.raises(Unanswerable, match="too long"):
        model.complete(chat("word " * 9000), SHORT)


def test_a_wrong_key_is_told_and_never_shown(
    llama_server: Endpoint, tiny_model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong")
    with serve(tiny_model, key="sk-right") as server, opened(server.base_url, tmp_path) as model:
        with pytest.raises(UserError, match="OPENAI_API_KEY") as error:
            model.complete(chat("Repair."), SHORT)
        assert "sk-wrong" not in str(error.value) + (tmp_path / "requests.jsonl").read_text()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        opened("http://127.0.0.1:9/v1", tmp_path, access=Access(retries=0)) as model,
        pytest.raises(Unreachable, match="Is the server running"),
    ):
        model.complete(chat("Repair."), SHORT)


def test_every_fault_is_survived(llama_server: Endpoint, tmp_path: Path) -> None:
    def survive(fault: Fault) -> tuple[str, int, int]:
        """Return the answer, and how often it was asked for and delivered."""
        with FaultProxy(llama_server.base_url, share=1, worst=1, faults=[fault]).running() as proxy:
            with opened(proxy.base_url, tmp_path / fault) as model:
                text = model.complete(chat("Repair."), SHORT)[0].text
            return text, proxy.asked.total(), proxy.delivered.total()

    with ThreadPoolExecutor(len(FAULTS)) as pool:
        survived = dict(zip(FAULTS, pool.map(survive, FAULTS), strict=True))
    (text,) = {text for text, _, _ in survived.values()}
    assert survived == {fault: (text, 1 if fault in HARMLESS else 2, 1) for fault in FAULTS}


def ask_all(model: CachedModel) -> list[tuple[Completion, ...]]:
    """Ask for many answers from eight threads."""
    prompts = [chat(f"Repair bug {number}.") for number in range(16)] + [CODE, Prompt(text="int main", suffix="}\n")]
    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda prompt: model.complete(prompt, SHORT, n=6), prompts))


def test_faults_lose_nothing_and_nothing_answered_is_asked_twice(llama_server: Endpoint, tmp_path: Path) -> None:
    with opened(llama_server.base_url, tmp_path / "calm") as model:
        calm = ask_all(model)
    with FaultProxy(llama_server.base_url, seed=3, share=0.6, worst=2).running() as proxy:
        with opened(proxy.base_url, tmp_path / "rough") as model:
            rough = ask_all(model)
            assert len(set(proxy.met) - HARMLESS) > 5
            assert Counter(text for group in texts_of(rough) for text in group) == Counter(sent_texts(proxy))
            accepted = {body: n for body, n in proxy.delivered.items() if b'"n": 6' not in body}
            assert set(accepted.values()) == {1}
            before = Counter(proxy.asked)
            assert texts_of(ask_all(model)) == texts_of(rough)
            assert proxy.asked == before
        with opened(proxy.base_url, tmp_path / "rough", access=Access(offline=True)) as model:
            assert texts_of(ask_all(model)) == texts_of(rough)
            assert proxy.asked == before
    pairs = zip(texts_of(rough), texts_of(calm), strict=True)
    n_others = sum(one != other for group in pairs for one, other in zip(*group, strict=True))
    assert n_others <= 2  # rounding differs with the requests that meet in a batch, and may tip a token over
    booked = [request for request in read_requests(tmp_path / "rough" / "requests.jsonl") if not request.from_cache]
    assert sum(request.n for request in booked) == 18 * 6
    assert sum(request.retries for request in booked) > 0


def sent_texts(proxy: FaultProxy) -> Iterator[str]:
    """Yield every text that the proxy let through."""
    for reply in map(json.loads, proxy.replies):
        for choice in reply.get("choices", []):
            yield choice["text"] if "text" in choice else choice["message"]["content"]
        if "content" in reply:
            yield reply["content"]


def texts_of(answers: list[tuple[Completion, ...]]) -> list[list[str]]:
    return [[answer.text for answer in group] for group in answers]


def test_a_run_that_dies_of_faults_keeps_what_was_answered(llama_server: Endpoint, tmp_path: Path) -> None:
    with FaultProxy(llama_server.base_url, seed=1, share=0.6, worst=1, faults=("500", "drop")).running() as proxy:
        with opened(proxy.base_url, tmp_path, access=Access(retries=0, concurrency=1)) as model:
            answers = [answer for number in range(12) if (answer := attempt(model, chat(f"Bug {number}")))]
        assert 0 < len(answers) < 12
        with opened(proxy.base_url, tmp_path, access=Access(retries=0, concurrency=1)) as model:
            assert all(attempt(model, chat(f"Bug {number}")) for number in range(12))
        assert set(proxy.delivered.values()) == {1}


def attempt(model: CachedModel, prompt: Prompt) -> Completion | None:
    try:
        return model.complete(prompt, SHORT)[0]
    except Unreachable:
        return None
