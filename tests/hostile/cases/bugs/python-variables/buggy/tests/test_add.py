import calc


def test_sum():
    expected = 3
    actual = calc.add(1, 2)
    assert actual == expected, f"{actual} is not {expected}"


def test_negative():
    expected = -3
    assert expected == calc.add(-1, -2)
