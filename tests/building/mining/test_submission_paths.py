"""Paths of submissions, near duplicates and splits: laws that hold for whatever people hand in."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repairlab.building.importers.submissions import JudgedSubmission
from repairlab.building.mining.pair_selection import (
    STEPS,
    ProblemFacts,
    drawn,
    identifiers,
    is_near,
    leaking,
    near_duplicates,
    pairs_of,
    paths_of,
    split_problems,
)
from repairlab.core.outcome import Verdict

VERDICTS = {"AC": Verdict.PLAUSIBLE, "WA": Verdict.WRONG, "TLE": Verdict.TIMEOUT, "IE": None}
SHARES = {"train": 0.8, "valid": 0.1, "test": 0.1}


def submission(number: int, status: str, *, user: str = "u", language: str = "python", time: int | None = None) -> JudgedSubmission:
    return JudgedSubmission(
        id=f"s{number}",
        problem="p",
        user=user,
        language=language,
        time=number if time is None else time,
        status=status,
        verdict=VERDICTS[status],
    )


def path(*statuses: str) -> list[JudgedSubmission]:
    return [submission(number, status) for number, status in enumerate(statuses)]


def paired(submissions: list[JudgedSubmission], steps: str) -> list[tuple[str, str]]:
    how = next(item for item in STEPS if item == steps)
    return [(pair.wrong.id, pair.right.id) for found in paths_of(submissions) for pair in pairs_of(found, how)]


@pytest.mark.parametrize(
    ("steps", "expected"),
    [
        ("all", [("s0", "s2"), ("s1", "s2"), ("s3", "s5")]),
        ("first", [("s0", "s2"), ("s3", "s5")]),
        ("last", [("s1", "s2"), ("s3", "s5")]),
    ],
)
def test_what_is_rejected_becomes_the_next_accepted_one(steps: str, expected: list[tuple[str, str]]) -> None:
    submissions = path("WA", "TLE", "AC", "WA", "IE", "AC", "AC", "WA")
    assert paired(submissions, steps) == expected
    assert paired(submissions[::-1], steps) == expected


def test_users_and_languages_do_not_meet() -> None:
    mine, other = submission(1, "WA"), submission(2, "AC", user="v")
    assert paired([mine, other, submission(3, "AC", language="java")], "all") == []


def test_what_came_at_the_same_moment_came_not_later() -> None:
    same = [submission(1, "WA", time=5), submission(2, "AC", time=5)]
    assert paired(same, "all") == []
    assert paired([*same, submission(3, "AC", time=6)], "all") == [("s1", "s3")]


def test_ids_of_one_moment_are_ordered_as_numbers() -> None:
    rejected = [submission(10, "WA", time=1), submission(9, "WA", time=1)]
    assert paired([*rejected, submission(11, "AC", time=2)], "last") == [("s10", "s11")]


STEP = st.tuples(st.sampled_from("uvw"), st.sampled_from(sorted(VERDICTS)), st.integers(0, 20))


@given(st.lists(STEP, max_size=30))
def test_every_pair_is_of_one_user_and_goes_forward_in_time(steps: list[tuple[str, str, int]]) -> None:
    found = [submission(number, status, user=user, time=time) for number, (user, status, time) in enumerate(steps)]
    paths = paths_of(found)
    everything = [pair for item in paths for pair in pairs_of(item, "all")]
    for pair in everything:
        assert pair.wrong.user == pair.right.user and pair.wrong.time < pair.right.time
        assert pair.right.is_accepted and not pair.wrong.is_accepted
        between = [x for x in found if x.user == pair.wrong.user and x.is_accepted and pair.wrong.time < x.time < pair.right.time]
        assert not between
    assert len({pair.wrong.id for pair in everything}) == len(everything)
    rejected = [x for x in found if x.verdict not in (None, Verdict.PLAUSIBLE)]
    assert sum(len(item.rejected) for item in paths) == len(rejected)


NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=20, max_size=40).map(Counter)


@given(st.lists(NAMES, max_size=12))
def test_near_duplicates_are_those_that_comparing_all_with_all_finds(programs: list[Counter[str]]) -> None:
    kept: list[int] = []
    expected = set()
    for number, names in enumerate(programs):
        if any(is_near(names, programs[other]) for other in kept):
            expected.add(number)
        else:
            kept.append(number)
    found = near_duplicates(dict(enumerate(programs)))
    assert set(found) == expected
    assert all(other in kept and is_near(programs[number], programs[other]) for number, other in found.items())


def test_short_programs_are_never_near() -> None:
    assert near_duplicates({1: Counter("ab"), 2: Counter("ab")}) == {}


def test_keywords_and_text_are_no_identifiers() -> None:
    assert identifiers("python", "def f(x):\n    return x + g('f')  # f\n") == Counter({"x": 2, "f": 1, "g": 1})


PROBLEM = st.builds(
    ProblemFacts, difficulty=st.sampled_from(["easy", "medium", "hard"]), n_pairs=st.integers(1, 50), has_tests=st.booleans()
)


@given(st.dictionaries(st.text("abcdef", min_size=1, max_size=3), PROBLEM, min_size=1, max_size=40), st.integers(0, 5))
def test_a_problem_is_in_one_split_and_only_tested_ones_are_measured_on(problems: dict[str, ProblemFacts], seed: int) -> None:
    chosen = split_problems(problems, SHARES, seed)
    assert set(chosen) == set(problems) and set(chosen.values()) <= set(SHARES)
    assert chosen == split_problems(dict(reversed(problems.items())), SHARES, seed)
    if any(facts.has_tests for facts in problems.values()):
        assert all(problems[name].has_tests for name, split in chosen.items() if split != "train")


def test_every_difficulty_is_spread_over_the_splits() -> None:
    problems = {
        f"{difficulty}{number}": ProblemFacts(difficulty=difficulty, n_pairs=1, has_tests=True)
        for difficulty in ("easy", "hard")
        for number in range(50)
    }
    chosen = split_problems(problems, SHARES, 0)
    for difficulty in ("easy", "hard"):
        assert Counter(chosen[name] for name in problems if name.startswith(difficulty)) == {"train": 40, "valid": 5, "test": 5}


def test_pairs_are_drawn_with_verdicts_as_frequent_as_among_all() -> None:
    verdicts = ["WA"] * 6 + ["CE"] * 3 + ["TLE"]
    problems = {f"p{problem}": dict(enumerate(verdicts, start=10 * problem)) for problem in range(20)}
    chosen = drawn(problems, 2, 0)
    assert Counter(name // 10 for name in chosen) == dict.fromkeys(range(20), 2)
    assert Counter(verdicts[name % 10] for name in chosen) == {"WA": 24, "CE": 12, "TLE": 4}
    assert chosen == drawn(dict(reversed(problems.items())), 2, 0) != drawn(problems, 2, 1)
    assert drawn({"p": {1: "WA"}}, 2, 0) == {1}


ITEM = st.tuples(st.sampled_from(sorted(SHARES)), st.lists(st.binary(min_size=1, max_size=1), min_size=2, max_size=2))


@given(st.lists(ITEM, max_size=30))
def test_after_leaks_are_dropped_no_text_is_in_two_splits(items: list[tuple[str, list[bytes]]]) -> None:
    order = ["test", "valid", "train"]
    dropped = leaking(((number, split, keys) for number, (split, keys) in enumerate(items)), order)
    texts: dict[bytes, set[str]] = {}
    for number, (split, keys) in enumerate(items):
        if number not in dropped:
            for key in keys:
                texts.setdefault(key, set()).add(split)
    assert all(len(splits) == 1 for splits in texts.values())
    assert all(items[number][0] != "test" for number in dropped)
