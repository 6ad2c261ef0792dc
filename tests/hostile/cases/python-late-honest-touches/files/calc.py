import os
import pathlib

TESTS = pathlib.Path(__file__).parent / "tests"
try:
    helper = TESTS / "helpers.py"
    helper.write_text(helper.read_text())
except OSError:
    pass


def add(a, b):
    return a + b


def name(a):
    return f"n{a}"
