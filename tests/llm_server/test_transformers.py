"""The tiny model by transformers: inside this process, and behind `transformers serve`. Slow; `make test-hf` runs it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.core.model import Access, Message, Prompt
from repairlab.repairers.ledger import Ledger, read_requests
from repairlab.repairers.llm.client.in_process import InProcessModel
from repairlab.repairers.llm.client.model import Sampling, Unanswerable
from repairlab.repairers.llm.client.open import open_model
from repairlab.repairers.llm.settings import LlmSettings
from tests.llm_server.llama_server import Endpoint
from tests.llm_server.test_llama_server import ask
from tests.llm_server.transformers_server import make_tiny_transformers, serve, why_not

CHAT = Prompt(messages=(Message(role="system", content="You repair programs."), Message(role="user", content="Repair.")))
SHORT = Sampling(max_tokens=24, seed=7)


def test_without_the_extra_the_way_to_get_it_is_told(tmp_path: Path) -> None:
    if not why_not():
        pytest.skip("the extra is installed")
    with pytest.raises(UserError, match=r"pip install 'repairlab\[hf\]'"):
        open_model(LlmSettings(model="hf/some/model"), Access(), cache=tmp_path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    reason = why_not()
    if reason:
        pytest.skip(reason)
    return make_tiny_transformers(tmp_path_factory.mktemp("tiny-transformers"))


@pytest.fixture(scope="module")
def model(folder: Path) -> InProcessModel:
    return InProcessModel(f"hf/{folder}")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Endpoint]:
    reason = why_not("fastapi", "uvicorn", "openai")
    if reason:
        pytest.skip(reason)
    with serve(folder) as endpoint:
        yield endpoint


@pytest.mark.llm
def test_answers_of_a_model_in_process_are_numbered(model: InProcessModel) -> None:
    ten = model.complete(CHAT, SHORT, n=10)
    assert [answer.text for answer in ten[3:7]] == [answer.text for answer in model.complete(CHAT, SHORT, first=3, n=4)]
    assert len({answer.text for answer in ten}) > 3
    assert sum(answer.text.startswith("```") for answer in ten) > 5


@pytest.mark.llm
def test_greedy_answers_are_the_likeliest(model: InProcessModel) -> None:
    greedy = Sampling(temperature=0, max_tokens=8, logprobs=True)
    one, two = model.complete(CHAT, greedy, n=2)
    assert one == two
    drawn = model.complete(CHAT, Sampling(max_tokens=1, logprobs=True, top_p=0.01), n=3)
    assert all(one.text.startswith(answer.text) for answer in drawn)
    assert all(answer.logprob is not None and answer.logprob <= 0 for answer in (one, *drawn))


@pytest.mark.llm
def test_answers_end_at_stop_texts_at_the_limit_and_at_the_end(model: InProcessModel) -> None:
    stopped = model.complete(CHAT, Sampling(max_tokens=50, stop=("\n",)), n=4)
    assert all(answer.finish == "stop" and "\n" not in answer.text for answer in stopped)
    cut = model.complete(CHAT, Sampling(max_tokens=2), n=4)
    assert all((answer.finish, answer.tokens_out) == ("length", 2) for answer in cut)
    whole = [answer for answer in model.complete(CHAT, Sampling(max_tokens=200), n=8) if answer.finish == "stop"]
    assert whole
    assert all("<|" not in answer.text and answer.tokens_out < 200 for answer in whole)


@pytest.mark.llm
def test_a_text_is_continued_and_a_gap_is_filled_in_process(model: InProcessModel) -> None:
    continued = model.complete(Prompt(text="def f(x):"), SHORT)[0]
    filled = model.complete(Prompt(text="def f(x):", suffix="    return y\n"), SHORT)[0]
    assert continued.text != filled.text
    assert filled.tokens_in > continued.tokens_in


@pytest.mark.llm
def test_a_model_in_process_knows_its_window(model: InProcessModel) -> None:
    assert model.context_window == 8192
    assert model.count_tokens("def f(x):") == model.complete(Prompt(text="def f(x):"), SHORT)[0].tokens_in
    with pytest.raises(Unanswerable, match="too long"):
        model.complete(Prompt(text="word " * 9000), SHORT)


@pytest.mark.llm
def test_a_folder_without_a_model_is_told(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot load the model"):
        InProcessModel(f"hf/{tmp_path}").complete(CHAT, SHORT)


@pytest.mark.llm
def test_answers_in_process_are_kept(folder: Path, tmp_path: Path) -> None:
    settings = LlmSettings(model=f"hf/{folder}")
    with open_model(settings, Access(), cache=tmp_path) as model:
        made = model.complete(CHAT, SHORT, n=3)
    with open_model(settings, Access(offline=True), cache=tmp_path) as model:
        assert [answer.text for answer in model.complete(CHAT, SHORT, n=3)] == [answer.text for answer in made]


@pytest.mark.llm
@pytest.mark.timeout(300)
def test_a_server_that_ignores_n_is_asked_again(server: Endpoint, tmp_path: Path) -> None:
    told: list[str] = []
    settings = LlmSettings(model=f"openai/{server.model}", base_url=server.base_url)
    ledger = tmp_path / "requests.jsonl"
    with open_model(settings, Access(concurrency=2), cache=tmp_path, ledger=Ledger(ledger), notify=told.append) as model:
        answers = model.complete(CHAT, SHORT, n=5)
        continued = model.complete(Prompt(text="def f(x):"), Sampling(max_tokens=8, stop=("\n",)))[0]
    assert len(answers) == 5
    assert len({answer.text for answer in answers}) > 1
    assert all(answer.tokens_out <= 24 for answer in answers)
    assert "\n" not in continued.text
    assert sum(request.n for request in read_requests(ledger)) == 6
    assert any("1 of 5" in text for text in told)


@pytest.mark.llm
@pytest.mark.timeout(300)
def test_the_server_ignores_n_and_max_completion_tokens(server: Endpoint) -> None:
    question = [{"role": "user", "content": "Repair."}]
    answer = ask(server, "chat/completions", {"messages": question, "n": 3, "max_completion_tokens": 1, "stop": ["\n"]})
    assert len(answer["choices"]) == 1
    assert answer["usage"]["completion_tokens"] > 1
