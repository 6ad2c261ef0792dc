import calc


def test_name():
    assert calc.name(7) == 'n7'
