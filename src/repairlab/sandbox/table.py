"""The table of sandboxes: back ends by name, and which one is right for this machine."""

from pathlib import Path
from typing import Protocol

from repairlab.core.errors import HarnessError, unknown
from repairlab.registry import Parts, lacking
from repairlab.sandbox.breakout import Proof, prove
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.cgroups import ControlGroups, find_control_groups
from repairlab.sandbox.failures import our_failure
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox


class SandboxOpener(Protocol):
    """What a sandbox of the table is: a function that opens it."""

    def __call__(self, cache: Path, *, groups: ControlGroups | None = None) -> Sandbox:
        """Return the sandbox, or raise HarnessError with the reason why it cannot work here."""
        ...


SANDBOXES: Parts[SandboxOpener] = Parts(
    "sandboxes",
    "sandbox",
    {
        "bubblewrap": "repairlab.sandbox.bubblewrap:BubblewrapSandbox.open",
        "landlock": "repairlab.sandbox.process:open_landlock",
        "podman": "repairlab.sandbox.container:open_podman",
        "docker": "repairlab.sandbox.container:open_docker",
    },
    about={
        "bubblewrap": "Namespaces of Linux by the program bwrap",
        "landlock": "Landlock of Linux, where namespaces are not to be had",
        "podman": "Containers of Podman",
        "docker": "Containers of Docker",
    },
    check=lacking(callable_too=True),
)
"""What isolates."""
TIERS = ("bubblewrap", "landlock")
"""What `auto` tries, best first; it takes the first that passes the self-test."""
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
    if wanted not in ("auto", "process") and wanted not in SANDBOXES:
        raise unknown("sandbox", name, ("auto", *SANDBOXES, "process"))
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
        sandbox = SANDBOXES[name](cache, groups=groups)
        prove(sandbox, cache)
        return sandbox
    with our_failure("cannot look for an earlier proof"):
        proof = Proof(name, cache)
        form = proof.recall()
    if form is not None:
        return BubblewrapSandbox(cache, **form, groups=groups) if name == "bubblewrap" else SANDBOXES[name](cache, groups=groups)
    with our_failure("cannot try the sandbox"):
        sandbox = SANDBOXES[name](cache, groups=groups)
        prove(sandbox, cache)
    with our_failure("cannot remember a proof"):
        proof.remember(sandbox.settings if isinstance(sandbox, BubblewrapSandbox) else {})
    return sandbox
