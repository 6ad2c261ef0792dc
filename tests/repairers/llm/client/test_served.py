import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.core.model import Access, Message, Prompt
from repairlab.repairers.ledger import Ledger, Request, asking_for, read_requests
from repairlab.repairers.llm.client.http import Client
from repairlab.repairers.llm.client.model import Sampling, Unanswerable
from repairlab.repairers.llm.client.providers import Price, endpoint
from repairlab.repairers.llm.client.served import ServedEmbedder, ServedModel, Terms
from repairlab.repairers.repairer import OverBudget, Unreachable
from tests.llm_server.llama_server import Endpoint
from tests.repairers.llm.answering import Asked, Hourglass, Said, Script, Server, answering, chat, complaint

CHAT = Prompt(messages=(Message(role="system", content="be brief"), Message(role="user", content="mend this")))
COMPLETION = Prompt(text="def f(")
INFILL = Prompt(text="def f(", suffix="return x")
HOT = Sampling(temperature=0.8, max_tokens=50)


class Told(list[str]):
    """What the user was told."""


@contextmanager
def served(
    script: Script, *, name: str = "vllm/m", ledger: Ledger | None = None, price: Price | None = None, retries: int = 2
) -> Iterator[tuple[ServedModel, Server, Told]]:
    told = Told()
    with answering(script) as server:
        client = Client(endpoint(name, base_url=server.base_url, environ={}), Access(retries=retries), clock=Hourglass().clock)
        model = ServedModel(client, Terms(price=price or Price(input=0), ledger=ledger, notify=told.append), concurrency=4)
        try:
            yield model, server, told
        finally:
            model.close()


def echo(asked: Asked) -> Said:
    """Give as many answers as asked for, each with the seed that it would have."""
    first, n = asked.body["seed"], asked.body.get("n", 1)
    return Said(body=chat(*(f"answer {first + number}" for number in range(n)), usage=(10, 4 * n)))


def test_a_chat_is_asked_with_all_its_settings() -> None:
    sampling = Sampling(temperature=0.5, top_p=0.9, max_tokens=7, stop=("\n\n",), seed=3, logprobs=True)
    with served(echo) as (model, server, _):
        model.complete(CHAT, sampling, first=2, n=2)
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.body == {
        "model": "m",
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "mend this"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 7,
        "stop": ["\n\n"],
        "seed": 5,
        "logprobs": True,
        "n": 2,
    }


