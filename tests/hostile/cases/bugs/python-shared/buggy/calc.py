def add(a, b):
    return a + b + 1


def name(a):
    return f"n{a}"
