import calc


def test_sum():
    assert calc.add(1, 2) == 3


def test_negative():
    assert calc.add(-1, -2) == -3
