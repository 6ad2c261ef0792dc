"""Try a part of any kind against what its kind promises; for `doctor --try` and tests of all parts."""

import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.cli.contracts.check import Check, SelfTestContext
from repairlab.core.errors import UserError, unknown
from repairlab.registry import KINDS, load, parts_of
from repairlab.validation.machine import Machine

CHECKS = {
    "languages": "repairlab.cli.contracts.language:checks",
    "sandboxes": "repairlab.cli.contracts.sandbox:checks",
    "importers": "repairlab.cli.contracts.importer:checks",
    "formats": "repairlab.cli.contracts.format:checks",
    "repairers": "repairlab.cli.contracts.repairer:checks",
    "strategies": "repairlab.cli.contracts.strategy:checks",
    "metrics": "repairlab.cli.contracts.metric:checks",
    "representations": "repairlab.cli.contracts.representation:checks",
    "tables": "repairlab.cli.contracts.table:checks",
}
"""Kind → its checks; loaded when a part of the kind is tried."""


def find_part(text: str) -> tuple[str, str]:
    """Return kind and name of a part given as KIND/NAME, or as NAME where only one kind has it."""
    kind, slash, name = text.partition("/")
    if slash and kind in KINDS:
        parts = parts_of(kind)
        if name not in parts:
            raise unknown(parts.noun, name, parts)
        return kind, name
    found = [kind for kind in KINDS if text in parts_of(kind)]
    if not found:
        raise unknown("part", text, {name for kind in KINDS for name in parts_of(kind)})
    if len(found) > 1:
        raise UserError(f"there are several parts of the name {text}: write one of {', '.join(f'{kind}/{text}' for kind in found)}")
    return found[0], text


def run_selftest(
    kind: str, name: str, machine: Machine, *, settings: Mapping[str, Any] | None = None, sources: tuple[Path, ...] = ()
) -> Iterator[Check]:
    """Try one part; its checks come one after the other."""
    parts_of(kind)[name]  # that it does not load is said here
    with tempfile.TemporaryDirectory(prefix="repairlab-", ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o755)  # commands of a sandbox run as other users
        context = SelfTestContext(machine=machine, folder=Path(folder), settings=settings or {}, sources=sources)
        yield from load(CHECKS[kind])(name, context)
