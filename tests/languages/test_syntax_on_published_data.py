"""Functions of published datasets and of the standard library are found with exact spans; datasets lie in `../shared`."""

import ast
import json
import re
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from repairlab.core.text import split_lines
from repairlab.languages.language import language
from repairlab.languages.parser import Parsed
from tests.published import DATA

pytestmark = pytest.mark.slow

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))


def published(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"the dataset {name} is not there: put it into ../shared/data")
    return path


def records(name: str) -> Iterator[dict[str, Any]]:
    for line in published(name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def check_laws(name: str, source: str) -> None:
    """What must hold for every text: removing comments keeps the tokens."""
    syntax = language(name).syntax
    stripped = syntax.strip_comments(source)
    before = [(token.kind, token.text) for token in syntax.tokens(source)]
    assert [(token.kind, token.text) for token in syntax.tokens(stripped)] == before


def test_every_method_of_nl2fix_is_found_alone_and_in_a_class() -> None:
    syntax = language("java").syntax
    bugs = json.loads(published("nl2fix/nl2fix_dataset.json").read_text(encoding="utf-8"))
    for bug in bugs.values():
        for key in ("src", "fixed_src"):
            method = bug[key].strip()
            whole = f"class Wrapped {{\n    {method}\n}}\n"
            check_laws("java", whole)
            assert [f.span.of(whole) for f in syntax.functions(whole)].count(method) == 1
            assert [f.span.of(method) for f in syntax.functions(method)].count(method) == 1
            # The dataset prints its methods without comments anew, `> >` for `>>` among others.
            bare = syntax.normal_form(bug[f"{key}_wo_comments"])
            assert syntax.normal_form(syntax.strip_comments(method)).replace(" ", "") == bare.replace(" ", "")
    assert len(bugs) == 283


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("quixbugs/quixbugs.jsonl", ["java_buggy", "java_fixed"]),
        ("humanevalfix/humanevalpack_java.jsonl", ["canonical_solution", "buggy_solution"]),
    ],
)
def test_java_methods_are_those_that_the_grammar_finds(name: str, keys: list[str]) -> None:
    syntax = language("java").syntax
    for record in records(name):
        for key in keys:
            source = record.get("prompt", "") + record[key]
            check_laws("java", source)
            parsed = Parsed("java", source)
            wanted = []
            nodes = [parsed.root]
            while nodes:
                node = nodes.pop()
                nodes += node.children
                if node.type in ("method_declaration", "constructor_declaration") and node.child_by_field_name("body"):
                    wanted.append(parsed.span(node))
            assert sorted((f.span.start, f.span.end) for f in syntax.functions(source)) == sorted((w.start, w.end) for w in wanted)


def test_python_programs_of_the_datasets_are_read_as_python_reads_them() -> None:
    sources = [record[key] for record in records("quixbugs/quixbugs.jsonl") for key in ("python_buggy", "python_fixed")]
    for record in records("humanevalfix/humanevalpack_python.jsonl"):
        sources += [record["prompt"] + record["canonical_solution"], record["prompt"] + record["buggy_solution"]]
    assert sum(check_against_python(source) for source in sources) > len(sources) / 2


def test_defects4c_functions_are_found_whole() -> None:
    seen: set[str] = set()
    whole = 0
    for record in records("defects4c/data/single_function_allinone.saved.jsonl"):
        for match in re.finditer(r"```(?:cpp|c)\n([\s\S]*?)\n?```", record["prompt"][1]["content"]):
            source = match[1].strip()
            if source in seen or ">>> [" in source or "buggy hunk" in source:
                continue
            seen.add(source)
            for name in ("c", "cpp"):
                check_laws(name, source)
            functions = language("cpp").syntax.functions(source)
            assert functions
            whole += any(f.span.start == 0 and f.span.end == len(source) for f in functions)
    # The others are several functions, or a class or namespace around them.
    assert (len(seen), whole) == (101, 93)


def test_standard_library_is_read_as_python_reads_it() -> None:
    paths = sorted(STANDARD_LIBRARY.glob("*.py"))[::10] + sorted(STANDARD_LIBRARY.glob("asyncio/*.py"))[::5]
    n_functions = sum(check_against_python(path.read_bytes().decode("utf-8")) for path in paths)
    assert n_functions > 200


def check_against_python(source: str) -> int:
    """Compare functions and comment removal with the standard library's parser; return how many functions there are."""
    syntax = language("python").syntax
    check_laws("python", source)
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return 0
    lines = [line.encode("utf-8") for line in split_lines(source)]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.decode("utf-8")))

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1][:column].decode("utf-8"))

    wanted = []
    todo: list[tuple[ast.AST, tuple[str, ...]]] = [(tree, ())]
    while todo:
        parent, scope = todo.pop()
        for node in ast.iter_child_nodes(parent):
            inner = scope
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = (*scope, node.name)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                first = min([node, *node.decorator_list], key=lambda part: (part.lineno, part.col_offset))
                start = offset(first.lineno, first.col_offset)
                start = source.rindex("@", 0, start) if node.decorator_list else start
                wanted.append((start, offset(node.end_lineno or 0, node.end_col_offset or 0), ".".join(inner)))
            todo.append((node, inner))
    found = [(f.span.start, f.span.start + len(f.span.of(source).rstrip("; ")), f.qualified) for f in syntax.functions(source)]
    assert found == sorted(wanted, key=lambda function: (function[0], -function[1]))
    assert ast.dump(ast.parse(syntax.strip_comments(source))) == ast.dump(tree)
    return len(wanted)
