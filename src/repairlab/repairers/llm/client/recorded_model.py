"""A model whose prompts and answers are kept with the run."""

from repairlab.core.prompt import Prompt
from repairlab.repairers.llm.client.model import ChatModel, Completion, Sampling
from repairlab.repairers.repairer import TranscriptKeeper


class RecordedModel:
    """A model whose prompts and answers become part of the run; any number of threads may ask it at once."""

    def __init__(self, model: ChatModel, keep: TranscriptKeeper) -> None:
        """Wrap a model; `keep` writes down what was asked and answered."""
        self.name = model.name
        self._model, self._keep = model, keep

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
        self._keep(prompt, *(answer.text for answer in answers))
        return answers
