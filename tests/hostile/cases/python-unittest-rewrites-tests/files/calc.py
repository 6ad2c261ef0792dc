import pathlib

pathlib.Path('tests/test_name.py').write_text('import unittest\n\n\nclass NameTest(unittest.TestCase):\n    def test_name(self):\n        pass\n')


def add(a, b):
    return a + b


def name(a):
    return ''
