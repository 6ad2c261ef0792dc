"""Verbs that need optional packages, without these."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; sys.modules[sys.argv.pop(1)] = None; from repairlab.cli.main import main; main()"
"""Runs the command line as if the package that is named first were not installed."""


def without(package: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", PROGRAM, package, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)


@pytest.mark.parametrize("package", ["fastapi", "uvicorn"])
@pytest.mark.parametrize("verb", ["view", "serve"])
def test_a_verb_without_its_extra_says_the_one_command_that_adds_it(verb: str, package: str) -> None:
    done = without(package, verb, "starter")
    assert done.returncode == 2 and done.stdout == ""
    assert f"repairlab {verb} needs {package}" in done.stderr
    assert done.stderr.endswith(f"get them with: {sys.executable} -m pip install 'repairlab[web]'\n")


def test_an_environment_without_pip_is_told_of_uv() -> None:
    program = "import sys; sys.modules['pip'] = None; from repairlab.core.installation import adding; print(adding('web'))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == f"uv pip install --python {sys.executable} 'repairlab[web]'\n"


def test_make_install_adds_what_view_and_serve_need() -> None:
    assert "-e '.[dev,web]'\n\t@touch $@" in Path(__file__).parents[2].joinpath("Makefile").read_text(encoding="utf-8")
