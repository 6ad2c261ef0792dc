import os
import pathlib

TESTS = pathlib.Path(__file__).parent / "tests"
LOG = pathlib.Path(__file__).with_suffix(".log")


def add(a, b):
    with LOG.open("a") as log:
        print("add", a, b, file=log)
    return a + b


def name(a):
    return f"n{a}"
