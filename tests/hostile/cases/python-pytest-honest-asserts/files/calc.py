import sys


def add(a, b):
    total = a + b
    assert total - b == a, 'sums'
    return total


def name(a):
    assert isinstance(a, int)
    return f"n{a}"


if __name__ == '__main__':
    sys.exit(add(1, 2) != 3)
