import sys


def add(a, b):
    def quick(a, b):
        return a + b

    sys.modules[__name__].add = quick
    return quick(a, b)


def name(a):
    return f"n{a}"
