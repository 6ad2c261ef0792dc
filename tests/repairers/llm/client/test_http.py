import email.utils
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.repairers.llm.client.complaints import redact, refusal
from repairlab.repairers.llm.client.http import LONGEST_WAIT_S, Client, Clock, Rejected
from repairlab.repairers.llm.client.model import Unanswerable
from repairlab.repairers.llm.client.providers import Key, endpoint
from repairlab.repairers.repairer import Unreachable
from tests.repairers.llm.answering import Asked, Hourglass, Said, Script, Server, answering, complaint

KEY = "sk-test-0123456789abcdefXYZ"
GOOD = Said(body={"fine": True})


@contextmanager
def client(script: Script, *, access: Access | None = None, clock: Clock | None = None) -> Iterator[tuple[Client, Server]]:
    with answering(script) as server:
        place = endpoint("openai/gpt-test", base_url=server.base_url, environ={})
        made = Client(place, access or Access(retries=3), key=Key(KEY), clock=clock or Hourglass().clock)
        try:
            yield made, server
        finally:
            made.close()


def ask(made: Client) -> Any:
    return made.post("/chat/completions", {"model": "gpt-test"}, lambda data: data["fine"])


def test_json_goes_out_with_the_key_and_comes_back() -> None:
    with client([GOOD]) as (made, server):
        assert ask(made).value is True
        (asked,) = server.asked
        assert (asked.path, asked.body) == ("/v1/chat/completions", {"model": "gpt-test"})
        assert asked.headers["Authorization"] == f"Bearer {KEY}"


FAULTS = {
    "429": Said(status=429, body=complaint("slow down")),
    "429 with advertisement": Said(status=429, body=complaint("Rate limit reached. Upgrade at https://a.example/settings/billing")),
    "429 of a quota per minute": Said(status=429, body=complaint("You exceeded your current quota", status="RESOURCE_EXHAUSTED")),
    "500": Said(status=500, body=b"<html><b>oops</b></html>"),
    "503": Said(status=503, body=complaint("loading model")),
    "408": Said(status=408, body=b""),
    "dropped": Said(ending="drop"),
    "half": Said(body={"fine": True}, ending="half"),
    "no JSON": Said(body=b"certainly! here is"),
    "not an object": Said(body=[1, 2]),
    "not what was asked for": Said(body={"other": 1}),
    "an error with status 200": Said(body={"error": {"code": 502, "message": "upstream"}}),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_what_may_pass_is_asked_again(fault: Said) -> None:
    with client([fault, fault, GOOD]) as (made, server):
        reply = ask(made)
        assert (reply.value, reply.retries, len(server.asked)) == (True, 2, 3)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_what_does_not_pass_is_unreachable(fault: Said) -> None:
    with client([fault]) as (made, server):
        with pytest.raises(Unreachable, match="was asked 4 times without an answer; last: "):
            ask(made)
        assert len(server.asked) == 4


def test_pauses_grow_and_are_never_the_same_for_all() -> None:
    hourglass = Hourglass()
    with client([FAULTS["500"]], access=Access(retries=8), clock=hourglass.clock) as (made, _), pytest.raises(Unreachable):
        ask(made)
    limits = [min(0.5 * 2**number, 60) for number in range(8)]
    assert all(limit / 2 <= slept <= limit for slept, limit in zip(hourglass.slept, limits, strict=True))


def test_a_server_that_is_late_is_asked_again() -> None:
    with client([Said(body={"fine": True}, delay_s=0.5), GOOD], access=Access(timeout_s=0.1, retries=1)) as (made, _):
        assert ask(made).retries == 1


def test_a_server_that_dribbles_is_stopped_at_the_time_limit() -> None:
    clock = Clock(sleep=lambda _: None)
    dribble = Said(body={"fine": "x" * 200}, ending="slow")
    started = time.monotonic()
    with client([dribble], access=Access(timeout_s=0.3, retries=0), clock=clock) as (made, _):
        with pytest.raises(Unreachable, match=r"did not finish its answer within 0\.3 s"):
            ask(made)
        assert time.monotonic() - started < 3


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("2.5", 2.5, 2.5),
        ("86400", LONGEST_WAIT_S, LONGEST_WAIT_S),
        (lambda: email.utils.formatdate(time.time() + 30, usegmt=True), 25, 31),
        (lambda: email.utils.formatdate(time.time() - 30, usegmt=True), 0, 0),
        ("soon", 0.25, 0.5),
        ("nan", 0.25, 0.5),
    ],
)
def test_retry_after_is_honoured_up_to_a_limit(header: str | Callable[[], str], low: float, high: float) -> None:
    hourglass = Hourglass()
    text = header if isinstance(header, str) else header()
    refused = Said(status=429, body=complaint("slow down"), headers=(("Retry-After", text),))
    with client([refused, GOOD], clock=hourglass.clock) as (made, _):
        assert ask(made).retries == 1
    assert low <= sum(hourglass.slept) <= high


