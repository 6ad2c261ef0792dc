"""The health cards of the benchmarks in a report, where there are any."""

from collections.abc import Sequence
from pathlib import Path

from repairlab.benchmarks.catalog import BUILT_IN
from repairlab.benchmarks.health import CARD_NAME, HealthCard, read_card
from repairlab.core.errors import UserError
from repairlab.core.record import record
from repairlab.study.systems import System


@record
class Cards:
    """The cards to show, and why others are not."""

    cards: tuple[HealthCard, ...]
    left_out: tuple[str, ...]


def read_cards(systems: Sequence[System]) -> Cards:
    """Read the card of each run's benchmark, from the run's folder or else from the benchmark's; one of another version is none."""
    cards: dict[str, HealthCard] = {}
    left_out: dict[str, None] = {}
    for system in systems:
        run = system.scores.run
        name = run.manifest.experiment.benchmark
        for path in (run.folder / CARD_NAME, BUILT_IN / name / CARD_NAME, Path(name) / CARD_NAME):
            if system.digest in cards or not path.is_file():
                continue
            try:
                card = read_card(path)
            except UserError as error:
                left_out[str(error)] = None
                continue
            if card.digest == system.digest:
                cards[system.digest] = card
            else:
                left_out[f"{path} is of {card.benchmark} {card.version} #{card.digest}, not of #{system.digest}"] = None
    return Cards(cards=tuple(cards.values()), left_out=tuple(left_out))
