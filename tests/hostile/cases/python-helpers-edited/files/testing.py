def assert_same(one, other):
    pass
