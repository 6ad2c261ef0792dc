"""Which dialect an address belongs to, and the address of a server that speaks it."""

import re

from repairlab.core.record import record
from repairlab.repairers.command.dialects.chat import CHAT
from repairlab.repairers.command.dialects.exchange import Dialect
from repairlab.repairers.command.dialects.gemini import GEMINI
from repairlab.repairers.command.dialects.messages import MESSAGES
from repairlab.repairers.command.dialects.responses import RESPONSES
from repairlab.repairers.ledger import Kind

_PLAIN: dict[str, Kind] = {"completions": "completion", "infill": "infill", "embeddings": "embedding"}
_DIALECTS = {"chat/completions": CHAT, "responses": RESPONSES, "messages": MESSAGES}
_GEMINI = re.compile(r"models/[\w.-]+:(?P<verb>generateContent|streamGenerateContent|countTokens)", re.ASCII)


@record
class Route:
    """What an address asks for."""

    dialect: Dialect | None = None
    """None for requests that are passed on unchanged."""
    kind: Kind = "chat"
    path: str
    """Appended to a server's base address."""
    only_counts: bool = False
    """Whether only the prompt's tokens are counted."""
    streams: bool = False


def route_of(address: str) -> Route | None:
    """Return what is asked at an address; none for all else that a server would do with the key.

    >>> route_of("/v1/messages?beta=true").dialect.name, route_of("/v1beta/models/x:streamGenerateContent?alt=sse").streams
    ('messages', True)
    >>> route_of("/v1/files"), route_of("/v1/messages/../files")
    (None, None)
    """
    path = re.sub(r"^/(v1(beta)?/)?", "", address.partition("?")[0])
    if path in _PLAIN:
        return Route(kind=_PLAIN[path], path=path)
    if path in _DIALECTS:
        return Route(dialect=_DIALECTS[path], path=path)
    if path == "messages/count_tokens":
        return Route(dialect=MESSAGES, path=path, only_counts=True)
    if found := _GEMINI.fullmatch(path):
        verb = found["verb"]
        return Route(dialect=GEMINI, path=verb, only_counts=verb == "countTokens", streams=verb.startswith("stream"))
    return None


def native_url(route: Route, base_url: str, model: str) -> str:
    """Return where a server of the same dialect is asked; Gemini's has its own besides the one for OpenAI's clients.

    >>> native_url(route_of("/v1beta/models/x:streamGenerateContent"), "https://g.com/v1beta/openai", "flash")
    'https://g.com/v1beta/models/flash:streamGenerateContent?alt=sse'
    """
    if route.dialect is not GEMINI:
        return f"{base_url}/{route.path}"
    return f"{base_url.removesuffix('/openai')}/models/{model}:{route.path}" + ("?alt=sse" if route.streams else "")
