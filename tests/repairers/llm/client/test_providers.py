import pytest

from repairlab.core.errors import UserError
from repairlab.repairers.llm.client.providers import PROVIDERS, Key, endpoint, is_loopback, key_of, thinking


def test_a_name_is_split_at_its_first_slash() -> None:
    place = endpoint("openrouter/qwen/qwen-2.5-coder", environ={})
    assert (place.provider, place.model, place.base_url) == ("openrouter", "qwen/qwen-2.5-coder", "https://openrouter.ai/api/v1")


def test_an_unknown_provider_names_the_known_ones_and_the_nearest() -> None:
    with pytest.raises(UserError, match=r"unknown provider of model 'opnai'.*Did you mean 'openai'\?.*ollama.*PROVIDER/MODEL"):
        endpoint("opnai/gpt-4o", environ={})


@pytest.mark.parametrize("name", ["gpt-4o", "", "/", "openai"])
def test_a_name_without_provider_is_an_error(name: str) -> None:
    with pytest.raises(UserError, match="PROVIDER/MODEL"):
        endpoint(name, environ={})


@pytest.mark.parametrize("name", ["hf/x", "local/x"])
def test_models_in_this_process_have_no_server(name: str) -> None:
    with pytest.raises(UserError, match="has no server"):
        endpoint(name, environ={})


def test_a_provider_without_model_is_an_error() -> None:
    with pytest.raises(UserError, match="no model behind the provider"):
        endpoint("openai/", environ={})


def test_the_base_url_is_the_users_then_the_environments_then_the_providers() -> None:
    environ = {"OPENAI_BASE_URL": "https://gateway.example/v1/"}
    assert endpoint("openai/x", environ={}).base_url == "https://api.openai.com/v1"
    assert endpoint("openai/x", environ=environ).base_url == "https://gateway.example/v1"
    assert endpoint("openai/x", base_url="http://other.example/v1", environ=environ).base_url == "http://other.example/v1"
    assert endpoint("vllm/x", environ=environ).base_url == "http://localhost:8000/v1"


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://host/v1", "http://", "http://[::1", "http://host:port/v1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(UserError, match=r"--base-url is no address of a server.*http://localhost:8000/v1"):
        endpoint("vllm/x", base_url=url, environ={})


@pytest.mark.parametrize("url", ["http://me:hush@host/v1", "http://host/v1?key=hush", "http://host/v1#hush"])
def test_an_address_with_a_secret_is_refused_without_showing_it(url: str) -> None:
    with pytest.raises(UserError) as caught:
        endpoint("vllm/x", base_url=url, environ={})
    assert "hush" not in str(caught.value)


def test_a_missing_key_is_an_error_that_names_the_variable() -> None:
    with pytest.raises(UserError, match=r"needs a key and \$OPENAI_API_KEY is not set.*export OPENAI_API_KEY="):
        key_of(endpoint("openai/gpt-4o", environ={}), {})


@pytest.mark.parametrize("name", ["vllm/x", "ollama/x", "llamacpp/x"])
def test_servers_of_ones_own_need_no_key_but_may_have_one(name: str) -> None:
    place = endpoint(name, base_url="http://gpu.example:9000/v1", environ={})
    assert key_of(place, {}) is None
    key = key_of(place, {place.key_variable: " abc "})
    assert key is not None
    assert key.reveal() == "abc"


def test_a_hosted_name_with_a_loopback_address_needs_no_key() -> None:
    place = endpoint("openai/x", base_url="http://127.0.0.1:8080/v1", environ={})
    assert key_of(place, {}) is None
    assert not place.needs_key


@pytest.mark.parametrize("value", ["two words", "line\nend", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(value: str) -> None:
    with pytest.raises(UserError) as caught:
        key_of(endpoint("openai/x", environ={}), {"OPENAI_API_KEY": value})
    assert value not in str(caught.value)


def test_a_key_shows_itself_to_nobody() -> None:
    key = Key("hush-hush")
    assert "hush" not in f"{key!r} {key} {[key]}"


def test_every_provider_has_an_address_and_a_variable_of_its_own() -> None:
    assert len({provider.key_variable for provider in PROVIDERS.values()}) == len(PROVIDERS)
    assert all(endpoint(f"{name}/x", environ={}).needs_key != PROVIDERS[name].is_local for name in PROVIDERS)


@pytest.mark.parametrize(
    ("url", "expected"), [("http://localhost:1/v1", True), ("http://[::1]/", True), ("https://a.example", False)]
)
def test_loopback_is_recognised(url: str, expected: bool) -> None:
    assert is_loopback(url) is expected


@pytest.mark.parametrize(
    ("provider", "effort", "sent"),
    [
        ("openai", None, {}),
        ("openai", "high", {"reasoning_effort": "high"}),
        ("anthropic", "4096", {"thinking": {"type": "enabled", "budget_tokens": 4096}}),
        ("gemini", "none", {"reasoning_effort": "none"}),
        ("llamacpp", "512", {"thinking_budget_tokens": 512}),
    ],
)
def test_each_provider_is_told_in_its_own_way_how_much_to_think(provider: str, effort: str | None, sent: dict[str, object]) -> None:
    assert thinking(provider, effort) == sent


@pytest.mark.parametrize(
    ("provider", "effort", "message"),
    [
        ("openai", "4096", "takes none, minimal"),
        ("anthropic", "high", "a number of tokens"),
        ("hf", "low", "hf takes none of both"),
    ],
)
def test_effort_that_a_provider_would_ignore_is_refused(provider: str, effort: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        thinking(provider, effort)
