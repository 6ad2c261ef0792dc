"""Write a benchmark in repairlab's own form (docs/reference/benchmark-format.md), which appears once it is complete."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import SCHEMA_VERSION


def write_head(folder: Path, *, name: str, version: str, licence: str, description: str) -> None:
    """Write benchmark.toml."""
    facts = {"schema": SCHEMA_VERSION, "name": name, "version": version, "licence": licence, "description": description}
    (folder / "benchmark.toml").write_text(toml(facts), encoding="utf-8")


def write_file(root: Path, path: str, content: bytes, *, executable: bool = False, link: bool = False) -> None:
    """Write one file of a tree; a path that leads out of it is refused."""
    target = root / path
    if path.startswith("/") or ".." in Path(path).parts or ".git" in Path(path).parts:
        raise UserError(f"{path!r} is no path within a tree")
    target.parent.mkdir(parents=True, exist_ok=True)
    if link:
        to = os.path.normpath(target.parent / os.fsdecode(content))
        if Path(to).is_relative_to(root):  # a link out of the tree would show what is there
            target.symlink_to(os.fsdecode(content))
        return
    target.write_bytes(content)
    if executable:
        target.chmod(0o755)


def toml(data: Mapping[str, Any]) -> str:
    """Return TOML: scalars first, then tables, in the given order; None values are left out."""
    return "\n".join(_table(data, ())).strip() + "\n"


def _table(data: Mapping[str, Any], path: tuple[str, ...]) -> Iterator[str]:
    tables = {key: value for key, value in data.items() if isinstance(value, Mapping)}
    plain = {key: value for key, value in data.items() if value is not None and key not in tables}
    if path and (plain or not tables):
        yield f"\n[{'.'.join(map(_key, path))}]"
    for key, value in plain.items():
        yield f"{_key(key)} = {_value(value)}"
    for key, value in tables.items():
        yield from _table(value, (*path, key))


def _key(name: str) -> str:
    return name if name and all(char.isascii() and (char.isalnum() or char in "-_") for char in name) else _value(name)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        text = json.dumps(value, ensure_ascii=False)
        return "".join(f"\\u{ord(char):04x}" if ord(char) == 0x7F else char for char in text)
    lines = "".join(f"\n  {_value(item)}," for item in value)
    return f"[{lines}\n]" if lines else "[]"
