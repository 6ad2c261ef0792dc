"""The container file installs what the tool needs, and copies what it says."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CONTAINER = (ROOT / "Containerfile").read_text(encoding="utf-8")


def test_every_system_package_is_in_the_image() -> None:
    script = (ROOT / "scripts" / "system-packages").read_text(encoding="utf-8")
    needed = set(re.findall(r"^need (\S+)", script, re.MULTILINE))
    assert len(needed) > 10
    assert needed <= set(re.findall(r"[\w.+-]+", CONTAINER))


def test_what_is_copied_is_there_and_not_ignored() -> None:
    copied = [name for line in re.findall(r"^COPY (.*)$", CONTAINER, re.MULTILINE) for name in line.split()[:-1]]
    kept = {line[1:] for line in (ROOT / ".containerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    assert set(copied) == kept
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_runs_as_an_ordinary_user() -> None:
    assert re.findall(r"^USER (\S+)", CONTAINER, re.MULTILINE) == ["repairlab"]
