"""One model, or several whose candidates are merged (CoCoNut)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.learning.networks.folder import MergeRule, read_members
from repairlab.learning.networks.inputs import NetworkInput, Written
from repairlab.learning.networks.model import Model, load_model
from repairlab.learning.networks.settings import DecodingSettings


@dataclass(frozen=True, slots=True)
class Ensemble:
    """Models with one representation."""

    members: tuple[Model, ...]
    rule: MergeRule = "by-score"

    @property
    def representation(self) -> str:
        """Return the name of the representation that all members have."""
        return self.members[0].settings.representation

    @property
    def learnt(self) -> dict[str, Any]:
        """Return the settings of the representation."""
        return self.members[0].learnt

    @property
    def decoding(self) -> DecodingSettings:
        """Return how the first member decodes by itself."""
        return self.members[0].settings.decoding

    def write(
        self,
        inputs: Sequence[NetworkInput],
        decoding: DecodingSettings,
        *,
        seed: int = 0,
        done: Callable[[int], None] = lambda n: None,  # noqa: ARG005
    ) -> list[list[Written]]:
        """Return what the members write for each input, best first."""
        if len(self.members) == 1:
            return self.members[0].write(inputs, decoding, seed=seed, done=done)
        found = [model.write(inputs, decoding, seed=seed) for model in self.members]
        done(len(inputs))
        return [merge([lists[row] for lists in found], self.rule, decoding.beam) for row in range(len(inputs))]


def merge(lists: Sequence[Sequence[Written]], rule: MergeRule, n: int) -> list[Written]:
    """Return at most `n` candidates of all members, each text once, best first.

    >>> one = [Written(tokens=("a",), logprob=-1.0, n_tokens=2), Written(tokens=("b",), logprob=-3.0, n_tokens=2)]
    >>> other = [Written(tokens=("a",), logprob=-2.0, n_tokens=2), Written(tokens=("c",), logprob=-2.5, n_tokens=2)]
    >>> [item.tokens for item in merge([one, other], "by-score", 2)]
    [('a',), ('c',)]
    """
    share = n if rule == "by-score" else max(1, n // len(lists))
    kept: dict[tuple[str, ...], Written] = {}
    for item in sorted((item for found in lists for item in found[:share]), key=lambda item: -item.logprob):
        kept.setdefault(item.tokens, item)
    return list(kept.values())[:n]


def load_ensemble(folder: Path, *, device: str = "auto") -> Ensemble:
    """Load a model, or the members that a folder lists."""
    found = read_members(folder)
    members = tuple(load_model(item, device=device) for item in found.folders)
    if any(model.settings.representation != members[0].settings.representation for model in members):
        raise UserError(f"{folder} lists models of several representations")
    return Ensemble(members=members, rule=found.rule)
