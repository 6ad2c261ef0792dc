"""What a model's name says: where its server is, which key it needs, and what its tokens cost."""

import functools
import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import Field

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import digest, record
from repairlab.core.storage.checking import checked

IN_PROCESS = ("hf", "local")
"""Providers without a server: transformers and sentence-transformers inside this process."""


@record
class Provider:
    """A service, or a kind of server, that speaks the OpenAI-compatible protocol."""

    base_url: str
    key_variable: str
    """Environment variable that holds the key."""
    base_url_variable: str | None = None
    """Environment variable that overrides the address."""
    is_local: bool = False
    """The user's own server: no key needed."""
    dialect: str = ""
    """Its protocol for agents besides OpenAI's Chat Completions."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(
        base_url="https://api.openai.com/v1",
        key_variable="OPENAI_API_KEY",
        base_url_variable="OPENAI_BASE_URL",
        dialect="responses",
    ),
    "openrouter": Provider(base_url="https://openrouter.ai/api/v1", key_variable="OPENROUTER_API_KEY"),
    "anthropic": Provider(base_url="https://api.anthropic.com/v1", key_variable="ANTHROPIC_API_KEY", dialect="messages"),
    "gemini": Provider(
        base_url="https://generativelanguage.googleapis.com/v1beta/openai", key_variable="GEMINI_API_KEY", dialect="gemini"
    ),
    "mistral": Provider(base_url="https://api.mistral.ai/v1", key_variable="MISTRAL_API_KEY"),
    "deepseek": Provider(base_url="https://api.deepseek.com/v1", key_variable="DEEPSEEK_API_KEY"),
    "together": Provider(base_url="https://api.together.xyz/v1", key_variable="TOGETHER_API_KEY"),
    "groq": Provider(base_url="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY"),
    "fireworks": Provider(base_url="https://api.fireworks.ai/inference/v1", key_variable="FIREWORKS_API_KEY"),
    "vllm": Provider(base_url="http://localhost:8000/v1", key_variable="VLLM_API_KEY", is_local=True),
    "ollama": Provider(base_url="http://localhost:11434/v1", key_variable="OLLAMA_API_KEY", is_local=True),
    "llamacpp": Provider(base_url="http://localhost:8080/v1", key_variable="LLAMA_API_KEY", is_local=True),
}


EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")
"""Words for how much a model should think."""


def thinking(provider: str, effort: str | None) -> dict[str, Any]:
    """Return what tells the models of a provider how much to think: a word, or a number of tokens; UserError for what it ignores.

    >>> thinking("openai", "low"), thinking("openrouter", "2048")
    ({'reasoning_effort': 'low'}, {'reasoning': {'max_tokens': 2048}})
    """
    if effort is None:
        return {}
    if effort in EFFORTS and provider not in ("anthropic", *IN_PROCESS):
        return {"reasoning_effort": effort}
    tokens = int(effort) if effort.isdecimal() else 0
    budgets: dict[str, dict[str, Any]] = {
        "anthropic": {"thinking": {"type": "enabled", "budget_tokens": tokens}},
        "gemini": {"extra_body": {"google": {"thinking_config": {"thinking_budget": tokens, "include_thoughts": True}}}},
        "openrouter": {"reasoning": {"max_tokens": tokens}},
        "llamacpp": {"thinking_budget_tokens": tokens},
    }
    if provider in budgets and effort.isdecimal():
        return budgets[provider]
    words = "none of both" if provider in IN_PROCESS else "a number of tokens" if provider == "anthropic" else ", ".join(EFFORTS)
    more = " or a number of tokens" if provider in budgets and provider != "anthropic" else ""
    raise UserError(f"--effort is {effort!r}; {provider} takes {words}{more}")


class Key:
    """A secret that no message, record or traceback shows."""

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Key(***)"

    def reveal(self) -> str:
        """Return the secret, to be sent and nothing else."""
        return self._value


@record
class Endpoint:
    """Where a model is asked."""

    name: str
    """The model as the user wrote it."""
    model: str
    """The model as the server calls it."""
    provider: str
    base_url: str
    key_variable: str
    needs_key: bool
    """False for a server of the user's own."""


def endpoint(name: str, *, base_url: str | None = None, environ: Mapping[str, str] | None = None) -> Endpoint:
    """Find the server of a model; a base URL that the user gives overrides the provider's own."""
    environ = os.environ if environ is None else environ
    prefix, slash, model = name.partition("/")
    if prefix in IN_PROCESS and slash:
        raise UserError(f"{name!r} has no server: hf/MODEL is a language model, local/MODEL an embedding model in this process")
    if prefix not in PROVIDERS or not slash:
        raise _unknown_provider(name, prefix)
    if not model.strip():
        raise UserError(f"model name {name!r} has no model behind the provider. Write it like {prefix}/MODEL")
    provider = PROVIDERS[prefix]
    own_url = environ.get(provider.base_url_variable or "", "").strip()
    url = _checked(base_url or own_url or provider.base_url, "--base-url" if base_url else f"${provider.base_url_variable}")
    is_local = provider.is_local or is_loopback(url)
    return Endpoint(
        name=name,
        model=model,
        provider=prefix,
        base_url=url,
        key_variable=provider.key_variable,
        needs_key=not is_local,
    )


def key_of(place: Endpoint, environ: Mapping[str, str] | None = None) -> Key | None:
    """Read the key of an endpoint; a missing one is an error where the server wants one."""
    value = (os.environ if environ is None else environ).get(place.key_variable, "").strip()
    if not value:
        if place.needs_key:
            raise UserError(
                f"model {place.name!r} needs a key and ${place.key_variable} is not set. Set it with: export {place.key_variable}=…"
            )
        return None
    if not all("!" <= character <= "~" for character in value):
        raise UserError(f"${place.key_variable} holds characters that no key has (spaces, line ends or letters beyond ASCII)")
    return Key(value)


