"""Checkpoints of a training: everything needed to continue as if nothing had happened. Written to a temporary file and renamed."""

import os
from pathlib import Path
from typing import Any

import torch

from repairlab.core.errors import UserError

FILE = "checkpoint.pt"


def save_checkpoint(folder: Path, state: dict[str, Any]) -> None:
    """Write the state so that either the old file or the new one is there whenever the process is killed."""
    aside = folder / f".{FILE}"
    with aside.open("wb") as file:
        torch.save(state, file)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(folder / FILE)


def load_checkpoint(folder: Path, identity: str) -> dict[str, Any] | None:
    """Return the state, or None if there is no checkpoint yet; one of another training is a UserError."""
    path = folder / FILE
    if not path.is_file():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        raise UserError(f"{path} cannot be read: {error}; remove it to begin again") from None
    if state.get("identity") != identity:
        raise UserError(
            f"{path} is of another training: the system, its settings, the pairs, the seed or the version of repairlab differ. "
            "Give the same ones, or train to a new folder"
        )
    return state


def random_state(device: torch.device) -> dict[str, Any]:
    """Return the state of the random numbers."""
    found = {"cpu": torch.get_rng_state()}
    if device.type == "cuda":
        found["cuda"] = torch.cuda.get_rng_state(device)
    return found


def set_random_state(state: dict[str, Any], device: torch.device) -> None:
    """Restore the state of the random numbers."""
    torch.set_rng_state(state["cpu"])
    if device.type == "cuda" and "cuda" in state:
        torch.cuda.set_rng_state(state["cuda"], device)
