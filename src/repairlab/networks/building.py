"""Networks by the kind that settings name. Called by `training` and by whoever loads a model."""

from pathlib import Path

from torch import nn

from repairlab.networks.convolution import Convolution
from repairlab.networks.recurrent import Recurrent
from repairlab.networks.settings import NetworkSettings
from repairlab.networks.transformer import Transformer


def build(settings: NetworkSettings, n_source: int, n_target: int, *, folder: Path | None = None) -> nn.Module:
    """Return a network with random weights; a pretrained one as it was published, or as the folder of a model describes it."""
    settings.check()
    if settings.kind == "recurrent":
        return Recurrent(settings, n_source, n_target)
    if settings.kind == "convolution":
        return Convolution(settings, n_source, n_target)
    return Transformer(settings, n_source, n_target)