def test_a_completion_has_a_prompt_and_perhaps_a_suffix() -> None:
    body = {
        "choices": [{"index": 0, "text": "x):", "finish_reason": "length"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    with served([Said(body={"data": []}), Said(body=body)]) as (model, server, _):
        (answer,) = model.complete(INFILL, HOT)
    assert (answer.text, answer.finish, answer.tokens_in, answer.tokens_out) == ("x):", "length", 3, 2)
    assert server.asked[-1].path == "/v1/completions"
    assert (server.asked[-1].body["prompt"], server.asked[-1].body["suffix"]) == ("def f(", "return x")


def test_a_server_that_takes_no_suffix_is_told_of_clearly() -> None:
    def script(asked: Asked) -> Said:
        return (
            Said(body={"data": []})
            if asked.method == "GET"
            else Said(status=400, body=complaint("suffix is not currently supported"))
        )

    with (
        served(script) as (model, _, _),
        pytest.raises(UserError, match=r"vllm/m does not fill in the middle.*not currently supported"),
    ):
        model.complete(INFILL, HOT)


def test_many_answers_are_asked_for_in_few_requests() -> None:
    with served(echo) as (model, server, told):
        answers = model.complete(CHAT, HOT, first=5, n=100)
    assert [answer.text for answer in answers] == [f"answer {number}" for number in range(5, 105)]
    assert sorted(asked.body.get("n", 1) for asked in server.asked) == [4, 32, 32, 32]
    assert told == []


def test_a_server_that_ignores_n_is_noticed_once_and_asked_one_by_one() -> None:
    def script(asked: Asked) -> Said:
        return Said(body=chat(f"answer {asked.body['seed']}"))

    with served(script) as (model, server, told):
        assert [answer.text for answer in model.complete(CHAT, HOT, n=6)] == [f"answer {number}" for number in range(6)]
        assert len(model.complete(CHAT, HOT, first=6, n=3)) == 3
    assert [asked.body.get("n", 1) for asked in server.asked] == [6, *[1] * 8]
    assert sorted(asked.body["seed"] for asked in server.asked) == list(range(9))
    assert len(told) == 1
    assert "1 of 6 answers" in told[0]


@pytest.mark.parametrize(
    "words", ["Field 'n': Value must be between 1 <= value <= 2, but got 5", "n must be less than 3", "'n' is too large"]
)
def test_a_server_that_rejects_n_is_asked_for_fewer(words: str) -> None:
    def script(asked: Asked) -> Said:
        return Said(status=400, body=complaint(words)) if asked.body.get("n", 1) > 2 else echo(asked)

    with served(script) as (model, server, _):
        answers = model.complete(CHAT, HOT, n=9)
        n_before = len(server.asked)
        model.complete(CHAT, HOT, first=9, n=2)
    assert [answer.text for answer in answers] == [f"answer {number}" for number in range(9)]
    assert len(server.asked) == n_before + 1


def test_more_answers_than_asked_for_are_paid_but_not_used(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl")
    with served([Said(body=chat("a", "b", "c", usage=(3, 3)))], ledger=ledger) as (model, _, _):
        assert [answer.text for answer in model.complete(CHAT, HOT)] == ["a"]
    assert [line.tokens_out for line in read_requests(tmp_path / "requests.jsonl")] == [3]


def test_a_model_that_wants_another_name_for_its_limit_gets_it() -> None:
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def script(asked: Asked) -> Said:
        return Said(status=400, body=complaint(words, param="max_tokens")) if "max_tokens" in asked.body else echo(asked)

    with served(script) as (model, server, _):
        model.complete(CHAT, HOT)
        model.complete(CHAT, HOT, first=1)
    assert [asked.body.get("max_completion_tokens") for asked in server.asked] == [None, 50, 50]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "temperature",
            "Unsupported value: 'temperature' does not support 0.8 with this model. Only the default (1) value is supported.",
        ),
        ("top_p", "`temperature` and `top_p` cannot both be specified for this model."),
        ("seed", "seed: Extra inputs are not permitted"),
        ("logprobs", "This model does not support logprobs"),
        ("stop", "Unsupported parameter: 'stop' is not supported with this model."),
    ],
)
def test_what_a_server_does_not_take_is_left_out_and_told_once(name: str, words: str) -> None:
    def script(asked: Asked) -> Said:
        return Said(status=400, body=complaint(words)) if name in asked.body else Said(body=chat("fine"))

    sampling = Sampling(temperature=0.8, stop=("#",), logprobs=True)
    with served(script) as (model, server, told):
        assert model.complete(CHAT, sampling)[0].text == "fine"
        model.complete(CHAT, sampling, first=1)
    assert len(server.asked) == 3
    assert told == [f"vllm/m: the server does not take {name}; it is left out"]


def test_a_value_out_of_range_is_not_left_out() -> None:
    refused = Said(status=400, body=complaint("Invalid 'temperature': decimal above maximum value. Expected a value <= 2"))
    with served([refused]) as (model, server, _), pytest.raises(UserError, match="above maximum value"):
        model.complete(CHAT, Sampling(temperature=5))
    assert len(server.asked) == 1


def test_many_stop_texts_become_four_where_more_are_refused_and_all_of_them_cut() -> None:
    def script(asked: Asked) -> Said:
        if len(asked.body["stop"]) > 4:
            return Said(status=400, body=complaint("Unsupported: 'stop' must have at most 4 items; more are not supported"))
        return Said(body=chat("one F two E three"))

    with served(script) as (model, _, _):
        (answer,) = model.complete(CHAT, Sampling(stop=("A", "B", "C", "D", "E", "F")))
    assert (answer.text, answer.finish) == ("one ", "stop")


def test_an_answer_that_ignores_the_limit_is_cut() -> None:
    with served([Said(body=chat("word " * 100, usage=(10, 100)))]) as (model, _, _):
        (answer,) = model.complete(CHAT, Sampling(max_tokens=25))
    assert (answer.text, answer.finish, answer.tokens_out) == ("word " * 25, "length", 100)


def test_a_short_answer_after_long_thoughts_is_not_cut() -> None:
    with served([Said(body=chat("x = 1", usage=(10, 900)))]) as (model, _, _):
        assert model.complete(CHAT, Sampling(max_tokens=100))[0].text == "x = 1"


FORMS: list[tuple[dict[str, Any], str, str]] = [
    ({"message": {"content": "hi"}, "finish_reason": "stop"}, "hi", "stop"),
    ({"message": {"content": "hi"}, "finish_reason": "length"}, "hi", "length"),
    ({"message": {"content": "hi"}, "finish_reason": "content_filter"}, "hi", "filtered"),
    ({"message": {"content": None}, "finish_reason": "content_filter"}, "", "filtered"),
    ({"message": {"content": None, "refusal": "I can't"}, "finish_reason": "stop"}, "I can't", "filtered"),
    ({"message": {"content": None, "reasoning_content": "hm"}, "finish_reason": "length"}, "", "length"),
    ({"message": {"content": [{"type": "thinking"}, {"type": "text", "text": "hi"}]}}, "hi", "stop"),
    ({"message": {"content": "<think>a</think>hi"}, "finish_reason": None}, "hi", "stop"),
]


@pytest.mark.parametrize(("choice", "text", "finish"), FORMS)
def test_answers_are_read_in_every_form(choice: dict[str, Any], text: str, finish: str) -> None:
    with served([Said(body={"choices": [choice]})]) as (model, _, _):
        (answer,) = model.complete(CHAT, HOT)
    assert (answer.text, answer.finish) == (text, finish)


@pytest.mark.parametrize(
    "message",
    [
        {"content": "hi", "reasoning_content": "hm\n"},
        {"content": "hi", "reasoning": "hm"},
        {"content": "<think>\nhm\n</think>\n\nhi"},
    ],
)
def test_what_a_model_thought_is_kept_apart_from_its_text(message: dict[str, Any]) -> None:
    with served([Said(body={"choices": [{"message": message}]})]) as (model, _, _):
        (answer,) = model.complete(CHAT, HOT)
    assert (answer.text, answer.thinking) == ("hi", "hm")


NONSENSE: list[dict[str, Any]] = [
    {},
    {"choices": []},
    {"choices": None},
    {"choices": [{}]},
    {"choices": ["text"]},
    {"choices": [{"message": {"content": 3}}]},
    {"choices": [{"message": {"content": ""}, "finish_reason": "error", "error": {"message": "upstream"}}]},
]


@pytest.mark.parametrize("body", NONSENSE)
def test_nonsense_is_asked_again(body: dict[str, Any]) -> None:
    with served([Said(body=body), Said(body=chat("fine"))]) as (model, server, _):
        assert model.complete(CHAT, HOT)[0].text == "fine"
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    "logprobs",
    [{"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}, {"token_logprobs": [None, -0.5, -1.5]}],
)
def test_log_probabilities_are_summed(logprobs: dict[str, Any]) -> None:
    choice = {"message": {"content": "ab"}, "finish_reason": "stop", "logprobs": logprobs}
    with served([Said(body={"choices": [choice]})]) as (model, _, _):
        assert model.complete(CHAT, HOT)[0].logprob == -2.0


def test_tokens_of_the_prompt_are_counted_once_for_all_choices(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl")
    with served(
        [Said(body=chat("aaaaaa", "bbbbbb", "cccccc", usage=(10, 7)))], ledger=ledger, price=Price(input=1e6, output=2e6)
    ) as (
        model,
        _,
        _,
    ):
        answers = model.complete(CHAT, HOT, n=3)
    assert [answer.tokens_in for answer in answers] == [4, 3, 3]
    assert sum(answer.tokens_out for answer in answers) == 7
    (line,) = read_requests(tmp_path / "requests.jsonl")
    assert (line.n, line.tokens_in, line.tokens_out, line.cost_usd) == (3, 10, 7, 24.0)
    assert sum(answer.cost_usd or 0.0 for answer in answers) == pytest.approx(24.0)


def test_a_count_of_one_choice_is_not_taken_for_all() -> None:
    with served([Said(body=chat(*["x" * 90] * 4, finish="length", usage=(10, 50)))]) as (model, _, _):
        assert [answer.tokens_out for answer in model.complete(CHAT, HOT, n=4)] == [50] * 4
    with served([Said(body=chat(*["x" * 90] * 4, usage=(10, 25)))]) as (model, _, _):
        assert [answer.tokens_out for answer in model.complete(CHAT, HOT, n=4)] == [30] * 4


def test_without_a_count_tokens_are_estimated() -> None:
    with served([Said(body=chat("x" * 30, usage=None))]) as (model, _, _):
        (answer,) = model.complete(CHAT, HOT)
    assert (answer.tokens_in, answer.tokens_out) == (6, 10)


def test_every_request_is_booked_under_its_bug_with_its_retries(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl")
    with served([Said(status=500, body=b""), Said(body=chat("a"))], ledger=ledger) as (model, _, _), asking_for("bug-7"):
        model.complete(CHAT, HOT, first=4)
    (line,) = read_requests(tmp_path / "requests.jsonl")
    assert (line.bug_id, line.model, line.kind, line.first, line.n, line.retries) == ("bug-7", "vllm/m", "chat", 4, 1, 1)


def test_what_failed_is_booked_too(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl")
    with (
        served([Said(status=400, body=complaint("prompt is too long"))], ledger=ledger) as (model, _, _),
        pytest.raises(Unanswerable),
    ):
        model.complete(CHAT, HOT)
    (line,) = read_requests(tmp_path / "requests.jsonl")
    assert line.n == 0
    assert "prompt is too long" in (line.problem or "")


def test_nothing_is_asked_beyond_the_cost_limit(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path / "requests.jsonl", limit_usd=1.0)
    with served([Said(body=chat("a", usage=(10, 5)))], ledger=ledger, price=Price(input=1e5)) as (model, server, _):
        model.complete(CHAT, HOT)
        with pytest.raises(OverBudget):
            model.complete(CHAT, HOT, first=1)
    assert len(server.asked) == 1


def test_what_is_under_way_when_one_request_fails_still_arrives() -> None:
    both = threading.Barrier(2, timeout=10)

    def script(asked: Asked) -> Said:
        both.wait()
        return Said(status=500, body=b"") if asked.body["seed"] == 0 else Said(body=echo(asked).body, delay_s=0.2)

    got = []
    with served(script, retries=0) as (model, _, _), pytest.raises(Unreachable):
        for number, _ in model.answers(CHAT, HOT, range(64), lambda _, answer: answer):
            got.append(number)
    assert got == list(range(32, 64))


def test_a_model_that_is_closed_says_so() -> None:
    with served(echo) as (model, server, _):
        model.close()
        with pytest.raises(Unreachable, match="being stopped"):
            model.complete(CHAT, HOT, n=3)
    assert server.asked == []


def facts(asked: Asked) -> Said:
    models = {"max_model_len": 4096, "id": "m"}
    return Said(body={"data": [{"id": "other", "max_model_len": 7}, models]}) if asked.path == "/v1/models" else echo(asked)


def test_the_context_window_is_what_the_server_says_and_asked_once() -> None:
    with served(facts) as (model, server, _):
        assert (model.context_window, model.context_window) == (4096, 4096)
    assert len(server.asked) == 1


def test_a_server_that_says_nothing_of_its_models_has_no_known_window() -> None:
    with served([Said(status=404, body=b"")]) as (model, _, _):
        assert model.context_window is None


def test_vectors_come_in_batches_and_in_order(tmp_path: Path) -> None:
    def script(asked: Asked) -> Said:
        data = [{"index": index, "embedding": [len(text), 1]} for index, text in enumerate(asked.body["input"])]
        return Said(body={"data": data[::-1], "usage": {"prompt_tokens": 5}})

    ledger = Ledger(tmp_path / "requests.jsonl")
    with answering(script) as server:
        client = Client(endpoint("vllm/e", base_url=server.base_url, environ={}), Access())
        embedder = ServedEmbedder(client, Terms(ledger=ledger, price=Price(input=1e6)))
        vectors = embedder.embed(["x" * length for length in range(1, 101)])
        embedder.close()
    assert vectors == [[float(length), 1.0] for length in range(1, 101)]
    assert [len(asked.body["input"]) for asked in server.asked] == [64, 36]
    lines = list(read_requests(tmp_path / "requests.jsonl"))
    assert [(line.kind, line.n, line.cost_usd) for line in lines] == [("embedding", 64, 5.0), ("embedding", 36, 5.0)]


@pytest.fixture
def real(llama_server: Endpoint, tmp_path: Path) -> Iterator[tuple[ServedModel, Path]]:
    place = endpoint(f"llamacpp/{llama_server.model}", base_url=llama_server.base_url, environ={})
    ledger = Ledger(tmp_path / "requests.jsonl")
    model = ServedModel(Client(place, Access()), Terms(ledger=ledger))
    yield model, tmp_path / "requests.jsonl"
    model.close()


def test_llama_cpp_gives_more_answers_than_it_has_slots(real: tuple[ServedModel, Path]) -> None:
    model, ledger = real
    answers = model.complete(CHAT, Sampling(max_tokens=12, logprobs=True), n=11)
    assert len(answers) == 11
    assert len({answer.text for answer in answers}) > 5
    assert all(answer.logprob is not None and answer.logprob < 0 for answer in answers)
    assert all(answer.tokens_out == 12 for answer in answers if answer.finish == "length")
    assert _sum(read_requests(ledger)) == sum(answer.tokens_out for answer in answers)


def test_llama_cpp_counts_tokens_of_every_choice(real: tuple[ServedModel, Path]) -> None:
    model, _ = real
    answers = model.complete(CHAT, Sampling(max_tokens=12), n=4)
    assert all(answer.tokens_out == 12 for answer in answers if answer.finish == "length")


def test_llama_cpp_completes_fills_in_and_says_its_window(real: tuple[ServedModel, Path]) -> None:
    model, ledger = real
    assert model.context_window is not None
    greedy = Sampling(temperature=0, max_tokens=8)
    assert model.complete(COMPLETION, greedy) == model.complete(COMPLETION, greedy)
    assert model.complete(INFILL, greedy)[0].tokens_out > 0
    assert [line.kind for line in read_requests(ledger)] == ["completion", "completion", "infill"]


def test_llama_cpp_says_what_is_too_long(real: tuple[ServedModel, Path]) -> None:
    with pytest.raises(Unanswerable, match="context"):
        real[0].complete(Prompt(text="word " * 50_000), Sampling(max_tokens=4))


def _sum(lines: Iterator[Request]) -> int:
    return sum(line.tokens_out for line in lines)
