"""Embeddings made on this machine with sentence-transformers: `local/NAME`.

The package is an extra and heavy, so it is loaded when the first text is to be embedded.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.extra import adding

PREFIX = "local/"


class LocalEmbedder:
    """A sentence-transformers model, by its name on the Hugging Face hub or the path of its folder."""

    def __init__(self, name: str) -> None:
        """Take a name such as `local/all-MiniLM-L6-v2`; nothing is loaded yet."""
        self.name = name
        self._model: Any = None

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one vector for each text; texts longer than the model's limit are cut, as the library does."""
        if self._model is None:
            self._model = _load(self.name.removeprefix(PREFIX))
        vectors: list[list[float]] = self._model.encode(list(texts), show_progress_bar=False, convert_to_numpy=True).tolist()
        return vectors


def _load(name: str) -> Any:
    try:
        library = import_module("sentence_transformers")
    except ImportError:
        raise UserError(
            f"the embedding model {PREFIX + name!r} needs sentence-transformers; get it with: {adding('embeddings')}"
        ) from None
    try:
        return library.SentenceTransformer(name)
    except (OSError, ValueError) as error:
        reason = str(error).strip().split("\n")[0]
        raise UserError(
            f"cannot load the embedding model {PREFIX + name!r}: {reason}; name a sentence-transformers model, or give its folder"
        ) from None
