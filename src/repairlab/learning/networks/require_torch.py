"""Whether the packages that networks need are installed."""

from repairlab.core.extra import require
from repairlab.learning.networks.pretrained_place import SUFFIX
from repairlab.learning.networks.settings import ModelSettings

_ALWAYS = ("torch", "safetensors")


def require_extra(what: str, settings: ModelSettings | None = None) -> None:
    """Raise UserError when packages are missing that `what` needs, with these settings."""
    needed = list(_ALWAYS)
    if settings is not None and settings.vocabulary.kind != "words":
        needed.append("tokenizers")
    if settings is not None and settings.network.kind == "pretrained":
        needed += ["transformers", *(["peft"] if settings.network.lora_rank else [])]
        needed += ["gguf"] if settings.network.pretrained.endswith(SUFFIX) else []
    require(what, "train", needed)
