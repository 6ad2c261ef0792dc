"""HumanEval-Java: the tasks of HumanEval as Java methods with a bug, and JUnit tests."""

import re
from collections.abc import Sequence
from pathlib import Path

from repairlab.building.importers.importer import Import, ImportedBug, Settings, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    SLACK,
    carried_over,
    limits_of,
    patch_of,
    target_of,
    text_file,
    with_longer_timeouts,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text

_PROGRAMS = "src/main/java/humaneval"
_TESTS = "src/test/java/humaneval"


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a checkout."""
    root = need_sources(list(sources), ("a checkout of HumanEval-Java",))[0]
    folder = root / _PROGRAMS / "buggy"
    if not folder.is_dir():
        raise UserError(f"{folder} is missing: {root} is no checkout of HumanEval-Java")
    ids = chosen(sorted(path.stem for path in folder.glob("*.java")), settings)
    return Import(
        name="humaneval-java",
        version="1.0.0",
        licence="unknown",
        description=f"HumanEval-Java: {len(ids)} Java methods with a bug",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(root, name)),
    )


def _bug(root: Path, name: str) -> ImportedBug:
    path, test_path = f"{_PROGRAMS}/buggy/{name}.java", f"{_TESTS}/TEST_{name}.java"
    buggy, given = read_text(root / path), read_text(root / test_path)
    other = read_text(root / _PROGRAMS / "correct" / f"{name}.java")
    fixed = carried_over("java", buggy, re.sub(r"\bhumaneval\.correct\b", "humaneval.buggy", other))
    patch = patch_of({path: text_file(buggy)}, {path: text_file(fixed)})
    if not patch:
        raise UserError("the wrong and the right program are the same")
    test, place = with_longer_timeouts(given), f"humaneval.TEST_{name}"
    target = target_of("java", buggy, fixed)
    described = re.search(r"/\*+(.*?)\*/", buggy, re.DOTALL)
    note = f"timeouts of its tests are {SLACK} times as long as in HumanEval-Java, because JUnit counts wall time"
    facts = {
        "language": "java",
        "path": path,
        "target": target,
        "build": {"tool": "javac", "sources": ["src/main/java/**/*.java"], "tests": ["src/test/java/**/*.java"]},
        "test": {"framework": "junit4", "files": ["src/test/**"], "trigger": [place]},
        "limits": limits_of(10.0, 1024),
        "origin": {"repository": "ASSERT-KTH/human-eval-java"},
    }
    return ImportedBug(
        id=name,
        facts=facts,
        title=f"{(target or name).rpartition('.')[2]} does not do what its description says",
        description=described[1].strip() if described else "",
        tree={path: text_file(buggy), test_path: text_file(test)},
        patch=patch,
        discover=(place,),
        unsorted=True,
        notes=(note,) if test != given else (),
    )
