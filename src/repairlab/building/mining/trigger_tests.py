"""The texts of the tests that show a bug, found by their names."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from repairlab.languages.counter import words
from repairlab.languages.facts import by_extension
from repairlab.languages.table import language


def texts_of_tests(tests: Sequence[str], files: Mapping[str, str]) -> list[str]:
    r"""Return the functions that tests are named after, of files that they name if there are such; else whole files.

    >>> files = {"a/test_b.py": "def test_c():\n    pass\n", "a/test_d.py": "def test_c():\n    assert d\n"}
    >>> texts_of_tests(["a/test_d.py::test_c[1]"], files)
    ['def test_c():\n    assert d']
    """
    wanted = words(tests)
    named = {path: text for path, text in files.items() if wanted.intersection((path, PurePosixPath(path).stem))}
    found = [text for path, source in (named or files).items() for text in _functions(path, source, wanted)]
    return found or list(named.values()) or _called_after(wanted, files)


def _functions(path: str, source: str, wanted: frozenset[str]) -> list[str]:
    name = by_extension().get(PurePosixPath(path).suffix)
    functions = language(name).syntax.functions(source) if name else []
    return [function.span.of(source).rstrip() for function in functions if function.name in wanted]


def _called_after(wanted: frozenset[str], files: Mapping[str, str]) -> list[str]:
    """Return files of code with a test's name in their own, as `test_sum.c` has `sum`."""
    code = {path: text for path, text in files.items() if PurePosixPath(path).suffix in by_extension()}
    return [text for path, text in code.items() if any(len(word) > 2 and word in PurePosixPath(path).stem for word in wanted)]
