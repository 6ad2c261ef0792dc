"""What tokens cost: the user's own price file first, then the built-in table. A model in neither has no known price."""

import functools
import re
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from repairlab.core.errors import UserError
from repairlab.core.record import digest, record
from repairlab.core.storage.checking import checked
from repairlab.repairers.llm.client.providers import IN_PROCESS


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
