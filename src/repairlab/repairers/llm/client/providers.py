"""Names of models: `PROVIDER/MODEL` → where the server is and which key it wants."""

import ipaddress
import os
from collections.abc import Mapping
from urllib.parse import urlsplit

from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record

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
    """A server of the user's own: no key needed."""


PROVIDERS: dict[str, Provider] = {
    "openai": Provider(base_url="https://api.openai.com/v1", key_variable="OPENAI_API_KEY", base_url_variable="OPENAI_BASE_URL"),
    "openrouter": Provider(base_url="https://openrouter.ai/api/v1", key_variable="OPENROUTER_API_KEY"),
    "anthropic": Provider(base_url="https://api.anthropic.com/v1", key_variable="ANTHROPIC_API_KEY"),
    "gemini": Provider(base_url="https://generativelanguage.googleapis.com/v1beta/openai", key_variable="GEMINI_API_KEY"),
    "mistral": Provider(base_url="https://api.mistral.ai/v1", key_variable="MISTRAL_API_KEY"),
    "deepseek": Provider(base_url="https://api.deepseek.com/v1", key_variable="DEEPSEEK_API_KEY"),
    "together": Provider(base_url="https://api.together.xyz/v1", key_variable="TOGETHER_API_KEY"),
    "groq": Provider(base_url="https://api.groq.com/openai/v1", key_variable="GROQ_API_KEY"),
    "fireworks": Provider(base_url="https://api.fireworks.ai/inference/v1", key_variable="FIREWORKS_API_KEY"),
    "vllm": Provider(base_url="http://localhost:8000/v1", key_variable="VLLM_API_KEY", is_local=True),
    "ollama": Provider(base_url="http://localhost:11434/v1", key_variable="OLLAMA_API_KEY", is_local=True),
    "llamacpp": Provider(base_url="http://localhost:8080/v1", key_variable="LLAMA_API_KEY", is_local=True),
}


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
