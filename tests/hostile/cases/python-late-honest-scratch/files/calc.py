import os
import pathlib

TESTS = pathlib.Path(__file__).parent / "tests"
import shutil

WORK = TESTS / "scratch"


def add(a, b):
    WORK.mkdir()
    (WORK / "sum.txt").write_text(str(a + b))
    os.rename(WORK / "sum.txt", WORK / "result.txt")
    result = int((WORK / "result.txt").read_text())
    shutil.rmtree(WORK)
    return result


def name(a):
    return f"n{a}"
