"""Laws of reading source text that hold for any text, well-formed or not."""

import re

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from repairlab.languages.facts import names
from repairlab.languages.language import Syntax, Token, language

SYNTAXES = {name: language(name).syntax for name in names()}
WORDS = [
    *("def f(a):", "class A:", "class A {", "int f(int a) {", "@x", "async ", "return 1", "if (x) {", "}", "{", "(", ")", "[", "]"),
    *(
        "#",
        "# c",
        "// c",
        "/* c */",
        "/*",
        "*/",
        '"',
        "'",
        '"""',
        "'''",
        '"s"',
        "'c'",
        "f'",
        'f"{',
        '}"',
        'R"x(',
        ')x"',
        "\\",
        "\\\n",
    ),
    *(
        " ",
        "  ",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "\f",
        "\n    ",
        "\n\t",
        "\n  ",
        ";",
        ",",
        ":",
        "::",
        "=",
        "+",
        "<",
        ">",
        "->",
        "0",
        "1.5e3",
        "1'0",
    ),
    *(
        "x",
        "y_1",
        "é",
        "😀",
        "\ufeff",
        "#include <a/*b>",
        "\n#define X(a) a \\\n b\n",
        "\n#if A\n",
        "\n#else\n",
        "\n#endif\n",
        "#!",
    ),
    *("template <class T> ", "operator+", "operator()", "namespace n {", "struct S ", "new A() {", "enum E {", "record R(int x) {"),
    *(
        "requires ",
        "try ",
        "catch (...) {",
        "~A() {",
        "A::A() : x{1} {",
        "lambda x: 1",
        "\0",
        "\x0b",
        "\u2028",
        "\ud800",
        "$",
        "`",
        "!",
    ),
]
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=40).map("".join)
each_language = pytest.mark.parametrize("syntax", SYNTAXES.values(), ids=SYNTAXES.keys())


def stream(tokens: list[Token]) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in tokens]


@each_language
@given(source=texts)
def test_any_text_can_be_read(syntax: Syntax, source: str) -> None:
    functions = syntax.functions(source)
    assert [(f.span.start, -f.span.end) for f in functions] == sorted((f.span.start, -f.span.end) for f in functions)
    for function in functions:
        assert 0 <= function.span.start <= function.body.start < function.body.end <= function.span.end <= len(source)
        assert function.name
        assert function.qualified.endswith(function.name)
    syntax.normal_form(source)
    syntax.has_errors(source)


@each_language
@given(source=texts)
def test_spans_of_functions_nest_or_are_disjoint(syntax: Syntax, source: str) -> None:
    open_ends: list[int] = []
    for function in syntax.functions(source):
        while open_ends and open_ends[-1] <= function.span.start:
            open_ends.pop()
        assert not open_ends or function.span.end <= open_ends[-1]
        open_ends.append(function.span.end)


@each_language
@given(source=texts)
def test_tokens_cover_all_but_white_space_and_comments(syntax: Syntax, source: str) -> None:
    position = 0
    for token in syntax.tokens(source):
        assert token.span.start >= position
        assert token.span.of(source) == token.text
        assert is_gap(source[position : token.span.start], starts_text=position == 0)
        position = token.span.end
    assert is_gap(source[position:], starts_text=position == 0)


def is_gap(text: str, *, starts_text: bool) -> bool:
    if starts_text:
        text = re.sub(r"\A\ufeff?(#![^\r\n]*)?", "", text)
    blank = r"[ \t\v\f\r\n]|\\[ \t]*(?:\r\n?|\n)"
    comment = r"//(?:\\[ \t]*(?:\r\n?|\n)|[^\r\n])*|/\*[\s\S]*?\*(?:\\[ \t]*(?:\r\n?|\n))*/|#[^\r\n]*"
    return re.fullmatch(rf"(?:{blank}|{comment})*", text) is not None


@each_language
@given(source=texts)
@example(source="x = 1 \\\n# c")
@example(source="#define X a \\\n /* c */\nint y;")
def test_removing_comments_keeps_the_tokens_and_happens_once(syntax: Syntax, source: str) -> None:
    stripped = syntax.strip_comments(source)
    assert stream(syntax.tokens(stripped)) == stream(syntax.tokens(source))
    assert syntax.strip_comments(stripped) == stripped
    assert syntax.normal_form(stripped) == syntax.normal_form(source)


@each_language
@given(source=texts)
def test_text_without_comments_is_left_alone(syntax: Syntax, source: str) -> None:
    if "#" not in source and "/" not in source:
        assert syntax.strip_comments(source) == source


