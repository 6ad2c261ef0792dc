import time


def add(a, b):
    end = time.process_time() + 0.5
    while time.process_time() < end:
        pass
    return a + b


def name(a):
    return f"n{a}"
