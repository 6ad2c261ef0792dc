"""Stop a run whose first bugs all fail in the same way: its repairer is set up wrongly."""

import threading

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome
from repairlab.repairers.repairer import RepairerFactory
from repairlab.runs.store import FILES, BugEnd, Store
from repairlab.runs.transcripts import Transcripts

FIRST = 5
"""Bugs that must all fail alike before a run stops.

Few enough that a wrong command costs little, and enough that a repairer that fails on half of all bugs is stopped in one run of 32.
"""
_EXCERPT = 600
"""Characters quoted from a program or a model."""


class FirstStarts:
    """Watches the first bugs of a run; until one of them succeeds, no bug counts as finished."""

    def __init__(self, store: Store, factory: RepairerFactory | None, *, keep_going: bool = False) -> None:
        """Take the run and its repairer; without one, or if a bug of the run is already finished, nothing is watched."""
        self._store, self._factory = store, factory
        self._failed: dict[str, Candidate] = {}
        self._how: set[str | None] = set()
        self._held: list[BugEnd] = []
        self._is_open = factory is None or keep_going or next(store.ends(), None) is not None
        self._lock = threading.Lock()

    @property
    def may_begin(self) -> bool:
        """Whether another bug may be begun."""
        return self._is_open or len(self._failed) < FIRST

    def take(self, bug_id: str) -> None:
        """Note that all candidates of a bug are stored."""
        with self._lock:
            if self._is_open or self._factory is None or bug_id in self._failed:
                return
            of_bug = [(place, data) for place, data in self._store.scan_data(Candidate) if data["bug_id"] == bug_id]
            if not of_bug or any(data["problem"] is None for _, data in of_bug):
                self._open()
                return
            drawn = [self._store.at(Candidate, place) for place, _ in of_bug]
            how = {self._factory.failure(candidate) for candidate in drawn}
            if None in how or len(self._how | how) > 1:
                self._open()
            else:
                self._failed[bug_id] = drawn[0]
                self._how |= how

    def end(self, end: BugEnd) -> None:
        """Store that a bug is finished, as soon as it counts."""
        with self._lock:
            if self._is_open:
                self._store.append(end)
            else:
                self._held.append(end)

    def failure(self, n_bugs: int) -> str | None:
        """Return what to tell the user when all bugs so far failed alike."""
        if self._is_open or not self._failed or self._factory is None:
            return None
        bug_id, first = next(iter(self._failed.items()))
        n = len(self._failed)
        which = "the only bug" if n_bugs == 1 else f"all {n} bugs" if n == n_bugs else f"each of the first {n} of {n_bugs} bugs"
        advice = f"\n{self._factory.advice}" if self._factory.advice else ""
        return (
            f"the repairer {self._factory.name} failed in the same way for {which}, so the run stopped: {first.problem}."
            f"{self._quoted(bug_id, first)}{advice}\n"
            "These bugs do not count; a resumed run asks them again. Fix the cause, then repeat your command with --to "
            f"{self._store.folder}; you may change its settings. To score the repairer as it is, add --keep-going"
        )

    def _quoted(self, bug_id: str, candidate: Candidate) -> str:
        said = candidate.answer if candidate.answer is not None else Transcripts(self._store).text(candidate.origin.answer)
        if said is None:
            return ""
        said = said.strip()
        if len(said) > _EXCERPT:
            said = f"{said[: _EXCERPT // 2]}\n[…]\n{said[-_EXCERPT // 2 :]}"
        lines = "\n".join(f"    {line}".rstrip() for line in said.split("\n")) if said else "    (nothing)"
        return f" For {bug_id} it said:\n{lines}"

    def _open(self) -> None:
        self._is_open = True
        for end in self._held:
            self._store.append(end)
        self._held.clear()


def has_only_failures(store: Store, factory: RepairerFactory | None) -> bool:
    """Return whether a run holds candidates, all from failed starts and for bugs that do not count as finished."""
    if factory is None or next(store.ends(), None) is not None:
        return False
    has_failed = [item.problem is not None and factory.failure(item) is not None for item in store.candidates()]
    return bool(has_failed) and all(has_failed)


def forget(store: Store) -> None:
    """Remove the candidates of a run and their outcomes; what was asked, answered and paid stays on record."""
    for kind in (Candidate, Outcome):
        (store.folder / FILES[kind]).unlink(missing_ok=True)
