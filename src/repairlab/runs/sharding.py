"""The candidates of one bug that wait for judgement, and how shards are cut from them.

Candidates of equal normal form are a group: one of them is validated, and its outcome holds for all. So a group is in progress in
one place at a time, and candidates that join it meanwhile wait.
"""

import time
from collections.abc import Mapping

from repairlab.core.outcome import Verdict
from repairlab.core.score import Ended
from repairlab.runs.messages import Entry, Order, OutcomeKnown, Task

FIRST_COST_S = 0.25
"""Assumed cost of a validation before any was seen; few candidates go into the first shard."""
FIRST_OPENING_S = 0.5
"""Assumed cost of opening a bug in one more worker."""
LARGEST_SHARD = 200
RARE = 8
"""One in this many candidates may cost as much as the dearest so far, or as one that runs into a limit: as much as hundreds."""


class _Group:
    """Candidates of one normal form."""

    def __init__(self) -> None:
        self.waiting: list[Entry] = []
        self.at_work = False
        self.outcome: int | None = None
        """Position of the outcome that decides them all."""


class Backlog:
    """The state of one bug while its candidates are proposed and judged."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.ended: Ended | None = None
        """Why no more candidates will come, once that is so."""
        self.holders: set[int] = set()
        """Workers that have the bug open."""
        self._groups: dict[str, _Group] = {}
        self._ready: dict[str, None] = {}
        """Forms of groups that can go into a shard, in order."""
        self._form_of: dict[str, str] = {}
        self._ranks: dict[str, int] = {}
        """How many ranks each distinct candidate has."""
        self._verdicts: dict[str, Verdict] = {}
        self._n_judged, self._judged_s, self._dearest_s = 0, 0.0, 0.0
        self._began: dict[int, float] = {}
        """When each worker began its current validation."""
        self._opening_s = FIRST_OPENING_S
        self._fresh: set[int] = set()
        """Workers whose first validation here, with its build or the like, is still to come."""
        self._places: set[int] = set()

    @property
    def is_done(self) -> bool:
        """Whether all candidates are proposed and judged."""
        return self.ended is not None and len(self._verdicts) == len(self._ranks)

    @property
    def is_ready(self) -> bool:
        """Whether a shard can be cut."""
        return bool(self._ready)

    @property
    def cost_s(self) -> float:
        """Return the cost of a validation; those in progress count if they have taken longer than that."""
        mean = self._judged_s / self._n_judged if self._n_judged else FIRST_COST_S
        late = [taken for taken in self._taken() if taken > mean]
        n = max(1, self._n_judged) + len(late)
        return (mean * max(1, self._n_judged) + sum(late)) / n

    def _taken(self) -> list[float]:
        """Return how long the validations in progress have taken, except first ones."""
        now = time.monotonic()
        return [now - began for worker, began in self._began.items() if worker not in self._fresh]

    @property
    def remaining_s(self) -> float:
        """Return what is left to do and could be done now."""
        return len(self._ready) * self.cost_s

    def is_worth_opening(self) -> bool:
        """Return whether one more worker would save more than it costs to open the bug."""
        return self.is_ready and (not self.holders or self.remaining_s / len(self.holders) > self._opening_s)

    def add(self, entry: Entry, *, known: tuple[int, Verdict] | None) -> Verdict | None:
        """Take a proposed candidate, with position and verdict of its outcome if stored; return its verdict if it has one."""
        if entry.place in self._places:
            return None  # the worker that proposed it died, and another one began anew
        self._places.add(entry.place)
        name = entry.candidate_id
        self._ranks[name] = self._ranks.get(name, 0) + 1
        if self._ranks[name] > 1:
            return self._verdicts.get(name)
        self._form_of[name] = entry.form
        group = self._groups.setdefault(entry.form, _Group())
        if known is not None:
            self._decide(name, *known)
            return known[1]
        group.waiting.append(entry)
        self._refresh(entry.form)
        return None

    def hold(self, worker: int) -> None:
        """Note that a worker has the bug open."""
        if worker not in self.holders:
            self.holders.add(worker)
            self._fresh.add(worker)

    def cut(self, worker: int, seconds: float, given_up: Mapping[str, str]) -> Order:
        """Cut a shard of about this much work for a worker, which then has the bug open."""
        # One worker does a shard, so it must not hold several that run into a limit while others are idle.
        dearest = max(self._dearest_s, *self._taken(), 0.0)
        known = 1 + self._n_judged // RARE
        n = max(1, min(LARGEST_SHARD, known, round(seconds / max(self.cost_s + dearest / RARE, 1e-6))))
        forms = [form for form, _ in zip(self._ready, range(n), strict=False)]
        entries: list[Entry] = []
        for form in forms:
            del self._ready[form]
            group = self._groups[form]
            entries += group.waiting
            group.waiting, group.at_work = [], True
        is_open = worker in self.holders
        self.hold(worker)
        outcomes = ((form, self._groups[form].outcome) for form in forms)
        return Order(
            bug_id=self.task.bug_id,
            entries=tuple(entries),
            decided={form: place for form, place in outcomes if place is not None},
            given_up={entry.candidate_id: given_up[entry.candidate_id] for entry in entries if entry.candidate_id in given_up},
            task=None if is_open else self.task,
        )

    def begin(self, worker: int) -> None:
        """Note that a worker begins a validation."""
        self._began[worker] = time.monotonic()

    def judge(self, judged: OutcomeKnown, place: int, worker: int) -> int:
        """Take an outcome stored at a position; return how many ranks it is for."""
        self._began.pop(worker, None)
        form = self._form_of[judged.candidate_id]
        if self._groups[form].outcome is None:  # else it was copied from an equal one, which says nothing about costs
            if worker in self._fresh:
                self._fresh.discard(worker)
                self._opening_s = max(0.0, judged.seconds - (self.cost_s if self._n_judged else 0.0))
            else:
                self._n_judged += 1
                self._judged_s += judged.seconds
                self._dearest_s = max(self._dearest_s, judged.seconds)
        self._decide(judged.candidate_id, place, judged.verdict)
        return self._ranks[judged.candidate_id]

    def put_back(self, order: Order, stored: Mapping[str, tuple[int, Verdict]]) -> list[tuple[Verdict, int]]:
        """Take an order back; the rest of it can be judged again.

        Returns verdicts that were stored without being noted here, each with its number of ranks.
        """
        found = []
        for entry in order.entries:
            group = self._groups[entry.form]
            group.at_work = False
            if entry.candidate_id in self._verdicts:
                continue
            if entry.candidate_id in stored:
                self._decide(entry.candidate_id, *stored[entry.candidate_id])
                found.append((stored[entry.candidate_id][1], self._ranks[entry.candidate_id]))
            else:
                group.waiting.append(entry)
                group.waiting.sort(key=lambda item: item.place)
        for entry in order.entries:
            self._refresh(entry.form)
        return found

    def forget(self, worker: int) -> None:
        """Note that a worker no longer has the bug open."""
        self.holders.discard(worker)
        self._fresh.discard(worker)
        self._began.pop(worker, None)

    def _decide(self, name: str, place: int, verdict: Verdict) -> None:
        self._verdicts[name] = verdict
        group = self._groups[self._form_of[name]]
        if verdict is not Verdict.UNDECIDED and group.outcome is None:
            group.outcome = place

    def _refresh(self, form: str) -> None:
        group = self._groups[form]
        if group.waiting and not group.at_work:
            self._ready[form] = None
