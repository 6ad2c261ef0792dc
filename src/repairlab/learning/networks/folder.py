"""Where models lie, without torch: the folder of a trained one, the place of a pretrained one, and the packages they need."""

import json
import struct
import tomllib
from pathlib import Path
from typing import Any, Literal

from repairlab.core.errors import UserError
from repairlab.core.installation import require
from repairlab.core.record import record
from repairlab.core.storage.checking import checked
from repairlab.learning.networks.settings import ModelSettings

FORMAT = 1
"""Version of the format of model folders."""
SETTINGS = "settings.toml"
WEIGHTS = "model.safetensors"
LEARNT = "representation.json"
ENSEMBLE = "ensemble.json"
MergeRule = Literal["by-score", "equal-shares"]
"""All candidates sorted by log-probability (CoCoNut's code), or the same number from each member (its paper)."""


@record
class Members:
    """The models that make up one: itself, or those that its folder lists."""

    folders: tuple[Path, ...]
    rule: MergeRule = "by-score"


def read_members(folder: Path) -> Members:
    """Return the folders of the models that a folder stands for."""
    listed = folder / ENSEMBLE
    if not listed.is_file():
        return Members(folders=(folder,))
    try:
        found = json.loads(listed.read_text(encoding="utf-8"))
        members = checked(Members, {"folders": found["members"], "rule": found["rule"]})
    except (ValueError, KeyError, TypeError, UserError) as error:
        raise UserError(f"{listed} is no list of models: {str(error).splitlines()[0]}") from None
    if not members.folders:
        raise UserError(f"{listed} lists no model")
    return Members(folders=tuple(folder / name for name in members.folders), rule=members.rule)


def read_settings(folder: Path) -> ModelSettings:
    """Return the settings of a model's folder; what is wrong with it is a UserError."""
    path = folder / SETTINGS
    try:
        text = path.read_text(encoding="utf-8")
        facts = tomllib.loads(text)
    except FileNotFoundError:
        raise UserError(
            f"{folder} is no model: it has no {SETTINGS}. Make one with: repairlab train SYSTEM --pairs SET --to {folder}"
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"{path} is not valid TOML: {error}") from None
    if facts.pop("format", None) != FORMAT:
        raise UserError(f"{path}: this version of repairlab reads models of format {FORMAT}; train the model again")
    facts.pop("repairlab", None)
    settings = checked(ModelSettings, facts, str(path), toml=text)
    settings.check()
    return settings


def read_learnt(folder: Path) -> dict[str, Any]:
    """Return the settings of the representation that a model was trained with."""
    path = folder / LEARNT
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"{path} cannot be read: {error}; was the folder copied completely?") from None
    return found


GGUF_SUFFIX = ".gguf"
UNREADABLE = (OSError, ValueError, KeyError, struct.error)
"""What `from_pretrained` raises if a place holds no such model."""


@record
class PretrainedPlace:
    """Arguments of `from_pretrained` for a folder, a name on the hub, or one GGUF file."""

    name: str
    more: dict[str, Any]

    @classmethod
    def of(cls, pretrained: str | Path) -> "PretrainedPlace":
        """Return the place for a setting; a GGUF file is named by its folder and name, and read as full numbers."""
        path = Path(pretrained)
        if path.suffix != GGUF_SUFFIX:
            return cls(name=str(pretrained), more={})
        return cls(name=str(path.parent), more={"gguf_file": path.name})


_ALWAYS = ("torch", "safetensors")


def require_extra(what: str, settings: ModelSettings | None = None) -> None:
    """Raise UserError if packages are missing that `what` needs with these settings."""
    needed = list(_ALWAYS)
    if settings is not None and settings.vocabulary.kind != "words":
        needed.append("tokenizers")
    if settings is not None and settings.network.kind == "pretrained":
        needed += ["transformers", *(["peft"] if settings.network.lora_rank else [])]
        needed += ["gguf"] if settings.network.pretrained.endswith(GGUF_SUFFIX) else []
    require(what, "train", needed)
