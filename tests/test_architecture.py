"""The shape of the package: what importing costs, and that the documentation names what there is."""

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import repairlab
from repairlab import api
from repairlab.cli.main import VERBS
from repairlab.core.outcome import Verdict
from repairlab.runs.experiment import Experiment

ROOT = Path(__file__).parent.parent
HEAVY = ("numpy", "pydantic", "rich", "typer", "tree_sitter", "jinja2", "torch", "pytest")


def loaded_by(statement: str) -> set[str]:
    program = f"import sys; {statement}; print(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_by("import repairlab").isdisjoint(HEAVY)


def test_help_loads_nothing_heavy() -> None:
    assert loaded_by("from repairlab.cli.main import usage; usage()").isdisjoint(HEAVY)


def test_core_needs_the_standard_library_only() -> None:
    modules = [f"repairlab.core.{path.stem}" for path in (ROOT / "src/repairlab/core").glob("[a-z]*.py")]
    assert loaded_by(f"import {', '.join(modules)}").isdisjoint(HEAVY)


def test_the_public_names_are_those_of_the_api() -> None:
    assert repairlab.__all__ == sorted(["__version__", *api.__all__]) == dir(repairlab)
    assert all(getattr(repairlab, name) is getattr(api, name) for name in api.__all__)
    packages = {path.parent.name for path in (ROOT / "src/repairlab").glob("*/__init__.py")}
    assert packages.isdisjoint(repairlab.__all__), "a package of that name would take the place of the function"


def test_every_verb_setting_and_verdict_is_documented() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
    missing = [f"repairlab {verb}" for verb in VERBS if f"repairlab {verb}" not in text]
    missing += [name for name in Experiment.__dataclass_fields__ if f"`{name}`" not in text]
    missing += [verdict.value for verdict in Verdict if verdict.value not in text]
    assert missing == []


def test_no_pattern_repeats_a_group_possessively() -> None:
    # Python before 3.11.5 (Debian 12 has 3.11.2) matches such patterns wrongly.
    sources = [path for path in (ROOT / "src").rglob("*.py") if "data" not in path.parts]
    lines = [line.strip() for path in sources for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if "(?:" in line and ")*+" in line and not line.startswith("#")] == []


def test_no_query_numbers_its_parameters() -> None:
    # Python 3.12 warns of numbered ones that come as a sequence, and 3.14 refuses them.
    sources = [path for path in (ROOT / "src").rglob("*.py") if "data" not in path.parts]
    lines = [line.strip() for path in sources for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line for line in lines if re.search(r"(?:=|<|>|\(|,|IN|LIKE) *\?[0-9]\b", line)] == []


def test_a_class_name_occurs_once() -> None:
    sources = [path for path in (ROOT / "src").rglob("*.py") if "data" not in path.parts]
    names = [name for path in sources for name in re.findall(r"^class ([A-Za-z]\w*)", path.read_text(encoding="utf-8"), re.M)]
    assert [name for name, n in Counter(names).items() if n > 1] == []


def test_no_other_package_decides_by_the_name_of_a_language() -> None:
    # Importers and formats know the languages of their data; traits of templates are named after languages.
    free = ("languages/", "building/importers/", "benchmarks/data/", "formats/", "repairers/templates/code.py")
    package = ROOT / "src/repairlab"
    paths = [path for path in package.rglob("*.py") if not str(path.relative_to(package)).startswith(free)]
    assert [f"{path.name}:{line}" for path in paths for line in _decisions(ast.parse(path.read_text(encoding="utf-8")))] == []


def _decisions(tree: ast.AST) -> Iterator[int]:
    """Yield the lines of comparisons with, and of tables by, names of languages."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare | ast.Dict):
            continue
        parts = node.keys if isinstance(node, ast.Dict) else [node.left, *node.comparators]
        words = {part.value for part in parts if isinstance(part, ast.Constant)}
        if words & {"python", "java", "cpp", "javascript", "go"}:
            yield node.lineno
