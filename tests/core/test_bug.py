"""A bug gives its fix and itself as candidates, and has a digest."""

import dataclasses

from repairlab.core.bug import Bug, Labels, Oracle, Provenance, Tree
from repairlab.core.candidate import Edit
from repairlab.core.execution import Limits
from repairlab.core.recipe import Build, Test
from repairlab.core.text import Span
from tests import builders

FIX = Edit(path="m.py", span=Span(start=0, end=1), text="b")


def bug_of(name: str) -> Bug:
    return Bug(
        problem=builders.problem("a\n", id=name, path="m.py"),
        oracle=Oracle(reference=(FIX,), build=Build(), test=Test(framework="stdio"), limits=Limits()),
        tree=Tree(source="."),
        origin=Provenance(),
        labels=Labels(),
    )


def test_a_bug_gives_its_fix_and_itself_as_candidates() -> None:
    bug = bug_of("one")
    assert (bug.fix.edits, bug.fix.origin.repairer) == ((FIX,), "reference")
    assert (bug.unpatched.edits, bug.unpatched.origin.repairer, bug.unpatched.bug_id) == ((), "copy", "one")


def test_a_digest_is_over_what_can_change_a_verdict() -> None:
    bug = bug_of("one")
    assert bug.digest == bug_of("one").digest
    assert dataclasses.replace(bug, labels=Labels(split="test")).digest == bug.digest
    assert dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, trigger=("t",))).digest != bug.digest