def test_a_server_that_was_never_there_is_not_waited_for_long() -> None:
    with answering([GOOD]) as server:
        place = endpoint("vllm/x", base_url=server.base_url, environ={})
    hourglass = Hourglass()
    made = Client(place, Access(retries=8), clock=hourglass.clock)
    with pytest.raises(Unreachable, match=r"asked 3 times.*no connection.*Is the server running.*--base-url"):
        ask(made)
    made.close()
    assert sum(hourglass.slept) < 2


@pytest.mark.parametrize("status", [401, 403])
def test_a_wrong_key_is_the_users_and_asked_once(status: int) -> None:
    refused = Said(status=status, body=complaint(f"Incorrect API key provided: {KEY}. Also {KEY[:12]}", code="invalid_api_key"))
    with client([refused]) as (made, server):
        with pytest.raises(UserError, match=r"The key in \$OPENAI_API_KEY is not accepted for 'openai/gpt-test'") as caught:
            ask(made)
        assert len(server.asked) == 1
    assert KEY not in str(caught.value)
    assert KEY[:12] not in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 200])
def test_a_server_that_repeats_the_key_does_not_spread_it(status: int) -> None:
    echo = Said(status=status, body={"error": {"message": f"you sent {KEY!r} and Bearer {KEY}", "param": KEY}})
    with client([echo], access=Access(retries=1)) as (made, _), pytest.raises((UserError, Unreachable)) as caught:
        ask(made)
    shown = f"{caught.value!r} {caught.value} {caught.value.__context__!r} {vars(caught.value)} {made!r} {vars(made)}"
    assert KEY not in shown


def test_no_money_left_is_not_asked_again() -> None:
    spent = Said(status=429, body=complaint("You exceeded your current quota", code="insufficient_quota"))
    with client([spent]) as (made, server), pytest.raises(UserError, match="top up the account"):
        ask(made)
    assert len(server.asked) == 1
    with (
        client([Said(status=402, body=complaint("Insufficient credits"))]) as (made, _),
        pytest.raises(UserError, match="HTTP 402"),
    ):
        ask(made)


def test_an_unknown_model_names_those_of_the_server() -> None:
    def script(asked: Asked) -> Said:
        if asked.method == "GET":
            return Said(body={"data": [{"id": "gpt-tent"}, {"id": "other"}]})
        return Said(status=404, body=complaint("The model `gpt-test` does not exist", code="model_not_found"))

    expected = r"unknown model 'gpt-test'. Did you mean 'gpt-tent'\? Known: gpt-tent, other."
    with client(script) as (made, _), pytest.raises(UserError, match=expected):
        ask(made)


def test_a_path_that_is_not_there_asks_for_the_address() -> None:
    with client([Said(status=404, body=b"404 page not found")]) as (made, _), pytest.raises(Rejected, match=r"usually ends in /v1"):
        ask(made)


TOO_LONG = [
    (400, complaint("This model's maximum context length is 8192 tokens. However, ...", code="context_length_exceeded")),
    (400, {"object": "error", "message": "The decoder prompt (length 2136) is longer than the maximum model length of 2048."}),
    (400, complaint("request (6004 tokens) exceeds the available context size (2048 tokens)", type="exceed_context_size_error")),
    (500, complaint("Context size has been exceeded.")),
    (400, complaint("input length exceeds the context length")),
    (400, complaint("prompt is too long: 210000 tokens > 200000 maximum")),
    (422, {"detail": "Input is longer than the maximum sequence length"}),
    (413, b"Request Entity Too Large"),
]


