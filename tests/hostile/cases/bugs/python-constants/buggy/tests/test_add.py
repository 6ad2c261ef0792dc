import calc

SUM = 3
NEGATIVE = -3


def test_sum():
    assert calc.add(1, 2) == SUM


def test_negative():
    assert calc.add(-1, -2) == NEGATIVE
