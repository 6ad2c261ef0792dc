import calc
import pytest


def test_fails():
    if calc.add(1, 2) != 3:
        pytest.fail("no sum")


def test_chain():
    assert 5 == calc.add(2, 3) == calc.add(3, 2)


def test_not():
    assert not calc.add(4, 5) != 9


def test_all():
    assert (calc.each([1, 2], 3) == [4, 5]).all()


def test_in():
    assert 8 in calc.each([5], 3)


def test_name():
    assert calc.name(7) == "n7"
