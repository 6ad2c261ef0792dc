"""A run, a bug of it, or one of its candidates as data to print; executes nothing."""

import json
from collections import Counter
from typing import Any

from repairlab.core.candidate import Candidate
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.score import Ended
from repairlab.runs.experiment import Manifest
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import Sampled, read_sampled, read_samples
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from repairlab.study.bugs import benchmark_of_run
from repairlab.study.diffs import changed_by, diff_text, prompt_text


@record
class BugLine:
    """One bug of a run in a line."""

    bug: str
    language: str
    ended: Ended
    verdicts: dict[str, int]
    first_plausible: int | None
    """Rank of the first plausible candidate among those judged."""


@record
class CandidateLine:
    """One candidate of a bug in a line."""

    rank: int
    candidate: str
    outcome: Outcome | None
    """None: not judged yet."""


@record
class CandidatePage:
    """Everything a run knows of one candidate."""

    candidate: Candidate
    candidate_id: str
    outcome: Outcome | None
    diff: str
    """Empty if it changes nothing, or if no diff can be made."""
    no_diff: str
    """Why there is no diff."""
    prompt: str | None
    """The model's prompt; None if it was not kept."""
    answer: str | None
    thinking: str | None
    """The model's thinking before its answer, if its server reports it."""
    trajectory: str | None
    """What an agent and its model said to each other, as JSON; None if nothing was kept."""

    def data(self) -> dict[str, Any]:
        """Return the form of `show --json`."""
        return {
            "bug": self.candidate.bug_id,
            "rank": self.candidate.rank,
            "candidate": self.candidate_id,
            "edits": to_data(self.candidate.edits),
            "origin": to_data(self.candidate.origin),
            "problem": self.candidate.problem,
            "diff": self.diff,
            "outcome": to_data(self.outcome) if self.outcome else None,
            "prompt": self.prompt,
            "answer": self.answer,
            "thinking": self.thinking,
            "trajectory": json.loads(self.trajectory) if self.trajectory else None,
        }


def show_run(store: Store) -> list[BugLine]:
    """Return the bugs of a run, in the order of the benchmark."""
    require_intact(store)
    return [
        BugLine(
            bug=item.bug_id,
            language=item.language,
            ended=item.ended,
            verdicts={verdict.value: n for verdict, n in Counter(item.verdicts).most_common()},
            first_plausible=item.verdicts.index(Verdict.PLAUSIBLE) + 1 if Verdict.PLAUSIBLE in item.verdicts else None,
        )
        for item in read_samples(store)
    ]


def show_bug(store: Store, bug_id: str) -> list[CandidateLine]:
    """Return the candidates of a bug by rank."""
    return [CandidateLine(rank=item.rank, candidate=item.id, outcome=_outcome(store, item)) for item in _sampled(store, bug_id)]


def show_candidate(store: Store, bug_id: str, rank: int) -> CandidatePage:
    """Return all that is known of the candidate of a bug at a rank."""
    by_rank = {item.rank: item for item in _sampled(store, bug_id)}
    if rank not in by_rank:
        known = ", ".join(map(str, list(by_rank)[:20])) + (f" … {max(by_rank)}" if len(by_rank) > 20 else "")
        raise UserError(f"bug {bug_id} has no candidate of rank {rank}. Known: {known or 'none'}.")
    found = by_rank[rank]
    candidate = store.at(Candidate, found.place)
    transcripts = Transcripts(store)
    diff, no_diff = _diff(store.manifest(), candidate)
    prompt = transcripts.prompt(candidate.origin.prompt)
    return CandidatePage(
        candidate=candidate,
        candidate_id=found.id,
        outcome=_outcome(store, found),
        diff=diff,
        no_diff=no_diff,
        prompt=prompt_text(prompt) if prompt else None,
        answer=transcripts.text(candidate.origin.answer),
        thinking=transcripts.text(candidate.origin.kept("thinking")),
        trajectory=transcripts.text(candidate.origin.kept("trajectory")),
    )


def _outcome(store: Store, item: Sampled) -> Outcome | None:
    return store.at(Outcome, item.judged.place) if item.judged else None


def _sampled(store: Store, bug_id: str) -> list[Sampled]:
    """Return the candidates of a bug by rank."""
    require_intact(store)
    known = store.manifest().bug_ids
    if bug_id not in known:
        raise UnknownItemError(*unknown("bug", bug_id, known).args)
    return read_sampled(store).get(bug_id, [])


def _diff(manifest: Manifest, candidate: Candidate) -> tuple[str, str]:
    """Return the diff of a candidate, and why there is none."""
    if not candidate.edits:
        return "", candidate.problem or "the candidate changes nothing"
    try:
        bug = benchmark_of_run(manifest).bug(candidate.bug_id)
    except UserError as error:
        return "", str(error)
    files = bug.problem.files
    changed = changed_by(candidate.edits, files)
    if changed is None:
        return "", "the edits do not apply to the files that the repairer was shown"
    return diff_text(files, changed), ""
