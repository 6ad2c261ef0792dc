from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.repairers.llm.client.prices import FREE, Price, Prices
from repairlab.repairers.llm.client.providers import Endpoint, endpoint


def place(name: str, base_url: str | None = None) -> Endpoint:
    return endpoint(name, base_url=base_url, environ={})


def write(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_well_known_models_have_a_price_and_a_context() -> None:
    assert Prices().of(place("openai/gpt-4o")) == Price(input=2.5, output=10.0, context=128000)
    assert Prices().context_of(place("openai/gpt-4o")) == 128000


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("openai/gpt-4o-2024-08-06", "openai/gpt-4o"),
        ("anthropic/claude-opus-4-1-20250805", "anthropic/claude-opus-4-1"),
        ("openrouter/openai/gpt-4o-mini", "openai/gpt-4o-mini"),
        ("openrouter/anthropic/claude-opus-4.1", "anthropic/claude-opus-4-1"),
    ],
)
def test_dated_and_routed_names_have_the_price_of_the_plain_one(name: str, same: str) -> None:
    assert Prices().of(place(name)) == Prices().of(place(same)) is not None


def test_a_longer_name_is_another_model() -> None:
    assert Prices().of(place("openai/gpt-4o-audio-preview")) is None


@pytest.mark.parametrize("name", ["vllm/a/b", "ollama/a", "llamacpp/a", "openrouter/a/b:free"])
def test_servers_of_ones_own_and_free_models_cost_nothing(name: str) -> None:
    assert Prices().of(place(name)) == FREE


def test_loopback_costs_nothing_whatever_the_name() -> None:
    assert Prices().of(place("openai/gpt-4o", "http://127.0.0.1:1/v1")) == FREE


def test_the_users_file_adds_and_overrides(tmp_path: Path) -> None:
    own = Prices(write(tmp_path, '[models]\n"openai/gpt-4o" = { input = 1, output = 2 }\n"vllm/q" = { input = 0.5 }\n'))
    assert own.of(place("openai/gpt-4o")) == Price(input=1, output=2)
    assert own.of(place("vllm/q")) == Price(input=0.5)
    assert own.of(place("openai/gpt-4o-mini")) == Prices().of(place("openai/gpt-4o-mini"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("models = 3", r"line 1: models is 3, but it must be a table. Write a table \[models\]"),
        ("", r"models is missing; it must be a table. Write a table \[models\]"),
        ("prices = {}\n[models]\n", "unknown key 'prices'"),
        ('[models]\n"a/b" = { input = -1 }', "a/b.input must be 0 or more; it is -1"),
        ('[models]\n"a/b" = { input = nan }', "a/b.input"),
        ('[models]\n"a/b" = { output = 1 }', "a/b.input is missing; it must be a number"),
        ('[models]\n"a/b" = { input = 1, outptu = 2 }', "'outptu'. Did you mean 'output'"),
        ("[models", "not valid TOML"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Prices(write(tmp_path, text))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"cannot read the prices in .*No such file"):
        Prices(tmp_path / "none.toml")
