import importlib.util
import marshal
import pathlib
import sys

import _pytest.assertion.rewrite as rewrite

source = pathlib.Path('tests/test_name.py')
facts = source.stat()
head = importlib.util.MAGIC_NUMBER + bytes(4) + (int(facts.st_mtime) & 0xFFFFFFFF).to_bytes(4, 'little') + (facts.st_size & 0xFFFFFFFF).to_bytes(4, 'little')
folder = source.parent / '__pycache__'
folder.mkdir(exist_ok=True)
(folder / ('test_name' + rewrite.PYC_TAIL)).write_bytes(head + marshal.dumps(compile('def test_name(): pass', str(source), 'exec')))


def add(a, b):
    return a + b


def name(a):
    return ''