@pytest.mark.parametrize(("status", "body"), TOO_LONG)
def test_a_prompt_that_is_too_long_is_unanswerable(status: int, body: Any) -> None:
    with client([Said(status=status, body=body)]) as (made, server), pytest.raises(Unanswerable, match="too long for the context"):
        ask(made)
    assert len(server.asked) == 1


WITHHELD = [
    (400, complaint("Your request was rejected by our safety system", code="content_policy_violation")),
    (400, complaint("The response was filtered due to Azure's content management policy")),
    (403, complaint("Your chosen model requires moderation and your input was flagged")),
    (400, complaint("Content Exists Risk")),
]


@pytest.mark.parametrize(("status", "body"), WITHHELD)
def test_a_prompt_against_the_rules_is_unanswerable(status: int, body: Any) -> None:
    with client([Said(status=status, body=body)]) as (made, _), pytest.raises(Unanswerable, match="refused by the rules"):
        ask(made)


def test_any_other_complaint_is_shown_short_and_on_one_line() -> None:
    long = Said(status=400, body=complaint("bad\nrequest " + "x" * 5000))
    with client([long]) as (made, server), pytest.raises(Rejected, match="answers HTTP 400: bad request x") as caught:
        ask(made)
    assert len(server.asked) == 1
    assert len(str(caught.value)) < 500
    assert "\n" not in str(caught.value)


def test_no_more_requests_are_under_way_than_allowed() -> None:
    now, most, lock = [0], [0], threading.Lock()

    def script(_: Asked) -> Said:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return GOOD

    with client(script, access=Access(concurrency=3)) as (made, _), ThreadPoolExecutor(12) as pool:
        assert all(reply.value for reply in pool.map(lambda _: ask(made), range(24)))
    assert most[0] == 3


def test_requests_are_spaced_by_the_rate() -> None:
    hourglass = Hourglass()
    with client([GOOD], access=Access(requests_per_minute=30), clock=hourglass.clock) as (made, _):
        for _ in range(5):
            ask(made)
    assert hourglass.slept == pytest.approx([2.0] * 4)


def test_closing_wakes_those_who_wait_to_ask_again() -> None:
    wait = Said(status=429, body=complaint("slow down"), headers=(("Retry-After", "200"),))
    with client([wait], clock=Clock()) as (made, server), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, made)
        while not server.asked:
            time.sleep(0.01)
        time.sleep(0.05)
        made.close()
        with pytest.raises(Unreachable, match="being stopped"):
            waiting.result(timeout=10)


def test_errors_are_read_in_every_form_that_servers_use() -> None:
    bodies = [
        b'{"error": {"message": "no"}}',
        b'{"error": "no"}',
        b'{"message": "no"}',
        b'{"detail": "no"}',
        b"no",
        b'[{"error": {"message": "no"}}]',
    ]
    assert {refusal(400, body).message for body in bodies} == {"no"}
    assert refusal(400, b"").message == "no message"


def test_masked_keys_are_taken_out_though_nobody_knows_them() -> None:
    assert redact("Incorrect API key provided: sk-proj-****abcd.", None) == "Incorrect API key provided: ***."


def test_a_word_in_place_of_a_key_may_stand_in_an_answer() -> None:
    with answering([Said(body={"fine": "return EMPTY"})]) as server:
        made = Client(endpoint("vllm/x", base_url=server.base_url, environ={}), Access(), key=Key("EMPTY"))
        assert ask(made).value == "return EMPTY"
        made.close()


def test_closing_wakes_those_who_wait_for_an_answer() -> None:
    done = threading.Event()

    def script(_: Asked) -> Said:
        done.wait(20)
        return GOOD

    with client(script, clock=Clock()) as (made, server), ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, made)
        while not server.asked:
            time.sleep(0.01)
        made.close()
        with pytest.raises(Unreachable, match="being stopped"):
            waiting.result(timeout=10)
        done.set()
