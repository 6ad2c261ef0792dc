"""What raters and whoever settles their disagreements are shown and say: of candidates of the open runs, and of bugs.

A rater sees the bug, the fix and perhaps a candidate; neither the system that proposed it nor what others said.
"""

import hmac
import threading
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from itertools import zip_longest

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UserError, unknown
from repairlab.core.record import record
from repairlab.serve.browser.open_runs import NotReadyError, OpenProject, OpenRun, Workbench
from repairlab.study.assessment.bug_project import view_of_bug
from repairlab.study.assessment.evidence import Evidence, evidence_from
from repairlab.study.assessment.labels import RaterAgreement, agreement_of, final_labels
from repairlab.study.assessment.ratings import CORRECTNESS, RULES, AssessmentTask, FinalLabel, Rating, RatingScheme, Ruling
from repairlab.study.assessment.sheets import TaskView, view_of
from repairlab.study.assessment.store import FILE, AssessmentStore
from repairlab.study.diffs import changed_by, diff_text

_TAKEN_BACK = "taken back"
_MAX_NOTE = 20_000
_LONGEST_S = 7 * 24 * 3600.0


class NoSuchRaterError(UserError):
    """A token that is nobody's."""


@record
class RatingForm:
    """What stands in the form of a task."""

    label: str = ""
    rules: tuple[str, ...] = ()
    note: str = ""
    seconds: float = 0.0


@record
class Seat:
    """A rater at the tasks of one run or project."""

    slug: str
    rater: str
    token: str


@record
class Item:
    """A task with all that may be seen of it."""

    task: AssessmentTask
    bug: Bug
    candidate: Candidate | None
    """None where it is the bug that is labelled."""


class RatingDesk:
    """The assessments of all open runs that have one, and all open projects; files are opened when they are asked for."""

    def __init__(self, bench: Workbench) -> None:
        self._bench = bench
        self._stores: dict[str, AssessmentStore] = {}
        self._agreements: dict[str, tuple[tuple[int, int], RaterAgreement]] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """Close all files."""
        for store in self._stores.values():
            store.close()

    @property
    def slugs(self) -> list[str]:
        """Return the runs that have an assessment, and the projects."""
        return [*(slug for slug, run in self._bench.runs.items() if (run.folder / FILE).is_file()), *self._bench.projects]

    def scheme(self, slug: str) -> RatingScheme:
        """Return what may be said of the tasks."""
        return self._bench.projects[slug].project.scheme if slug in self._bench.projects else CORRECTNESS

    def store(self, slug: str) -> AssessmentStore:
        """Return the tasks and ratings of a run or project."""
        run = self.place(slug)
        with self._lock:
            if slug not in self._stores:
                if not (run.folder / FILE).is_file():
                    raise UserError(
                        f"{run.folder} has no tasks yet; make them with: repairlab assess {run.folder} --raters A,B --to DIR"
                    )
                made = AssessmentStore(run.folder / FILE)
                made.prepare_desk()
                self._stores[slug] = made
            return self._stores[slug]

    def seats(self, slug: str) -> list[Seat]:
        """Return all raters of a run with their tokens."""
        return [Seat(slug=slug, rater=rater, token=token) for rater, token in self.store(slug).tokens().items()]

    def seat(self, token: str) -> Seat:
        """Return the rater that a token is of."""
        given = token.encode("utf-8", "replace")
        found = None
        for slug in self.slugs:
            for seat in self.seats(slug):
                if hmac.compare_digest(seat.token.encode(), given):
                    found = seat
        if found is None:
            raise NoSuchRaterError("this address is no rater's; ask whoever sent it for the right one")
        return found

    def item(self, slug: str, task: AssessmentTask) -> Item:
        """Return what may be seen of a task."""
        if slug in self._bench.projects:
            return Item(task=task, bug=self._bench.projects[slug].benchmark.bug(task.bug_id), candidate=None)
        run = self._bench.run(slug)
        places = run.index.with_id(task.candidate_id)
        opened = self._bench.benchmark_of(run)
        if not self._bench.is_opened(run) or (not places and run.index.is_behind):
            raise NotReadyError("this task is still being read; one moment")
        if not places:
            raise UserError(f"the candidate of task {task.id} is not in the run any more")
        if opened is None:
            raise UserError(f"the code of this task cannot be shown: {self._bench.why_no_texts(run)}")
        return Item(task=task, bug=opened.bug(task.bug_id), candidate=run.index.store.at(Candidate, places[0].candidate))

    def evidence(self, slug: str, task: AssessmentTask) -> Evidence | None:
        """Return what was found out about a task without asking people; none where nothing was."""
        found = self.store(slug).evidence(task=task.id).get(task.id)
        return evidence_from(found) if found else None

    def n_equal(self, slug: str, task: AssessmentTask) -> int:
        """Return how often the run has the candidate of a task."""
        return len(self._bench.run(slug).index.with_id(task.candidate_id)) if slug in self._bench.runs else 0

    def form(self, seat: Seat, task: str) -> RatingForm:
        """Return what a rater has begun, or what they said last."""
        store = self.store(seat.slug)
        draft = store.draft(task, seat.rater)
        if draft is not None:
            return RatingForm(
                label=draft["label"], rules=tuple(draft["rules"]), note=draft["note"], seconds=float(draft["seconds"])
            )
        last = store.last_ratings(seat.rater, task=task, n=1)
        return _form_of(last[0]) if last else RatingForm()

    def draft(self, seat: Seat, task: str, form: RatingForm) -> None:
        """Keep what a rater has begun."""
        self.task_of(seat, task)
        kept = {"label": form.label, "rules": list(form.rules), "note": form.note, "seconds": form.seconds}
        self.store(seat.slug).keep_draft(task, seat.rater, kept)

    def rate(self, seat: Seat, task: str, form: RatingForm) -> None:
        """Take a rating; one that makes no sense is refused, and what was begun stays."""
        self.draft(seat, task, form)
        label = checked_label(form, self.scheme(seat.slug))
        rating = Rating(
            task=task, rater=seat.rater, label=label, rules=form.rules, note=form.note, seconds=form.seconds, time=now()
        )
        self.store(seat.slug).add_rating(rating)

    def undo(self, seat: Seat) -> str | None:
        """Take a rater's last word back and return its task; what was said before holds again, else nothing is sure."""
        store = self.store(seat.slug)
        newest = next((item for item in store.last_ratings(seat.rater, n=50) if item.note != _TAKEN_BACK), None)
        if newest is None:
            return None
        said = [item for item in store.last_ratings(seat.rater, task=newest.task, n=50) if item.note != _TAKEN_BACK]
        before = said[1] if len(said) > 1 else None
        store.add_rating(
            Rating(
                task=newest.task,
                rater=seat.rater,
                label=before.label if before else "unsure",
                rules=before.rules if before else (),
                note=before.note if before else _TAKEN_BACK,
                seconds=newest.seconds,
                time=now(),
            )
        )
        self.draft(seat, newest.task, _form_of(newest))
        return newest.task

    def task_of(self, seat: Seat, task: str) -> AssessmentTask:
        """Return a task of a rater; one of somebody else is not shown."""
        found = self.store(seat.slug).task_of(seat.rater, task)
        if found is None:
            raise unknown("task", task, ())
        return found

    def task(self, slug: str, task: str) -> AssessmentTask:
        """Return a task of a run."""
        found = self.store(slug).task(task)
        if found is None:
            raise unknown("task", task, ())
        return found

    def agreement(self, slug: str) -> RaterAgreement:
        """Return how far raters agree at this moment, over all labels; computed when somebody has said something."""
        store = self.store(slug)
        state = store.state()
        if self._agreements.get(slug, (None,))[0] != state:
            self._agreements[slug] = (state, agreement_of(store.last_words(), ()))
        return self._agreements[slug][1]

    def open_questions(self, slug: str) -> list[FinalLabel]:
        """Return the tasks on which raters differ, or of which one is not sure, with all that was said."""
        store = self.store(slug)
        return final_labels(store.open_tasks(), store.ratings(), store.rulings())

    def settle(self, slug: str, task: str, judge: str, form: RatingForm) -> None:
        """Take a ruling on a disagreement."""
        self.task(slug, task)
        if not judge.strip():
            raise UserError("say who settles the disagreement")
        label = checked_label(form, self.scheme(slug))
        ruling = Ruling(task=task, judge=judge.strip(), label=label, rules=form.rules, note=form.note, time=now())
        self.store(slug).add_rulings([ruling])

    def view(self, item: Item) -> TaskView:
        """Return a task as a sheet shows it."""
        if item.candidate is None:
            return view_of_bug(item.task.id, item.bug)
        files = item.bug.problem.files
        changed, fixed = changed_by(item.candidate.edits, files), changed_by(item.bug.oracle.reference, files)
        return view_of(item.task.id, item.bug, candidate=diff_text(files, changed or {}), fix=diff_text(files, fixed or {}))

    def place(self, slug: str) -> OpenRun | OpenProject:
        """Return a run or a project."""
        return self._bench.projects[slug] if slug in self._bench.projects else self._bench.run(slug)


