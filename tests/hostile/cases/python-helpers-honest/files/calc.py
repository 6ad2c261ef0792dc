def add(a, b):
    return a + b


def name(a):
    return f"n{a}"
