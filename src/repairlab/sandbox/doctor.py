"""What this machine offers for sandboxing and what is missing, each with a command that helps."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import HarnessError
from repairlab.core.execution import Command, Ending, Execution, Limits
from repairlab.core.record import record
from repairlab.sandbox.breakout import try_to_break_out
from repairlab.sandbox.bubblewrap import BubblewrapSandbox, find_bwrap
from repairlab.sandbox.cgroups import ControlGroups, find_control_groups
from repairlab.sandbox.container import ENGINES
from repairlab.sandbox.launcher import compile_launcher
from repairlab.sandbox.process import landlock_version
from repairlab.sandbox.sandbox import Sandbox
from repairlab.sandbox.table import SANDBOXES, TIERS


@record
class DoctorFinding:
    """One thing that was checked."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    """The command to run when it is not `ok`."""
    needed: bool = True
    """Whether something does not work without it."""


@record
class SandboxCheck:
    """A command that a sandbox must stop, and how to tell that it did."""

    name: str
    script: str
    held: Callable[[Execution], bool]
    limits: Limits = Limits(cpu_s=1, wall_s=20, memory_mb=64, disk_mb=8, output_mb=1)


TRIALS = (
    SandboxCheck(name="CPU limit", script="while :; do :; done", held=lambda seen: seen.ending is Ending.CPU_LIMIT),
    SandboxCheck(name="memory limit", script="tail /dev/zero", held=lambda seen: not seen.succeeded and seen.peak_mb < 256),
    SandboxCheck(name="output limit", script="yes", held=lambda seen: seen.ending is Ending.OUTPUT_LIMIT),
    SandboxCheck(name="disk limit", script='yes > "$TMPDIR/x"', held=lambda seen: not seen.succeeded),
)
UNSOUND = "do not run untrusted code on this machine; please report this"


def diagnose(cache: Path) -> tuple[DoctorFinding, ...]:
    """Check everything the sandbox needs, and let every back end test itself."""
    groups = find_control_groups()
    findings = [_user(), _container(), _compiler(cache), _bubblewrap_installed(), *_user_namespaces(), _landlock(), _cgroup(groups)]
    works: Sandbox | None = None
    for name in TIERS:
        tried, sandbox = _try_back_end(name, cache, groups)
        findings += tried
        works = works or sandbox
    for name in ENGINES:
        if shutil.which(name):
            tried, _ = _try_back_end(name, cache, groups)
            findings += tried if works is None or tried[0].ok else ()  # an engine is not missed if another back end works
    if works is not None and works.name.startswith(TIERS[0]):
        findings = [finding for finding in findings if finding.ok or finding.needed or finding.remedy == UNSOUND]
    if works is None:
        remedy = "see the remedies above; without isolation, at your own risk: --allow-unsafe"
        return (*findings, DoctorFinding(name="sandbox", ok=False, detail="none works", remedy=remedy))
    findings.append(DoctorFinding(name="sandbox", ok=True, detail=f"{works.name} is used"))
    with tempfile.TemporaryDirectory() as tree:
        return (*findings, *(_try(trial, works, Path(tree)) for trial in TRIALS))


def _try_back_end(name: str, cache: Path, groups: ControlGroups | None) -> tuple[list[DoctorFinding], Sandbox | None]:
    """Open a back end and try to break out of it; return it if it held."""
    try:
        sandbox = SANDBOXES[name](cache, groups=groups)
        trials = try_to_break_out(sandbox, cache)
    except HarnessError as error:
        return [DoctorFinding(name=name, ok=False, detail=f"does not work here: {error}", needed=False)], None
    form = f" ({sandbox.form})" if isinstance(sandbox, BubblewrapSandbox) else ""
    findings = [DoctorFinding(name=name, ok=True, detail=f"works{form}; tried to break out:")]
    for trial in trials:
        detail = f"does not hold: {trial.broken}" if trial.broken else "holds"
        findings.append(
            DoctorFinding(name=f"{name}: {trial.name}", ok=not trial.broken, detail=detail, remedy=UNSOUND, needed=False)
        )
    return findings, None if any(trial.broken for trial in trials) else sandbox


def _try(trial: SandboxCheck, sandbox: Sandbox, tree: Path) -> DoctorFinding:
    """Run one trial of the limits."""
    try:
        seen = sandbox.run(Command(argv=("sh", "-c", trial.script), limits=trial.limits), tree)
    except HarnessError as error:
        return DoctorFinding(name=trial.name, ok=False, detail=str(error))
    if trial.held(seen):
        return DoctorFinding(name=trial.name, ok=True, detail="holds")
    said = (seen.stdout + seen.stderr).decode(errors="replace").strip()[:500]
    return DoctorFinding(name=trial.name, ok=False, detail=f"does not hold: {seen.ending}, {said}", remedy=UNSOUND)


def _user() -> DoctorFinding:
    """Say whether this is root."""
    detail = "root; commands get an unprivileged user" if os.geteuid() == 0 else f"ordinary user {os.geteuid()}"
    return DoctorFinding(name="user", ok=True, detail=detail)


def _container() -> DoctorFinding:
    """Say whether this seems to be a container."""
    marks = [mark for mark in ("/.dockerenv", "/run/.containerenv") if Path(mark).exists()]
    return DoctorFinding(name="container", ok=True, detail=f"yes ({marks[0]})" if marks else "none noticed")


def _compiler(cache: Path) -> DoctorFinding:
    """Check that the launcher compiles."""
    try:
        return DoctorFinding(name="launcher", ok=True, detail=str(compile_launcher(cache)))
    except HarnessError as error:
        return DoctorFinding(name="launcher", ok=False, detail=str(error), remedy="apt install gcc libc6-dev")


def _bubblewrap_installed() -> DoctorFinding:
    """Check for the program and its version."""
    if shutil.which("bwrap") is None:
        return DoctorFinding(
            name="bubblewrap installed", ok=False, detail="not found", remedy="apt install bubblewrap", needed=False
        )
    version = subprocess.run([find_bwrap(), "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return DoctorFinding(name="bubblewrap installed", ok=True, detail=version)


def _user_namespaces() -> tuple[DoctorFinding, ...]:
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
        findings.append(DoctorFinding(name=name, ok=ok, detail=str(value), remedy=f"sysctl -w {name}={advice}", needed=False))
    return tuple(findings)


def _landlock() -> DoctorFinding:
    """Say which version of Landlock the kernel has."""
    version = landlock_version()
    detail = f"version {version}" if version else "this kernel has none, or has it switched off"
    return DoctorFinding(
        name="Landlock", ok=bool(version), detail=detail, remedy="add landlock to the kernel's lsm= list", needed=False
    )


def _cgroup(groups: ControlGroups | None) -> DoctorFinding:
    """Say whether control groups can be made; the sandbox can do without, since it measures processes itself."""
    detail = "a group for every slot" if groups else "none can be made here; the sandbox does without"
    return DoctorFinding(name="control groups", ok=True, detail=detail)
