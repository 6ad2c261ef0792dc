"""Bugs of a benchmark: found by id and by pattern, read when they are asked for, hashed without being read."""

import dataclasses

import pytest

from repairlab.core.benchmark import _KEPT, Benchmark, LazyBugs
from repairlab.core.bug import Bug, Labels, Oracle, Provenance, Tree
from repairlab.core.candidate import Edit
from repairlab.core.errors import UserError
from repairlab.core.execution import Limits
from repairlab.core.problem import Problem, Target
from repairlab.core.recipe import Build, Test
from repairlab.core.text import Span

FIX = Edit(path="m.py", span=Span(start=0, end=1), text="b")


def bug_of(name: str) -> Bug:
    return Bug(
        problem=Problem(
            id=name,
            benchmark="small",
            language="python",
            title="t",
            description="",
            path="m.py",
            source="a\n",
            target=Target(name="", span=Span(start=0, end=2), text="a\n"),
            target_without_comments="a\n",
        ),
        oracle=Oracle(reference=(FIX,), build=Build(), test=Test(framework="stdio"), limits=Limits()),
        tree=Tree(source="."),
        origin=Provenance(),
        labels=Labels(),
    )


def benchmark_of(bugs: tuple[Bug, ...] | LazyBugs) -> Benchmark:
    return Benchmark(name="small", version="1", licence="MIT", description="", bugs=bugs)


BUGS = tuple(map(bug_of, ("one", "two", "three")))
BY_ID = {bug.id: bug for bug in BUGS}


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


def test_a_bug_is_read_when_it_is_asked_for_and_only_once() -> None:
    read: list[str] = []

    def reading(name: str) -> Bug:
        read.append(name)
        return BY_ID[name]

    lazy = LazyBugs(tuple(BY_ID), reading, lambda name: BY_ID[name].digest)
    benchmark = benchmark_of(lazy)
    assert (len(benchmark), benchmark.ids) == (3, ("one", "two", "three"))
    assert benchmark.digest == benchmark_of(BUGS).digest == benchmark.digest
    assert read == []
    assert (lazy[1], lazy[1], lazy[1:]) == (BUGS[1], BUGS[1], BUGS[1:])
    assert read == ["two", "three"]
    assert benchmark_of(lazy).digest == benchmark_of(BUGS).digest


def test_equal_bugs_read_from_two_places_are_equal() -> None:
    here, there = (LazyBugs(tuple(BY_ID), BY_ID.__getitem__, lambda name: BY_ID[name].digest) for _ in range(2))
    assert here == there
    assert here != LazyBugs(("one",), BY_ID.__getitem__, lambda name: BY_ID[name].digest)
    assert here != BUGS


def test_memory_holds_the_last_bugs_alone() -> None:
    read: list[str] = []
    names = tuple(str(number) for number in range(_KEPT + 1))
    lazy = LazyBugs(names, lambda name: read.append(name) or BUGS[0], lambda name: name)  # type: ignore[func-returns-value]  # append
    for place in (*range(_KEPT), 0, _KEPT, 0, 1):
        assert lazy[place] is BUGS[0]
    assert read == [*names, "1"]
