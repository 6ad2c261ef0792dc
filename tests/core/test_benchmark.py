"""Bugs of a benchmark: found by id and by pattern, read when they are asked for, hashed without being read."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest

from repairlab.core.benchmark import Benchmark, ListedBugs
from repairlab.core.bug import Bug, Labels, Oracle, Provenance, Tree
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
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


def benchmark_of(bugs: Sequence[Bug]) -> Benchmark:
    return Benchmark(name="small", version="1", licence="MIT", description="", bugs=bugs)


BUGS = tuple(map(bug_of, ("one", "two", "three")))


class Listed(Sequence[Bug]):
    """Bugs that cannot be read."""

    ids = ("one", "two", "three")

    def digests(self) -> list[str]:
        return [bug.digest for bug in BUGS]

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, which: Any) -> Any:
        raise AssertionError(f"bug {which} was read")


def test_a_bug_gives_its_fix_and_itself_as_candidates() -> None:
    bug = BUGS[0]
    assert (bug.fix.edits, bug.fix.origin.repairer) == ((FIX,), "reference")
    assert (bug.unpatched.edits, bug.unpatched.origin.repairer, bug.unpatched.bug_id) == ((), "copy", "one")


def test_a_digest_is_over_what_can_change_a_verdict() -> None:
    bug = BUGS[0]
    assert bug.digest == bug_of("one").digest
    assert dataclasses.replace(bug, labels=Labels(split="test")).digest == bug.digest
    assert dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, trigger=("t",))).digest != bug.digest


def test_bugs_are_found_with_and_without_the_name_of_their_benchmark() -> None:
    benchmark = benchmark_of(BUGS)
    assert benchmark.bug("two") is benchmark.bug("small/two") is BUGS[1]
    assert benchmark.select() == BUGS == tuple(benchmark)
    assert benchmark.select(("small/t*",), limit=1) == (BUGS[1],)
    assert benchmark.select(("one", "th*")) == (BUGS[0], BUGS[2])


@pytest.mark.parametrize(
    ("patterns", "limit", "message"),
    [(("fuor",), None, "unknown bug of small 'fuor'"), (("one", "f*"), None, r"'f\*'"), ((), 0, "--limit is 0")],
)
def test_what_matches_nothing_does_not_shrink_a_run(patterns: tuple[str, ...], limit: int | None, message: str) -> None:
    with pytest.raises(UserError, match=message):
        benchmark_of(BUGS).select(patterns, limit=limit)


def test_an_unknown_bug_is_an_error() -> None:
    with pytest.raises(UserError, match=r"unknown bug of small 'tow'.*two"):
        benchmark_of(BUGS).bug("tow")


def test_ids_and_digest_may_be_known_without_the_bugs() -> None:
    listed = Listed()
    assert isinstance(listed, ListedBugs)
    benchmark = benchmark_of(listed)
    assert benchmark.ids == ("one", "two", "three")
    assert benchmark.digest == benchmark_of(BUGS).digest == benchmark.digest
