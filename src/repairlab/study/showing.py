"""A run, a bug of it, or one of its candidates as data to print; executes nothing."""

from collections import Counter
from typing import Any

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate
from repairlab.core.errors import UnknownItemError, UserError, unknown
from repairlab.core.outcome import Outcome, Verdict
from repairlab.core.record import record, to_data
from repairlab.core.score import Ended
from repairlab.runs.experiment import Manifest
from repairlab.runs.integrity import require_intact
from repairlab.runs.samples import read_samples
from repairlab.runs.store import Store
from repairlab.runs.transcripts import Transcripts
from repairlab.study.diffs import changed_by, diff_text, files_of, prompt_text


@record
class BugLine:
    """One bug of a run in a line."""

    bug: str
    language: str
    ended: Ended
    verdicts: dict[str, int]
    first_plausible: int | None
    """Place of the first plausible candidate among those judged."""


@record
class CandidateLine:
    """One candidate of a bug in a line."""

    rank: int
    candidate: str
    outcome: Outcome | None
    """None: not judged yet."""


@record
class CandidatePage:
    """All that a run knows of one candidate."""

    candidate: Candidate
    candidate_id: str
    outcome: Outcome | None
    diff: str
    """Empty when it changes nothing, or when no diff can be made."""
    no_diff: str
    """Why there is no diff."""
    prompt: str | None
    """What the model was asked; none when that is not kept."""
    answer: str | None

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
    require_intact(store)
    places, outcomes = _places(store, bug_id)
    lines = []
    for rank in sorted(places):
        name = places[rank][1]
        outcome = store.at(Outcome, outcomes[name]) if name in outcomes else None
        lines.append(CandidateLine(rank=rank, candidate=name, outcome=outcome))
    return lines


def show_candidate(store: Store, bug_id: str, rank: int) -> CandidatePage:
    """Return all that is known of the candidate of a bug at a rank."""
    require_intact(store)
    places, outcomes = _places(store, bug_id)
    if rank not in places:
        known = ", ".join(map(str, sorted(places)[:20])) + (f" … {max(places)}" if len(places) > 20 else "")
        raise UserError(f"bug {bug_id} has no candidate of rank {rank}. Known: {known or 'none'}.")
    place, name = places[rank]
    candidate = store.at(Candidate, place)
    transcripts = Transcripts(store)
    diff, no_diff = _diff(store.manifest(), candidate)
    prompt = transcripts.prompt(candidate.origin.prompt)
    return CandidatePage(
        candidate=candidate,
        candidate_id=name,
        outcome=store.at(Outcome, outcomes[name]) if name in outcomes else None,
        diff=diff,
        no_diff=no_diff,
        prompt=prompt_text(prompt) if prompt else None,
        answer=transcripts.text(candidate.origin.answer),
    )


def _places(store: Store, bug_id: str) -> tuple[dict[int, tuple[int, str]], dict[str, int]]:
    """Return place and id of a bug's candidates by rank, and the places of their outcomes by id."""
    known = store.manifest().bug_ids
    if bug_id not in known:
        raise UnknownItemError(*unknown("bug", bug_id, known).args)
    places = {data["rank"]: (place, data["id"]) for place, data in store.scan_data(Candidate) if data["bug_id"] == bug_id}
    outcomes = {data["candidate_id"]: place for place, data in store.scan_data(Outcome) if data["bug_id"] == bug_id}
    return places, outcomes


def _diff(manifest: Manifest, candidate: Candidate) -> tuple[str, str]:
    """Return the diff of a candidate, and why there is none."""
    if not candidate.edits:
        return "", candidate.problem or "the candidate changes nothing"
    try:
        benchmark = open_benchmark(manifest.experiment.benchmark)
        bug: Bug = benchmark.bug(candidate.bug_id)
    except UserError as error:
        return "", f"the benchmark cannot be opened: {error}"
    if benchmark.digest != manifest.benchmark_digest:
        return "", f"{benchmark.name} here is not the benchmark that the run used"
    files = files_of(bug)
    changed = changed_by(candidate.edits, files)
    if changed is None:
        return "", "the edits do not apply to the files that the repairer was shown"
    return diff_text(files, changed), ""
