"""A mapping means the same as a patch in the API, in files of candidates, in requests and in rewards."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import repairlab as rl
from repairlab.core.candidate import Candidate
from repairlab.core.diff import apply_edits
from repairlab.formats.patch_forms import candidate_of
from repairlab.runs.patch import candidate_of_patch
from repairlab.sandbox.sandbox import Sandbox
from repairlab.serve.http.requests import CandidateEntry, RequestRefused, parse
from repairlab.study.external_candidates import read_external_candidates
from tests.conftest import write_tiny

FIXED = "def total(self):\n        return sum(self.prices)\n"
ALONE = "def total(self):\n    return sum(self.prices)\n"
HUNK = "@@ -7 +7 @@\n-        return sum(self.prices[:-1])\n+        return sum(self.prices)\n"
DIFF = f"--- a/shop/cart.py\n+++ b/shop/cart.py\n{HUNK}"
ANSWER = f"The last price is lost.\n```python\n{ALONE}```"
EDIT = {"path": "shop/cart.py", "text": "sum(self.prices)", "span": None}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> rl.Benchmark:
    return rl.load(write_tiny(tmp_path_factory.mktemp("mappings") / "tiny"))


@pytest.fixture(scope="module")
def shop(bench: rl.Benchmark) -> rl.Bug:
    return bench["shop"]


class _Meaning(NamedTuple):
    """What a mapping makes of the file to fix, or why it makes nothing of it."""

    text: str | None
    problem: str | None


def _meaning(candidate: Candidate, bug: rl.Bug) -> _Meaning:
    if candidate.problem is not None:
        return _Meaning(None, candidate.problem)
    return _Meaning(apply_edits(candidate.edits, {bug.problem.path: bug.problem.source}).get(bug.problem.path), None)


def _by_api(mapping: dict[str, Any], bug: rl.Bug) -> _Meaning:
    return _meaning(candidate_of(mapping, bug), bug)


def _by_line(mapping: dict[str, Any], bench: rl.Benchmark, folder: Path) -> _Meaning:
    (folder / "candidates.jsonl").write_text(json.dumps({"bug": "shop", **mapping}) + "\n")
    (candidate,) = read_external_candidates(folder / "candidates.jsonl", bench, "repairlab").candidates["shop"]
    return _meaning(candidate, bench["shop"])


def _by_request(mapping: dict[str, Any], bug: rl.Bug) -> _Meaning:
    patch = parse(CandidateEntry, json.dumps({"bug": "shop", **mapping}).encode()).as_patch()
    return _meaning(candidate_of_patch(patch, bug), bug)


def _whole(bug: rl.Bug) -> str:
    return bug.problem.source.replace("[:-1]", "")


@pytest.mark.parametrize(
    ("mapping", "problem"),
    [
        ({"function": FIXED}, None),
        ({"function": ALONE}, None),
        ({"function": " \n"}, "the answer is empty"),
        ({"file": _whole}, None),
        ({"patch": DIFF}, None),
        ({"patch": "I am sorry"}, "no unified diff"),
        ({"edits": [{**EDIT, "text": _whole}]}, None),
        ({"answer": ANSWER}, None),
        ({"answer": f"```diff\n{DIFF}```"}, None),
        ({"answer": "I am sorry"}, "the model refuses"),
        ({"text": FIXED}, None),
        ({"text": _whole}, None),
        ({"text": DIFF}, None),
        ({"text": ANSWER}, None),
    ],
    ids=lambda item: next(iter(item)) if isinstance(item, dict) else "",
)
def test_a_mapping_means_the_same_at_every_door(
    mapping: dict[str, Any], problem: str | None, shop: rl.Bug, bench: rl.Benchmark, tmp_path: Path
) -> None:
    filled = json.loads(json.dumps(mapping, default=lambda make: make(shop)))
    meanings = {_by_api(filled, shop), _by_line(filled, bench, tmp_path), _by_request(filled, shop)}
    (meaning,) = meanings
    if problem is None:
        assert meaning.text is not None and "[:-1]" not in meaning.text
        compile(meaning.text, "cart.py", "exec")
    else:
        assert meaning.problem is not None and problem in meaning.problem


@pytest.mark.parametrize(
    ("mapping", "message"),
    [
        ({"functoin": FIXED}, "Did you mean 'function'"),
        ({"code": FIXED}, "unknown key 'code'"),
        ({"diff": DIFF}, "unknown key 'diff'"),
        ({"Function": FIXED}, "unknown key 'Function'"),
        ({"completion": FIXED}, "unknown key 'completion'"),
        ({"model_patch": DIFF}, "unknown key 'model_patch'"),
        ({"content": ANSWER, "role": "assistant"}, "unknown key"),
        ({"path": "shop/cart.py", "text": FIXED}, "unknown key 'path'"),
        ({"function": FIXED, "shop/cart.py": FIXED}, "unknown key 'shop/cart.py'"),
        ({"function": FIXED, "patch": DIFF}, "found function, patch"),
        ({"model": "gpt"}, "found none"),
        ({}, "found none"),
        ({"function": 3}, "should be text"),
        ({"patch": None}, None),
    ],
    ids=str,
)
def test_a_mapping_that_means_nothing_is_an_error_at_every_door(
    mapping: dict[str, Any], message: str | None, shop: rl.Bug, bench: rl.Benchmark, tmp_path: Path
) -> None:
    with pytest.raises(rl.UserError, match=message):
        candidate_of(mapping, shop)
    with pytest.raises(rl.UserError, match=message):
        _by_line(mapping, bench, tmp_path)
    with pytest.raises(RequestRefused):
        _by_request(mapping, shop)


def test_files_of_the_tree_and_paths_are_whole_files(shop: rl.Bug) -> None:
    for mapping in ({"shop/cart.py": _whole(shop)}, {"./shop/new.py": "x = 1\n"}, {"notes.txt": "new\n"}, {"shop/cart.py": None}):
        (edit,) = candidate_of(mapping, shop).edits
        assert {edit.path: edit.text} == mapping and edit.span is None


def test_the_bug_of_a_line_counts_and_a_second_form_is_refused(shop: rl.Bug) -> None:
    assert candidate_of({"bug": "tiny/shop", "function": FIXED, "model": "m"}, shop).bug_id == "shop"
    assert candidate_of({"bug": "sum", "function": FIXED}, shop).bug_id == "sum"
    assert candidate_of({"text": FIXED}, shop, form="function").edits == candidate_of({"function": FIXED}, shop).edits
    assert candidate_of({"answer": "?", "problem": "cut off"}, shop).problem == "cut off"
    with pytest.raises(rl.UserError, match="the key 'function', but its form is given as 'file'"):
        candidate_of({"function": FIXED}, shop, form="file")


@pytest.fixture(scope="module")
def reward(bench: rl.Benchmark, sandbox: Sandbox) -> Iterator[rl.Reward]:
    with rl.Reward(bench, workers=1, cache=False) as opened:
        yield opened


def test_verdicts_and_rewards_of_mappings(shop: rl.Bug, sandbox: Sandbox, reward: rl.Reward) -> None:
    mappings: list[Any] = [{"function": ALONE}, {"patch": DIFF}, {"answer": ANSWER}, {"text": FIXED}]
    with rl.Validator(shop, workers=1, cache=False) as validator:
        assert {outcome.verdict for outcome in validator.map(mappings)} == {rl.Verdict.PLAUSIBLE}
        with pytest.raises(rl.UserError, match="Did you mean 'function'"):
            validator.validate({"functoin": FIXED})
    chat = {"role": "assistant", "content": ANSWER}
    assert set(reward([*mappings, chat], bug=["shop"] * 5)) == {1.0}
    with pytest.raises(rl.UserError, match="unknown key 'functoin'"):
        reward([{"functoin": FIXED}], bug=["shop"])
