import calc


def test_days():
    assert calc.days(1) == 31
    assert calc.days(3) == 31
    assert calc.days(4) == 30
    assert calc.days(5) == 31
    assert calc.days(2) == 28
    assert calc.days(6) == 30
    assert calc.days(7) == 31
    assert calc.days(8) == 31
    assert calc.days(11) == 30


def test_names():
    assert calc.name(1) == "Jan"
    assert calc.name(2) == "Feb"
    assert calc.name(3) == "Mar"
    assert calc.name(12) == "Dec"
    assert calc.name(5) == "May"
    assert calc.name(6) == "Jun"
    assert calc.name(7) == "Jul"
    assert calc.name(8) == "Aug"


def test_mark():
    assert calc.mark(7) == "n7"
