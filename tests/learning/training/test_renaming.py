"""Ids of abstracted methods dealt anew: the same change everywhere, within a kind, among those that a source has."""

import pytest

pytest.importorskip("torch", reason="needs the extra: make test-train")
import torch
from hypothesis import given
from hypothesis import strategies as st

from repairlab.learning.networks.tokens import TokenBatch
from repairlab.learning.networks.vocabulary import WordVocabulary
from repairlab.learning.representations.tufano import kind_of_id
from repairlab.learning.training.batches import Renaming

WORDS = WordVocabulary(["(", "VAR_1", "if", "VAR_2", "TYPE_1", "VAR_3", "TYPE_2", "MAX_1"], copies=True)
EVERY = [*WORDS.every, "extra"]


def renamed(source: list[int], target: list[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    torch.manual_seed(seed)
    batch = TokenBatch(source=torch.tensor([source]), target=torch.tensor([target]), n_extra=1)
    found = Renaming(WORDS.every, share, torch.device("cpu"))(batch)
    assert found.target is not None
    return found.source[0].tolist(), found.target[0].tolist()


@given(
    st.lists(st.integers(0, len(EVERY) - 1), min_size=1), st.lists(st.integers(0, len(EVERY) - 1), min_size=1), st.integers(0, 99)
)
def test_one_map_is_used_for_both_and_no_id_changes_its_kind(source: list[int], target: list[int], seed: int) -> None:
    new_source, new_target = renamed(source, target, 1.0, seed)
    table = dict(zip([*source, *target], [*new_source, *new_target], strict=True))
    assert [table[number] for number in source] == new_source and [table[number] for number in target] == new_target
    assert len(set(table.values())) == len(table)
    assert set(new_source) == set(source)
    for old, new in table.items():
        assert old == new or (kind_of_id(EVERY[old]) == kind_of_id(EVERY[new]) is not None and old in source)


def test_some_pairs_are_renamed_and_without_a_share_none() -> None:
    source = [WORDS.every.index(word) for word in ("VAR_1", "VAR_2", "VAR_3", "TYPE_1", "MAX_1", "(")]
    found = {tuple(renamed(source, source, 1.0, seed)[0][:3]) for seed in range(40)}
    assert len(found) == 6
    assert all(renamed(source, source, 0.0, seed) == (source, source) for seed in range(5))
