"""Commands of Defects4J and others, typed by habit: each works or names the command that does the same."""

from pathlib import Path

import pytest

from repairlab.cli.main import run

POINTED = [
    ("checkout -p Lang -v 1b -w /tmp/lang_1", "Write: repairlab work checkout BENCHMARK/Lang-1 /tmp/lang_1"),
    ("checkout -p Lang -v 1f -w w", "Write: repairlab work checkout BENCHMARK/Lang-1 w --fixed"),
    ("checkout -pLang -v1b -ww", "Write: repairlab work checkout BENCHMARK/Lang-1 w"),
    ("checkout -p Lang", "Write: repairlab work checkout BENCHMARK/Lang-NUMBER FOLDER"),
    ("work checkout -p Lang -v 1b -w w", "Write: repairlab work checkout BENCHMARK/Lang-1 w"),
    ("work checkout starter/go-x -w w1", "Write: repairlab work checkout starter/go-x w1\n"),
    ("work checkout -w w1 --fixed starter/go-x", "Write: repairlab work checkout starter/go-x w1 --fixed\n"),
    ("info -p Lang -b 1", "Write: repairlab list BENCHMARK/Lang-1"),
    ("info -p Lang", "Write: repairlab list BENCHMARK/Lang-NUMBER"),
    ("pids", "repairlab list BENCHMARK -i 'Lang-*'"),
    ("bids -p Lang", "repairlab list BENCHMARK -i 'PROJECT-*'"),
    ("work pids", "there is no verb 'work pids'. `repairlab list` lists the benchmarks"),
    ("work bids -p Lang", "repairlab list BENCHMARK -i 'PROJECT-*'"),
    ("work info -p Lang -b 1", "Write: repairlab list BENCHMARK/Lang-1"),
    ("work info", "there is no verb 'work info'. `repairlab list` describes a bug: repairlab list --about BENCHMARK/BUG"),
    ("work info starter/go-x", "repairlab list --about starter/go-x\n"),
    ("query -p Lang -q bug.id", "repairlab list BENCHMARK --json"),
    ("env", "repairlab doctor"),
    ("evaluate", "repairlab validate BENCHMARK FILE"),
    ("tset w", "unknown verb 'tset'. Did you mean 'test'?"),
]


@pytest.mark.parametrize(("command", "expected"), POINTED)
def test_a_command_of_another_tool_names_ours(command: str, expected: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(command.split()) == 2
    said = capsys.readouterr().err
    assert expected in said and said.count("\n") == 1


@pytest.mark.parametrize("verb", ["work compile", "work test", "work export -p path"])
def test_the_working_copy_may_be_named_without_an_option(
    verb: str, tiny: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["work", "checkout", f"{tiny}/sum", str(tmp_path / "w1")]) == 0
    before = run([*verb.split(), "-w", str(tmp_path / "w1")]), capsys.readouterr().out
    assert (run([*verb.split(), str(tmp_path / "w1")]), capsys.readouterr().out) == before


@pytest.mark.parametrize(
    ("option", "ours"), [("--bug", "--include"), ("--instance_ids", "--include"), ("--output-dir", "--to"), ("--jobs", "--workers")]
)
def test_options_of_other_tools_are_answered_with_ours(option: str, ours: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "starter", option, "x"]) == 2
    assert f"(Possible options: {ours})" in capsys.readouterr().err
