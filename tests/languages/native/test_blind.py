"""Blind test files of C and C++: what they say when they run, and that what tests expect is gone from them."""

import json
import subprocess
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.languages.blind import said_in
from repairlab.languages.language import Tools
from repairlab.languages.native.blind import blind
from repairlab.languages.native.language import C, Cpp
from tests.languages.conftest import NONCE, blinded

QUICK = ("c-date-iso-week", "c-table-lost-after-delete", "cpp-utf8-decode")
SLOW = (
    *("c-bitmap-last-run", "c-ini-quoted-value", "c-lru-evict-accounting", "c-path-parent-of-relative", "c-ring-buffer-wrap"),
    *("c-varint-wide-values", "cpp-event-bus", "cpp-interval-merge", "cpp-matrix-transpose", "cpp-object-pool"),
    *("cpp-rational-sign", "cpp-settings-fallback", "cpp-table-multiline"),
)


@pytest.mark.parametrize("name", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_tests_of_starter_are_blind(name: str, tmp_path: Path, tools: Tools) -> None:
    bug = open_benchmark("starter").bug(name)
    made = blinded(bug, (C if bug.problem.language == "c" else Cpp)(tools), "tests/*.c*")
    said, again = (made.said(tmp_path / folder, bug.oracle.reference) for folder in ("fixed", "again"))
    assert said == again
    buggy = made.said(tmp_path / "buggy")
    left_out = {test for file in made.files.values() for test in file.open}
    assert len(left_out) <= (5 if name == "cpp-matrix-transpose" else 1 if name == "cpp-rational-sign" else 0)
    for test in {*bug.oracle.trigger, *bug.oracle.regression} - left_out:
        lines = said[test]
        assert lines[-1] == ("end", test)
        assert len(lines) > 1
        for number, value in lines[:-1]:
            check = made.checks[number]
            assert check.how != "equal" or not check.expected or json.loads(check.expected) == json.loads(value)
            assert '"o"' not in value
        assert (buggy.get(test) != lines) is (test in bug.oracle.trigger)


CODE = """
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>
#define EXPECT(...)
struct Bad : std::runtime_error { using std::runtime_error::runtime_error; };
enum class Colour { red = 3 };
struct Own { int n; bool operator==(const Own &other) const { return n == other.n; } };
inline std::vector<std::string> words() { return {"a;", "\\xC3", "q\\"\\n"}; }
inline std::map<std::string, std::vector<bool>> flags() { return {{"b", {true}}, {"a", {}}}; }
inline std::optional<Colour> colour(int n) { return n ? std::optional<Colour>(Colour::red) : std::nullopt; }
inline double third() { return 1.0 / 3; }
inline float tenth() { return 0.1f; }
inline Own own() { return {3}; }
inline const char *name(int n) { return n ? "x" : nullptr; }
inline void fail() { throw Bad("no"); }
"""
SUITE = """
void forms() {
    EXPECT_EQ(words(), (std::vector<std::string>{"a;", "b", "c"}));
    EXPECT_EQ(flags().size(), 2u);
    EXPECT_TRUE(flags() == flags());
    EXPECT_EQ(flags().at("b"), std::vector<bool>{true});
    EXPECT_EQ(colour(1), std::optional<Colour>(Colour::red)) << "what it said";
    EXPECT_EQ(colour(0), std::nullopt);
    EXPECT_NEAR(third(), 0.333, 0.01);
    EXPECT_FLOAT_EQ(0.1f, tenth());
    EXPECT_GE(third(), 0.25);
    EXPECT_NE(name(1)[0], 'y');
    EXPECT_STREQ(name(1), "x");
    EXPECT_STREQ(name(0), nullptr);
    EXPECT_THROW(fail(), Bad);
    EXPECT_NO_THROW(words());
    EXPECT_FALSE(third() < -5);
    EXPECT_EQ(own(), Own{4});
}
"""


HELPERS = """
static int is(const char *in, const char *wanted) { char out[9]; name(in, out); return strcmp(out, wanted) == 0; }
static void reads(const char *in, int wanted_length) { assert_int_equal(length(in), wanted_length); }
static void numbers(void **state) {
    const char *expected = "zwei";
    reads("a", 17);
    assert_true(is("2", "two") && is("2", expected));
    assert_float_equal(mean("a"), 4.5, 0.1);
    assert_memory_equal(bytes(), expected, 4);
}
const struct CMUnitTest tests[] = {cmocka_unit_test(numbers)};
"""


def test_forms_of_assertions_say_what_they_look_at(tmp_path: Path) -> None:
    file = blind(f"{SUITE}\nvoid (*all[])() = {{forms}};", "cpp", NONCE, 0)
    assert file.open == {}
    (tmp_path / "forms.cpp").write_text(file.text.replace("#line 1", f"{CODE}\n#line 1") + "\nint main() { forms(); }\n")
    program = tmp_path / "forms"
    subprocess.run(
        ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", program, tmp_path / "forms.cpp"], check=True, timeout=120
    )
    done = subprocess.run([program], stderr=subprocess.PIPE, check=True, timeout=20)
    said = [json.loads(value) if number != "end" else value for number, value in said_in(NONCE, done.stderr.decode())]
    third = ["f", "0.3333333333333333"]
    classes = ("Bad", "std::runtime_error", "runtime_error", "std::exception", "exception")
    assert said == [
        ["l", [["s", "a;"], ["y", "c3"], ["s", 'q"\n']]],
        ["i", "2"],
        ["b", True],
        ["l", [["b", True]]],
        ["i", "3"],
        ["n"],
        third,
        ["f", "0.1"],
        third,
        ["i", "120"],
        ["s", "x"],
        ["b", True],
        ["l", [["s", name] for name in classes]],
        ["b", True],
        third,
        ["o", "object"],
        "forms",
    ]
    assert [(check.how, check.expected, check.tolerance) for check in file.checks if check.how != "equal"] == [
        ("near", '["f","0.333"]', "0.01"),
        ("near", "", "4.8e-7r"),
        ("at least", '["f","0.25"]', ""),
        ("different", '["i","121"]', ""),
        ("raised", '["s","Bad"]', ""),
        ("at least", '["i","-5"]', ""),
    ]


COMPARERS = """
bool same(std::vector<int> a, const std::vector<int>& b) {
    if (a.size() != b.size()) return false;
    for (int i = 0; i < a.size(); i++) { if (a[i] != b[i]) { return false; } }
    return true;
}
bool near(const double a, double b) { return std::fabs(a - b) <= 1e-3; }
bool first(std::vector<int> a, std::vector<int> b) { if (a.size() != b.size()) return false; return a[0] == b[0]; }
"""


@pytest.mark.parametrize(
    ("check", "how"),
    [
        ("same(f(1), {4, 77})", ("equal", '["l",[["i","4"],["i","77"]]]', "")),
        ("same({}, f(77))", ("equal", '["l",[]]', "")),
        ("near(g(1), 77.5)", ("near", '["f","77.5"]', "1e-3")),
        ("abs(g(1) - 77.5) < 1e-4", ("near", '["f","77.5"]', "1e-4")),
        ("std::fabs(g(1) + 77.5) < 0.5f", ("near", '["f","-77.5"]', "0.5")),
        ("same(f(77), f(77))", ("equal", '["b",true]', "")),
        ("first(f(1), {77, 5})", None),
    ],
)
def test_what_helpers_compare_is_withheld(check: str, how: tuple[str, str, str] | None) -> None:
    program = f'{COMPARERS}\nint main() {{ assert({check}); return printf("ok all of it\\n") < 0; }}'
    file = blind(program, "cpp", NONCE, 0)
    assert file.open == ({} if how else {"all of it": "it holds what first compares"})
    assert [(it.how, it.expected, it.tolerance) for it in file.checks] == ([how] if how else [])
    assert "77" not in file.text.partition("#line")[2] or "f(77)" in check or not how
    assert 'said0_end("all of it")' in file.text or not how


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("CHECK(make(3) == make(4));", "what it expects is made by the code under test"),
        ("int sum = 0; for (int i = 0; i < 3; i++) sum += i; CHECK(f(3) == sum);", "sum is there for more than comparisons"),
        ('CHECK(strstr(text(), "a") != NULL);', 'it holds what it looks for: strstr(text(), "a")'),
        ("CHECK(f(1) == 2 || f(1) == 3);", "it holds what it looks for: f(1) == 2 || f(1) == 3"),
        ("ASSERT_THAT(f(1), Eq(2));", "ASSERT_THAT is not understood"),
        ("if (f(1) == 3) CHECK(f(2) == 1);", ""),
    ],
)
def test_what_cannot_be_withheld_is_open_and_left_out(check: str, reason: str) -> None:
    table = 'struct test tests[] = {{"odd", odd}, {"even", even}};'
    file = blind(f"void odd(void) {{ {check} }}\nvoid even(void) {{ CHECK(f(1) == 5); }}\n{table}", "c", NONCE, 0)
    assert file.open == ({"odd": reason} if reason else {})
    assert "void odd(void) { }" in file.text or not reason


