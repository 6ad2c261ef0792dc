"""Golden cases of reading source text: a source file and what is expected of it, in `tests/golden/syntax/<language>/`.

`functions` gives start of span, start of body and end as `line:column`; `stripped` the text without comments.
"""

import json
from pathlib import Path

import pytest

from repairlab.languages.facts import names
from repairlab.languages.language import language, language_of_path

GOLDEN = Path(__file__).parents[1] / "golden" / "syntax"
CASES = sorted(GOLDEN.glob("*/*.json"))
LEXED = ("c", "cpp", "java", "python")
"""Languages with lexers of ours. Others are read by tree-sitter alone, whose own tests cover most of it."""


def place(source: str, offset: int) -> str:
    start = source.rfind("\n", 0, offset) + 1
    return f"{source.count(chr(10), 0, offset) + 1}:{offset - start + 1}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.stem}")
def test_source_is_read_as_expected(case: Path) -> None:
    expected = json.loads(case.read_text(encoding="utf-8"))
    path = next(found for found in case.parent.glob(f"{case.stem}.*") if found.suffix != ".json")
    source = path.read_bytes().decode("utf-8")
    syntax = language(case.parent.name).syntax
    assert language_of_path(str(path)) == case.parent.name
    if "functions" in expected:
        found = [
            {
                "qualified": function.qualified,
                "parameters": list(function.parameters),
                "start": place(source, function.span.start),
                "body": place(source, function.body.start),
                "end": place(source, function.span.end),
            }
            for function in syntax.functions(source)
        ]
        assert found == expected["functions"]
        assert all(function.body.end == function.span.end for function in syntax.functions(source))
        assert all(function.qualified.endswith(function.name) for function in syntax.functions(source))
    if "stripped" in expected:
        assert syntax.strip_comments(source) == expected["stripped"]
    if "has_errors" in expected:
        assert syntax.has_errors(source) is expected["has_errors"]


def test_every_language_has_golden_cases_of_both_kinds() -> None:
    for name in names():
        contents = [json.loads(case.read_text(encoding="utf-8")) for case in CASES if case.parent.name == name]
        assert sum("functions" in content for content in contents) >= (10 if name in LEXED else 3)
        assert sum("stripped" in content for content in contents) >= (3 if name in LEXED else 1)
