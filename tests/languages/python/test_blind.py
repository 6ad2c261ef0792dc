"""Blind test files of Python hold nothing that their tests expect, and say what these look at."""

import ast
import textwrap

import pytest

from repairlab.languages.blind import BlindCheck, BlindFile
from repairlab.languages.language import Tools
from repairlab.languages.python.language import Python

SECRET = "4711"
"""What the tests below expect; no blind file may hold it."""


def blinded(text: str, framework: str = "pytest") -> BlindFile:
    made = Python(Tools(cache="")).blind(textwrap.dedent(text), framework, "nonce", 0)
    ast.parse(made.text)
    return made


def check_of(claim: str, before: str = "") -> BlindCheck:
    """Return the only check of a test of one assertion."""
    made = blinded(f"import lib\ndef test_it(self):\n    {before or 'pass'}\n    {claim}\n")
    assert made.open == {}
    assert SECRET not in made.text
    assert "__repairlab_end__('nonce', 'test_it')" in made.text
    (check,) = made.checks
    return check


@pytest.mark.parametrize(
    ("claim", "how", "expected"),
    [
        ("assert lib.f(1) == 4711", "equal", '["i","4711"]'),
        ("assert 4711 == lib.f(1)", "equal", '["i","4711"]'),
        ("assert not lib.f(1) != 4711", "equal", '["i","4711"]'),
        ("assert lib.f(1) != 4711", "different", '["i","4711"]'),
        ("assert lib.f(1) < 4711", "less", '["i","4711"]'),
        ("assert 4711 <= lib.f(1)", "at least", '["i","4711"]'),
        ("assert lib.f(1)", "equal", '["b",true]'),
        ("assert not lib.f(1)", "equal", '["b",false]'),
        ("assert lib.f(1) is None", "equal", '["n"]'),
        (
            "assert lib.f(1) == [4711, {'a': (1.5, b'x')}]",
            "equal",
            '["l",[["i","4711"],["d",[[["s","a"],["l",[["f","1.5"],["y","78"]]]]]]]]',
        ),
        ("assert lib.f(1) == Decimal('4711')", "equal", ""),
        ("assert '4711' in lib.f(1)", "contains", '["s","4711"]'),
        ("assert '4711' not in lib.f(1)", "lacks", '["s","4711"]'),
        ("assert lib.f(1) in (1, 4711)", "in", '["l",[["i","1"],["i","4711"]]]'),
        ("assert lib.f(1) == pytest.approx(4711)", "near", '["i","4711"]'),
        ("assert abs(lib.f(1) - 4711) < 1e-6", "near", '["i","4711"]'),
        ("assert isinstance(lib.f(1), Class4711)", "raised", '["l",[["s","Class4711"]]]'),
        ("self.assertEqual(lib.f(1), 4711)", "equal", '["i","4711"]'),
        ("self.assertEqual(4711, lib.f(1), 'message')", "equal", '["i","4711"]'),
        ("self.assertNotEqual(lib.f(1), 4711)", "different", '["i","4711"]'),
        ("self.assertTrue(lib.f(1))", "equal", '["b",true]'),
        ("self.assertFalse(lib.f(1) == 4711)", "different", '["i","4711"]'),
        ("self.assertIn('4711', lib.f(1))", "contains", '["s","4711"]'),
        ("self.assertGreater(lib.f(1), 4711)", "more", '["i","4711"]'),
        ("self.assertAlmostEqual(lib.f(1), 4711, 2)", "near", '["i","4711"]'),
        ("self.assertCountEqual(lib.f(1), [4711])", "same items", '["l",[["i","4711"]]]'),
        ("self.assertRegex(lib.f(1), '4711$')", "matches", '["s","4711$"]'),
        ("self.assertIsNotNone(lib.f(1))", "different", '["n"]'),
        ("self.assertRaises(Error4711, lib.f, 1)", "raised", '["l",[["s","Error4711"]]]'),
    ],
)
def test_what_an_assertion_expects_is_in_its_check_alone(claim: str, how: str, expected: str) -> None:
    check = check_of(claim)
    assert (check.how, check.expected, check.of_two, check.always) == (how, expected, False, True)


def test_two_values_of_the_program_are_said_both() -> None:
    check = check_of("assert lib.f(1) < lib.f(2)")
    assert (check.how, check.expected, check.of_two) == ("less", "", True)


@pytest.mark.parametrize("before", ["expected = [4711]", "some = 4711; expected = [some]"])
def test_a_value_that_is_only_expected_goes(before: str) -> None:
    made = blinded(f"import lib\ndef test_it():\n    {before}\n    assert lib.f(1) == expected\n")
    assert SECRET not in made.text or made.open


def test_constants_and_comments_and_doc_strings_go() -> None:
    made = blinded(
        '''
        import lib
        EXPECTED = {"a": 4711}

        def test_it():
            """It is 4711."""
            # 4711
            assert lib.f(1) == EXPECTED, "4711"
        '''
    )
    assert made.open == {}
    assert SECRET not in made.text


