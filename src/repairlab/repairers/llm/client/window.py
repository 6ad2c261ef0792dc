"""How much a model can take: whether a prompt and its answer fit its context."""

from repairlab.core.prompt import Prompt
from repairlab.repairers.llm.client.model import ChatModel, Unanswerable
from repairlab.repairers.llm.settings import LlmSettings

_PER_MESSAGE = 8
"""Tokens around a message: its role and its borders; templates of chat models add about four to seven."""
CUT = " …"
"""Stands where the end of a text is cut off."""


class Window:
    """The context of one model, with room kept for the answer."""

    def __init__(self, settings: LlmSettings, model: ChatModel) -> None:
        """Take the size that the user gives, else the model's own; none means that everything is tried."""
        self._model, self._answer = model, settings.max_tokens
        self._size = settings.context_window or model.context_window

    def fits(self, prompt: Prompt) -> bool:
        """Tell whether prompt and answer fit."""
        return self._size is None or self.tokens(prompt) + self._answer <= self._size

    def tokens(self, prompt: Prompt) -> int:
        """Return about how many tokens a prompt has."""
        texts = [prompt.text or "", prompt.suffix or "", *(message.content for message in prompt.messages)]
        return sum(self._model.count_tokens(text) for text in texts if text) + _PER_MESSAGE * max(len(prompt.messages), 1)

    def lacking(self, prompt: Prompt) -> Unanswerable:
        """Return why a prompt cannot be asked."""
        return Unanswerable(
            f"the prompt has about {self.tokens(prompt)} tokens and its answer may have {self._answer}, "
            f"but {self._model.name} takes {self._size} in all"
        )


def shorter(text: str, length: int) -> str:
    """Return the beginning of a text, with a mark where it is cut; nothing for length 0.

    >>> shorter("a long story", 6)
    'a long …'
    """
    if len(text) <= length:
        return text
    return text[:length].rstrip() + CUT if length else ""
