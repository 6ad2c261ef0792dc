def test_sum():
    pass