def _form_of(rating: Rating) -> RatingForm:
    return RatingForm(label=rating.label, rules=rating.rules, note=rating.note, seconds=rating.seconds)


def checked_label(form: RatingForm, scheme: RatingScheme) -> str:
    """Return the label of a form that makes sense."""
    if not form.label:
        *names, last = scheme.labels
        raise UserError(f"choose {', '.join(names)} or {last}; what you have written is kept")
    label = scheme.label_of(form.label)
    try:
        scheme.check(label, form.rules)
    except UserError as error:
        raise UserError(f"{error}; what you have chosen is kept") from None
    return label


def read_form(fields: Mapping[str, Sequence[str]], scheme: RatingScheme) -> RatingForm:
    """Read the fields that a browser sent; a label is checked when a rating is taken."""
    try:
        seconds = min(max(0.0, float((fields.get("seconds") or ["0"])[0] or 0)), _LONGEST_S)
    except ValueError:
        seconds = 0.0
    label = (fields.get("label") or [""])[0]
    if label:
        scheme.label_of(label)
    return RatingForm(
        label=label,
        rules=scheme.rules_of(" ".join(fields.get("rule") or [])),
        note=(fields.get("note") or [""])[0].replace("\r\n", "\n")[:_MAX_NOTE],
        seconds=seconds if seconds == seconds else 0.0,  # noqa: PLR0124  # not a number is not equal to itself
    )


def label_keys(scheme: RatingScheme) -> dict[str, str]:
    """Return the key of each label: digits, then letters where no rule has them; of very many labels the last have none."""
    keys = "1234567890" if scheme.rules else "1234567890qwertyuiopasdfghjklz"
    return dict(zip_longest(scheme.labels, keys[: len(scheme.labels)], fillvalue=""))


RULE_KEYS = dict(zip(RULES, "qwertyuiopasdfghjklz", strict=True))
"""The key of each rule."""


def now() -> str:
    """Return this moment in ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")
