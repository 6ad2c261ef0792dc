"""Wording that STYLE asks us to avoid does not grow: documentation and docstrings stay within the counts of scripts/prose.json."""

import subprocess
import sys

from scripts.prose import BOUNDS, ROOT


def test_avoided_wording_does_not_grow() -> None:
    checked = subprocess.run(
        [sys.executable, ROOT / "scripts" / "prose.py", "--check"], capture_output=True, text=True, check=False
    )
    assert checked.returncode == 0, f"above {BOUNDS.name}; see scripts/prose.py --list:\n{checked.stdout}{checked.stderr}"
