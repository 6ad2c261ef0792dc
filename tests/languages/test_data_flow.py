"""Data flow by hand: where each value of a small program comes from."""

import random

import pytest

from repairlab.languages.codexglue_flow import codexglue_flow
from repairlab.languages.data_flow import data_flow


def flow(language: str, source: str) -> list[str]:
    signs = {"comesFrom": "<-", "computedFrom": "<="}
    return [f"{edge.target} {signs[edge.relation]} {edge.source}" for edge in data_flow(language, source)]


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        ("java", "int f(int a) { int b = a + 1; return b; }", ["b <= a", "a <- a", "b <- b"]),
        ("python", "def f(a):\n    b = a + 1\n    return b\n", ["b <= a", "a <- a", "b <- b"]),
        ("c", "int f(int a) { int b = a + 1; return b; }", ["b <= a", "a <- a", "b <- b"]),
        ("cpp", "int f(int a) { auto b = a + 1; return b; }", ["b <= a", "a <- a", "b <- b"]),
    ],
)
def test_a_value_is_computed_and_used(language: str, source: str, expected: list[str]) -> None:
    assert flow(language, source) == expected


def test_both_branches_reach_what_follows_and_a_return_does_not() -> None:
    # x has two values at the end of the first program, and one at the end of the second.
    both = "int f(int a) { int x; if (a) { x = 1; } else { x = 2; } return x; }"
    one = "int f(int a) { int x; if (a) { x = 1; return x; } else { x = 2; } return x; }"
    assert flow("c", both) == ["a <- a", "x <- x", "x <- x"]
    assert flow("c", one) == ["a <- a", "x <- x", "x <- x"]
    assert flow("java", "int f(int a) { int x = 0; if (a > 0) x = 1; return x; }") == ["a <- a", "x <- x", "x <- x"]


def test_a_loop_reaches_itself() -> None:
    found = flow("c", "int f(int n) { int s = 0; while (n) { s = s + n; n--; } return s; }")
    # Twice each: as given, and as the loop leaves it.
    assert found == [
        *["n <- n"] * 2,
        *("s <= s", "s <= n"),
        *["s <- s"] * 2,
        *["n <- n"] * 2,
        *["n <- n"] * 2,
        "n <= n",
        *["s <- s"] * 2,
    ]


def test_labels_are_reached_by_goto() -> None:
    source = "int f(int a) { int x = 1; if (a) goto done; x = 2; return x; done: return x; }"
    assert flow("c", source) == ["a <- a", "x <- x", "x <- x"]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        # The pointer and what is written through it.
        ("void f(int *p, int v) { *p = v; g(p); }", {"p <= v", "p <- p", "v <- v"}),
        ("void f(int *a, int i, int v) { a[i] = v; g(a); }", {"a <= v", "a <= i", "a <- a", "v <- v", "i <- i"}),
        ("void f(struct s *p, int v) { p->x += v; g(p); }", {"p <= v", "p <- p", "v <- v"}),
        # A call may change what it is given the address of.
        ("int f(int v) { int x = 0; g(&x, v); return x; }", {"x <= v", "x <- x", "v <- v"}),
        ("int f(int v) { int x = 0; g(x, v); return x; }", {"x <- x", "v <- v"}),
        # An inner variable hides the outer one, and ends with its block.
        ("int f(int v) { int x = 1; { int x = v; g(x); } return x; }", {"x <= v", "v <- v", "x <- x"}),
    ],
)
def test_pointers_addresses_and_blocks_of_c(source: str, expected: set[str]) -> None:
    assert set(flow("c", source)) == expected


def test_an_inner_variable_is_not_the_outer_one() -> None:
    assert flow("c", "int f(int v) { int x = 1; { int x = v; } return x; }").count("x <- x") == 1


def test_cases_fall_through_only_without_break() -> None:
    falls = "int f(int a) { int x = 0; switch (a) { case 1: x = 1; case 2: g(x); break; } return x; }"
    stops = "int f(int a) { int x = 0; switch (a) { case 1: x = 1; break; case 2: g(x); break; } return x; }"
    assert flow("c", falls).count("x <- x") == 4
    assert flow("c", stops).count("x <- x") == 3


def test_several_names_of_python_and_loops_of_cpp() -> None:
    assert flow("python", "a, b = c, d\nprint(a)\n") == ["a <= c", "b <= d", "a <- a"]
    assert flow("python", "def f(xs):\n    return [x + 1 for x in xs]\n").count("x <= xs") == 1
    assert "x <= v" in flow("cpp", "int f(std::vector<int> v) { int s = 0; for (auto x : v) s += x; return s; }")


def test_calls_and_fields_are_no_variables() -> None:
    assert flow("java", "int f(A a) { int size = a.size(); return a.size() + size; }") == [
        "size <= a",
        "a <- a",
        "a <- a",
        "size <- size",
    ]


def test_codexglue_has_no_flow_of_c_and_fails_without_else_in_2020() -> None:
    assert codexglue_flow("c", "int f ( ) { }", of_2020=False) is None
    text = "int f ( int a ) { if ( a > 0 ) a = 1 ; return a ; }"
    assert codexglue_flow("java", text, of_2020=True) == []
    assert codexglue_flow("java", text, of_2020=False)


@pytest.mark.parametrize("language", ["java", "python", "c", "cpp"])
def test_any_text_has_a_flow_and_always_the_same(language: str) -> None:
    draw = random.Random(11)
    words = [
        "if",
        "for",
        "while",
        "(",
        ")",
        "{",
        "}",
        ";",
        "=",
        "a",
        "b",
        "int",
        "return",
        "break",
        "switch",
        ":",
        "case",
        "+=",
        "\n",
        "  ",
        "x.y",
        "&a",
    ]
    for _ in range(60):
        text = " ".join(draw.choice(words) for _ in range(40))
        assert data_flow(language, text) == data_flow(language, text)
        codexglue_flow(language, text, of_2020=True)
