"""What every repairer of the table promises, on small problems of all languages and on hostile ones."""

import dataclasses
from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repairlab.cli.contracts.proposing import wrong_with
from repairlab.core.candidate import Attempt, Candidate
from repairlab.core.problem import Problem, SourceFile, Target
from repairlab.core.text import Lines, Span, replace_span
from repairlab.languages.language import language
from repairlab.repairers.table import names, repairer

PYTHON = """\
def f(items, n):
    total = 0
    for i in range(n):
        if items[i] > total:
            total += items[i]
    return total
"""
JAVA = """\
class A {
    int f(String s, int n) {
        if (s == null) {
            return 0;
        }
        return s.length() - n;
    }
}
"""
C = """\
#include <stdio.h>

int f(int *a, int n) {
    int s = 0;
    for (int i = 0; i <= n; i++) {
        s += a[i];
    }
    return s;
}
"""
CPP = """\
#include <vector>

int f(std::vector<int> v) {
    int s = 0;
    for (auto x : v) {
        s += x;
    }
    return s;
}
"""
UMLAUTS = """\
def größe(wörter):
    # 数え上げ 🙂
    n = 0  # é
    for wort in wörter:
        n += len('日本') + 1
    return n
"""
SOURCES = {"python": PYTHON, "java": JAVA, "c": C, "cpp": CPP}
HOSTILE = {
    "empty": ("python", ""),
    "blank": ("c", "\n\n\n"),
    "broken": ("java", "class A { int f( { return 1 + ; } }}} \n\n int"),
    "unclosed string": ("python", 'def f(x):\n    return "abc\n\ndef g(:\n'),
    "not ASCII": ("python", UMLAUTS),
    "CRLF": ("java", JAVA.replace("\n", "\r\n")),
    "CRLF Python": ("python", PYTHON.replace("\n", "\r\n")),
    "no final newline": ("c", C.rstrip("\n")),
    "huge expression": ("c", "int f(int a) {\n    return " + " + ".join(["a"] * 700) + ";\n}\n"),
    "deep nesting": ("java", "class A { int f(int a) {\n return " + "(" * 400 + "a" + ")" * 400 + ";\n} }\n"),
    "one long line": ("cpp", "int f() { int a = 0; " + "a = a + 1; " * 120 + "return a; }"),
    "binary rubbish": ("cpp", "".join(chr(code) for code in range(1, 256)) * 3),
}


def problem(name: str, source: str, *, location: tuple[Lines, ...] | None = None, context: tuple[SourceFile, ...] = ()) -> Problem:
    return Problem(
        id="bug",
        benchmark="toy",
        language=name,
        title="",
        description="",
        path="a.x",
        source=source,
        target=Target(name=None, span=Span(start=0, end=len(source)), text=source),
        target_without_comments=source,
        location=location,
        context=context,
    )


def applied(candidate: Candidate, texts: dict[str, str]) -> dict[str, str]:
    """Apply edits that are in order and do not overlap, as validation does."""
    made = dict(texts)
    for edit in reversed(candidate.edits):
        assert edit.span is not None
        assert edit.text is not None
        made[edit.path] = replace_span(made[edit.path], edit.span, edit.text)
    for one, two in zip(candidate.edits, candidate.edits[1:], strict=False):
        assert one.span is not None
        assert two.span is not None
        assert one.path != two.path or one.span.end < two.span.start
    return made


