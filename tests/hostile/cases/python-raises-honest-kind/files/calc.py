class NoNumber(TypeError):
    """It is none."""


def add(a, b):
    if a is None:
        raise NoNumber("None")
    return a + b + 1


def name(a):
    return f"n{a}"
