"""`repairlab.Reward` as TRL and verl call it, on this machine; the tests of the service ask it by URL."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

import repairlab as rl
from repairlab.runs.reward import text_of
from repairlab.sandbox.sandbox import Sandbox
from tests.conftest import write_tiny

FIXED = "def total(self):\n        return sum(self.prices)\n"


@pytest.fixture(scope="module")
def reward(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[rl.Reward]:
    del sandbox
    with rl.Reward(write_tiny(tmp_path_factory.mktemp("reward") / "tiny"), workers=2) as made:
        yield made


def test_completions_of_every_kind_get_rewards_in_their_order(reward: rl.Reward) -> None:
    completions: list[Any] = [
        [{"role": "assistant", "content": f"```python\n{FIXED}```"}],
        FIXED,
        "def total(self):\n        return 0\n",
        "def total(self):\n        return (\n",
        "I cannot.",
        "",
        None,
        42,
        [],
        [{"role": "assistant", "content": None}],
        "\ud800",
        "x" * 300_000,
    ]
    found = reward(prompts=["?"] * 12, completions=completions, bug=["shop"] * 12, completion_ids=[[]] * 12, trainer_state=None)
    assert found == [1.0, 1.0, 0.2, 0.1, *[0.0] * 8]
    assert reward.counts["PLAUSIBLE"] == 2 and reward.__name__ == "repairlab"


def test_verl_asks_for_one_score(reward: rl.Reward) -> None:
    assert reward.compute_score("tiny", FIXED, "shop", extra_info={"index": 1}) == 1.0
    assert reward.compute_score(data_source="tiny", solution_str="?", ground_truth="tiny/shop") == 0.0


def test_rows_are_what_a_data_set_needs(reward: rl.Reward) -> None:
    rows = reward.rows()
    assert [row["bug"] for row in rows] == ["shop", "sum"]
    assert [message["role"] for message in rows[0]["prompt"]] == ["system", "user"]
    assert "Total ignores the last item" in rows[0]["prompt"][1]["content"]


def test_a_strategy_of_several_questions_makes_no_rows(tiny: Path) -> None:
    with rl.Reward(str(tiny), localisation="none", workers=1) as judge, pytest.raises(rl.UserError, match="several questions"):
        judge.rows("localise")


def test_a_wrong_data_set_or_option_is_an_error(reward: rl.Reward, tiny: Path) -> None:
    with pytest.raises(rl.UserError, match="no column 'bug'"):
        reward(completions=["x"], bugs=["shop"])
    with pytest.raises(rl.UserError, match="2 completions, but 1 ids"):
        reward(completions=["x", "y"], bug=["shop"])
    with pytest.raises(rl.UserError, match="Did you mean 'shop'"):
        reward(completions=["x"], bug=["shpo"])
    with pytest.raises(rl.UserError, match="unknown level of the scale 'plausibel'"):
        rl.Reward(tiny, scale={"plausibel": 1.0})
    with pytest.raises(rl.UserError, match="plausible is 'much'"):
        rl.Reward(tiny, scale=cast(Any, {"plausible": "much"}))
    with pytest.raises(rl.UserError, match="unknown strategy 'zero'"):
        rl.Reward(tiny, strategy="zero")
    with pytest.raises(rl.UserError, match="url is 'localhost'"):
        rl.Reward(tiny, url="localhost")
    with pytest.raises(rl.UserError, match="workers: with a url"):
        rl.Reward(tiny, url="http://localhost:1", workers=2)


_KEYS = st.sampled_from(["role", "content", "text", "type"])


@given(
    st.recursive(
        st.none() | st.just("text") | st.integers(), lambda item: st.lists(item) | st.dictionaries(_KEYS, item), max_leaves=6
    )
)
def test_whatever_a_completion_is_it_has_a_text(completion: object) -> None:
    assert isinstance(text_of(completion), str)
