"""The generic form: NAME/buggy, NAME/fixed and NAME/tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.folder import check_bug_file
from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, bugs_of, chosen, need_sources
from repairlab.building.importers.small_programs import (
    EXTENSIONS,
    Cases,
    checker_of,
    folders_of,
    junit_class,
    junit_framework,
    pair_cases,
    patch_of,
    pick_language,
    place,
    safe_id,
    target_of,
)
from repairlab.core.errors import UserError
from repairlab.core.foreign import read_text
from repairlab.core.storage.checking import read_toml

_HEAD = {"version": "1.0.0", "licence": "unknown", "description": "Imported programs"}
_SOURCES = {"java": ("java",), "c": ("c",), "cpp": ("cpp", "cc", "cxx", "c")}
_LISTED = ("pytest", "unittest", "junit4", "junit5")
"""Frameworks whose tests can be listed."""


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a folder of bugs."""
    root = need_sources(list(sources), ("a folder with NAME/buggy, NAME/fixed and NAME/tests",))[0]
    folders = {safe_id(folder.name): folder for folder in folders_of(root) if (folder / "buggy").is_dir()}
    if not folders:
        raise UserError(f"{root} holds no folder NAME with NAME/buggy, NAME/fixed and NAME/tests; see docs/guides/import.md")
    head = {**_HEAD, "name": safe_id(root.resolve().name), **_read_toml(root / "benchmark.toml")[0]}
    head.pop("schema", None)
    if set(head) - {"name", *_HEAD} or not all(isinstance(value, str) for value in head.values()):
        raise UserError(f"{root / 'benchmark.toml'}: only name, version, licence and description may be there, as text")
    ids = chosen(list(folders), settings)
    return Import(**head, n_bugs=len(ids), bugs=bugs_of(ids, lambda name: _bug(name, folders[name], settings)))


def _bug(name: str, folder: Path, settings: Settings) -> ImportedBug:
    buggy, fixed, tests = (tree_of(folder / part) for part in ("buggy", "fixed", "tests"))
    changed = sorted(path for path, file in fixed.items() if path not in buggy or buggy[path].content != file.content)
    for path in changed:
        _as_text(folder / "fixed" / path, fixed[path])
    extra, text = _read_toml(folder / "bug.toml")
    extra.pop("schema", None)
    check_bug_file(extra, folder / "bug.toml", text)
    path = str(extra.get("path") or next((path for path in changed if path in buggy and _language(path)), ""))
    if path not in buggy:
        raise UserError(f"{folder}: fixed/ changes no source file of buggy/; say which file is to fix as path in bug.toml")
    language = str(extra.get("language") or _language(path))
    if pick_language(settings, EXTENSIONS.values()) not in (None, language):
        raise UserError(f"it is in {language}, not in {settings.language}")
    source, other = (_as_text(folder / path, files[path]) for files in (buggy, {**buggy, **fixed}))
    cases = pair_cases(folder / "tests")
    found = _stdio(language, source, cases, settings) if cases else _suite(language, buggy, tests, folder)
    facts = _merged({"language": language, "path": path, "target": target_of(language, source, other), **found}, extra)
    places = () if cases or _names_tests(extra, facts, folder) else tuple(facts["test"]["trigger"])
    title, _, description = (read_text(folder / "issue.md") if (folder / "issue.md").is_file() else name).partition("\n")
    return ImportedBug(
        id=name,
        facts=facts,
        title=title.lstrip("# ").strip(),
        description=description.strip(),
        tree=buggy if cases else {**buggy, **{f"tests/{path}": file for path, file in tests.items()}},
        patch=patch_of({path: buggy[path] for path in changed if path in buggy}, {path: fixed[path] for path in changed}),
        cases=cases,
        checker={path: file.content for path, file in tree_of(folder / "checker", optional=True).items()},
        discover=places,
        unsorted=bool(places),
    )


def _names_tests(extra: Mapping[str, Any], facts: Mapping[str, Any], folder: Path) -> bool:
    """Return whether the user's bug.toml names the tests, which it must if they cannot be listed."""
    named = bool(extra.get("test", {}).get("trigger"))
    if not named and facts["test"]["framework"] not in _LISTED:
        reason = f"tests of {facts['test']['framework']} cannot be listed; name them as test.trigger"
        raise UserError(f"{folder / 'bug.toml'}: {reason}")
    return named


def _stdio(language: str, source: str, cases: Cases, settings: Settings) -> dict[str, Any]:
    start = place("java", source)[1] if language == "java" else None
    return {
        "build": _build(language, None),
        "test": {"framework": "stdio", "program": start, **checker_of(settings, cases, "tokens")},
    }


def _suite(language: str, buggy: Mapping[str, TreeFile], tests: Mapping[str, TreeFile], folder: Path) -> dict[str, Any]:
    """Return build and test tables of a program with unit tests; what to list stands in for the trigger tests."""
    texts = {path: file.content.decode("utf-8", "replace") for path, file in tests.items()}
    if language == "python":
        framework = "pytest"
        places = [f"tests/{path}" for path in texts if Path(path).match("test_*.py") or Path(path).match("*_test.py")]
    elif language == "java":
        classes = {path: name for path, text in texts.items() if path.endswith(".java") and (name := junit_class(path, text))}
        framework = junit_framework("".join(texts[path] for path in classes)) if classes else "junit4"
        places = list(classes.values())
    else:
        framework, places = "tap", ["tests"]
    if not places:
        raise UserError(f"{folder / 'tests'} has neither NAME.in beside NAME.out nor tests of {framework}")
    return {
        "build": _build(language, buggy),
        "test": {"framework": framework, "files": ["tests/**"], "trigger": places},
    }


def _build(language: str, buggy: Mapping[str, TreeFile] | None) -> dict[str, Any]:
    """Return the usual build; with unit tests, sources and tests are kept apart."""
    if language not in _SOURCES:
        return {"tool": "none"}
    tool = "javac" if language == "java" else "compile"
    tops = sorted({path.split("/")[0] for path in buggy if "/" in path}) if buggy is not None else ["**"]
    sources = [f"{prefix}*.{ending}" for ending in _SOURCES[language] for prefix in ("", *(f"{top}/**/" for top in tops))]
    if buggy is None:
        return {"tool": tool, "sources": [f"**/*.{ending}" for ending in _SOURCES[language]]}
    return {"tool": tool, "sources": sources, "tests": [f"tests/**/*.{ending}" for ending in _SOURCES[language]]}


def tree_of(folder: Path, *, optional: bool = False) -> dict[str, TreeFile]:
    """Return the files of a folder by their relative paths; an optional folder that is missing has none."""
    if not folder.is_dir():
        if optional:
            return {}
        raise UserError(f"the folder {folder} is missing")
    paths = sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {
        path.relative_to(folder).as_posix(): TreeFile(content=path.read_bytes(), executable=bool(path.stat().st_mode & 0o100))
        for path in paths
    }


def _as_text(path: Path, file: TreeFile) -> str:
    try:
        return file.content.decode()
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason} at byte {error.start})") from None


def _language(path: str) -> str | None:
    return EXTENSIONS.get(Path(path).suffix)


def _read_toml(path: Path) -> tuple[dict[str, Any], str]:
    return read_toml(path) if path.is_file() else ({}, "")


def _merged(facts: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts overridden, table by table, by the user's bug.toml."""
    both = [key for key in facts if isinstance(facts[key], dict) and isinstance(extra.get(key), dict)]
    return {**facts, **extra, **{key: {**facts[key], **extra[key]} for key in both}}
