"""A model for tests of what is built on models: it answers by a script and remembers what it was asked."""

import threading
from collections.abc import Callable, Sequence

from repairlab.core.prompt import Prompt
from repairlab.repairers.llm.client.model import Completion, Sampling
from repairlab.repairers.llm.client.replies import estimate_tokens

Script = Sequence[str] | Callable[[Prompt, int], str]


class ScriptedModel:
    """Answers number i with the i-th text, over and over, or with what a function says."""

    def __init__(self, answers: Script, *, name: str = "scripted", context_window: int | None = None) -> None:
        """Take the answers, or the function that makes them from the prompt and the number of the answer."""
        self.name = name
        self._answers = answers
        self._window = context_window
        self._lock = threading.Lock()
        self.asked: list[Prompt] = []
        """The prompt of each call."""

    @property
    def context_window(self) -> int | None:
        """Return what the test says."""
        return self._window

    def count_tokens(self, text: str) -> int:
        """Estimate, as served models do."""
        return estimate_tokens(text)

    def complete(self, prompt: Prompt, sampling: Sampling, *, first: int = 0, n: int = 1) -> tuple[Completion, ...]:
        """Answer by the script, whatever the sampling."""
        del sampling
        with self._lock:
            self.asked.append(prompt)
        return tuple(self._answer(prompt, number) for number in range(first, first + n))

    def _answer(self, prompt: Prompt, number: int) -> Completion:
        text = self._answers(prompt, number) if callable(self._answers) else self._answers[number % len(self._answers)]
        return Completion(text=text, tokens_in=1, tokens_out=estimate_tokens(text))
