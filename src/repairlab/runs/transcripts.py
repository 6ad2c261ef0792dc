"""What a run asked and what came back: `transcripts.jsonl`.

Every text is stored once, compressed, under its digest; a prompt is a list of such texts, so that the turns of a conversation
share what they repeat. Candidates name both digests in their origin. Keys and headers never come here: they are no part of either.
"""

import base64
import functools
import json
import threading
import zlib
from collections.abc import Callable
from typing import Literal

from repairlab.core.model import Message, Prompt
from repairlab.core.record import digest
from repairlab.runs.store import Store, TranscriptEntry


class TranscriptWriter:
    """Adds prompts and answers to a run; any number of threads may do so at once."""

    def __init__(self, store: Store) -> None:
        """Name the run; what earlier starts of it have written is not written again."""
        self._store = store
        self._lock = threading.Lock()

    @functools.cached_property
    def _written(self) -> set[str]:
        return {data["digest"] for _, data in self._store.scan_data(TranscriptEntry)}

    def keep(self, prompt: Prompt, *answers: str) -> None:
        """Record a prompt and its answer."""
        with self._lock:
            self._prompt(prompt)
            for answer in answers:
                self._text(answer)

    def _prompt(self, prompt: Prompt) -> None:
        name = digest(prompt)
        if name not in self._written:
            parts = {
                "messages": [[message.role, self._text(message.content)] for message in prompt.messages],
                "text": None if prompt.text is None else self._text(prompt.text),
                "suffix": None if prompt.suffix is None else self._text(prompt.suffix),
            }
            self._add(name, "prompt", json.dumps(parts))

    def _text(self, text: str) -> str:
        name = digest(text)
        if name not in self._written:
            self._add(name, "text", text)
        return name

    def _add(self, name: str, kind: Literal["text", "prompt"], text: str) -> None:
        packed = base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode()
        self._store.append(TranscriptEntry(digest=name, kind=kind, data=packed))
        self._written.add(name)


class Transcripts:
    """The transcripts of a run, for lookup; only their positions are held in memory."""

    def __init__(self, store: Store, find: Callable[[str], int | None] | None = None) -> None:
        """Find out what there is; `find` gets the position of a digest without that."""
        self._store = store
        if find is None:
            find = {data["digest"]: place for place, data in store.scan_data(TranscriptEntry)}.get
        self._find = find

    def text(self, name: str | None) -> str | None:
        """Return the text with a digest; None if it was not kept."""
        place = None if name is None else self._find(name)
        if place is None:
            return None
        entry = self._store.at(TranscriptEntry, place)
        return zlib.decompress(base64.b64decode(entry.data)).decode("utf-8", "surrogatepass")

    def prompt(self, name: str | None) -> Prompt | None:
        """Return the prompt with a digest; None if it was not fully kept."""
        packed = self.text(name)
        if packed is None:
            return None
        parts = json.loads(packed)
        contents = [(role, self.text(text)) for role, text in parts["messages"]]
        if any(content is None for _, content in contents):
            return None
        messages = tuple(Message(role=role, content=content or "") for role, content in contents)
        return Prompt(messages=messages, text=self.text(parts["text"]), suffix=self.text(parts["suffix"]))
