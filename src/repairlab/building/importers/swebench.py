"""Import instances in SWE-bench's form: the tree of `base_commit` with `test_patch`, the fix `patch`, and the issue's own words."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.importer import Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.python_environments import Needed
from repairlab.building.importers.python_projects import ProjectBug, changed, python_bug, texts
from repairlab.building.importers.repository import Clones
from repairlab.core.diff import apply_edits, edits_of_patch
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Read instances from JSON Lines; hints, which may tell of the fix, are never used."""
    (path,) = need_sources(list(sources), ("instances of SWE-bench as JSON Lines",))
    entries = {field(entry, "instance_id", str, where): (where, entry) for where, entry in read_json_lines(path)}
    if not entries:
        raise UserError(f"{path} holds no instance")
    ids = chosen(list(entries), settings)
    clones = Clones(settings)
    return Import(
        name="swebench",
        version="1",
        licence="MIT (instances); the sources keep their projects' licences",
        description="Issues of Python projects with their tests, from SWE-bench",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, *entries[name], clones, settings), strict=settings.clones is None),
    )


def _bug(name: str, where: str, entry: dict[str, Any], clones: Clones, settings: Settings) -> ImportedBug:
    repository, base = (field(entry, key, str, where) for key in ("repo", "base_commit"))
    project = repository.rpartition("/")[2]
    clone = clones.get(project, f"https://github.com/{repository}", base)
    if not clone.has(base):
        raise UserError(f"{clone.folder} has no commit {base}")
    tree = clone.tree(base)
    buggy = changed(tree, _applied(field(entry, "test_patch", str, where), texts(tree), "test_patch"))
    fixed = changed(buggy, _applied(field(entry, "patch", str, where), texts(buggy), "patch"))
    trigger, regression = (_tests(entry, key, where) for key in ("FAIL_TO_PASS", "PASS_TO_PASS"))
    title, _, description = field(entry, "problem_statement", str, where).strip().partition("\n")
    found = ProjectBug(
        id=name,
        project=project,
        buggy=buggy,
        fixed=fixed,
        framework="pytest",
        trigger=trigger,
        regression=regression,
        title=title.strip(),
        description=description.strip(),
        repository=f"https://github.com/{repository}",
        commit=base,
        version=clone.version(base) or str(entry.get("version") or ""),
        needed=Needed(date=str(entry.get("created_at") or clone.date(base))[:10]),
    )
    return python_bug(found, settings)


def _applied(patch: str, files: Mapping[str, str], which: str) -> dict[str, str | None]:
    try:
        return apply_edits(edits_of_patch(patch, files), files)
    except UserError as error:
        raise UserError(f"its {which} does not apply: {error}") from None


def _tests(entry: dict[str, Any], key: str, where: str) -> tuple[str, ...]:
    """Return a list of tests, which some files hold as a list inside a string."""
    value = entry.get(key)
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            raise UserError(f"{where}: the field {key!r} holds no list: {value[:80]!r}") from None
    if not isinstance(value, list) or not all(isinstance(test, str) for test in value):
        raise UserError(f"{where}: the field {key!r} should be a list of tests, not {str(value)[:80]!r}")
    return tuple(value)
