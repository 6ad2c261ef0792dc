from pathlib import Path

import pytest

from repairlab.core.errors import UserError
from repairlab.repairers.llm.client.providers import FREE, Price, Prices


def write(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_well_known_models_have_a_price_and_a_context() -> None:
    assert Prices().of("openai/gpt-4o") == Price(input=2.5, output=10.0, context=128000)
    assert Prices().context_of("openai/gpt-4o") == 128000


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
    assert Prices().of(name) == Prices().of(same) is not None


def test_a_longer_name_is_another_model() -> None:
    assert Prices().of("openai/gpt-4o-audio-preview") is None


@pytest.mark.parametrize("name", ["hf/a/b", "local/a", "openrouter/a/b:free"])
def test_only_what_is_known_to_be_free_costs_nothing(name: str) -> None:
    assert Prices().of(name) == FREE


@pytest.mark.parametrize("name", ["vllm/a/b", "ollama/a:free", "llamacpp/a", "groq/a"])
def test_the_price_of_a_server_of_ones_own_is_unknown_until_it_is_given(name: str, tmp_path: Path) -> None:
    assert Prices().of(name) is None
    assert Prices(write(tmp_path, f'[models]\n"{name}" = {{ input = 0 }}\n')).of(name) == FREE


def test_what_was_booked_counts_unless_it_is_nothing_for_tokens() -> None:
    prices = Prices()
    assert prices.cost_usd("openai/gpt-4o", 2_000, 500, 0.5) == 0.5
    assert prices.cost_usd("openai/gpt-4o", 2_000, 500, 0.0) == prices.cost_usd("openai/gpt-4o", 2_000, 500, None) == 0.01
    assert prices.cost_usd("vllm/x", 2_000, 500, 0.0) is prices.cost_usd(None, 1, 0, None) is None
    assert prices.cost_usd("vllm/x", 0, 0, 0.0) == prices.cost_usd("hf/x", 5, 5, 0.0) == 0.0


def test_the_users_file_adds_and_overrides(tmp_path: Path) -> None:
    own = Prices(write(tmp_path, '[models]\n"openai/gpt-4o" = { input = 1, output = 2 }\n"vllm/q" = { input = 0.5 }\n'))
    assert own.of("openai/gpt-4o") == Price(input=1, output=2)
    assert own.of("vllm/q") == Price(input=0.5)
    assert own.of("openai/gpt-4o-mini") == Prices().of("openai/gpt-4o-mini")


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