def places(source: str) -> Iterator[tuple[Lines, ...] | None]:
    n_lines = source.count("\n") + (not source.endswith("\n") and bool(source))
    yield None
    for line in {1, (n_lines + 1) // 2, max(1, n_lines)}:
        yield (Lines(path="a.x", first=line, last=line),)
        yield (Lines(path="a.x", first=line, last=line - 1),)
    yield (Lines(path="a.x", first=1, last=max(1, n_lines)),)


@pytest.mark.parametrize("name", [name for name in names() if name not in ("llm", "command", "neural")])
@pytest.mark.parametrize("kind", SOURCES)
def test_a_repairer_is_deterministic_and_its_candidates_are_valid(name: str, kind: str) -> None:
    for location in places(SOURCES[kind]):
        bug = problem(kind, SOURCES[kind], location=location)
        made = [list(islice(repairer(name).propose(bug, ()), 60)) for _ in range(2)]
        assert made[0] == made[1]
        assert not wrong_with(made[0], bug, name)


@pytest.mark.parametrize("kind", SOURCES)
def test_templates_never_repeat_a_program_nor_propose_the_buggy_one_nor_break_its_syntax(kind: str) -> None:
    syntax = language(kind).syntax
    for location in places(SOURCES[kind]):
        seen = {syntax.normal_form(SOURCES[kind])}
        for candidate in islice(repairer("templates").propose(problem(kind, SOURCES[kind], location=location), ()), 300):
            text = applied(candidate, {"a.x": SOURCES[kind]})["a.x"]
            form = syntax.normal_form(text)
            assert form not in seen, (candidate, text)
            seen.add(form)
            assert not syntax.has_errors(text), (candidate, text)


@pytest.mark.slow
@pytest.mark.parametrize("title", HOSTILE)
def test_templates_survive_hostile_sources_and_their_edits_apply(title: str) -> None:
    kind, source = HOSTILE[title]
    for location in places(source):
        for candidate in islice(repairer("templates").propose(problem(kind, source, location=location), ()), 20):
            text = applied(candidate, {"a.x": source})["a.x"]
            assert text != source
            if "\r\n" in source:
                assert text.count("\n") == text.count("\r\n")


@pytest.mark.slow
def test_templates_generate_lazily() -> None:
    source = "def f(a, b, c):\n" + "".join(f"    x{i} = a + b * {i} - len(c[{i}:])\n" for i in range(60)) + "    return x0\n"
    stream = repairer("templates").propose(problem("python", source), ())
    assert not isinstance(stream, list)
    assert len(list(islice(stream, 300))) == 300


def test_a_conversation_goes_on_behind_what_was_tried() -> None:
    bug = problem("python", PYTHON, location=(Lines(path="a.x", first=4, last=4),))
    first, second = islice(repairer("templates").propose(bug, ()), 2)
    later = next(repairer("templates").propose(bug, (Attempt(candidate=first, feedback=None),)))
    assert later == second


def test_lines_of_another_file_are_edited_in_that_file() -> None:
    other = SourceFile(path="b.py", text="LIMIT = 3\n\n\ndef small(n):\n    return n < LIMIT\n")
    bug = problem("python", PYTHON, location=(Lines(path="b.py", first=5, last=5),), context=(other,))
    candidates = list(islice(repairer("templates").propose(dataclasses.replace(bug, path="a.py"), ()), 50))
    assert {edit.path for candidate in candidates for edit in candidate.edits} == {"b.py"}
    texts = {applied(candidate, {"b.py": other.text})["b.py"] for candidate in candidates}
    assert other.text.replace("<", "<=") in texts


def test_lines_of_a_file_that_is_not_shown_are_passed_over() -> None:
    bug = problem("python", PYTHON, location=(Lines(path="hidden.py", first=1, last=1),))
    assert list(repairer("templates").propose(bug, ())) == []


def test_the_origin_names_template_and_line() -> None:
    bug = problem("c", C, location=(Lines(path="a.x", first=5, last=5),))
    settings_of_first = dict(next(repairer("templates").propose(bug, ())).origin.settings)
    assert settings_of_first == {"template": "comparison operator", "line": "5"}


@settings(max_examples=40, deadline=None)
@given(
    kind=st.sampled_from(sorted(SOURCES)),
    cut=st.tuples(st.integers(0, 250), st.integers(0, 30)),
    noise=st.text(alphabet="(){};:\n\r\t \"'é=<+x1日", max_size=8),
    line=st.integers(1, 14),
    is_gap=st.booleans(),
)
def test_every_edit_applies_within_the_file(kind: str, cut: tuple[int, int], noise: str, line: int, is_gap: bool) -> None:
    source = SOURCES[kind][: cut[0]] + noise + SOURCES[kind][cut[0] + cut[1] :]
    location = (Lines(path="a.x", first=line, last=line - 1 if is_gap else line),)
    for candidate in islice(repairer("templates").propose(problem(kind, source, location=location), ()), 15):
        assert applied(candidate, {"a.x": source})["a.x"] != source
