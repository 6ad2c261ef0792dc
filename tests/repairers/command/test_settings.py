"""What the repairer `command` can be set to, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from repairlab.cli.main import run
from repairlab.core.errors import UserError
from repairlab.core.option import settings_of
from repairlab.repairers.command.preset import mounts_of, preset, presets
from repairlab.repairers.command.settings import CommandSettings, addresses


def settings(**values: Any) -> CommandSettings:
    return CommandSettings(**{"command": "true", **values})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"command": "  "}, "--command"),
        ({"wall_s": 0}, r"--call-timeout \(setting command.wall_s\) is 0"),
        ({"calls": -1}, r"--calls \(setting command.calls\) is -1"),
        ({"token_limit": 5}, "--model"),
        ({"token_limit": -5, "model": "llamacpp/x"}, "0 or more"),
        ({"base_url": "http://localhost:1/v1"}, "--model"),
        ({"env": ("A",)}, "NAME=VALUE"),
        ({"env": ("1A=b",)}, "NAME=VALUE"),
        ({"addresses": ("localhost",)}, "HOST:PORT"),
        ({"addresses": ("localhost:99999",)}, "HOST:PORT"),
        ({"addresses": ("a:9000", "b:9000")}, "same port 9000"),
    ],
)
def test_what_cannot_work_says_why(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        settings(**values).check()


def test_addresses_have_ports_that_programs_may_use() -> None:
    found = addresses(settings(addresses=("localhost:9000", "[::1]:443")))
    assert [(item.host, item.port, item.inside) for item in found] == [("localhost", 9000, 9000), ("::1", 443, 8443)]


def test_every_setting_has_a_help_text() -> None:
    for setting in settings_of(CommandSettings):
        assert setting.option.help.endswith((".", "]"))


def test_a_workspace_gives_one_candidate_for_each_start() -> None:
    assert settings().n_calls(7) == 7
    assert settings(candidates_from="stdout", calls=2).n_calls(7) == 2


def test_presets_want_a_program(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--program"):
        preset("script", None)
    with pytest.raises(UserError, match="no file"):
        preset("script", tmp_path / "none")
    with pytest.raises(UserError, match="Did you mean 'mini-swe-agent'"):
        preset("mini-swe-agnet", tmp_path)


def test_every_preset_makes_settings_that_are_allowed(tmp_path: Path) -> None:
    for name in presets():
        environment = tmp_path / name
        (environment / "bin").mkdir(parents=True)
        (environment / "pyvenv.cfg").touch()
        for program in ("python", "tool.jar"):
            (environment / "bin" / program).touch()
        made = CommandSettings(preset=name, program=str(environment / "bin" / "tool.jar")).resolved()
        made.check()
        assert made.preset == name
        assert any(str(tmp_path) in mount for mount in made.mounts)


def test_a_jar_is_started_by_java_and_prints_its_candidates(tmp_path: Path) -> None:
    (tmp_path / "apr tool.jar").touch()
    made = preset("diffs", tmp_path / "apr tool.jar")
    assert made.command == f"java -jar '{tmp_path}/apr tool.jar' ."
    assert made.candidates_from == "stdout"


def test_an_agent_is_found_on_the_search_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="npm install node@22 @openai/codex"):
        preset("codex", None)
    (tmp_path / "codex").write_text("#!/bin/sh\n")
    (tmp_path / "codex").chmod(0o755)
    assert f"{tmp_path}/codex exec" in preset("codex", None).command


def test_a_program_of_npm_comes_with_all_that_is_installed_beside_it(tmp_path: Path) -> None:
    local, everywhere = tmp_path / "here/node_modules", tmp_path / "node/lib/node_modules"
    for folder, bin_folder in ((local, local / ".bin"), (everywhere, tmp_path / "node/bin")):
        (folder / "agent").mkdir(parents=True)
        (folder / "agent/cli.js").touch()
        bin_folder.mkdir()
        (bin_folder / "agent").symlink_to(folder / "agent/cli.js")
    assert mounts_of(local / ".bin/agent") == (str(local),)
    assert mounts_of(tmp_path / "node/bin/agent") == (str(tmp_path / "node"),)


def test_doctor_says_which_agents_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, script in (("codex", "echo codex-cli 1.2.3"), ("opencode", "exit 1")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert run(["doctor", "--agents", "--json"]) == 0
    found = {item["name"]: item for item in json.loads(capsys.readouterr().out)}
    assert set(found) == {name for name, preset in presets().items() if preset.is_agent}
    assert found["codex"]["detail"] == f"{tmp_path}/codex, codex-cli 1.2.3"
    assert "does not say its version" in found["opencode"]["detail"] and found["opencode"]["ok"]
    assert not found["aider"]["ok"] and "pip install" in found["aider"]["remedy"]
