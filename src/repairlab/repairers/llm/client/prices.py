"""What tokens cost: the built-in table, the user's own file on top of it, and nothing for servers of the user's own."""

import functools
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.repairers.llm.client.providers import Endpoint
from repairlab.storage.checking import checked


@record
class Price:
    """Of one model."""

    input: Annotated[float, Field(ge=0, allow_inf_nan=False)]
    """US dollars for a million tokens of prompts."""
    output: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """US dollars for a million tokens of answers."""
    context: Annotated[int, Field(gt=0)] | None = None
    """Tokens that prompt and answer may have together."""

    def cost_usd(self, tokens_in: int, tokens_out: int) -> float:
        """Return what so many tokens cost.

        >>> Price(input=2.5, output=10.0).cost_usd(2_000, 500)
        0.01
        """
        return (tokens_in * self.input + tokens_out * self.output) / 1_000_000


FREE = Price(input=0.0)


class Prices:
    """The tables, the user's before the built-in one."""

    def __init__(self, own: Path | None = None) -> None:
        """Read the user's file, when there is one."""
        self._own = _read(own) if own else {}

    def of(self, place: Endpoint) -> Price | None:
        """Return the price of a model; none when it is not known.

        The user's own price counts first. Then servers of the user's own are free. A dated name (`gpt-4o-2024-08-06`) has the
        price of the plain one, a model of a router (`openrouter/openai/gpt-4o`) that of the service behind it.
        """
        return _find(place.name, self._own) or (FREE if place.is_free else _find(place.name, _built_in()))

    def context_of(self, place: Endpoint) -> int | None:
        """Return the context window that the tables name."""
        found = _find(place.name, self._own) or _find(place.name, _built_in())
        return found.context if found else None


def _find(name: str, table: dict[str, Price]) -> Price | None:
    if name.endswith(":free"):
        return FREE
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
        text = path.read_text(encoding="utf-8")
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
