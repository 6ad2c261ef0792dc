"""What verbs say of input that is wrong or incomplete."""

import json
from pathlib import Path

import pytest

from repairlab.cli.main import run


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["list", "starter", "-i", "foo*", "-i", "bar*"], "unknown bug of starter 'foo*', 'bar*'. Known: "),
        (["list", "starter", "-i", "python-version-ordr"], "ordr'. Did you mean 'python-version-order'? Known: "),
        (["list", "starter", "-i", "x"], " more: repairlab list BENCHMARK\n"),
        (
            ["mine", ".", "--to", "new", "--since", "blahblah"],
            "--since is 'blahblah', which is not a date: write a day such as 2020",
        ),
        (["mine", ".", "--to", "new", "--until", "2020-13-01"], "--until is '2020-13-01', which is not a date"),
        (["mine", ".", "--to", "new", "--since", "last year"], "--since is 'last year', which is not a date"),
        (["mine", ".", "--to", "new", "--since", "2021-01-01", "--until", "2020-01-01"], "is not before --until 2020-01-01"),
        (["validate", __file__, "starter"], "is a file: the benchmark comes first, as in repairlab validate starter "),
        (["publish", __file__], ".py, add BENCHMARK, which the candidates are for, --format NAME, --to PATH; "),
        (["publish", __file__, "starter", "--to", "y"], ".py, add --format NAME; "),
        (
            ["publish", "x.jsonl", "--to", "y", "--format", "repairlab"],
            "to convert x.jsonl, add BENCHMARK, which the candidates are for; ",
        ),
    ],
)
def test_a_message_says_what_is_wrong_and_what_to_do(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(arguments) == 2
    assert expected in capsys.readouterr().err


def test_publish_takes_the_benchmark_from_the_run(tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_folder = str(tmp_path / "run")
    assert run(["run", str(tiny), "--repairer", "copy", "-n", "1", "-i", "sum", "--to", run_folder]) == 0
    for verb in ("publish", "convert"):  # its name of the last release
        assert run([verb, run_folder, "--format", "repairlab", "--to", str(tmp_path / f"{verb}.jsonl")]) == 0
        assert "1 candidate read" in capsys.readouterr().out


def test_names_that_no_line_has_are_not_listed_again_and_again(
    tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [json.dumps({"bug": name, "file": "x"}) for name in ("sum", "sun", "zzz")]
    (tmp_path / "candidates.jsonl").write_text("\n".join(lines))
    assert (
        run(["publish", str(tmp_path / "candidates.jsonl"), str(tiny), "--format", "repairlab", "--to", str(tmp_path / "out")]) == 0
    )
    said = capsys.readouterr().err
    assert "line 2: unknown bug of tiny 'sun'" in said and said.count("did you mean 'sum'") <= 1 and "Known" not in said


def test_fixes_that_cannot_be_smaller_make_no_table(tiny: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["minimise", str(tiny)]) == 0
    assert "No fix can be made smaller" in capsys.readouterr().out
