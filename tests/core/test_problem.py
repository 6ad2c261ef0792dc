import dataclasses

from repairlab.core.problem import Problem, SourceFile, Target, Visibility, shown
from repairlab.core.text import Lines, Span

SOURCE = "def f():\n    a\n    b\n\ndef g():\n    c\n"
PROBLEM = Problem(
    id="b",
    benchmark="x",
    language="python",
    title="t",
    description="d",
    path="m.py",
    source=SOURCE,
    target=Target(name="f", span=Span(start=0, end=20), text=SOURCE[:20]),
    target_without_comments=SOURCE[:20],
    location=(Lines(path="m.py", first=2, last=2), Lines(path="m.py", first=6, last=6), Lines(path="n.py", first=1, last=0)),
    error="boom",
    context=(SourceFile(path="n.py", text=""),),
)


def test_line_localisation_shows_the_exact_lines_and_hides_the_error() -> None:
    assert shown(PROBLEM, Visibility()) == dataclasses.replace(PROBLEM, error=None)


def test_hunk_localisation_shows_one_range_per_file() -> None:
    seen = shown(PROBLEM, Visibility(localisation="hunk", error=True)).location
    assert seen == (Lines(path="m.py", first=2, last=6), Lines(path="n.py", first=1, last=0))


def test_function_localisation_hides_the_lines() -> None:
    seen = shown(PROBLEM, Visibility(localisation="function", context=False))
    assert (seen.location, seen.target, seen.context) == (None, PROBLEM.target, ())


def test_file_localisation_makes_the_whole_file_the_target() -> None:
    seen = shown(PROBLEM, Visibility(localisation="file"))
    assert (seen.location, seen.target.name, seen.target.text) == (None, None, SOURCE)
    assert shown(seen, Visibility(localisation="file")) == seen


def test_files_are_the_one_to_fix_and_the_others_that_may_be_read() -> None:
    assert PROBLEM.files == {"m.py": SOURCE, "n.py": ""}
