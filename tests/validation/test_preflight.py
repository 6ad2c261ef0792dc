import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.recipe import Build
from repairlab.languages import host
from repairlab.sandbox.sandbox import FakeSandbox, exited
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import FOLDER, GREETING, check_tools, missing_tools


def test_what_works_is_remembered(tiny: Path, own_cache: Path, machine: Machine) -> None:
    here = dataclasses.replace(machine, cache=own_cache)
    bugs = list(open_benchmark(str(tiny)))
    check_tools(bugs, here)
    marks = {path: path.stat().st_mtime_ns for path in (here.cache / FOLDER).iterdir()}
    check_tools(bugs, here)
    assert marks and {path: path.stat().st_mtime_ns for path in (here.cache / FOLDER).iterdir()} == marks


def test_a_tool_that_does_not_start_in_the_sandbox_is_named_and_tried_again(tiny: Path, own_cache: Path, machine: Machine) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    bug = dataclasses.replace(bug, oracle=dataclasses.replace(bug.oracle, build=Build(tool="cmake")))
    here = dataclasses.replace(machine, cache=own_cache)
    broken = FakeSandbox(lambda command: exited(127, stderr=b"no libuv") if command.argv[0] == "cmake" else exited(stdout=GREETING))
    for _ in range(2):
        with pytest.raises(HarnessError, match=r"cmake does not work in the sandbox .*cmake --version.*127: no libuv"):
            check_tools([bug], here, sandbox=broken)
    check_tools([bug], here, sandbox=FakeSandbox(lambda command: exited(stdout=GREETING)))


def test_a_language_whose_programs_do_not_run_is_named(tiny: Path, own_cache: Path, machine: Machine) -> None:
    here = dataclasses.replace(machine, cache=own_cache)
    with pytest.raises(HarnessError, match="python does not work in the sandbox"):
        check_tools(list(open_benchmark(str(tiny))), here, sandbox=FakeSandbox(lambda command: exited(1)))


def test_an_environment_is_asked_of_a_language_that_has_some(tiny: Path, own_cache: Path, machine: Machine) -> None:
    bug = open_benchmark(str(tiny)).bug("sum")
    build = dataclasses.replace(bug.oracle.build, environment="libs")
    for language, message in (("go", "build.environment is 'libs', but go has no environments"), ("python", "libs.txt")):
        problem = dataclasses.replace(bug.problem, language=language)
        other = dataclasses.replace(bug, problem=problem, oracle=dataclasses.replace(bug.oracle, build=build))
        with pytest.raises(UserError, match=message):
            check_tools([other], dataclasses.replace(machine, cache=own_cache))


def test_missing_tools_are_told_by_their_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_tools("python") == ""
    monkeypatch.setattr(host, "SANDBOX_PATH", "/nowhere")
    host.is_installed.cache_clear()
    try:
        assert "go is not installed in /nowhere" in missing_tools("go")
    finally:
        host.is_installed.cache_clear()


def test_a_machine_that_does_not_say_when_it_started_is_tried_as_any_other(
    tiny: Path, own_cache: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = Path.read_text

    def without(path: Path, encoding: str | None = None) -> str:
        if path.name == "boot_id":
            raise FileNotFoundError(path)
        return read(path, encoding)

    monkeypatch.setattr(Path, "read_text", without)
    here = dataclasses.replace(machine, cache=own_cache)
    check_tools(list(open_benchmark(str(tiny))), here, sandbox=FakeSandbox(lambda _: exited(stdout=GREETING)))
    assert any((own_cache / FOLDER).iterdir())
