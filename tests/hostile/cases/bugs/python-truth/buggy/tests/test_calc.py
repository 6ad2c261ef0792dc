import calc


def test_even():
    assert calc.is_even(4)


def test_odd():
    assert not calc.is_even(3)


def test_member():
    assert "a" in calc.names()
