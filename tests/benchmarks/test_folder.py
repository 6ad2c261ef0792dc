from collections import Counter
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import BUILT_IN, benchmark_names, open_benchmark, open_bug
from repairlab.core.errors import UserError
from repairlab.core.outcome import Verdict
from repairlab.core.text import Lines


def test_a_bug_is_read_with_its_problem_and_oracle(tiny: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    assert (bug.problem.title, bug.problem.target.name) == ("Sum is one too large", "total")
    assert bug.problem.target.text.startswith("def total(numbers):") and bug.problem.target.text.endswith("return result")
    assert bug.problem.location == (Lines(path="main.py", first=2, last=2),)
    assert bug.problem.submission_verdict is Verdict.WRONG
    assert [case.input for case in bug.oracle.cases] == ["1 2\n", "5\n"]


def test_tests_are_hidden_from_the_context_of_a_problem(tiny: Path) -> None:
    bug = open_benchmark(str(tiny)).bug("shop")
    assert [file.path for file in bug.problem.context] == ["shop/__init__.py"]
    assert bug.problem.target_without_comments == "def total(self):\n        return sum(self.prices[:-1])"


def test_digests_do_not_depend_on_where_the_benchmark_lies(tiny: Path, tmp_path: Path) -> None:
    moved = tiny.rename(tmp_path / "elsewhere")
    before = open_benchmark(str(moved)).digest
    (moved / "bugs/sum/cases/02.out").write_text("6\n")
    assert open_benchmark(str(moved)).digest != before


def test_folders_behind_links_are_not_read(tiny: Path) -> None:
    before = list(open_benchmark(str(tiny)))
    (tiny / "bugs/shop/buggy/shop/again").symlink_to("..")
    assert list(open_benchmark(str(tiny))) == before


def test_one_bug_is_read_as_the_whole_benchmark_reads_it(tiny: Path) -> None:
    for bug in open_benchmark(str(tiny)):
        assert open_bug(f"{tiny}/{bug.id}") == bug


def test_the_digest_is_the_same_for_a_copy(tiny: Path, tmp_path: Path) -> None:
    before = open_benchmark(str(tiny)).digest
    assert open_benchmark(str(tiny.rename(tmp_path / "copy"))).digest == before


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("benchmark.toml", None, "benchmark.toml is missing"),
        ("benchmark.toml", "schema = 2\n", "reads schema 1"),
        ("bugs/sum/bug.toml", "schema = ", "not valid TOML"),
        ("bugs/sum/bug.toml", 'schema = 1\nlanguage = "python"\npath = "main.py"\n[test]\nframwork = "stdio"\n', "framwork"),
        ("bugs/sum/bug.toml", 'schema = 1\nlanguage = "cobol"\npath = "main.py"\n[test]\n', "unknown language 'cobol'"),
        ("bugs/sum/bug.toml", 'schema = 1\nlanguage = "python"\npath = "x.py"\n[test]\n', "buggy/x.py, does not exist"),
        (
            "bugs/sum/bug.toml",
            'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "totla"\n[test]\n',
            "Did you mean 'total'",
        ),
        ("bugs/sum/bug.toml", 'schema = 1\nlanguage = "python"\npath = "main.py"\n[test]\nframework = "pytest"\n', "names no test"),
        ("bugs/sum/issue.md", None, "issue.md is missing"),
        ("bugs/sum/fix.patch", None, "fix.patch is missing"),
        ("bugs/sum/fix.patch", "nonsense", "bug sum: this is no unified diff"),
        ("bugs/sum/cases/02.out", None, "02.out is missing"),
    ],
)
def test_a_broken_benchmark_is_one_clear_error(tiny: Path, path: str, text: str | None, message: str) -> None:
    if text is None:
        (tiny / path).unlink()
    else:
        (tiny / path).write_text(text)
    with pytest.raises(UserError, match=message):
        list(open_benchmark(str(tiny)))


def test_a_source_that_is_not_text_is_refused(tiny: Path) -> None:
    (tiny / "bugs/sum/buggy/main.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UserError, match="is not UTF-8 text"):
        open_benchmark(str(tiny)).bug("sum")


def test_unknown_names_are_errors_that_help(tiny: Path) -> None:
    with pytest.raises(UserError, match="Did you mean 'starter'"):
        open_benchmark("startr")
    with pytest.raises(UserError, match="Did you mean 'shop'"):
        open_bug(f"{tiny}/shpo")
    with pytest.raises(UserError, match="BENCHMARK/BUG"):
        open_bug("shop")
    with pytest.raises(UserError, match="unknown bug"):
        open_benchmark(str(tiny)).select(("nothing*",))


def test_bugs_are_selected_by_pattern_and_limit(tiny: Path) -> None:
    benchmark = open_benchmark(str(tiny))
    assert [bug.id for bug in benchmark.select(("s*",), limit=1)] == ["shop"]
    assert [bug.id for bug in benchmark.select(("tiny/sum",))] == ["sum"]
    assert [bug.id for bug in benchmark] == ["shop", "sum"] and len(benchmark) == 2


def test_starter_has_bugs_of_each_language_and_all_labels() -> None:
    assert "starter" in benchmark_names() and (BUILT_IN / "starter").is_dir()
    bugs = list(open_benchmark("starter"))
    counts = Counter(bug.problem.language for bug in bugs)
    assert counts == {"python": 15, "java": 15, "c": 15, "cpp": 15, "javascript": 8, "go": 8}
    assert {bug.labels.location for bug in bugs} == {"line", "hunk", "function"}
    assert {bug.labels.state for bug in bugs} == {"redundant", "incorrect", "missing"}
    assert {bug.labels.element for bug in bugs} == {"token", "partial", "whole", "multi"}
    programs = [bug for bug in bugs if bug.oracle.cases]
    assert len(programs) == 32
    wanted = {"WRONG", "CRASH", "TIMEOUT", "OUT_OF_MEMORY", "OUTPUT_LIMIT", "PRESENTATION", "UNCOMPILABLE"}
    assert {str(bug.problem.submission_verdict) for bug in programs} == wanted
    assert sum(bug.oracle.build.sanitize for bug in bugs) >= 6


def test_no_problem_of_starter_shows_its_tests_or_fix() -> None:
    for bug in open_benchmark("starter"):
        seen = {file.path for file in bug.problem.context}
        assert not any(path.startswith(("tests/", "test/")) for path in seen), bug.id
