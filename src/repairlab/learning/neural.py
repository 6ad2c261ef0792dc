"""The repairer `neural`: its settings, and how a trained model is opened for a run. Nothing of torch is loaded before that."""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from repairlab.core.candidate import Origin
from repairlab.core.errors import UserError
from repairlab.core.option import Option
from repairlab.core.problem import Problem
from repairlab.core.record import record
from repairlab.learning.networks.folder import WEIGHTS, read_learnt, read_members, read_settings, require_extra
from repairlab.learning.networks.settings import DecodingSettings
from repairlab.learning.representations.representation import Representation
from repairlab.learning.representations.table import representation
from repairlab.repairers.repairer import RepairContext, Repairer, RepairerFactory

if TYPE_CHECKING:
    from repairlab.learning.neural_repairer import Neural


@record
class NeuralSettings:
    """What decides the candidates of a trained model."""

    model: Annotated[str, Option("For neural: the folder of a model that `train` made.", example="--model models/tufano")]
    beam: Annotated[int | None, Option("Hypotheses of the search. [default: as many as candidates]")] = None
    sample: Annotated[bool, Option("Sample hypotheses instead of searching.")] = False
    temperature: Annotated[
        float | None,
        Option("Sample at this temperature; 0 is greedy.", short=("--greedy", 0.0, "Take the likeliest answer: temperature 0.")),
    ] = None
    top_p: Annotated[float | None, Option("Sample from the likeliest tokens with this total probability.")] = None

    def check(self) -> None:
        """Refuse impossible numbers."""
        limits: tuple[tuple[str, float | None, float, float], ...] = (
            ("--beam", self.beam, 1, 1000),
            ("--temperature", self.temperature, 0, 10),
            ("--top-p", self.top_p, 0.000001, 1),
        )
        for option, value, low, high in limits:
            if value is not None and not low <= value <= high:
                raise UserError(f"{option} is {value}: write a number from {low:g} to {high:g}")
        if self.temperature == 0 and (self.sample or self.top_p is not None):
            raise UserError("--temperature 0 takes the likeliest tokens: leave --sample and --top-p out")

    @property
    def decoding(self) -> str:
        """Say how hypotheses are found.

        >>> [NeuralSettings(model="m", beam=beam, temperature=heat).decoding for beam, heat in ((10, None), (1, None), (None, 0.2))]
        ['beam 10', 'greedy', 'T=0.2']
        """
        if self.temperature == 0 or (self.beam == 1 and not self.is_sampled):
            return "greedy"
        if self.is_sampled:
            heat = "sampled" if self.temperature is None else f"T={self.temperature:g}"
            return heat if self.top_p is None else f"{heat} top-p {self.top_p:g}"
        return f"beam {self.beam}" if self.beam else "beam"

    @property
    def is_sampled(self) -> bool:
        """Whether hypotheses are drawn rather than searched."""
        return self.sample or bool(self.temperature) or self.top_p is not None

    def applied(self, usual: DecodingSettings, *, beam: int, at_once: int) -> DecodingSettings:
        """Return how a model decodes with these settings."""
        made = dataclasses.replace(
            usual,
            beam=1 if self.temperature == 0 else beam,
            sample=self.is_sampled,
            temperature=self.temperature or usual.temperature,
            top_p=self.top_p or usual.top_p,
            at_once=at_once,
            groups=1 if self.temperature == 0 else usual.groups,
        )
        made.check()
        return made


@record
class NeuralAccess:
    """Where a model runs; none of it changes a candidate."""

    device: Annotated[str, Option("Where a trained model runs: auto, cpu, cuda, cuda:1 or mps.")] = "auto"
    at_once: Annotated[int, Option("Hypotheses extended together; lower it if memory is short.")] = 8192


@contextmanager
def _open(context: RepairContext) -> Iterator[Repairer]:
    yield make_repairer(context.settings, context.access, n=context.n, seed=context.seed)


def make_repairer(settings: NeuralSettings, access: NeuralAccess, *, n: int, seed: int) -> "Neural":
    """Load a model; it searches with as many hypotheses as candidates are requested, unless a beam is given."""
    require_extra("the repairer neural", read_settings(read_members(Path(settings.model)).folders[0]))
    # Imported only now: most runs need no network, and torch takes a while to load.
    from repairlab.learning.networks.model import load_ensemble  # noqa: PLC0415
    from repairlab.learning.neural_repairer import NAME, Neural  # noqa: PLC0415

    model = load_ensemble(Path(settings.model), device=access.device)
    beam = settings.beam or min(1000, max(1, n))
    decoding = settings.applied(dataclasses.replace(model.decoding, groups=1), beam=beam, at_once=access.at_once)
    told = [("system", model.members[0].settings.system), ("beam", str(decoding.beam)), ("sample", str(decoding.sample).lower())]
    if decoding.sample:
        told += [("temperature", f"{decoding.temperature:g}"), ("top_p", f"{decoding.top_p:g}")]
    origin = Origin(repairer=NAME, model=settings.model, settings=tuple(told), seed=seed)
    return Neural(model, _representation(settings), decoding, origin)


def _representation(settings: NeuralSettings) -> Representation:
    first = read_members(Path(settings.model)).folders[0]
    return representation(read_settings(first).representation, read_learnt(first))


def _check(settings: NeuralSettings, access: NeuralAccess, cache: Path) -> None:
    """Raise UserError if the folder holds no fully trained model, or the extra is not installed."""
    del cache
    require_extra("the repairer neural", read_settings(read_members(Path(settings.model)).folders[0]))
    from repairlab.learning.networks.model import choose_device, untrained  # noqa: PLC0415  # loads torch

    choose_device(access.device)
    for folder in read_members(Path(settings.model)).folders:
        read_settings(folder)
        if not (folder / WEIGHTS).is_file():
            raise untrained(folder)


def reason_unfit(settings: NeuralSettings) -> Callable[[Problem], str | None]:
    """Return a function that says why the model cannot be shown a problem, without loading the network."""
    from repairlab.learning.neural_repairer import asked_about  # noqa: PLC0415  # with all of a language's syntax

    made = _representation(settings)

    def reason(problem: Problem) -> str | None:
        found = asked_about(problem, made)
        return found if isinstance(found, str) else None

    return reason


FACTORY = RepairerFactory(
    name="neural",
    about="Has a trained network write fixes; repairlab train makes one",
    open=_open,
    settings=NeuralSettings,
    access=NeuralAccess,
    check=_check,
    unfit=lambda settings, seed: reason_unfit(settings),  # noqa: ARG005
    label=lambda settings: (Path(settings.model).name,),
    concurrency=lambda access: 1,  # noqa: ARG005  # one model in memory, which proposes while workers judge
)
