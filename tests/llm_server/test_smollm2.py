"""A real, small model: SmolLM2-135M-Instruct on llama.cpp. Slow; `make test-llm` runs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.model import Access, Message, Prompt
from repairlab.repairers.llm.client.model import Sampling
from repairlab.repairers.llm.client.open import open_model
from repairlab.repairers.llm.settings import LlmSettings
from tests.llm_server.downloads import SMOLLM2, fetch
from tests.llm_server.llama_server import Endpoint, is_available, serve

pytestmark = [pytest.mark.llm, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def smollm2() -> Iterator[Endpoint]:
    if not is_available():
        pytest.skip("the wheel `xllamacpp` with llama.cpp's server is not installed: there is none for this platform")
    try:
        weights = fetch(SMOLLM2)
    except OSError as error:
        pytest.skip(f"the weights cannot be had: {error}")
    with serve(weights, context=2048, threads=2) as endpoint:
        yield endpoint


def test_a_real_model_answers_in_words(smollm2: Endpoint, tmp_path: Path) -> None:
    settings = LlmSettings(model=f"llamacpp/{smollm2.model}", base_url=smollm2.base_url)
    question = Prompt(messages=(Message(role="user", content="What is the capital of France? Answer in one word."),))
    with open_model(settings, Access(), cache=tmp_path) as model:
        assert model.context_window == 2048
        greedy = model.complete(question, Sampling(temperature=0, max_tokens=16))[0]
        drawn = model.complete(question, Sampling(max_tokens=16, logprobs=True), n=6)
    assert "Paris" in greedy.text
    assert all(answer.tokens_out > 0 and answer.logprob is not None for answer in drawn)


def test_a_real_model_writes_code_and_stops_where_told(smollm2: Endpoint, tmp_path: Path) -> None:
    settings = LlmSettings(model=f"llamacpp/{smollm2.model}", base_url=smollm2.base_url)
    start = Prompt(text='def add(a, b):\n    """Return the sum of a and b."""\n    return')
    with open_model(settings, Access(), cache=tmp_path) as model:
        answer = model.complete(start, Sampling(temperature=0, max_tokens=32, stop=("\n",)))[0]
    assert (answer.text.strip(), answer.finish) == ("a + b", "stop")
