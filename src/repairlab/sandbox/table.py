"""The table of sandboxes: back ends by name, and which one is right for this machine; the command line calls it."""

from collections.abc import Callable
from pathlib import Path

from repairlab.core.errors import HarnessError, unknown
from repairlab.sandbox.breakout import prove
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.cgroups import ControlGroups, find_control_groups
from repairlab.sandbox.container import ContainerSandbox
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.landlock import open_landlock
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.proof import Proof
from repairlab.sandbox.sandbox import Sandbox

Opener = Callable[[Path, ControlGroups | None], Sandbox]

ISOLATING: dict[str, Opener] = {
    "bubblewrap": lambda cache, groups: BubblewrapSandbox.open(cache, groups=groups),
    "landlock": lambda cache, groups: open_landlock(cache, groups=groups),
    "podman": lambda cache, _: ContainerSandbox.open("podman", cache),
    "docker": lambda cache, _: ContainerSandbox.open("docker", cache),
}
"""What isolates."""
TIERS = ("bubblewrap", "landlock")
"""What `auto` tries, best first; it takes the first that passes the self-test."""
SANDBOXES = ("auto", *ISOLATING, "process")
NEXT_STEPS = """\
What helps, by the cause:
  not installed            apt install bubblewrap
  Ubuntu 24.04 and later   sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
  older Debian             sysctl -w kernel.unprivileged_userns_clone=1
  none allowed             sysctl -w user.max_user_namespaces=15000
  Docker or Podman         run --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or --privileged
`repairlab doctor` says which it is. Without isolation, at your own risk: --allow-unsafe"""


def open_sandbox(name: str = "auto", *, cache: Path, allow_unsafe: bool = False) -> Sandbox:
    """Return a back end that nothing could break out of on this machine since it was started.

    `auto` means the best one that works, or limits alone when that risk was accepted.
    """
    wanted = name.removesuffix("+cgroup")
    if wanted not in SANDBOXES:
        raise unknown("sandbox", name, SANDBOXES)
    groups = find_control_groups()
    if wanted == "process":
        return ProcessSandbox(cache, allow_unsafe=allow_unsafe, groups=groups)
    reasons = []
    for candidate in TIERS if wanted == "auto" else (wanted,):
        try:
            return open_proven(candidate, cache=cache, groups=groups)
        except HarnessError as error:
            reasons.append(f"{candidate}: {error}")
    if wanted == "auto" and allow_unsafe:
        return ProcessSandbox(cache, allow_unsafe=True, groups=groups)
    if wanted not in TIERS and wanted != "auto":
        raise HarnessError(f"this sandbox does not work here: {reasons[0]}")
    lines = "\n".join(reasons)
    raise HarnessError(f"no sandbox works on this machine.\n{lines}\n{NEXT_STEPS}")


def open_proven(name: str, *, cache: Path, groups: ControlGroups | None) -> Sandbox:
    """Open one back end that isolates and have it prove itself, unless it did before; raises HarnessError when it does not work.

    Containers prove themselves each time: what they depend on is their engine's, and out of our sight.
    """
    if name not in TIERS:
        sandbox = ISOLATING[name](cache, groups)
        prove(sandbox, cache)
        return sandbox
    with our_failure("cannot look for an earlier proof"):
        proof = Proof(name, cache)
        form = proof.recall()
    if form is not None:
        return BubblewrapSandbox(cache, **form, groups=groups) if name == "bubblewrap" else ISOLATING[name](cache, groups)
    with our_failure("cannot try the sandbox"):
        sandbox = ISOLATING[name](cache, groups)
        prove(sandbox, cache)
    with our_failure("cannot remember a proof"):
        proof.remember(sandbox.settings if isinstance(sandbox, BubblewrapSandbox) else {})
    return sandbox
