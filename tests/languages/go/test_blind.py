"""Blind test files of Go: what they say when they run, and that what tests expect is gone from them."""

import json
import shutil
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.recipe import Build, Test
from repairlab.languages.blind import BlindFile, said_in
from repairlab.languages.go.blind import blind
from repairlab.languages.go.language import Go
from repairlab.languages.go.toolchain import GoToolchain
from repairlab.languages.language import Tools
from tests.languages.conftest import NONCE, Project, blinded, execute

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed")
BUGS = (
    "go-booking-merge",
    "go-choose-alias",
    "go-pool-deadlock",
    "go-registry-zero-value",
    "go-roman-numerals",
    "go-truncate-runes",
)


def made(test: str, imports: str = "") -> BlindFile:
    quoted = "".join(f'import "{path}"\n' for path in ("testing", *imports.split()))
    return blind(f"package p\n\n{quoted}\n{test}", NONCE, 0)


@needs_go
@pytest.mark.parametrize("name", BUGS)
def test_tests_of_starter_are_blind(name: str, tmp_path: Path, tools: Tools) -> None:
    bug = open_benchmark("starter").bug(name)
    made = blinded(bug, Go(tools), "*_test.go")
    assert all(file.open == {} for file in made.files.values())
    said, again = (made.said(tmp_path / folder, bug.oracle.reference) for folder in ("fixed", "again"))
    assert said == again
    buggy = made.said(tmp_path / "buggy")
    for test, lines in said.items():
        assert lines[-1] == ("end", test.partition("::")[2])
        for number, value in lines[:-1]:
            check = made.checks[number]
            assert check.how != "equal" or not check.expected or json.loads(check.expected) == json.loads(value)
        assert (buggy.get(test) != lines) is (test in bug.oracle.trigger)


CODE = """
package p

import "errors"

type Pair struct {
	Name string
	next *Pair
	Odd  []int
}

var ErrNone = errors.New("none")

func Twice(n int) int                    { return 2 * n }
func Parse(s string) (int, error)        { if s == "" { return 0, ErrNone }; return len(s), nil }
func Names() []string                    { return []string{"a;", "b%", "\\xc3"} }
func Made() *Pair                        { return &Pair{"x", &Pair{Name: "y"}, []int{}} }
func Mean() (float64, map[string][]byte) { return 0.1, map[string][]byte{"k": nil, "j": []byte("1")} }
"""
SUITE = """
var limit = 14

func square(n int) int { return n * n }

func same(t *testing.T, got, want interface{}) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func TestComputed(t *testing.T) {
	for n := 1; n < 3; n++ {
		if got, want := Twice(n), n+n; got != want {
			t.Errorf("%d", want)
		}
		if got := Twice(n); got != square(n)-square(n)+n*2 {
			t.Error(got)
		}
	}
	if Twice(7) != limit {
		t.Error("limit")
	}
}

func TestErrors(t *testing.T) {
	tests := map[string]struct {
		want  int
		fails bool
	}{"abc": {3, false}}
	for text, tt := range tests {
		got, err := Parse(text)
		if (err != nil) != tt.fails {
			t.Fatalf("%v", err)
		}
		if got != tt.want {
			t.Errorf("%d is not %d", got, tt.want)
		}
	}
	if _, err := Parse(""); !errors.Is(err, ErrNone) {
		t.Fatal(err)
	} else if err.Error() != "none" {
		t.Fatal(err)
	}
	for i, want := range []string{"a;", "b%", "?"} {
		if Names()[i] != want {
			t.Error(want)
		}
	}
}

func TestShapes(t *testing.T) {
	same(t, Made(), &Pair{"x", &Pair{Name: "y"}, []int{}})
	mean, all := Mean()
	same(t, all, map[string][]byte{"k": nil, "j": []byte("1")})
	if mean < 0.05 || mean >= 1 || !strings.Contains(Names()[1], "b") || strings.Join(Names()[:2], "") == "none" {
		t.Error(mean)
	}
}
"""


