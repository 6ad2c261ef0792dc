def add(a, b):
    if a is None:
        return None
    return a + b + 1


def name(a):
    return f"n{a}"
