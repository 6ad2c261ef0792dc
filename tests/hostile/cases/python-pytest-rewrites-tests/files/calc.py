import pathlib

pathlib.Path('tests/test_name.py').write_text('def test_name(): pass' + chr(10))


def add(a, b):
    return a + b


def name(a):
    return ''