@needs_go
def test_forms_of_checks_say_what_they_look_at(tmp_path: Path, tools: Tools) -> None:
    file = made(SUITE, "errors reflect strings")
    assert file.open == {}
    for gone in ("limit", '"none"', "n+n", "square(n)", "n*2", '"a;"', 'Name: "y"', "0.05", "14", "3, false"):
        assert gone not in file.text, gone
    project = Project(tmp_path, GoToolchain(tools), Build(tool="go"), Test(framework="go-test", files=("*_test.go",)))
    project.write({"go.mod": "module example.com/p\n\ngo 1.18\n", "p.go": CODE, "p_test.go": file.text})
    project.must_build()
    (batch,) = project.toolchain.batches(
        project.recipe, project.test_recipe, (".::TestComputed", ".::TestErrors", ".::TestShapes"), stop=False
    )
    done = execute(batch.command, project.root, 60)
    said = [(number, value if number == "end" else json.loads(value)) for number, value in said_in(NONCE, done.stderr.decode())]
    pair = ["d", [[["s", "Name"], ["s", "y"]], [["s", "Odd"], ["n"]], [["s", "next"], ["n"]]]]
    assert [value for _, value in said] == [
        *([["i", "2"]] * 2),
        *([["i", "4"]] * 2),
        ["i", "14"],
        "TestComputed",
        ["b", False],
        ["i", "3"],
        ["b", True],
        ["s", "none"],
        ["s", "a;"],
        ["s", "b%"],
        ["y", "c3"],
        "TestErrors",
        ["d", [[["s", "Name"], ["s", "x"]], [["s", "Odd"], ["l", []]], [["s", "next"], pair]]],
        ["d", [[["s", "j"], ["l", [["i", "49"]]]], [["s", "k"], ["n"]]]],
        ["f", "0.1"],
        ["f", "0.1"],
        ["s", "b%"],
        ["s", "a;b%"],
        "TestShapes",
    ]
    assert [check.how for check in file.checks[-4:]] == ["at least", "less", "contains", "different"]


TESTIFY = """
func check(t *testing.T, in string, want int) {
	got, err := Parse(in)
	require.NoError(t, err)
	assert.Equal(t, want, got, "of %s", in)
}

func TestAssertions(t *testing.T) {
	check(t, "abc", 3)
	assert := assert.New(t)
	rows := []struct{ n, want int }{{1, 2}, {4, 8}}
	for _, row := range rows {
		assert.Equalf(row.want, Twice(row.n), "twice %d", row.n)
	}
	mean, all := Mean()
	assert.InDelta(0.11, mean, 0.02)
	assert.Len(all, 2)
	assert.Nil(all["k"])
	assert.Contains(Names(), "b%")
	assert.ElementsMatch([]string{"\xc3", "b%", "a;"}, Names())
	assert.True(mean > 0.05 && Twice(2) != 5)
	if _, err := Parse(""); assert.Error(err) {
		assert.EqualError(err, "none")
		assert.ErrorIs(err, ErrNone)
	}
	assert.Panics(func() { panic(Made()) })
	assert.NotEmpty(Made().Odd)
	assert.False(Twice(1) == 3)
	assert.Greater(Twice(5), 9)
}
"""


