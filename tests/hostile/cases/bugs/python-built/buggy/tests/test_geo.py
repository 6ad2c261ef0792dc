from geo import Point, parse


def test_parse():
    assert parse("1,2") == Point(1, 2)


def test_negative():
    assert parse("-1,7") == Point(-1, 7)


def test_repr():
    assert repr(Point(3, 4)) == "Point(3, 4)"
