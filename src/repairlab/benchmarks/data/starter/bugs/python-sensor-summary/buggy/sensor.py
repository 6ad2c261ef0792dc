"""A sensor whose values drift in a reproducible way."""

MODULUS = 2**31 - 1
FACTOR = 48271


def readings(seed, count):
    """Yield one reading a minute, in tenths of a degree between -400 and 1000."""
    state = seed
    value = 200
    for minute in range(count):
        state = state * FACTOR % MODULUS
        value += state % 21 - 10
        if value > 1000 or value < -400:
            value = 300
        yield {"minute": minute, "value": value}
