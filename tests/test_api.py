"""The Python API on two small bugs, in a real sandbox."""

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import repairlab as rl
from repairlab.core.text import Span
from repairlab.formats.patch_forms import PatchForm, candidate_of, recognise
from repairlab.sandbox.sandbox import Sandbox
from tests.conftest import write_tiny

FIXED = "def total(self):\n        return sum(self.prices)\n"
SLOW = "def total(self):\n        return sum(self.prices[:-2])\n"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> rl.Benchmark:
    return rl.load(write_tiny(tmp_path_factory.mktemp("api") / "tiny"))


@pytest.fixture(scope="module")
def shop(bench: rl.Benchmark) -> rl.Bug:
    return bench["shop"]


@pytest.fixture(scope="module")
def validator(shop: rl.Bug, sandbox: Sandbox) -> Iterator[rl.Validator]:
    with rl.Validator(shop, workers=2, cache=False) as opened:
        yield opened


def test_a_benchmark_is_indexed_by_id_place_and_slice_and_filtered(bench: rl.Benchmark) -> None:
    assert bench.ids == ("shop", "sum") and len(bench) == 2 and "sum" in bench and bench["sum"] in bench
    assert bench["tiny/sum"] is bench[1] and [bug.id for bug in bench] == ["shop", "sum"]
    assert bench[1:].ids == bench.filter("su*").ids == bench.filter(location="line").ids == ("sum",)
    assert bench.filter(language="python", where=lambda bug: bool(bug.oracle.cases)).ids == ("sum",)
    assert bench.filter("su*").whole is bench is bench.whole
    assert repr(bench) == "<benchmark tiny 1.0.0: 2 bugs (shop, sum)>"


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda bench: bench["smu"], "Did you mean 'sum'?"),
        (lambda bench: bench.filter("x*"), "none of 2 matches"),
        (lambda bench: bench.filter(colour="red"), "unknown label 'colour'"),
        (lambda bench: rl.load("strater"), "Did you mean 'starter'?"),
        (lambda bench: rl.repairer("template"), "Did you mean 'templates'?"),
        (lambda bench: rl.Validator(bench["sum"], isolation=cast(Any, "cold")), "unknown isolation 'cold'"),
        (lambda bench: rl.Validator(bench["sum"], policy=cast(Any, "all")), "unknown policy 'all'"),
        (lambda bench: rl.open_run("/nowhere"), "is no run folder"),
    ],
)
def test_a_wrong_name_is_an_error_that_helps(bench: rl.Benchmark, ask: object, message: str) -> None:
    with pytest.raises(rl.UserError, match=message):
        ask(bench)  # type: ignore[operator]  # a function


def test_one_bug_is_read_without_the_others(tiny: Path) -> None:
    (tiny / "bugs/shop/bug.toml").write_text("broken")
    bench = rl.load(tiny)
    assert bench["sum"].problem.path == "main.py"
    with pytest.raises(rl.UserError, match="shop"):
        list(bench)


def test_every_form_of_a_patch_is_recognised(shop: rl.Bug, bench: rl.Benchmark) -> None:
    whole = shop.problem.source.replace("[:-1]", "")
    diff = "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -5,3 +5,3 @@\n     def total(self):\n"
    forms: list[tuple[str, PatchForm]] = [
        (FIXED, "function"),
        ("@property\ndef total(self):\n    return 3", "function"),
        (whole, "file"),
        (whole.replace("sum(", "sum(("), "file"),
        (diff, "diff"),
        (f"The fix:\n{diff}", "diff"),
        (f"The fix:\n```diff\n{diff}```", "answer"),
        (f"Sure!\n```python\n{FIXED}```\nDone.", "answer"),
        (f"<<<<<<< SEARCH\n{SLOW}=======\n{FIXED}>>>>>>> REPLACE", "answer"),
        ("import math\n\n\ndef total(self):\n    return 3", "answer"),
        ("I cannot help with total(self) today.", "answer"),
    ]
    assert [recognise(text, shop.problem) for text, _ in forms] == [form for _, form in forms]


def test_every_form_of_a_patch_is_validated(shop: rl.Bug, validator: rl.Validator) -> None:
    problem = shop.problem
    whole = problem.source.replace("[:-1]", "")
    edit = rl.Edit(path=problem.path, text=FIXED, span=problem.target.span)
    start, end = problem.target.span.start, problem.target.span.end
    hunk = "@@ -7 +7 @@\n-        return sum(self.prices[:-1])\n+        return sum(self.prices)\n"
    diff = f"--- a/shop/cart.py\n+++ b/shop/cart.py\n{hunk}"
    plausible = [
        *(FIXED, "def total(self):\n    return sum(self.prices)\n", whole, whole.encode(), diff, f"Sure!\n```python\n{FIXED}```"),
        *({problem.path: whole}, edit, [edit], [{"path": problem.path, "text": FIXED, "span": {"start": start, "end": end}}]),
        *(shop.oracle.reference, candidate_of(FIXED, shop)),
    ]
    assert [outcome.verdict for outcome in validator.map(plausible)] == [rl.Verdict.PLAUSIBLE] * len(plausible)
    others = [SLOW, "def total(self):\n    return (", f"I would not.\n```diff\n{diff}"]
    assert [outcome.verdict.code for outcome in validator.map(others)] == ["WA", "CE", "AC"]


