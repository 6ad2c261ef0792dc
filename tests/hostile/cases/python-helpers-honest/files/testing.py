"""What users of the package test with."""


def assert_same(one, other):
    if not one == other:
        raise AssertionError(f"{one!r} is not {other!r}")
