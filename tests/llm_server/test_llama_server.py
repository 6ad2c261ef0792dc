"""What the real server does; the client relies on each of these."""

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from tests.llm_server.llama_server import ROOT, Endpoint, serve

QUESTION = [{"role": "user", "content": "Fix the function, please:\ndef f(x):\n    return x + 2\n"}]


def ask(server: Endpoint, path: str, body: dict[str, Any], *, key: str = "") -> Any:
    request = urllib.request.Request(
        f"{server.base_url}/{path}",
        json.dumps({"model": server.model} | body).encode(),
        {"Content-Type": "application/json", "Authorization": f"Bearer {key}"},
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def texts(answer: Any) -> list[str]:
    return [choice["message"]["content"] for choice in answer["choices"]]


def text(server: Endpoint, messages: list[dict[str, str]], *, seed: int) -> str:
    return texts(ask(server, "chat/completions", {"messages": messages, "seed": seed, "max_tokens": 50}))[0]


def is_listening(server: Endpoint) -> bool:
    address = urllib.parse.urlsplit(server.base_url)
    with socket.socket() as client:
        return client.connect_ex((address.hostname, address.port)) == 0


def test_a_seed_gives_the_same_answer_and_another_seed_another(llama_server: Endpoint) -> None:
    first, again, other = (text(llama_server, QUESTION, seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert first.startswith("```")


def test_answers_depend_on_the_prompt(llama_server: Endpoint) -> None:
    answers = {text(llama_server, [{"role": "user", "content": f"Bug number {number}"}], seed=3) for number in range(5)}
    assert len(answers) > 1


def test_n_gives_as_many_choices_and_usage_counts_one_of_them(llama_server: Endpoint) -> None:
    answer = ask(llama_server, "chat/completions", {"messages": QUESTION, "n": 4, "max_tokens": 3, "seed": 3})
    assert len(answer["choices"]) == 4
    assert answer["usage"]["completion_tokens"] <= 3


def test_n_beyond_the_slots_is_refused(llama_server: Endpoint) -> None:
    with pytest.raises(urllib.error.HTTPError, match="400"):
        ask(llama_server, "chat/completions", {"messages": QUESTION, "n": 5})


def test_stop_texts_and_token_limits_end_answers(llama_server: Endpoint) -> None:
    stopped = ask(llama_server, "chat/completions", {"messages": QUESTION, "stop": ["\n"], "seed": 1, "max_tokens": 50})
    assert "\n" not in texts(stopped)[0]
    cut = ask(llama_server, "chat/completions", {"messages": QUESTION, "max_tokens": 2, "seed": 1})
    assert (cut["choices"][0]["finish_reason"], cut["usage"]["completion_tokens"]) == ("length", 2)


def test_log_probabilities_come_with_chat_and_completions(llama_server: Endpoint) -> None:
    chat = ask(llama_server, "chat/completions", {"messages": QUESTION, "logprobs": True, "max_tokens": 3})
    continued = ask(llama_server, "completions", {"prompt": "def f(x):", "logprobs": 1, "max_tokens": 3})
    for answer in (chat, continued):
        assert all(token["logprob"] <= 0 for token in answer["choices"][0]["logprobs"]["content"])


def test_completions_take_no_notice_of_a_suffix(llama_server: Endpoint) -> None:
    body = {"prompt": "def f(x):", "seed": 1, "max_tokens": 20}
    plain, with_suffix = (ask(llama_server, "completions", body | more) for more in ({}, {"suffix": "    return y\n"}))
    assert plain["choices"] == with_suffix["choices"]


def test_embeddings_have_one_vector_per_text(llama_server: Endpoint) -> None:
    answer = ask(llama_server, "embeddings", {"input": ["def f(x):", "int main() {", "def f(x):"]})
    one, two, three = (item["embedding"] for item in answer["data"])
    assert one == pytest.approx(three, abs=1e-5)
    assert one != pytest.approx(two, abs=1e-2)


def test_long_texts_get_vectors_too(llama_server: Endpoint) -> None:
    answer = ask(llama_server, "embeddings", {"input": ["return value + 1\n" * 500]})
    assert len(answer["data"]) == 1


def test_a_prompt_beyond_the_context_is_refused(llama_server: Endpoint) -> None:
    with pytest.raises(urllib.error.HTTPError) as error:
        ask(llama_server, "chat/completions", {"messages": [{"role": "user", "content": "word " * 9000}]})
    assert json.load(error.value)["error"]["type"] == "exceed_context_size_error"


def test_a_server_with_a_key_refuses_others(llama_server: Endpoint, tiny_model: Path) -> None:
    with serve(tiny_model, key="right") as server:
        assert ask(server, "chat/completions", {"messages": QUESTION, "max_tokens": 1}, key="right")
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(server, "chat/completions", {"messages": QUESTION}, key="wrong")


def test_the_server_ends_when_whoever_started_it_is_killed(llama_server: Endpoint, tiny_model: Path) -> None:
    program = (
        "import os, signal, sys; from pathlib import Path; from tests.llm_server.llama_server import serve\n"
        "with serve(Path(sys.argv[1])) as server:\n"
        "    print(server.base_url, flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tiny_model)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=False,
    )
    orphan = Endpoint(base_url=done.stdout.strip(), model="tiny")
    deadline = time.monotonic() + 20
    while is_listening(orphan):
        assert time.monotonic() < deadline
        time.sleep(0.05)
