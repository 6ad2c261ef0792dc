"""What an interpreter says of itself."""

import sys
from pathlib import Path

import pytest

from repairlab.languages.python import interpreters
from repairlab.languages.python.interpreters import ask


def test_the_running_interpreter_is_known_without_being_started_and_says_what_it_would_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    by_another_name = tmp_path / "python3"
    by_another_name.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    by_another_name.chmod(0o755)
    started = ask(str(by_another_name))
    ask.cache_clear()
    monkeypatch.setattr("subprocess.run", None)
    assert ask(sys.executable) == started


@pytest.mark.parametrize("name", interpreters._PACKAGES)
def test_a_package_of_the_callers_folder_never_takes_the_place_of_pytests(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = interpreters._package(name)
    (tmp_path / name).mkdir()
    (tmp_path / name / "__init__.py").write_text("raise RuntimeError('the package of a user')")
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('the module of a user')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert interpreters._package(name) == before