def _unknown_provider(name: str, prefix: str) -> UserError:
    known = [*PROVIDERS, *IN_PROCESS]
    error = unknown("provider of model", prefix if "/" in name else name, known)
    return UserError(f"{error} Models are named PROVIDER/MODEL, such as openai/gpt-4o or vllm/Qwen/Qwen2.5-Coder-7B-Instruct")


def _checked(url: str, source: str) -> str:
    """Return an address in its plain form; refuse what cannot be one, and what may hold a secret."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise UserError(f"{source} is no address of a server: {error}. Write it like http://localhost:8000/v1") from None
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UserError(f"{source} must not hold a user, password, query or fragment: it is written into records of the run")
    if parts.scheme not in ("http", "https") or not host:
        raise UserError(f"{source} is no address of a server: {url!r}. Write it like http://localhost:8000/v1")
    return url.rstrip("/")


def is_loopback(url: str) -> bool:
    """Tell whether an address is on this very machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@record
class Price:
    """Of one model."""

    input: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """US dollars for a million tokens of prompts."""
    output: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    """US dollars for a million tokens of answers; none for embeddings, or when all is free."""
    context: Annotated[int, Field(gt=0)] | None = None
    """Tokens that prompt and answer may have together."""

    @property
    def has_answers(self) -> bool:
        """Return whether the price of answers is known."""
        return self.output is not None or not self.input

    def cost_usd(self, tokens_in: int, tokens_out: int) -> float | None:
        """Return what so many tokens cost; none for answers without a price.

        >>> Price(input=2.5, output=10.0).cost_usd(2_000, 500), Price(input=2.5).cost_usd(2_000, 500)
        (0.01, None)
        """
        if tokens_out and not self.has_answers:
            return None
        return (tokens_in * self.input + tokens_out * (self.output or 0.0)) / 1_000_000


FREE = Price(input=0.0)
"""Only for what is known to cost nothing."""


def cost_of(price: Price | None, tokens_in: int, tokens_out: int) -> float | None:
    """Return what tokens cost; none when there are tokens and no known price.

    >>> cost_of(None, 0, 0), cost_of(None, 10, 0), cost_of(FREE, 10, 0)
    (0.0, None, 0.0)
    """
    if price is None:
        return None if tokens_in or tokens_out else 0.0
    return price.cost_usd(tokens_in, tokens_out)


class Prices:
    """The tables, the user's before the built-in one."""

    def __init__(self, own: Path | None = None) -> None:
        """Read the user's file, when there is one."""
        self._own = _read(own) if own else {}

    @property
    def digest(self) -> str:
        """Return what changes when a price does."""
        return digest(sorted(self._own.items()), sorted(_built_in().items()))

    def of(self, name: str) -> Price | None:
        """Return the price of a model, wherever its server is; none when it is not known.

        The user's own price counts first. A dated name (`gpt-4o-2024-08-06`) has the price of the plain one, a model of a router
        (`openrouter/openai/gpt-4o`) that of the service behind it. Models in this process are free.
        """
        if found := _find(name, self._own):
            return found
        is_free = name.startswith("openrouter/") and name.endswith(":free")
        return FREE if is_free or name.partition("/")[0] in IN_PROCESS else _find(name, _built_in())

    def context_of(self, name: str) -> int | None:
        """Return the context window that the tables name."""
        found = _find(name, self._own) or _find(name, _built_in())
        return found.context if found else None

    def cost_usd(self, model: str | None, tokens_in: int, tokens_out: int, booked: float | None) -> float | None:
        """Return what answers cost: what was booked, unless that is nothing for tokens that were used; none when unknown."""
        if booked or not (tokens_in or tokens_out):
            return booked or 0.0
        return cost_of(self.of(model) if model else None, tokens_in, tokens_out)


def _find(name: str, table: dict[str, Price]) -> Price | None:
    names = [name, _undated(name)]
    if name.startswith("openrouter/"):
        behind = name.removeprefix("openrouter/")
        names += [behind, _undated(behind), re.sub(r"(?<=\d)\.(?=\d)", "-", behind)]
    return next((table[known] for known in names if known in table), None)


def _undated(name: str) -> str:
    """Return a name without the date of a version.

    >>> _undated("openai/gpt-4o-2024-08-06"), _undated("anthropic/claude-opus-4-1-20250805"), _undated("openai/gpt-4-0613")
    ('openai/gpt-4o', 'anthropic/claude-opus-4-1', 'openai/gpt-4')
    """
    return re.sub(r"-(\d{4}-\d\d-\d\d|\d{8}|\d{4}|latest)$", "", name)


@functools.cache
def _built_in() -> dict[str, Price]:
    text = files("repairlab.repairers.llm").joinpath("prices.toml").read_text(encoding="utf-8")
    return _table(tomllib.loads(text), "prices.toml", text)


def _read(path: Path) -> dict[str, Price]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return _table(tomllib.loads(text), str(path), text)
    except OSError as error:
        raise UserError(f"cannot read the prices in {path}: {error.strerror}") from None
    except ValueError as error:  # no TOML, no text
        raise UserError(f"{path} is not valid TOML: {error}") from None


_FORM = 'Write a table [models] with lines like "openai/gpt-4o" = { input = 2.50, output = 10.00 }, dollars per million tokens'


@record
class _PriceFile:
    models: dict[str, Price]
    schema: int = 1


def _table(data: dict[str, Any], where: str, text: str) -> dict[str, Price]:
    try:
        return checked(_PriceFile, data, where, toml=text).models
    except UserError as error:
        raise UserError(f"{str(error).removesuffix('.')}. {_FORM}") from None
