"""Settings of the repairer `neural`: which model, and how it is searched."""

from typing import Annotated

from repairlab.core.errors import UserError
from repairlab.core.option import Option
from repairlab.core.record import record


@record
class NeuralSettings:
    """What decides the candidates of a trained model."""

    model: Annotated[str, Option("For neural: the folder of a model that `train` made.", example="--model models/tufano")]
    beam: Annotated[int | None, Option("Hypotheses of the search; by default as many as candidates are wanted.")] = None
    sample: Annotated[bool, Option("Draw hypotheses instead of searching the best.")] = False

    def check(self) -> None:
        """Refuse a beam that cannot be."""
        if self.beam is not None and not 1 <= self.beam <= 1000:
            raise UserError(f"--beam is {self.beam}: write a number from 1 to 1000")


@record
class NeuralAccess:
    """Where a model runs; none of it changes a candidate."""

    device: Annotated[str, Option("Where a trained model runs: auto, cpu, cuda, cuda:1 or mps.")] = "auto"
    at_once: Annotated[int, Option("Hypotheses that are extended together: lower it if memory is short.")] = 8192
