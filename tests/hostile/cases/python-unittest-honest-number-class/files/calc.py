class Number:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == getattr(other, 'value', other)

    def __hash__(self):
        return hash(self.value)


def add(a, b):
    return Number(a + b)


def name(a):
    return f"n{a}"
