import os

os.closerange(3, 1024)


def add(a, b):
    return a + b


def name(a):
    return f'n{a}'
