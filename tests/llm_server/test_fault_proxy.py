import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Sequence
from http.client import HTTPException
from typing import Any

import pytest

from tests.llm_server.fault_proxy import FAULTS, HARMLESS, LATE, Fault, FaultProxy
from tests.llm_server.llama_server import Endpoint


def body(number: int) -> bytes:
    return json.dumps({"prompt": f"def f{number}", "max_tokens": 2, "seed": number}).encode()


def ask(proxy: FaultProxy, data: bytes) -> Any:
    request = urllib.request.Request(f"{proxy.base_url}/completions", data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)["choices"][0]["text"]


def insist(proxy: FaultProxy, data: bytes) -> str:
    for _ in range(proxy.worst + 1):
        try:
            return str(ask(proxy, data))
        except (OSError, HTTPException, ValueError):
            continue
    raise AssertionError("no answer")


def test_without_faults_answers_pass(llama_server: Endpoint) -> None:
    with FaultProxy(llama_server.base_url, share=0).running() as proxy:
        assert ask(proxy, body(1)) == ask(proxy, body(1))
        assert proxy.forwarded == proxy.delivered == {body(1): 2}


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_happens_and_ends(llama_server: Endpoint, fault: Fault) -> None:
    faults: Sequence[Fault] = [fault]
    with FaultProxy(llama_server.base_url, share=1, worst=1, faults=faults, delay_s=0.01).running() as proxy:
        if fault in HARMLESS:
            ask(proxy, body(1))
        else:
            with pytest.raises((OSError, HTTPException, ValueError)):
                ask(proxy, body(1))
        assert proxy.met == {fault: 1}
        assert proxy.forwarded[body(1)] == (fault in HARMLESS | LATE)
        ask(proxy, body(1))
        assert proxy.delivered[body(1)] == 1 + (fault in HARMLESS)


def test_a_schedule_is_drawn_by_seed_and_body() -> None:
    def met(seed: int) -> list[Fault]:
        proxy = FaultProxy("http://127.0.0.1:9", seed=seed)
        return [proxy.next_fault(body(number % 100)) for number in range(300)]

    assert met(1) == met(1) != met(2)
    assert set(met(1)) == {"none", *FAULTS}


def test_who_insists_gets_every_answer_in_the_end(llama_server: Endpoint) -> None:
    with FaultProxy(llama_server.base_url, share=0.7, delay_s=0.01).running() as proxy:
        answers = [insist(proxy, body(number)) for number in range(20)]
        assert all(proxy.delivered[body(number)] == 1 for number in range(20))
    with FaultProxy(llama_server.base_url, share=0).running() as calm:
        assert answers == [ask(calm, body(number)) for number in range(20)]


def test_errors_of_the_server_pass_through(llama_server: Endpoint) -> None:
    with FaultProxy(llama_server.base_url, share=0).running() as proxy, pytest.raises(urllib.error.HTTPError, match="400"):
        ask(proxy, b'{"prompt": "a", "n": 99}')


def test_connections_are_kept_open(llama_server: Endpoint) -> None:
    with FaultProxy(llama_server.base_url, share=0).running() as proxy:
        connection = http.client.HTTPConnection(proxy.base_url.split("/")[2], timeout=30)
        for number in range(2):
            connection.request("POST", "/v1/completions", body(number), {"Content-Type": "application/json"})
            assert connection.getresponse().read()
            assert connection.sock is not None
        connection.close()
