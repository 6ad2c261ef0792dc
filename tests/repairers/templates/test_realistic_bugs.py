"""The regression measure of the engine: realistic bugs, each with the fix that must come up among the first candidates.

In the data files `⟦old→new⟧` marks what is wrong and what is right; `=== title` begins a bug.
"""

import difflib
import re
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from repairlab.core.problem import Problem, Target
from repairlab.core.text import Lines, Span, replace_span
from repairlab.languages.language import language
from repairlab.repairers.templates.repairer import Templates

DATA = Path(__file__).parent / "data"
PATHS = {"python": "bug.py", "java": "Bug.java", "c": "bug.c", "cpp": "bug.cpp"}


class Sample(NamedTuple):
    language: str
    title: str
    buggy: str
    fixed: str


def samples() -> list[Sample]:
    found = []
    for file in sorted(DATA.glob("*.txt")):
        for part in file.read_text(encoding="utf-8").split("=== ")[1:]:
            title, _, text = part.partition("\n")
            buggy = re.sub(r"⟦(.*?)→(.*?)⟧", r"\1", text, flags=re.DOTALL)
            found.append(Sample(file.stem, title, buggy, re.sub(r"⟦(.*?)→(.*?)⟧", r"\2", text, flags=re.DOTALL)))
    return found


def problem(sample: Sample) -> Problem:
    path = PATHS[sample.language]
    matcher = difflib.SequenceMatcher(None, sample.buggy.split("\n"), sample.fixed.split("\n"), autojunk=False)
    lines = [Lines(path=path, first=start + 1, last=end) for tag, start, end, _, _ in matcher.get_opcodes() if tag != "equal"]
    return Problem(
        id=sample.title,
        benchmark="samples",
        language=sample.language,
        title=sample.title,
        description="",
        path=path,
        source=sample.buggy,
        target=Target(name=None, span=Span(start=0, end=len(sample.buggy)), text=sample.buggy),
        target_without_comments=sample.buggy,
        location=tuple(lines),
    )


def rank_of_fix(sample: Sample, *, limit: int) -> int | None:
    syntax = language(sample.language).syntax
    wanted = syntax.normal_form(sample.fixed)
    for candidate in islice(Templates().propose(problem(sample), ()), limit):
        text = sample.buggy
        for edit in reversed(candidate.edits):
            assert edit.span is not None
            assert edit.text is not None
            text = replace_span(text, edit.span, edit.text)
        if syntax.normal_form(text) == wanted:
            return candidate.rank
    return None


def test_there_are_enough_samples_of_each_language() -> None:
    names = [sample.language for sample in samples()]
    assert len(names) >= 40
    assert set(names) == set(PATHS)


@pytest.mark.parametrize("sample", samples(), ids=lambda sample: f"{sample.language}: {sample.title}")
def test_the_fix_is_among_the_first_200_candidates(sample: Sample) -> None:
    assert rank_of_fix(sample, limit=200) is not None
