"""What functions of tests say by their names: that they assert, and that two values are equal.

A project may bring assertions of its own, as code that candidates can change. So no list of frameworks says what an assertion is;
what is none in truth does no harm, because nothing is used that the reference fix was not seen to fail.
"""

import re

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_EQUAL = frozenset({"equal", "equals", "eq", "eql", "same", "identical", "close", "allclose", "isclose"})
_OTHER = frozenset({"not", "ne", "unequal", "different", "differ", "differs", "ignore", "ignoring"})
_ASSERTS = frozenset({"assert", "asserts", "check", "checks", "expect", "expects", "verify", "ensure"})
_TAKES_CODE = re.compile(r"raise|throw|reject|warn|log|quer", re.IGNORECASE)


def says_equal(name: str) -> bool:
    """Return whether a function says by its name that two values are equal.

    >>> [says_equal(name) for name in ("assertListEqual", "assert_frame_equal", "eq_", "deepStrictEqual", "SAME")]
    [True, True, True, True, True]
    >>> [says_equal(name) for name in ("assertNotEqual", "notDeepEqual", "sequence", "equaliser")]
    [False, False, False, False]
    """
    words = {word.lower() for word in _WORD.findall(name)}
    return not words.isdisjoint(_EQUAL) and words.isdisjoint(_OTHER)


def asserts(name: str) -> bool:
    """Return whether a function says by its name that it asserts something of values; not of code that it is to run.

    >>> [asserts(name) for name in ("assertGreater", "check_order", "expect", "assertRaises", "account")]
    [True, True, True, False, False]
    """
    first = _WORD.search(name)
    return first is not None and first[0].lower() in _ASSERTS and not _TAKES_CODE.search(name)
