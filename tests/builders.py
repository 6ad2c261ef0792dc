"""Records and files that many tests need; a test names only what it cares about."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Outcome, Policy, Stage, Verdict
from repairlab.core.problem import Problem, Target
from repairlab.core.score import Ended, Samples
from repairlab.core.text import Span


def candidate(
    bug: Bug | str, *edits: Edit, rank: int = 1, problem: str | None = None, answer: str | None = None, **origin: Any
) -> Candidate:
    """Return a candidate for a bug or its id; what else is named belongs to its origin."""
    bug_id = bug if isinstance(bug, str) else bug.id
    return Candidate(
        bug_id=bug_id, edits=edits, rank=rank, origin=Origin(**{"repairer": "test", **origin}), problem=problem, answer=answer
    )


def rewrite(bug: Bug, text: str, **more: Any) -> Candidate:
    """Return a candidate that gives the file to fix a new text."""
    return candidate(bug, Edit(path=bug.problem.path, text=text), **more)


def reference(bug: Bug, **more: Any) -> Candidate:
    """Return the reference fix as a candidate."""
    return candidate(bug, *bug.oracle.reference, **more)


def outcome(
    verdict: Verdict, of: Candidate | None = None, *, stage: Stage = "cases", policy: Policy = "full", **more: Any
) -> Outcome:
    """Return the outcome of a candidate, or of one that does not matter."""
    judged = of or candidate("bug")
    return Outcome(candidate_id=judged.id, bug_id=judged.bug_id, verdict=verdict, stage=stage, policy=policy, **more)


def problem(source: str, *, target: str | None = None, span: Span | None = None, **more: Any) -> Problem:
    """Return a problem in Python whose target is a span of its source, or all of it."""
    place = span or Span(start=0, end=len(source))
    fields = {"id": "bug", "benchmark": "toy", "language": "python", "title": "", "description": "", "path": "main.py"}
    function = Target(name=target, span=place, text=place.of(source))
    return Problem(**{**fields, "source": source, "target": function, "target_without_comments": function.text, **more})


def sampled(bug_id: str, *verdicts: Verdict, ended: Ended = "asked", passed: float = 0.5, distinct: int | None = None) -> Samples:
    """Return what a run has of one bug; what is wrong passed a share of its tests."""
    shares = tuple({Verdict.PLAUSIBLE: 1.0, Verdict.WRONG: passed}.get(verdict, 0.0) for verdict in verdicts)
    n_distinct = len(verdicts) if distinct is None else distinct
    return Samples(bug_id=bug_id, language="c", verdicts=verdicts, passed=shares, distinct=n_distinct, ended=ended)


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files below a folder, which is returned."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def git(folder: Path, *arguments: str, raw: bool = False) -> str:
    """Run git as somebody; return what it prints, byte for byte (as Latin-1) where it is `raw`."""
    own = ("user.name=Test", "user.email=test@example.org", "init.defaultBranch=main", "commit.gpgsign=false")
    options = [word for setting in own for word in ("-c", setting)]
    done = subprocess.run(["git", *options, "-C", str(folder), *arguments], check=True, capture_output=True)
    return done.stdout.decode("iso-8859-1") if raw else done.stdout.decode().strip()
