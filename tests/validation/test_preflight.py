import dataclasses
from pathlib import Path

import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.errors import HarnessError
from repairlab.core.recipe import Build
from repairlab.sandbox.fake import FakeSandbox, exited
from repairlab.validation.doctor import GREETING
from repairlab.validation.machine import Machine
from repairlab.validation.preflight import FOLDER, check_tools


def test_what_works_is_remembered(tiny: Path, own_cache: Path, machine: Machine) -> None:
    here = dataclasses.replace(machine, cache=own_cache)
    bugs = open_benchmark(str(tiny)).bugs
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
        check_tools(open_benchmark(str(tiny)).bugs, here, sandbox=FakeSandbox(lambda command: exited(1)))
