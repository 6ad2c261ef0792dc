"""Judge patches of any form for any bugs, in worker processes that stay.

A patch is read by the worker, so that whoever asks is never kept by a strange text; what was asked before is answered from the
verdict cache, without a worker.
"""

import dataclasses
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Origin
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Outcome, Policy, Verdict
from repairlab.core.problem import Problem, Visibility, shown
from repairlab.core.recipe import Build
from repairlab.core.record import digest, record
from repairlab.formats.patch_forms import PatchForm, candidate_of
from repairlab.languages.table import language
from repairlab.metrics.similarity import bare, edit_similarity
from repairlab.repairers.llm.answers.read import read
from repairlab.repairers.llm.prompts.strategies.table import strategy
from repairlab.repairers.llm.prompts.view import View
from repairlab.runs.executors.worker_set import CallHandle, WorkerSet
from repairlab.sandbox.sandbox import Sandbox
from repairlab.validation.apply import changed_files
from repairlab.validation.cache import VerdictCache, code_digest, engine_digest
from repairlab.validation.machine import Machine, environment_of
from repairlab.validation.preflight import check_tools
from repairlab.validation.validator import BugValidator, Conditions, is_sampled

_MOST_OPEN = 256
"""Bugs whose conditions are remembered; each costs a moment to read again."""
_MOST_RECENT_TESTS = 200_000
"""Results of tests that are kept in memory with the latest verdicts, of which workers have not written all yet."""
_READING = ("formats", "metrics", "repairers/llm", "runs")
"""Folders of this package whose code can change what is read from a patch."""
_LONGEST_COMPARED = 200_000
_NOT_QUITE = 0.999999
"""The similarity of texts that differ in little, but do: indentation perhaps."""


@record
class Patch:
    """What somebody proposes for a bug."""

    text: Any
    """Text, or edits, or paths with new texts: all that `candidate_of` understands."""
    form: PatchForm | None = None
    """None: it is recognised."""
    strategy: str | None = None
    """Which strategy asked for the answer that the text is."""
    localisation: str = "line"
    """How precisely the strategy showed the place of the bug."""


@record
class JudgedPatch:
    """The verdict on a patch."""

    outcome: Outcome
    similarity: float | None = None
    """Of the buggy file and what the patch makes of it, 1 when only comments and layout differ; none when it does not apply."""


class OpenBug:
    """A bug under its conditions, ready to be asked about."""

    def __init__(self, conditions: Conditions, cache: Path | None) -> None:
        self.conditions = conditions
        self.bug = conditions.bug
        self.key = conditions.key
        self.work = partial(open_patch_worker, conditions, cache)
        self._readers = digest(code_digest(*_READING), engine_digest(), conditions.bug.digest)

    @cached_property
    def numbers(self) -> dict[str, tuple[str, int]]:
        """The kind and the number of each test or case, by its id."""
        oracle = self.bug.oracle
        kinds = (("trigger", oracle.trigger), ("regression", oracle.regression), ("case", oracle.case_ids))
        named = [(name, kind) for kind, names in kinds for name in names]
        return {name: (kind, number) for number, (name, kind) in enumerate(named, start=1)}

    def name_of(self, patch: Patch) -> str:
        """Return what the verdict cache knows a patch by, before anybody has read it."""
        return digest("patch", self._readers, patch.form, patch.strategy, patch.localisation, patch.text)


