"""Remembers that a back end held against the self-test, until something that it depends on changes. table.py calls it."""

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

from repairlab.sandbox.launcher import compile_breakout, compile_launcher

SETTINGS = (
    "user/max_user_namespaces",
    "kernel/unprivileged_userns_clone",
    "kernel/apparmor_restrict_unprivileged_userns",
    "kernel/apparmor_restrict_unprivileged_unconfined",
    "kernel/yama/ptrace_scope",
    "kernel/random/boot_id",
)
"""Files below /proc/sys; the last one is another after each start of the machine."""
RIGHTS = ("Uid:", "Gid:", "Groups:", "NoNewPrivs:", "Seccomp", "Cap")
"""Lines of /proc/self/status."""


class Proof:
    """One back end's proof on this machine, for this user, in this place."""

    def __init__(self, name: str, cache: Path) -> None:
        digest = hashlib.sha256(json.dumps([name, *_circumstances(cache)]).encode()).hexdigest()[:32]
        self._file = cache / f"sandbox-{name}-{digest}.json"

    def recall(self) -> dict[str, bool] | None:
        """Return the form in which the back end held, or nothing when that has to be found out."""
        try:
            found = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def remember(self, form: dict[str, bool]) -> None:
        """Note that the back end held, in one stroke."""
        with tempfile.NamedTemporaryFile("w", dir=self._file.parent, delete=False) as aside:
            json.dump(form, aside)
        Path(aside.name).replace(self._file)


def _circumstances(cache: Path) -> list[str]:
    """Return what the outcome of the self-test can depend on: programs, kernel and its settings, rights, namespaces, places."""
    bwrap = shutil.which("bwrap")
    return [
        *(f"{program}: {_digest(program)}" for program in (compile_launcher(cache), compile_breakout(cache))),
        f"{bwrap}: {_digest(Path(bwrap)) if bwrap else ''}",
        *os.uname(),
        *(_read(Path("/proc/sys", name)) for name in SETTINGS),
        *(line for line in _read(Path("/proc/self/status")).splitlines() if line.startswith(RIGHTS)),
        *(os.readlink(path) for path in sorted(Path("/proc/self/ns").iterdir())),  # noqa: PTH115
        _read(Path("/proc/self/attr/current")),
        f"{tempfile.gettempdir()}: {Path(tempfile.gettempdir()).stat().st_dev}",
    ]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except (OSError, ValueError):
        return ""
