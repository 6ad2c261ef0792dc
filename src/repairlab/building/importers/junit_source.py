"""Reading JUnit test classes without running them: what they are called, and giving their tests more wall time."""

import re
from pathlib import PurePosixPath

from repairlab.languages.table import language

_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_TEST = re.compile(r"@(?:org\.junit\.(?:jupiter\.api\.)?)?(?:Test|ParameterizedTest|RepeatedTest)\b")
_TIMEOUT = re.compile(r"(@(?:org\.junit\.)?Test\s*\([^)]*\btimeout\s*=\s*)(\d+)")
_JUNIT5 = re.compile(r"\borg\.junit\.jupiter\b")
SLACK = 10
"""A timeout in JUnit counts wall time: on a busy machine a right program passes it."""


def junit_class(path: str, source: str) -> str | None:
    """Return the name of the class in a file if it has tests.

    >>> junit_class("BTest.java", "package a; class BTest { @org.junit.Test(timeout = 3) public void c() { } }")
    'a.BTest'
    """
    bare = language("java").syntax.strip_comments(source)
    package = found[1] + "." if (found := _PACKAGE.search(bare)) else ""
    return f"{package}{PurePosixPath(path).stem}" if _TEST.search(bare) else None


def junit_framework(source: str) -> str:
    """Return the framework that a test class is written for."""
    return "junit5" if _JUNIT5.search(source) else "junit4"


def with_longer_timeouts(source: str) -> str:
    """Return the class with all timeouts of its tests ten times as long.

    >>> with_longer_timeouts("@Test(timeout = 3000) void a() {}")
    '@Test(timeout = 30000) void a() {}'
    """
    return _TIMEOUT.sub(lambda found: f"{found[1]}{int(found[2]) * SLACK}", source)