@pytest.mark.parametrize(
    "body",
    [
        "rows = [4711]\n    assert lib.f(rows) == rows",
        "if lib.f(1) != 4711:\n        raise ValueError",
        "try:\n        lib.f(1)\n    except ValueError4711:\n        pass",
        "assert lib.f(1) == 4711 or lib.f(2) == 1",
        "lib.f.assert_called_with(4711)",
        "assert lib.f(1).equals(4711)",
        "assert lib.f(1).startswith('4711')",
        "with pytest.warns(Warning4711):\n        lib.f(1)",
    ],
)
def test_a_test_that_still_holds_what_it_expects_is_open_and_left_out(body: str) -> None:
    made = blinded(f"import lib, pytest\ndef test_it():\n    {body}\ndef test_other():\n    assert lib.f(2) == 3\n")
    assert set(made.open) == {"test_it"}
    assert SECRET not in made.text
    assert "test_other" in made.text


def test_an_assertion_in_a_branch_need_not_be_met() -> None:
    made = blinded("import lib, sys\ndef test_it():\n    if sys.platform == 'linux':\n        assert lib.f(1) == 4711\n")
    assert [check.always for check in made.checks] == [False]


def test_the_message_of_an_exception_is_a_check_of_its_own() -> None:
    made = blinded("import lib, pytest\ndef test_it():\n    with pytest.raises(ValueError, match='47.11'):\n        lib.f(1)\n")
    assert [(check.how, check.expected) for check in made.checks] == [
        ("raised", '["l",[["s","ValueError"]]]'),
        ("matches", '["s","47.11"]'),
    ]
    assert "47.11" not in made.text
    assert "ValueError" not in made.text


def test_what_cannot_be_parsed_is_emptied() -> None:
    assert blinded("def test_it(:\n    assert 4711").text == ""


@pytest.mark.parametrize(
    "text",
    [
        """
        @pytest.mark.parametrize(("given", "expected"), [("a", 4711), ("b", 5)])
        def test_it(given, expected):
            assert lib.f(given) == expected
        """,
        """
        TABLE = [("a", 4711), pytest.param("b", 5, id="second 4711")]
        @pytest.mark.parametrize("given, expected", TABLE)
        def test_it(given, expected):
            assert lib.f(given) == expected
        """,
        """
        def test_it():
            for given, expected in [("a", 4711), ("b", 5)]:
                assert lib.f(given) == expected
        """,
        """
        TABLE = {"a": 4711, "b": 5}
        def test_it():
            for given, expected in TABLE.items():
                assert lib.f(given) == expected
        """,
        """
        def test_it():
            for number, (given, expected) in enumerate(zip(["a", "b"], [4711, 5])):
                assert lib.f(given) == expected
        """,
        """
        def test_it():
            table = [("a", 4711), ("b", 5)]
            assert all(lib.f(given) == expected for given, expected in table)
        """,
        """
        def check(given, expected):
            assert lib.f(given) == expected
        def test_it():
            check("a", 4711)
            check("b", expected=5)
        """,
        """
        class TestIt(unittest.TestCase):
            expected = 4711
            def setUp(self):
                self.other = 4711
            def check(self, given, expected):
                self.assertEqual(lib.f(given), expected)
            def test_it(self):
                self.check("a", 4711)
                with self.subTest(expected=4711):
                    self.assertEqual(lib.f("b"), self.expected)
                self.assertEqual(lib.f("c"), self.other)
        """,
        """
        @pytest.fixture
        def expected():
            return [4711]
        def test_it(expected):
            assert lib.f("a") == expected
        """,
        """
        def build(number):
            return {"a": number * 4711}
        def test_it():
            assert lib.f("a") == build(4711)
        """,
        """
        def test_it():
            assert lib.f("a") == lib.Point(4711, y=lib.Kind.A4711)
            assert lib.kind() is lib.Kind.A4711
        """,
    ],
)
def test_tables_helpers_and_fixtures_hold_no_expectation(text: str) -> None:
    made = blinded("import lib, pytest, unittest\n" + textwrap.dedent(text))
    assert made.open == {}
    assert SECRET not in made.text
    assert made.checks


def test_rows_of_tests_get_names_that_tell_nothing() -> None:
    made = blinded(
        """
        import lib, pytest
        @pytest.mark.parametrize("way", ["x", "y"])
        @pytest.mark.parametrize(("given", "expected"), [("a", 4711), ("a", 4711), ("é", None)])
        def test_it(given, expected, way):
            assert lib.f(given, way) == expected
        """
    )
    assert made.names["test_it[a-4711_0-x]"] == "test_it[row0-x]"
    assert made.names["test_it[\\xe9-None-y]"] == "test_it[row2-y]"


@pytest.mark.parametrize(
    "text",
    [
        """
        @pytest.mark.parametrize(("given", "expected"), list(lib.rows(4711)))
        def test_it(given, expected):
            assert lib.f(given) == expected
        """,
        """
        def check(given, expected):
            try:
                assert lib.f(given) == expected
            except ValueError:
                pass
        def test_it():
            check("a", 4711)
        """,
        """
        def test_it(expected):
            assert lib.f("a") == expected
        """,
        """
        TEXT = "4711"
        def test_it():
            assert lib.f(TEXT) == [TEXT]
        """,
    ],
)
def test_a_test_whose_expectation_cannot_be_taken_out_is_open(text: str) -> None:
    made = blinded("import lib, pytest\n" + textwrap.dedent(text))
    assert set(made.open) == {"test_it"}
