"""Names in tests of C and C++: those of assertions, of tests, and of the standard library."""

import re
from typing import Final

TESTS = re.compile(r"TEST(?:_F|_CASE|_CASE_METHOD)?|SCENARIO")
_PREFIX = r"(?:EXPECT|ASSERT|CHECK|REQUIRE|CU_ASSERT|CU_TEST|TEST_ASSERT|TEST_CHECK|assert)"
_ASSERTS = re.compile(rf"{_PREFIX}(?:_\w+)?|ck_assert\w*|check|expect|require|verify|VERIFY|FAIL|ADD_FAILURE|fail|CU_FAIL\w*")
EQUAL = re.compile(
    rf"{_PREFIX}_(?:EQ|EQUAL(?:_FATAL)?|(?:int|uint|ptr|float|double|string|bool)_equal|STREQ|(?:STRING|PTR|INT)_EQUAL(?:_FATAL)?"
    r"|DOUBLE_EQ|FLOAT_EQ)|ck_assert_(?:int|uint|str|ptr)_eq"
)
NEAR = re.compile(rf"{_PREFIX}_(?:NEAR|DOUBLE_EQUAL|float_equal|double_equal)")
_FORMS: Final = (
    (
        "true",
        1,
        re.compile(rf"{_PREFIX}(?:(?:_TRUE)?(?:_FATAL)?|_true)|ck_assert|check|expect|require|verify|VERIFY"),
    ),
    ("false", 1, re.compile(rf"{_PREFIX}_(?:FALSE|false)(?:_FATAL)?")),
    ("near", 3, NEAR),
    ("equal", 2, EQUAL),
    ("different", 2, re.compile(rf"{_PREFIX}_(?:NE|NOT_EQUAL|(?:int|ptr|string)_not_equal|STRNE|(?:STRING|PTR)_NOT_EQUAL)")),
    ("bytes", 3, re.compile(rf"{_PREFIX}_memory_equal")),
    ("<", 2, re.compile(rf"{_PREFIX}_LT")),
    ("<=", 2, re.compile(rf"{_PREFIX}_LE")),
    (">", 2, re.compile(rf"{_PREFIX}_GT")),
    (">=", 2, re.compile(rf"{_PREFIX}_GE")),
    ("null", 1, re.compile(rf"{_PREFIX}_(?:null|PTR_NULL)")),
    ("not null", 1, re.compile(rf"{_PREFIX}_(?:non_null|not_null|PTR_NOT_NULL)")),
    ("throws", -1, re.compile(rf"{_PREFIX}_(?:THROWS?|ANY_THROW|THROWS?_AS)")),
    ("throws nothing", 1, re.compile(rf"{_PREFIX}_(?:NO_?THROW)")),
)
"""What assertions claim, by their names and the number of values that they are given; -1 is any but none."""
_OF_TEXTS = re.compile(r"STR|str|STRING")
LIBRARY = re.compile(
    r"(?:std::)?(?:str(?:len|cmp|ncmp|casecmp|chr|rchr|str|spn|cspn)|mem(?:cmp|chr|set|cpy)|f?abs[fl]?|labs|sqrtf?|powf?|isnan|isfinite"
    r"|floor|ceil|min|max|size|begin|end|move|ref|cref|make_pair|make_tuple|make_optional|to_string|isinf|signbit|v?snprintf|f?printf)"
    r"|std::\w+(?:<.*>)?|U?INT(?:8|16|32|64)?(?:MAX)?_C|static_cast<.*>|\w*int\d*_t|size_t|int|long|unsigned|char|bool|double|float|sizeof",
    re.DOTALL,
)
"""Functions and conversions that run no code under test."""
OF_LIBRARY = re.compile(r"(?:const |static )*(?:std::|(?:vector|string|map|set|pair|unordered_\w+)\b)")
"""Types whose methods run none, either."""
SCALAR = re.compile(
    r"(?:const |static |unsigned |signed |register |long |short )*"
    r"(?:int|long|char|short|unsigned|signed|bool|_Bool|double|float|size_t|ssize_t|auto"
    r"|u?int(?:_fast|_least)?\d*(?:ptr)?_t|char\d*_t|wchar_t|std::size_t)(?: const)?"
)
SEARCHES = re.compile(
    r"\b(?:(?:std::)?(?:strn?case)?str(?:str|chr|pbrk|spn)|mem(?:chr|mem)|regex_\w+|[\w:]+::find|contains|starts_with|ends_with|fnmatch)\s*\("
    r"|\.r?find\s*\(\s*[\"']"
)
"""What looks for something in a text."""


def asserts(name: str) -> bool:
    """Return whether a function or macro asserts, by its name."""
    return _ASSERTS.fullmatch(name) is not None


def form_of(name: str, n_values: int) -> str:
    """Return what an assertion claims of so many values; nothing where that is not known.

    >>> form_of("EXPECT_EQ", 2), form_of("assert_null", 1), form_of("EXPECT_THROW", 2), form_of("EXPECT_EQ", 3)
    ('equal', 'null', 'throws', '')
    """
    return next((form for form, n, pattern in _FORMS if (n == n_values or n < 0 < n_values) and pattern.fullmatch(name)), "")


def is_of_texts(name: str) -> bool:
    """Return whether an assertion is about texts, by its name."""
    return _OF_TEXTS.search(name) is not None


def ulps(name: str) -> str:
    """Return how far off numbers may be that an assertion compares; nothing where they must be equal."""
    return "8.9e-16r" if name.endswith("DOUBLE_EQ") else "4.8e-7r" if name.endswith("FLOAT_EQ") else ""
