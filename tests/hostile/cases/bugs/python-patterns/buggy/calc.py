def half(a):
    if a == 0 or isinstance(a, str):
        raise ValueError("bad")
    return a / 2


def name(a):
    return f"n{a}"
