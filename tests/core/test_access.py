import dataclasses
from typing import Any

import pytest

from repairlab.core.errors import UserError
from repairlab.core.model import Access


@pytest.mark.parametrize(
    ("field", "good", "bad", "flag"),
    [
        ("concurrency", 1, 0, "--concurrency is 0"),
        ("requests_per_minute", 0.5, 0.0, "--rate-limit is 0"),
        ("timeout_s", 0.1, 0.0, "--request-timeout is 0"),
        ("retries", 0, -1, "--retries is -1"),
        ("cost_limit_usd", 0.0, -0.5, "--cost-limit is -0.5"),
    ],
)
def test_each_setting_is_refused_by_its_flag(field: str, good: Any, bad: Any, flag: str) -> None:
    dataclasses.replace(Access(), **{field: good}).check()
    with pytest.raises(UserError, match=flag):
        dataclasses.replace(Access(), **{field: bad}).check()


def test_offline_without_kept_answers_can_answer_nothing() -> None:
    Access(offline=True).check()
    with pytest.raises(UserError, match="leave one of the two out"):
        Access(offline=True, use_cache=False).check()
