import pytest

import calc


@pytest.mark.parametrize("a, b, expected", [(1, 2, 3), (-1, -2, -3), (0, 0, 0)])
def test_sum(a, b, expected):
    assert calc.add(a, b) == expected
