"""Options about raters and their sheets, and how far they agree as a table."""

from pathlib import Path
from typing import Annotated

import typer

from repairlab.cli.output import print_table
from repairlab.core.amounts import count
from repairlab.metrics.raters import Reliability
from repairlab.study.assessment.labels import RaterAgreement

SHEETS = "Sheets"
Raters = Annotated[
    str | None, typer.Option("--raters", help="Draw tasks for these raters, such as ada,ben.", rich_help_panel=SHEETS)
]
Overlap = Annotated[
    float, typer.Option("--overlap", help="Share of tasks given to several raters, 0 to 1.", rich_help_panel=SHEETS)
]
PerTask = Annotated[int, typer.Option("--per-task", help="How many raters share such a task.", rich_help_panel=SHEETS)]
TakenSheets = Annotated[
    list[Path] | None, typer.Option("--take", help="Read a filled sheet RATER.csv; repeatable.", rich_help_panel=SHEETS)
]
SettledSheet = Annotated[
    Path | None, typer.Option("--adjudicate", help="Read a filled sheet of disagreements.", rich_help_panel=SHEETS)
]
SettledBy = Annotated[str, typer.Option("--by", help="Who settled the disagreements.", rich_help_panel=SHEETS)]


def show_agreement(agreement: RaterAgreement) -> None:
    """Print coefficients over all labels and label by label."""
    print_table(
        f"{count(len(agreement.raters), 'rater')}, {count(agreement.n_shared, 'task')} that several rated",
        ["of", "coefficient", "value", "95 % interval"],
        [
            (of, item.name, *shown_value(item))
            for of, items in {"all labels": agreement.overall, **agreement.per_label}.items()
            for item in items
            if item.value is not None
        ],
    )


def shown_value(item: Reliability) -> tuple[str, str]:
    """Return a coefficient and its interval as tables print them."""
    interval = f"{item.interval.low:.2f} – {item.interval.high:.2f}" if item.interval else "–"
    return (f"{item.value:.3f}" if item.value is not None else "–"), interval
