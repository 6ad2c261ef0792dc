"""What a training cost: seconds, device, memory, tokens, and energy if the GPU's driver reports it; and a table of several."""

import ctypes
import json
import resource
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.core.storage.checking import checked
from repairlab.core.table import Table
from repairlab.learning.networks.folder import read_members

METRICS = "metrics.json"


@record
class TrainingCost:
    """The cost of a training over all its starts, without work lost in killed processes."""

    seconds: float
    """Of learning and of looking at the validation set."""
    device: str
    n_devices: int
    peak_memory_mb: int
    """Peak memory of a device; on a CPU, that of the process."""
    tokens: int
    """Tokens of batches, padding included."""
    energy_j: float | None
    """Of all devices; None if no driver reports it."""


class EnergyMeter:
    """Reads the energy that GPUs have used, which their driver (NVML) counts from when it was loaded."""

    def __init__(self, device: Any) -> None:
        """Take a device of torch, whose peak of memory counts from here, too."""
        self._driver: Any = None
        if device.type != "cuda":
            return
        import torch  # noqa: PLC0415  # a table of costs is made without it

        torch.cuda.reset_peak_memory_stats(device)  # of an earlier training in this process
        try:
            name = f"GPU-{torch.cuda.get_device_properties(device).uuid}".encode()
            driver = ctypes.CDLL("libnvidia-ml.so.1")
            handle = ctypes.c_void_p()
            if driver.nvmlInit_v2() == 0 and driver.nvmlDeviceGetHandleByUUID(name, ctypes.byref(handle)) == 0:
                self._driver, self._handle = driver, handle
        except (OSError, AttributeError):
            return

    def joules(self) -> float | None:
        """Return the energy used so far; None if no driver reports it."""
        used = ctypes.c_ulonglong()
        if self._driver is None or self._driver.nvmlDeviceGetTotalEnergyConsumption(self._handle, ctypes.byref(used)) != 0:
            return None
        return used.value / 1000


def device_facts(device: Any) -> tuple[str, int]:
    """Return the name of a device of torch and the most memory, in MB, that this process has used of it."""
    import torch  # noqa: PLC0415  # as above

    if device.type == "cuda":
        return torch.cuda.get_device_name(device), torch.cuda.max_memory_allocated(device) // 1_000_000
    peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return f"{device.type}, {torch.get_num_threads()} threads", peak_kib * 1024 // 1_000_000


def cost_table(folders: Sequence[Path]) -> Table:
    """Return the costs of models, one row per folder; a merged model's is the sum of its members', with the largest peak."""
    return Table(
        name="training-cost",
        title="Training cost",
        columns=("model", "system", "models", "parameters", "steps", "device", "seconds", "peak MB", "tokens", "kJ"),
        rows=tuple(_row(folder) for folder in folders),
        source="NPR4J § 7",
        notes=("Seconds include looks at the validation set, not the encoding of pairs. A dash: no driver counted the energy.",),
    )


def _row(folder: Path) -> tuple[int | float | str | None, ...]:
    facts = [_read(member) for member in read_members(folder).folders]
    costs = [cost for _, cost in facts]
    energy = [cost.energy_j for cost in costs if cost.energy_j is not None]
    devices = dict.fromkeys(f"{cost.n_devices} × {cost.device}" if cost.n_devices > 1 else cost.device for cost in costs)
    return (
        str(folder),
        facts[0][0]["system"],
        len(facts),
        sum(found["n_parameters"] for found, _ in facts),
        sum(found["steps"] for found, _ in facts),
        "; ".join(devices),
        round(sum(cost.seconds for cost in costs), 1),
        max(cost.peak_memory_mb for cost in costs),
        sum(cost.tokens for cost in costs),
        round(sum(energy) / 1000, 2) if len(energy) == len(costs) else None,
    )


def _read(folder: Path) -> tuple[dict[str, Any], TrainingCost]:
    path = folder / METRICS
    try:
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return facts, checked(TrainingCost, facts["cost"], str(path))
    except (OSError, ValueError):
        raise UserError(f"{path} cannot be read: name the folder of a model that is trained to its end") from None
    except (KeyError, TypeError):
        raise UserError(f"{path} has no cost: the model was trained by an earlier version, or by --rewards") from None
