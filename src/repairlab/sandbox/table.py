"""The table of sandboxes: back ends by name, and which one is right for this machine; the command line calls it."""

from pathlib import Path

from repairlab.core.errors import HarnessError, unknown
from repairlab.sandbox.bubblewrap import BubblewrapSandbox
from repairlab.sandbox.process import ProcessSandbox
from repairlab.sandbox.sandbox import Sandbox

SANDBOXES = ("auto", "bubblewrap", "process")
NEXT_STEPS = """\
What helps, by the cause:
  not installed            apt install bubblewrap
  Ubuntu 24.04 and later   sysctl -w kernel.apparmor_restrict_unprivileged_userns=0
  older Debian             sysctl -w kernel.unprivileged_userns_clone=1
  none allowed             sysctl -w user.max_user_namespaces=15000
  Docker or Podman         run --security-opt seccomp=unconfined --security-opt systempaths=unconfined, or --privileged
`repairlab doctor` says which it is. Without isolation, at your own risk: --allow-unsafe"""


def open_sandbox(name: str = "auto", *, cache: Path, allow_unsafe: bool = False) -> Sandbox:
    """Return a back end that works on this machine; `auto` means bubblewrap, or limits alone when that risk was accepted."""
    if name not in SANDBOXES:
        raise unknown("sandbox", name, SANDBOXES)
    if name == "process":
        return ProcessSandbox(cache, allow_unsafe=allow_unsafe)
    try:
        return BubblewrapSandbox.open(cache)
    except HarnessError as error:
        if name == "auto" and allow_unsafe:
            return ProcessSandbox(cache, allow_unsafe=True)
        raise HarnessError(f"no sandbox works on this machine: {error}\n{NEXT_STEPS}") from None
