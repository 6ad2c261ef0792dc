"""What a model, or a program that repairs, is asked."""

from typing import Literal

from repairlab.core.record import record

Role = Literal["system", "user", "assistant"]


@record
class Message:
    """One message of a chat."""

    role: Role
    content: str


@record
class Prompt:
    """What a model is asked: a chat, or a text to go on with."""

    messages: tuple[Message, ...] = ()
    """The chat; empty when `text` is given."""
    text: str | None = None
    """Completion: what stands before the place to fill."""
    suffix: str | None = None
    """Completion: what stands behind it, for models that fill in the middle."""
