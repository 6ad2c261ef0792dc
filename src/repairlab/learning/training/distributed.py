"""Training on several devices, as started by torchrun or by a Ray Train job: each process takes its share of the batches."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import distributed


@dataclass(frozen=True, slots=True)
class ProcessGroup:
    """One process among those that train together."""

    rank: int = 0
    size: int = 1

    @property
    def is_first(self) -> bool:
        """Return whether this process writes and reports."""
        return self.rank == 0

    def average(self, tensors: Sequence[torch.Tensor]) -> None:
        """Average tensors over all processes, in one message."""
        if self.size == 1 or not tensors:
            return
        flat = torch.cat([tensor.reshape(-1) for tensor in tensors])
        distributed.all_reduce(flat)
        flat /= self.size
        place = 0
        for tensor in tensors:
            tensor.copy_(flat[place : place + tensor.numel()].view_as(tensor))
            place += tensor.numel()

    def wait(self) -> None:
        """Wait until all processes are here."""
        if self.size > 1:
            distributed.barrier()


def is_first_process() -> bool:
    """Return whether this process, alone or the first of several, reports the results of a training."""
    return int(os.environ.get("WORLD_SIZE", "1")) == 1 or os.environ["RANK"] == "0"


@contextmanager
def joined_processes(device: torch.device) -> Iterator[tuple[ProcessGroup, torch.device]]:
    """Join the processes that the environment names, or stay alone if it names none. Yields this process and its device."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield ProcessGroup(), device
        return
    rank, local = int(os.environ["RANK"]), int(os.environ.get("LOCAL_RANK", "0"))
    if device.type == "cuda":
        device = torch.device("cuda", local)
        torch.cuda.set_device(device)
    already = distributed.is_initialized()  # a Ray Train job has joined them before it calls us
    if not already:
        distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield ProcessGroup(rank=rank, size=size), device
    finally:
        if not already:
            distributed.destroy_process_group()
