def test_sum():
    pass


def test_negative():
    pass
