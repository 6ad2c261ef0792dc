"""What users of the package test with."""


def assert_same(one, other):
    if one != other:
        raise AssertionError(f"{one!r} is not {other!r}")