@pytest.mark.parametrize("name", ["java", "c", "cpp"])
@given(source=texts, data=st.data())
def test_normal_form_ignores_comments_and_white_space_between_tokens(name: str, source: str, data: st.DataObject) -> None:
    syntax = SYNTAXES[name]
    tokens = syntax.tokens(source)
    # An unreadable stretch may end elsewhere once something stands in it.
    assume(all(token.kind != "error" for token in tokens))
    fillers = st.sampled_from([" ", "\t ", " /* c */ ", "/**/", " /* a\n b */ "])
    parts: list[str] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        is_macro = before is not None and token.text == "(" and before.span.end == token.span.start
        starts_line = token.text == "#" and token.kind == "directive"
        is_whole = before is None or before.kind == "newline" or token.kind == "newline" or is_macro or starts_line
        gap = source[0 if before is None else before.span.end : token.span.start]
        # A joined operator only holds together without blanks.
        if not is_whole and before is not None and "\\" not in gap + before.text + token.text:
            # A slash and a comment right behind it would be a comment of another kind.
            gap += (" " if before.text.endswith("/") else "") + data.draw(fillers)
        parts.append(gap + token.text)
    assert syntax.normal_form("".join(parts)) == syntax.normal_form(source)


@given(width=st.integers(1, 9), other=st.integers(1, 9), n_blank=st.integers(0, 2))
def test_normal_form_of_python_ignores_width_of_indentation(width: int, other: int, n_blank: int) -> None:
    normal_form = SYNTAXES["python"].normal_form
    lines = [(0, "def f(a):"), (1, "if a:"), (2, "return (a,"), (3, "1)"), (1, "return 2")]
    one = "".join(" " * width * depth + text + "\n" for depth, text in lines)
    two = "".join(" " * other * depth + text + "  # c\n" + "\n" * n_blank + " # d\n" for depth, text in lines)
    assert normal_form(one) == normal_form(two)


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("python", "if a:\n    b\n    c\n", "if a:\n    b\nc\n"),
        ("python", "a\nb\n", "a b\n"),
        ("python", "x = 'a b'\n", "x = 'a  b'\n"),
        ("python", "if a:\n\tb\n\tc\n", "if a:\n\tb\n        c\n"),
        ("c", "#define f(x) x\n", "#define f (x) x\n"),
        ("c", "#define A\nint x;\n", "#define A int x;\n"),
        ("c", "a + +b", "a ++b"),
        ("c", "a +\\\n= b", "a + = b"),
        ("c", "fo\\\no", "fo o"),
        ("c", "x /* open", "x"),
        ("cpp", 'R"(a b)"', 'R"(a  b)"'),
        ("java", '"a b"', '"a  b"'),
        ("java", "a > > b", "a >> b"),
    ],
)
def test_normal_form_tells_different_programs_apart(name: str, one: str, two: str) -> None:
    assert SYNTAXES[name].normal_form(one) != SYNTAXES[name].normal_form(two)


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("c", "#define X 1 /* a\n b */ + 2\n", "#define X 1 + 2 // c\n"),
        ("c", "int x;\n  #  if A\nint y;\n#endif", "int x;\n#if A\n\n\nint y;\n#endif\n"),
        ("cpp", "fo\\\no();", "foo ( ) ;"),
        ("java", "int\nx ;", "int x;"),
        ("python", "x = (1,\n\n  # c\n 2)\n", "x=(1 , 2)"),
        ("python", "x = 1 + \\\n  2\n", "x = 1 + 2\n"),
    ],
)
def test_normal_form_of_equal_programs_is_equal(name: str, one: str, two: str) -> None:
    assert SYNTAXES[name].normal_form(one) == SYNTAXES[name].normal_form(two)


@pytest.mark.parametrize(
    ("name", "source", "expected"),
    [
        (
            "c",
            "#include <a.h> // c\nx+=1'0;",
            "directive:# directive:include string:<a.h> newline:\n name:x operator:+= number:1'0 operator:;",
        ),
        ("cpp", 'u8R"(x)" return `', 'string:u8R"(x)" keyword:return error:`'),
        ("java", "@A var x='c'>>>2;", "operator:@ name:A name:var name:x operator:= string:'c' operator:>>> number:2 operator:;"),
        ("python", "if x:\n  1j\n", "keyword:if name:x operator:: newline:\n indent:   number:1j newline:\n dedent:"),
    ],
)
def test_tokens_have_the_documented_kinds(name: str, source: str, expected: str) -> None:
    assert " ".join(f"{token.kind}:{token.text}" for token in SYNTAXES[name].tokens(source)) == expected


@each_language
def test_deep_nesting_and_long_lines_are_no_problem(syntax: Syntax) -> None:
    for opening in ("(", "[", "{", "class A {", "int (*", "new A() {", "f'{", "if x:\n ", "<", "namespace a {"):
        syntax.functions(opening * 1200)
        syntax.strip_comments(opening * 1200)
        syntax.normal_form(opening * 1200)
