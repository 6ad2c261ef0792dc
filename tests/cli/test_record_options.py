"""Options that are made from settings records."""

import dataclasses
import inspect
from pathlib import Path
from typing import Annotated, Any

import pytest

from repairlab.api import MachineOptions
from repairlab.cli.main import run
from repairlab.cli.options import on_machine
from repairlab.cli.record_options import options_of, owner_of, repairer_options, values_for
from repairlab.core.errors import UserError
from repairlab.core.option import Option, settings_of
from repairlab.core.record import record
from repairlab.validation.machine import Machine


@record
class Example:
    depth: Annotated[int, Option("How deep.", short=("--deep", 9, "As deep as can be."))] = 3
    text: Annotated[str | None, Option("A text.", flag="--text-file", is_file=True)] = None
    words: Annotated[tuple[str, ...], "Words."] = ()
    quiet: Annotated[bool, "Say nothing."] = False
    careful: Annotated[bool, "Be careless."] = True
    table: Annotated[dict[str, int], "No option can say this."] = dataclasses.field(default_factory=dict)


OPTIONS = options_of("mine", "settings", Example, ("depth", "text", "words", "quiet", "careful", "table"))


def test_every_simple_field_becomes_an_option() -> None:
    assert [item.flag for item in OPTIONS] == ["--depth", "--text-file", "--words", "--quiet", "--no-careful"]


def test_values_are_those_of_the_fields(tmp_path: Path) -> None:
    (tmp_path / "t").write_text("long")
    given: dict[str, Any] = {"own_text_file": tmp_path / "t", "own_words": ["a", "b"], "own_quiet": True, "own_no_careful": True}
    assert values_for("mine", OPTIONS, given).settings == {"text": "long", "words": ("a", "b"), "quiet": True, "careful": False}
    assert values_for("mine", OPTIONS, {"own_depth": None, "own_words": [], "own_quiet": None}).settings == {}
    with pytest.raises(UserError, match=r"cannot read the text file"):
        values_for("mine", OPTIONS, {"own_text_file": tmp_path / "absent"})


def test_options_of_repairers_know_their_owner_and_imply_it() -> None:
    options = repairer_options()
    assert owner_of(options, {"own_model": "a/b", "own_offline": True}) == "llm"
    assert owner_of(options, {}) is None
    assert values_for("llm", options, {"own_greedy": True}).settings == {"temperature": 0.0}
    assert values_for("llm", options, {"own_offline": True}).access == {"offline": True}
    with pytest.raises(UserError, match=r"--greedy is another way to set temperature, but --temperature is 0.5"):
        values_for("llm", options, {"own_greedy": True, "own_temperature": 0.5})
    with pytest.raises(UserError, match=r"--model is an option of --repairer llm or command or neural, not of copy"):
        values_for("copy", options, {"own_model": "a/b"})


def test_an_option_that_the_verb_has_itself_gets_the_name_of_the_repairer() -> None:
    assert "--llm-model" in [item.flag for item in repairer_options({"--model"})]


def test_help_lists_options_by_repairer(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["run", "--help-all"]) == 0
    text = capsys.readouterr().out
    assert text.index("--model") < text.index("--config") < text.index("Verdicts:") < text.index("--confirm")
    assert text.index("--confirm") < text.index("Options of llm:") < text.index("--temperature")
    assert "--experiment" not in text


def test_a_file_serves_several_repairers_and_options_override_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "e.toml"
    file.write_text('benchmark = "starter"\nrepairer = "copy"\nlimit = 1\n[llm]\nmodel = "nobody/x"\n[access]\nretries = -1\n')
    assert run(["run", "--config", str(file), "--to", str(tmp_path / "r")]) == 2
    assert "unknown setting 'retries'" in capsys.readouterr().err
    assert run(["run", "--experiment", str(file), "--repairer", "llm", "--to", str(tmp_path / "r")]) == 2
    assert "--retries is -1" in capsys.readouterr().err
    assert (
        run(
            [
                "run",
                "--config",
                str(file),
                "--model",
                "nobody/y",
                "--repairer",
                "llm",
                "--retries",
                "1",
                "--to",
                str(tmp_path / "r"),
            ]
        )
        == 2
    )
    assert "nobody" in capsys.readouterr().err


@pytest.mark.parametrize(("text", "expected"), [("7", 7), ("seven", None)])
def test_a_number_of_an_option_that_another_repairer_has_as_text_is_read(text: str, expected: int | None) -> None:
    if expected is None:
        with pytest.raises(UserError, match="--depth is 'seven', but it must be a whole number"):
            values_for("mine", OPTIONS, {"own_depth": text})
    else:
        assert values_for("mine", OPTIONS, {"own_depth": text}).settings == {"depth": expected}


def test_a_verb_gets_the_machine_that_its_options_describe() -> None:
    seen: list[Machine] = []

    @on_machine("workers", "isolation", "use_verdicts", recheck=0)
    def verb(name: str = "", *, here: Machine) -> None:
        seen.append(here)

    assert list(inspect.signature(verb).parameters) == ["name", "own_workers", "own_isolation", "own_no_cache", "own_recheck"]
    verb(name="a")
    verb(own_workers=3, own_isolation="process", own_no_cache=True, own_recheck=5)
    assert [(here.recheck, here.isolation, here.use_verdicts) for here in seen] == [(0, "warm", True), (5, "process", False)]
    assert seen[1].workers == 3
    with pytest.raises(UserError, match="Did you mean 'process'"):
        verb(own_isolation="proces")


def test_the_api_takes_what_the_command_line_takes() -> None:
    settings = {setting.name for setting in settings_of(Machine) if setting.option.help}
    assert {*MachineOptions.__annotations__, "executor", "keep_going", "accept_changes", "use_verdicts"} == {
        *settings,
        "access",
        "cache",
    }
