"""What is left of a run, as tasks for the pool: whole bugs, or parts of them when bugs are few. Called by `run`.

A worker may die: its task is handed out again with what it had stored by then, and a candidate over which several workers died
is given up as UNDECIDED.
"""

import dataclasses
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from repairlab.core.candidate import Candidate
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record
from repairlab.core.samples import Ended
from repairlab.runs.drawing import Drawing
from repairlab.runs.execute import Begun, Drawn, Finished, Formed, News, Notice, Progress, Step, draw, draw_all, execute, find_forms
from repairlab.runs.pool import DEATHS, Pool
from repairlab.runs.repairing import draws_ahead, open_repairer
from repairlab.runs.store import BugEnd, Store
from repairlab.runs.task import Part, Task

SMALLEST_PART = 8
"""Fewer distinct candidates are not worth the preparation of a bug in one more worker."""


@record
class Stored:
    """What a run's files hold of some bugs: places of candidates by bug and rank, of outcomes by bug and candidate id."""

    candidates: Mapping[str, Mapping[int, int]]
    outcomes: Mapping[str, Mapping[str, int]]


class Schedule:
    """Brings the tasks of a run to their end."""

    def __init__(self, store: Store, step: Callable[[Step], None], *, given_up: Mapping[str, str]) -> None:
        """Take the run's files, whom to tell of each step, and the candidates that were given up before."""
        self._store, self._step = store, step
        self._parts_left: Counter[str] = Counter()
        self._begun: dict[tuple[str, int], str] = {}
        self._deaths: Counter[tuple[str, int, str]] = Counter()
        self.given_up = dict(given_up)
        """Candidates over which too many workers died, with the reason."""
        self.failed: dict[str, str] = {}
        """Bugs that could not be brought to their end, with the reason."""
        self.n_undecided = 0

    def run(self, tasks: Sequence[Task], pool: Pool, *, workers: int) -> None:
        """Do all tasks, each of which is a whole bug."""
        split = _can_be_split(tasks, workers)
        if not draws_ahead(tasks[0].experiment):
            self._judge(self._deal(self._drawn(tasks, pool), pool, workers) if split else tasks, pool)
            return
        threads = tasks[0].machine.access.concurrency
        with (
            open_repairer(tasks[0], lambda text: self._step(Notice(text=text))) as repairer,
            Drawing(tasks, lambda task: draw_all(task, repairer), threads=threads) as drawing,
        ):
            if split:
                self._judge(self._deal(drawing.all(), pool, workers), pool)
            else:
                self._judge(self._told(drawing), pool, bell=drawing.bell)
        if drawing.ended_by:
            raise drawing.ended_by

    def _judge(self, tasks: Iterable[Task | None], pool: Pool, *, bell: int | None = None) -> None:
        pool.run(execute, tasks, self._receive, again=self._again, bell=bell)

    def _told(self, drawing: Drawing) -> Iterator[Task | None]:
        for task in drawing.tasks():
            if task is not None:
                self._step(Drawn(bug_id=task.bug.id, n=len(task.candidates)))
            yield task

    def _receive(self, news: News) -> None:
        match news:
            case Begun():
                self._begun[news.bug_id, news.part] = news.candidate_id
            case Finished():
                self._parts_left[news.bug_id] -= 1
                if self._parts_left[news.bug_id] <= 0:  # a bug that is not cut into parts was never counted
                    self._store.append(BugEnd(bug_id=news.bug_id, ended=news.ended))
                    self._step(Progress(bug_id=news.bug_id, verdict=None))
            case Progress():
                self.n_undecided += news.verdict is Verdict.UNDECIDED
                self._step(news)
            case _:
                self._step(news)

    def _again(self, task: Task, reason: str) -> Task | None:
        """Return a dead worker's task with what was stored by then; none when nothing gets done any more."""
        bug_id, part = task.bug.id, task.part.number if task.part else 0
        stored = read_stored(self._store, {bug_id}, self.given_up)
        candidates, outcomes = stored.candidates[bug_id], stored.outcomes[bug_id]
        suspect = self._begun.pop((bug_id, part), None)
        if suspect in outcomes:
            suspect = None
        # Deaths between two validations are no candidate's fault, and only count as long as nothing gets done.
        cause = suspect or f"{len(candidates)} candidates, {len(outcomes)} outcomes"
        self._deaths[bug_id, part, cause] += 1
        if self._deaths[bug_id, part, cause] >= DEATHS and suspect is None:
            self.failed[bug_id] = f"{reason}, {DEATHS} times"
            return None
        if suspect is not None and self._deaths[bug_id, part, cause] >= DEATHS:
            self.given_up[suspect] = f"{reason}, {DEATHS} times over this candidate"
        return dataclasses.replace(task, candidates=candidates, outcomes=outcomes, given_up=dict(self.given_up))

    def _drawn(self, tasks: Sequence[Task], pool: Pool) -> list[Task]:
        """Draw the candidates of all bugs in the pool."""
        ended: dict[str, Ended] = {}
        pool.run(draw, tasks, lambda news: ended.update({news.bug_id: news.ended}), again=self._again)
        stored = read_stored(self._store, {task.bug.id for task in tasks}, self.given_up)
        return [
            dataclasses.replace(
                task,
                given=None,
                candidates=stored.candidates[task.bug.id],
                outcomes=stored.outcomes[task.bug.id],
                part=Part(number=0, ranks=tuple(sorted(stored.candidates[task.bug.id])), ended=ended[task.bug.id]),
            )
            for task in tasks
            if task.bug.id in ended
        ]

    def _deal(self, drawn: Sequence[Task], pool: Pool, workers: int) -> list[Task]:
        """Deal the candidates of bugs out so that each part can be judged by itself."""
        forms: dict[str, dict[int, str]] = defaultdict(dict)

        def receive(news: Formed) -> None:
            forms[news.bug_id][news.rank] = news.form

        pool.run(find_forms, [piece for task in drawn for piece in _pieces(task, workers)], receive)
        parts = [part for task in drawn for part in _parts(task, forms[task.bug.id], max(1, workers // len(drawn)))]
        self._parts_left = Counter(part.bug.id for part in parts)
        return parts


def read_stored(store: Store, bug_ids: set[str], given_up: Mapping[str, str]) -> Stored:
    """Look up what is stored of bugs; UNDECIDED outcomes count for nothing, unless their candidate was given up."""
    candidates: dict[str, dict[int, int]] = {bug_id: {} for bug_id in bug_ids}
    outcomes: dict[str, dict[str, int]] = {bug_id: {} for bug_id in bug_ids}
    for place, data in store.scan_data(Candidate):
        if data["bug_id"] in bug_ids:
            candidates[data["bug_id"]][data["rank"]] = place
    for place, data in store.scan_data(Outcome):
        if data["bug_id"] in bug_ids and (data["verdict"] != Verdict.UNDECIDED or data["candidate_id"] in given_up):
            outcomes[data["bug_id"]][data["candidate_id"]] = place
    return Stored(candidates=candidates, outcomes=outcomes)


def _can_be_split(tasks: Sequence[Task], workers: int) -> bool:
    """Return whether there are workers to spare, and each candidate can be drawn without knowing of those before."""
    experiment = tasks[0].experiment
    independent = experiment.rounds == 1 and not experiment.stop_when_fixed
    return independent and 2 * len(tasks) <= workers and experiment.n >= 2 * SMALLEST_PART


def _pieces(task: Task, n: int) -> list[Task]:
    """Cut the candidates of a bug into up to `n` pieces of about equal size."""
    ranks = task.part.ranks if task.part else ()
    pieces = [tuple(ranks[start::n]) for start in range(min(n, len(ranks)))]
    return [dataclasses.replace(task, part=Part(number=number, ranks=piece)) for number, piece in enumerate(pieces)]


def _parts(task: Task, forms: Mapping[int, str], n: int) -> list[Task]:
    """Deal the candidates of a bug out, those of equal form together."""
    assert task.part is not None
    groups: dict[str, list[int]] = defaultdict(list)
    for rank in sorted(forms):
        groups[forms[rank]].append(rank)
    n = max(1, min(n, len(groups) // SMALLEST_PART))
    hands: list[list[int]] = [[] for _ in range(n)]
    for index, group in enumerate(groups.values()):
        hands[index % n] += group
    return [
        dataclasses.replace(
            task,
            part=Part(number=number, ranks=tuple(ranks), forms=tuple(forms[rank] for rank in ranks), ended=task.part.ended),
        )
        for number, ranks in enumerate(map(sorted, hands))
    ]
