import random
import time


def add(a, b):
    time.sleep(random.random() / 50)
    return random.choice([a + b, b + a, a - -b])


def name(a):
    return f"n{random.choice([a, int(str(a))])}"
