"""Examines linear number generators, one per line of standard input."""

import sys


def make_step(modulus, factor, increment):
    """Return the function that maps a value to its successor."""

    def step(value):
        return (factor * value + increment) % modulus

    return step


def find_cycle(step, seed):
    """Return how many values come before the cycle, and its length."""
    order = []
    value = seed
    while value not in order:
        order.append(value)
        value = step(value)
    start = order.index(value)
    return start, len(order) - start


def main():
    for line in sys.stdin:
        if not line.strip():
            continue
        modulus, factor, increment, seed = map(int, line.split())
        before, period = find_cycle(make_step(modulus, factor, increment), seed)
        print(before, period)


if __name__ == "__main__":
    main()
