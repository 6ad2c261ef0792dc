"""What an interpreter says of itself."""

import sys
from pathlib import Path

import pytest

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
