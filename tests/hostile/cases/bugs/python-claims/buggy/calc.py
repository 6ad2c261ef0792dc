def even(a):
    return a % 2 == 1


def larger(a, b):
    return min(a, b)


def name(a):
    return f"n{a}"