class PatchJudge:
    """Worker processes for patches of any bugs, and the verdicts of earlier runs; may be used from any thread."""

    def __init__(self, machine: Machine, *, most_workers: int | None = None) -> None:
        """Take how many processes may stay; each has one bug open."""
        self.machine = machine
        self.workers: WorkerSet[Any, Any] = WorkerSet(machine, most=most_workers or 4 * machine.workers)
        self._verdicts = VerdictCache(machine.verdict_cache) if machine.verdict_cache else None
        self._open: OrderedDict[tuple[str, Policy, int], OpenBug] = OrderedDict()
        self._recent: OrderedDict[tuple[str, str], JudgedPatch] = OrderedDict()
        self._n_recent_tests = 0
        self._lock = threading.Lock()
        self._tried: set[tuple[str, Build]] = set()

    def close(self) -> None:
        """End all workers."""
        self.workers.close()
        if self._verdicts is not None:
            self._verdicts.close()

    def opened(self, bug: Bug, *, policy: Policy = "first-failure", confirm: int = 0) -> OpenBug:
        """Return a bug ready to be asked about; HarnessError names what is missing on this machine."""
        key = (bug.digest, policy, confirm)
        with self._lock:
            if key in self._open:
                self._open.move_to_end(key)
                return self._open[key]
        tools = digest(environment_of([bug.problem.language], self.machine))
        if (tools, bug.oracle.build) not in self._tried:
            check_tools([bug], self.machine)
            self._tried.add((tools, bug.oracle.build))
        conditions = Conditions(
            bug=bug,
            policy=policy,
            confirm=confirm,
            isolation=self.machine.isolation,
            environment=tools,
            tools=tools,
            recheck=self.machine.recheck,
        )
        made = OpenBug(conditions, self.machine.verdict_cache)
        with self._lock:
            made = self._open.setdefault(key, made)  # whoever was first: workers know it by identity
            while len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        return made

    def known(self, opened: OpenBug, patch: Patch) -> JudgedPatch | None:
        """Return the verdict of an earlier run, or of a moment ago; none when a worker has to find it."""
        if self._verdicts is None:
            return None
        name = opened.name_of(patch)
        with self._lock:
            recent = self._recent.get((opened.key, name))
        if recent is not None:
            return recent
        remembered = self._verdicts.form(name)
        if remembered is None:
            return None
        form, candidate_id, similarity = json.loads(remembered)
        key = f"{opened.key}-{form}"
        outcome = None if is_sampled(key, self.machine.recheck) else self._verdicts.get(key)
        if outcome is None:
            return None
        outcome = dataclasses.replace(outcome, candidate_id=candidate_id, cached=True, environment=opened.conditions.environment)
        return self._remember((opened.key, name), JudgedPatch(outcome=outcome, similarity=similarity))

    def judge(self, opened: OpenBug, patch: Patch, handle: CallHandle | None = None) -> JudgedPatch:
        """Have a worker find the verdict; our own failures are UNDECIDED, and Interrupted is raised when the call was ended."""
        try:
            judged: JudgedPatch = self.workers.call(opened.work, patch, handle)[-1]
        except (HarnessError, RuntimeError) as error:
            nameless = Candidate(bug_id=opened.bug.id, edits=(), rank=1, origin=Origin(repairer="api"))
            return JudgedPatch(outcome=opened.conditions.undecided(nameless, str(error)))
        if self._verdicts is not None and judged.outcome.verdict is not Verdict.UNDECIDED:
            self._remember((opened.key, opened.name_of(patch)), judged)
        return judged

    def _remember(self, key: tuple[str, str], judged: JudgedPatch) -> JudgedPatch:
        kept = dataclasses.replace(judged, outcome=dataclasses.replace(judged.outcome, cached=True))
        with self._lock:
            replaced = self._recent.pop(key, None)
            self._recent[key] = kept
            self._n_recent_tests += _weight(kept) - (_weight(replaced) if replaced else 0)
            while self._n_recent_tests > _MOST_RECENT_TESTS and len(self._recent) > 1:
                self._n_recent_tests -= _weight(self._recent.popitem(last=False)[1])
        return kept


def _weight(judged: JudgedPatch) -> int:
    return 10 + len(judged.outcome.tests)


@contextmanager
def open_patch_worker(
    conditions: Conditions, cache: Path | None, sandbox: Sandbox, emit: Callable[[JudgedPatch], None]
) -> Iterator[Callable[[Patch], None]]:
    """Give what reads and decides one patch after the other in a worker."""
    opened = OpenBug(conditions, cache)
    with BugValidator(conditions, sandbox, cache) as validator:

        def decide(patch: Patch) -> None:
            candidate = candidate_of_patch(patch, conditions.bug)
            name = candidate.id
            form = validator.form(candidate, name)
            outcome = validator.judge(candidate, name, form)
            similarity = similarity_of(candidate, conditions.bug)
            validator.remember(opened.name_of(patch), json.dumps([form, name, similarity]))
            emit(JudgedPatch(outcome=outcome, similarity=similarity))

        yield decide


def candidate_of_patch(patch: Patch, bug: Bug) -> Candidate:
    """Return the candidate that a patch means; what cannot be read makes one without edits."""
    if patch.strategy is None:
        return candidate_of(patch.text, bug, form=patch.form)
    problem = shown(bug.problem, Visibility(localisation=patch.localisation))  # type: ignore[arg-type]  # checked before
    edits, reason = _read(patch, problem)
    answer = None if edits else str(patch.text)
    return Candidate(bug_id=bug.id, edits=edits, rank=1, origin=Origin(repairer="api"), problem=reason, answer=answer)


def _read(patch: Patch, problem: Problem) -> tuple[Any, str | None]:
    asked = strategy(patch.strategy or "")
    if reason := asked.needs(problem):
        return (), f"the strategy {asked.name} cannot ask about it: {reason}"
    reading = read(str(patch.text), problem, asked.question(View(problem=problem)).wanted)
    return reading.edits, None if reading.edits else reading.problem or "nothing could be read from the answer"


def similarity_of(candidate: Candidate, bug: Bug) -> float | None:
    """Return how alike the file to fix is before and after: 1 when only comments and layout differ; none where others change."""
    try:
        changed = changed_files(candidate, bug)
    except (UserError, HarnessError):
        return None
    if not changed:
        return 1.0
    if set(changed) != {bug.problem.path}:
        return None
    before, after = bug.problem.source, changed[bug.problem.path] or ""
    if max(len(before), len(after)) > _LONGEST_COMPARED:  # which takes long, and that is no reason to keep anybody waiting
        return 1.0 if before == after else None
    normal_form = language(bug.problem.language).syntax.normal_form
    return 1.0 if normal_form(before) == normal_form(after) else min(edit_similarity(bare(before), bare(after)), _NOT_QUITE)