@pytest.mark.parametrize(
    "loop",
    [
        "for (int i = 0; i < 2; i++) EXPECT_EQ(f(rows[i].in), rows[i].want);",
        "for (const auto& row : rows) EXPECT_EQ(f(row.in), row.want);",
        "for (const auto& row : rows) EXPECT_EQ(f(row.first), row.second);",
        "for (const auto& [in, want] : rows) EXPECT_EQ(f(in), want);",
        "for (int i = 0; i < 2; i++) EXPECT_EQ(f(rows[i][0]), rows[i][1]);",
    ],
)
def test_tables_of_expectations_are_open(loop: str) -> None:
    source = f"const Row rows[] = {{{{1, 2}}, {{3, 4}}}};\nTEST(A, odd) {{ {loop} }}\nTEST(A, even) {{ EXPECT_EQ(f(1), 2); }}\n"
    assert list(blind(source, "cpp", NONCE, 0).open) == ["A.odd"]
    local = f"TEST(A, odd) {{ const Row rows[] = {{{{1, 2}}, {{3, 4}}}}; {loop} }}\nTEST(A, even) {{ EXPECT_EQ(f(1), 2); }}\n"
    assert list(blind(local, "cpp", NONCE, 0).open) == ["A.odd"]


def test_expectations_of_helpers_are_gone() -> None:
    file = blind(HELPERS, "c", NONCE, 0)
    assert file.open == {}
    for gone in ('"two"', '"zwei"', "(17", '"a", 17', "4.5"):
        assert gone not in file.text, gone


def test_braces_with_a_zero_are_no_place_for_a_number() -> None:
    file = blind("TEST(A, zeros) { EXPECT_EQ(sum({0}), 77); }", "cpp", NONCE, 0)
    assert 'said0("0", (sum({0})));' in file.text


def test_functions_that_a_helper_calls_say_what_they_look_at() -> None:
    helpers = "static void inner(void) { assert(f(1) == 77); }\nstatic void outer(void) { inner(); }"
    file = blind(f"{helpers}\nint main(void) {{ if (f(0)) outer(); return 0; }}", "c", NONCE, 0)
    assert (file.open, [check.expected for check in file.checks]) == ({}, ['["i","77"]'])
    assert "77" not in file.text.partition("#line")[2]
