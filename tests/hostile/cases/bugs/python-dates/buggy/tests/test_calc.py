import calc


def test_day():
    assert calc.day(2024, 10, 2) == "2024-10-02"


def test_month():
    assert calc.day(2024, 1, 12) == "2024-01-12"


def test_year():
    assert calc.mark(3) == "?"
