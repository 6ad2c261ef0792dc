def add(a, b):
    return sum((a, b))


def name(a):
    return f"n{a}"
