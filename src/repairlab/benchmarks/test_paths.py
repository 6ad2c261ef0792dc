"""Which files of a project are tests, by their names: a rule for all languages."""

import re
from pathlib import PurePosixPath

TEST_FOLDER = re.compile(r"(?:unit_?)?test|suite|regress|spec$|specs$|__tests__")
"""What names of folders with tests begin with."""
TEST_NAME = re.compile(r"(?:^|[_.-])[Tt]ests?(?:[_.-]|$)|^[Tt]est|[a-z0-9]Tests?(?:[_.-]|$)|^conftest\.py$|\.spec\.")
"""What names of files with tests have in them."""


def is_test_path(path: str) -> bool:
    """Return whether a file belongs to the tests of a project.

    >>> [is_test_path(path) for path in ("tests/data/a.txt", "src/app_test.go", "src/ParserTest.java", "src/latest.py")]
    [True, True, True, False]
    """
    *folders, name = PurePosixPath(path).parts
    return any(TEST_FOLDER.match(folder) for folder in folders) or TEST_NAME.search(name) is not None
