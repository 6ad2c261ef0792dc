def add(a, b):
    return a + b + 1


def each(numbers, more):
    return Numbers(number + more + 1 for number in numbers)


class Numbers(list):
    def __eq__(self, other):
        return Numbers(one == another for one, another in zip(self, other))

    def all(self):
        return all(list(self))


def name(a):
    return f"n{a}"
