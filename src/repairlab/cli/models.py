"""The model that a verb asks, as `--model` and `--base-url` name it."""

from collections.abc import Iterator
from contextlib import contextmanager

from repairlab.cli.output import talk
from repairlab.core.access import Access
from repairlab.core.errors import UserError
from repairlab.languages.table import default_cache
from repairlab.repairers.llm.client.model import ChatModel
from repairlab.repairers.llm.settings import LlmSettings


@contextmanager
def asked_model(name: str | None, base_url: str | None) -> Iterator[ChatModel | None]:
    """Give the model, opened, which answers without chance; none where none is named."""
    if name is None:
        if base_url:
            raise UserError(f"--base-url {base_url} is given without --model")
        yield None
        return
    from repairlab.repairers.llm.client.open import open_model  # noqa: PLC0415  # loads httpx

    settings = LlmSettings(model=name, base_url=base_url, temperature=0.0)
    with open_model(settings, Access(), cache=default_cache(), notify=lambda text: talk().print(text, markup=False)) as opened:
        yield opened