def test_a_form_that_is_named_is_taken_at_its_word(shop: rl.Bug, validator: rl.Validator) -> None:
    assert validator.validate(FIXED, form="function").verdict is rl.Verdict.PLAUSIBLE
    assert validator.validate(FIXED, form="file").verdict is not rl.Verdict.PLAUSIBLE
    assert "no unified diff" in validator.validate(FIXED, form="diff").message
    assert "is text, not an object of type list" in validator.validate([], form="function").message
    with pytest.raises(rl.UserError, match="unknown form 'text'"):
        validator.validate(FIXED, form="text")  # type: ignore[arg-type]  # which is the point


class _Evil(dict[str, str]):
    def items(self) -> None:  # type: ignore[override]  # it is evil
        raise RuntimeError


_ODD = [
    *(None, b"\xff", 3, object(), [], (), [None], {"a.py": 3}, {"../x": "y"}, {"shop/cart.py": None}, _Evil({"a.py": "b"})),
    *([{"path": "a"}], [{"path": "a", "text": "b", "span": 3}], rl.Edit(path=3, text="x")),  # type: ignore[arg-type]  # bad on purpose
    *(rl.Edit(path="a\0", text="x"), rl.Edit(path="shop/cart.py", text="x", span=Span(start=5000, end=6000)), type, lambda: 3),
    *("", "\0", "\ud800", "--- a/x\n+++ b/x\n@@ -1 +1 @@\n", "```", "x" * 3_000_000, "@@ -1 +1 @@", {"tests/test_cart.py": "pass"}),
]


def test_nothing_that_is_handed_over_as_a_patch_is_an_error(validator: rl.Validator) -> None:
    outcomes = validator.map(_ODD)
    assert len(outcomes) == len(_ODD)
    assert not {rl.Verdict.PLAUSIBLE, rl.Verdict.UNDECIDED} & {outcome.verdict for outcome in outcomes}


@settings(max_examples=40)
@given(
    patch=st.one_of(
        st.text(),
        st.binary(),
        st.dictionaries(st.text().map("a/{}".format), st.none() | st.text(), min_size=1),
        st.lists(st.text() | st.none()),
    )
)
def test_whatever_is_handed_over_as_a_patch_has_an_outcome(validator: rl.Validator, patch: object) -> None:
    outcome = validator.validate(patch)
    assert isinstance(outcome, rl.Outcome) and outcome.verdict is not rl.Verdict.UNDECIDED


def test_a_candidate_of_another_bug_is_an_outcome(bench: rl.Benchmark, validator: rl.Validator) -> None:
    other = candidate_of("def total(numbers):\n    return sum(numbers)\n", bench["sum"])
    assert "is for bug 'sum'" in validator.validate(other).message


def test_verdicts_come_in_order_and_patches_are_taken_as_they_are_needed(validator: rl.Validator) -> None:
    taken = itertools.count()
    stream = validator.imap(FIXED if next(taken) % 2 else SLOW for _ in itertools.repeat(None))
    verdicts = [outcome.verdict.code for outcome in itertools.islice(stream, 6)]
    stream.close()  # type: ignore[attr-defined]  # it is a generator
    assert verdicts == ["WA", "AC"] * 3 and next(taken) < 20


def test_an_error_of_whoever_makes_patches_is_raised_and_the_validator_goes_on(validator: rl.Validator) -> None:
    with pytest.raises(ZeroDivisionError):
        validator.map(FIXED if number else str(1 // number) for number in (2, 1, 0))
    assert validator.validate(FIXED).verdict is rl.Verdict.PLAUSIBLE


def test_the_api_works_while_an_event_loop_runs(shop: rl.Bug, validator: rl.Validator, sandbox: Sandbox) -> None:
    async def cell() -> list[str]:
        aside = asyncio.create_task(asyncio.to_thread(validator.map, [SLOW, FIXED]))
        here = rl.validate(shop, FIXED, cache=False, workers=1)
        return [outcome.verdict.code for outcome in (here, *await aside)]

    assert asyncio.run(cell()) == ["AC", "WA", "AC"]


def test_a_closed_validator_says_so(shop: rl.Bug, sandbox: Sandbox) -> None:
    with rl.Validator(shop, workers=1) as validator:
        pass
    with pytest.raises(rl.UserError, match="is closed"):
        validator.validate(FIXED)


def test_policy_and_cache_are_as_wanted(bench: rl.Benchmark, own_cache: Path, sandbox: Sandbox) -> None:
    patch = "def total(numbers):\n    return 0\n"
    first, second = (
        rl.validate(bench["sum"], patch, policy="full", cache=own_cache, workers=1, isolation=isolation, recheck=0)
        for isolation in ("process", "process")
    )
    assert (first.policy, len(first.tests), first.cached, second.cached) == ("full", 2, False, True)
    assert first.isolation.endswith("/process") and second.verdict is first.verdict is rl.Verdict.WRONG
