"""What a run asked and what came back: `transcripts.jsonl`. Written for the repairers `llm` and `command`, read by `report`.

Every text is stored once, compressed, under its digest; a prompt is a list of such texts, so that the turns of a conversation
share what they repeat. Candidates name both digests in their origin. Keys and headers never come here: they are no part of either.
"""

import base64
import json
import threading
import zlib
from typing import Literal

from repairlab.core.record import digest
from repairlab.repairers.llm.model import ChatModel, Completion, Message, Prompt, Sampling
from repairlab.runs.store import Store, TranscriptEntry


class TranscriptWriter:
    """Makes prompts and answers part of a run; any number of threads may do so at once."""

    def __init__(self, store: Store) -> None:
        """Name the run; what earlier starts of it have written is not written again."""
        self._store = store
        self._known = {data["digest"] for _, data in store.scan_data(TranscriptEntry)}
        self._lock = threading.Lock()

    def keep(self, prompt: Prompt, *answers: str) -> None:
        """Write down what was asked and what came back."""
        with self._lock:
            self._prompt(prompt)
            for answer in answers:
                self._text(answer)

    def _prompt(self, prompt: Prompt) -> None:
        name = digest(prompt)
        if name not in self._known:
            parts = {
                "messages": [[message.role, self._text(message.content)] for message in prompt.messages],
                "text": None if prompt.text is None else self._text(prompt.text),
                "suffix": None if prompt.suffix is None else self._text(prompt.suffix),
            }
            self._add(name, "prompt", json.dumps(parts))

    def _text(self, text: str) -> str:
        name = digest(text)
        if name not in self._known:
            self._add(name, "text", text)
        return name

    def _add(self, name: str, kind: Literal["text", "prompt"], text: str) -> None:
        packed = base64.b64encode(zlib.compress(text.encode("utf-8", "surrogatepass"), 9)).decode()
        self._store.append(TranscriptEntry(digest=name, kind=kind, data=packed))
        self._known.add(name)


class RecordedModel:
    """A model whose prompts and answers become part of the run; any number of threads may ask it at once."""

    def __init__(self, model: ChatModel, store: Store) -> None:
        """Wrap a model."""
        self.name = model.name
        self._model, self._writer = model, TranscriptWriter(store)

    @property
    def context_window(self) -> int | None:
        """Return what the model says."""
        return self._model.context_window

    def count_tokens(self, text: str) -> int:
        """Count as the model does."""
        return self._model.count_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Return what the model answers, once it is written down."""
        answers = self._model.complete(prompt, sampling, first=first, n=n)
        self._writer.keep(prompt, *(answer.text for answer in answers))
        return answers


class Transcripts:
    """The transcripts of a run, to be looked up; only their places are held in memory."""

    def __init__(self, store: Store) -> None:
        """Find out what there is."""
        self._store = store
        self._places = {data["digest"]: place for place, data in store.scan_data(TranscriptEntry)}

    def __bool__(self) -> bool:
        return bool(self._places)

    def text(self, name: str | None) -> str | None:
        """Return the text with a digest; none when it was not kept."""
        if name is None or name not in self._places:
            return None
        entry = self._store.at(TranscriptEntry, self._places[name])
        return zlib.decompress(base64.b64decode(entry.data)).decode("utf-8", "surrogatepass")

    def prompt(self, name: str | None) -> Prompt | None:
        """Return the prompt with a digest; none when it was not kept, or not all of it."""
        packed = self.text(name)
        if packed is None:
            return None
        parts = json.loads(packed)
        contents = [(role, self.text(text)) for role, text in parts["messages"]]
        if any(content is None for _, content in contents):
            return None
        messages = tuple(Message(role=role, content=content or "") for role, content in contents)
        return Prompt(messages=messages, text=self.text(parts["text"]), suffix=self.text(parts["suffix"]))
