import pytest

from repairlab.languages.parser import Parsed
from repairlab.runs.instrument import instrumented, steps

SOURCES = {
    "python": """\
'''Doc.'''
from __future__ import annotations
import sys

def f(a):
    '''Doc.'''
    if a: return 1
    elif a > 2:
        b = 2; c = 3
    return b

class A:
    x = 1
""",
    "javascript": """\
"use strict";
export const a = 1;
outer: for (const b of [1]) { if (b) continue outer; else var c = 2; }
switch (a) { case 1: a(); break; default: a() }
const d = () => { return 1 }""",
    "go": """\
package a // the first

var x = 1

func f(a int) int {
	if b := a; b > 1 {
		return 1
	} else if b > 2 {
		return 2
	}
outer:
	for i := 0; i < 1; i++ {
		switch a {
		default:
			continue outer
		}
	}
	return 3
}
""",
    "java": """\
class A {
  int x = 1;
  A() { this(1); x = 2; }
  int f(int a) {
    for (int i = 0; i < 1; i++) if (a > 1) return 1; else x++;
    int b = switch (a) { case 1 -> 2; default -> { yield 3; } };
    switch (a) { case 1: b = 2; }
    return b;
  }
}
""",
    "c": """\
int g = 1;
int f(int a) {
  int b = 1;
  for (int i = 0; i < 1; i++) if (a) b = 2; else return 1;
  do a--; while (a);
  switch (a) { case 1: b = 3; break; default: b = 4; }
  return b;
}
""",
    "cpp": """\
int g = 1;
struct S { int x = 1; int f() { return x; } };
constexpr int h(int a) { return a; }
int f(int a) {
  if (int b = a; b) return b;
  for (int c : {1, 2}) a += c;
  return a;
}
""",
}
LINES = {
    "python": (7, 7, 9, 9, 10, 13),
    "javascript": (2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5),
    "go": (6, 7, 8, 9, 12, 13, 15, 18),
    "java": (3, 5, 5, 5, 5, 6, 6, 7, 7, 8),
    "c": (3, 4, 4, 4, 4, 5, 5, 6, 6, 6, 6, 7),
    "cpp": (2, 5, 5, 6, 6, 7),
}


@pytest.mark.parametrize("language", SOURCES)
def test_each_statement_of_a_block_gets_a_note_and_the_text_stays_right(language: str) -> None:
    made = instrumented(language, "a", SOURCES[language], number=3, first=10, places=["/work/notes"])
    assert made is not None
    assert made.lines == LINES[language], made.text
    assert not Parsed(language, made.text).root.has_error, made.text
    assert sum(f"({number})" in made.text for number in range(10, 10 + len(made.lines))) == len(made.lines)


def test_a_file_without_statements_is_left_as_it_is() -> None:
    assert instrumented("c", "a.h", "int f(void);\n", number=0, first=0, places=[]) is None
    assert not list(steps(Parsed("java", "package a;\n")))
