def is_even(number):
    return number % 2 == 1


def names():
    return ["a", "b"]
