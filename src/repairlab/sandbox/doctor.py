"""What this machine offers for sandboxing and what is missing, each with the command that helps; `repairlab doctor` prints it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.record import record
from repairlab.sandbox.bubblewrap import BubblewrapSandbox, find_bwrap
from repairlab.sandbox.launcher import compile_launcher
from repairlab.sandbox.sandbox import Sandbox


@record
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    """The command to run when it is not `ok`."""


@record
class Trial:
    """A command that must not get its way in a sandbox, and how to tell."""

    name: str
    script: str
    held: Callable[[Execution], bool]
    limits: Limits = Limits(cpu_s=1, wall_s=20, memory_mb=64, disk_mb=8, output_mb=1)


TRIALS = (
    Trial(name="no network", script="cat /proc/net/dev", held=lambda seen: seen.succeeded and seen.stdout.count(b":") == 1),
    Trial(name="files of the host hidden", script="ls -A /root /etc/shadow /var /boot", held=lambda seen: not seen.stdout),
    Trial(name="processes of the host hidden", script="ls -d /proc/[0-9]*", held=lambda seen: 0 < len(seen.stdout.split()) < 5),
    Trial(name="tool chain read-only", script="echo > /usr/x || echo > /etc/x || echo > x", held=lambda seen: not seen.succeeded),
    Trial(name="no rights", script="id -u; grep CapEff /proc/self/status", held=lambda seen: _without_rights(seen.stdout.split())),
    Trial(
        name="system calls filtered", script="grep Seccomp: /proc/self/status", held=lambda seen: seen.stdout.split()[-1:] == [b"2"]
    ),
    Trial(name="CPU limit", script="while :; do :; done", held=lambda seen: seen.ending is Ending.CPU_LIMIT),
    Trial(name="memory limit", script="tail /dev/zero", held=lambda seen: not seen.succeeded and seen.peak_mb < 256),
    Trial(name="output limit", script="yes", held=lambda seen: seen.ending is Ending.OUTPUT_LIMIT),
    Trial(name="disk limit", script="yes > /tmp/x", held=lambda seen: not seen.succeeded),
)


def diagnose(cache: Path) -> tuple[Finding, ...]:
    """Look at everything the sandbox needs, and run a self-test of its isolation and limits."""
    findings = [_user(), _container(), _compiler(cache), _bubblewrap_installed(), *_user_namespaces(), _cgroup()]
    try:
        sandbox = BubblewrapSandbox.open(cache)
    except HarnessError as error:
        remedy = "see the remedies above; without isolation, at your own risk: --allow-unsafe"
        return (*findings, Finding(name="bubblewrap works", ok=False, detail=str(error), remedy=remedy))
    findings.append(Finding(name="bubblewrap works", ok=True, detail=sandbox.form))
    with tempfile.TemporaryDirectory() as tree:
        return (*findings, *(_try(trial, sandbox, Path(tree)) for trial in TRIALS))


def _try(trial: Trial, sandbox: Sandbox, tree: Path) -> Finding:
    """Run one trial of the self-test."""
    try:
        seen = sandbox.run(Command(argv=("sh", "-c", trial.script), limits=trial.limits), tree)
    except HarnessError as error:
        return Finding(name=trial.name, ok=False, detail=str(error))
    if trial.held(seen):
        return Finding(name=trial.name, ok=True, detail="holds")
    said = (seen.stdout + seen.stderr).decode(errors="replace").strip()[:500]
    remedy = "do not run untrusted code on this machine; please report this"
    return Finding(name=trial.name, ok=False, detail=f"does not hold: {seen.ending}, {said}", remedy=remedy)


def _without_rights(words: list[bytes]) -> bool:
    """Return whether the output of `id -u` and the CapEff line are those of an ordinary user."""
    return len(words) == 3 and words[0] != b"0" and int(words[2], 16) == 0


def _user() -> Finding:
    """Say whether this is root."""
    detail = "root; commands get an unprivileged user" if os.geteuid() == 0 else f"ordinary user {os.geteuid()}"
    return Finding(name="user", ok=True, detail=detail)


def _container() -> Finding:
    """Say whether this is a container, as far as one can tell."""
    marks = [mark for mark in ("/.dockerenv", "/run/.containerenv") if Path(mark).exists()]
    return Finding(name="container", ok=True, detail=f"yes ({marks[0]})" if marks else "none noticed")


def _compiler(cache: Path) -> Finding:
    """Check that the launcher compiles."""
    try:
        return Finding(name="launcher", ok=True, detail=str(compile_launcher(cache)))
    except HarnessError as error:
        return Finding(name="launcher", ok=False, detail=str(error), remedy="apt install gcc libc6-dev")


def _bubblewrap_installed() -> Finding:
    """Check for the program and its version."""
    if shutil.which("bwrap") is None:
        return Finding(name="bubblewrap installed", ok=False, detail="not found", remedy="apt install bubblewrap")
    version = subprocess.run([find_bwrap(), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return Finding(name="bubblewrap installed", ok=True, detail=version)


def _user_namespaces() -> tuple[Finding, ...]:
    """Check the three settings that can forbid user namespaces; root does not need them."""
    wanted = {
        "user.max_user_namespaces": 15000,
        "kernel.unprivileged_userns_clone": 1,
        "kernel.apparmor_restrict_unprivileged_userns": 0,
    }
    findings = []
    for name, advice in wanted.items():
        path = Path("/proc/sys", *name.split("."))
        try:
            value = int(path.read_text())
        except (OSError, ValueError):
            continue  # this kernel has no such setting
        ok = bool(value) == bool(advice) or os.geteuid() == 0
        findings.append(Finding(name=name, ok=ok, detail=str(value), remedy="" if ok else f"sysctl -w {name}={advice}"))
    return tuple(findings)


def _cgroup() -> Finding:
    """Say which control groups there are; the sandbox measures processes by itself and needs none."""
    version = "version 2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "version 1 or none"
    return Finding(name="control groups", ok=True, detail=f"{version}; not needed")
