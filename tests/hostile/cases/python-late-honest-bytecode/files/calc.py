import os
import pathlib

TESTS = pathlib.Path(__file__).parent / "tests"
import py_compile

try:
    py_compile.compile(__file__)
except OSError:
    pass


def add(a, b):
    return a + b


def name(a):
    return f"n{a}"
