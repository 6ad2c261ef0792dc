import calc
from testing import assert_same


def test_sum():
    assert_same(calc.add(1, 2), 3)


def test_negative():
    assert_same(calc.add(-1, -2), -3)


def test_name():
    assert_same(calc.name(7), "n7")