@needs_go
def test_assertions_of_testify_say_what_they_look_at(tmp_path: Path, tools: Tools) -> None:
    file = made(TESTIFY, "github.com/stretchr/testify/assert github.com/stretchr/testify/require")
    assert file.open == {}
    for gone in ('"abc", 3', "{1, 2}", " 8", "0.11", '"b%"', "0.05", '"none"', ", 9)", "NoError", "*new(*testing.T)"):
        assert gone not in file.text.partition("\nfunc check(")[0], gone
    project = Project(tmp_path, GoToolchain(tools), Build(tool="go"), Test(framework="go-test", files=("*_test.go",)))
    module = "module example.com/p\n\ngo 1.18\n\nrequire github.com/stretchr/testify v1.0.0\n"
    module += "\nreplace github.com/stretchr/testify => ./t\n"
    package = "package {}\n\ntype Assertions struct{{}}\n\nfunc New(t interface{{}}) *Assertions {{ return nil }}\n"
    project.write(
        {
            **{f"t/{name}/{name}.go": package.format(name) for name in ("assert", "require")},
            **{"go.mod": module, "t/go.mod": "module github.com/stretchr/testify\n", "p.go": CODE, "p_test.go": file.text},
        }
    )
    project.must_build()
    (batch,) = project.toolchain.batches(project.recipe, project.test_recipe, (".::TestAssertions",), stop=False)
    done = execute(batch.command, project.root, 60)
    said = [(number, value if number == "end" else json.loads(value)) for number, value in said_in(NONCE, done.stderr.decode())]
    assert [value for _, value in said[:-1]] == [
        *(["b", True], ["i", "3"], ["i", "2"], ["i", "8"], ["f", "0.1"], ["i", "2"], ["b", True]),
        *([["l", [["s", "a;"], ["s", "b%"], ["y", "c3"]]]] * 2),
        *(["f", "0.1"], ["i", "4"], ["b", False], ["s", "none"], ["b", True], ["b", True], ["b", True]),
        *(["i", "2"], ["i", "10"]),
    ]
    assert said[-1] == ("end", "TestAssertions")
    hows = [check.how for check in file.checks]
    assert [how for how in hows if how != "equal"] == ["near", "contains", "same items", "more", "different", "different", "more"]


@pytest.mark.parametrize(
    ("check", "reason"),
    [
        ("if F(3) != F(4) { t.Fatal() }", "what it expects is made by the code under test"),
        ("if got := F(3); got == 4 || got == 5 { return }; t.Fatal()", "it calls t.Fatal in a way that is not understood"),
        ("if g := F(1); g != 2 && g != 4 { t.Fatal() }", "it holds what it looks for: g != 2 && g != 4"),
        ("sum := 0; for i := 0; i < 3; i++ { sum += i }; if F(3) != sum { t.Error() }", "sum is there for more than comparisons"),
        (
            'for _, c := range [][2]string{{"a", "b"}} { if G(c[0]) != c[1] { t.Error() } }',
            "c[1] is there for more than comparisons",
        ),
        ("for _, c := range rows { if G(c.in) != c.out { t.Error() } }", "c.out is there for more than comparisons"),
        ("other.Equal(t, F(3), 4)", "other.Equal asserts, and is not understood"),
        ("assert.JSONEq(t, `{}`, F(3))", "asserts by JSONEq"),
        ("is := assert.New(t); same(is, F(3), 4)", "same asserts, and is not understood"),
        ("assert.Equal(t, F(3), F(4))", "what it expects is made by the code under test"),
        ('assert.True(t, strings.Count(F(3), "a") == 2)', 'it holds what it looks for: strings.Count(F(3), "a")'),
    ],
)
def test_what_cannot_be_withheld_is_open_and_left_out(check: str, reason: str) -> None:
    imports = "os strings github.com/stretchr/testify/assert"
    file = made(f"func TestA(t *testing.T) {{ {check} }}\n\nfunc TestB(t *testing.T) {{ if F(1) != 2 {{ t.Fatal() }} }}", imports)
    assert file.open == {"TestA": reason}
    assert "TestA" not in file.text
    assert [check.text for check in file.checks] == ["F(1) != 2"]


def test_subtests_end_by_their_own_names() -> None:
    file = made('func TestA(t *testing.T) { t.Run("one", func(t *testing.T) { t.Parallel(); if F(1) != 2 { t.Fatal() } }) }')
    assert 'said0write("end", t.Name())' in file.text
    assert "Parallel" not in file.text
    assert file.checks[0].always
