"""The repairer `command` as the table lists it: what its settings mean to a run, and how it is opened."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError
from repairlab.core.model import Access
from repairlab.repairers.command.settings import CommandSettings
from repairlab.repairers.repairer import RepairContext, Repairer, RepairerFactory


@contextmanager
def _open(context: RepairContext) -> Iterator[Repairer]:
    from repairlab.repairers.command.repairer import NAME, CommandRepairer  # noqa: PLC0415  # loaded when needed

    if context.workspaces is None:
        raise UserError(f"the repairer {NAME} works in runs only: repairlab run BENCHMARK --repairer {NAME}")
    access: Access = context.access
    settings: CommandSettings = context.settings.resolved()
    with context.workspaces(settings, access) as workspaces:
        yield CommandRepairer(
            settings,
            workspaces,
            n=context.n,
            earlier=context.earlier,
            keep=context.keep if access.transcripts else lambda prompt, *answers: None,  # noqa: ARG005
        )


def _check(settings: CommandSettings, access: Access, cache: Path) -> None:
    """Raise UserError if the program is missing or its model cannot work."""
    from repairlab.repairers.command.model_relay import open_upstream  # noqa: PLC0415  # as above

    del cache
    open_upstream(settings.resolved(), access)


_WORKED = frozenset({"exited with code 0", *(f"ended by the {kind} limit" for kind in ("request", "token", "cost"))})
"""How an unhindered start ends, in the words of its candidate."""


def _failure(candidate: Candidate) -> str | None:
    """Return how a failed start ended; a program that got answers from its model until its end was not hindered."""
    ended = dict(candidate.origin.settings).get("ended", "")
    if candidate.answer is not None:
        return "no diff applies"
    return None if ended in _WORKED and candidate.origin.tokens_out else ended


FACTORY = RepairerFactory(
    name="command",
    about="Has a program of others, such as an agent, repair a copy of the tree",
    open=_open,
    settings=CommandSettings,
    access=Access,
    check=_check,
    label=lambda settings: tuple(part for part in (settings.preset, settings.model) if part),
    asks_model=lambda settings: settings.model is not None,
    failure=_failure,
    advice=(
        "A program finds the buggy tree in its current folder and, besides, only what lies under /usr or is named with --mount. "
        "Test it on one bug with -i BUG -n 1; a slow one needs a longer --call-timeout."
    ),
    is_deterministic=False,
    waits=True,
    finds_place=True,
    reads_tests=True,
    works_on_tree=True,
)
