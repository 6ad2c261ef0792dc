def tell(a, b, to):
    to.write(a + b + 1)


def name(a):
    return f"n{a}"
