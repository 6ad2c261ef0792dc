"""Import Defects4C: bugs of C and C++ projects, from its records and from clones of the projects' histories.

A bug is the tree of the fix with the source files of the commit before it: so it was reproduced when the benchmark was made.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from repairlab.building.importers.defects4c_recipes import Record, recipe_of
from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, bugs_of, chosen, need_sources
from repairlab.building.importers.repository import Clones, Repository
from repairlab.building.importers.small_programs import patch_of, target_of
from repairlab.building.importers.tree_recipes import Hooks, hook_recipe
from repairlab.core.errors import UserError
from repairlab.core.foreign import as_type, field, read_json
from repairlab.core.record import record
from repairlab.languages.language import language

_SHORT = 12
_LANGUAGES = {".c": "c", ".cc": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".h": "cpp", ".hpp": "cpp", ".hh": "cpp"}
_CVE = re.compile(r"CVE-\d{4}-\d+")


@record
class _Entry:
    """One record of a bugs_list_new.json."""

    where: str
    project: Path
    data: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Return the repository's name without its owner."""
        return self.project.name.partition("___")[2]


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Read the records of a checkout of Defects4C."""
    (checkout,) = need_sources(list(sources), ("a checkout of Defects4C",))
    lists = sorted((checkout / "defectsc_tpl").glob("projects*/*___*/bugs_list_new.json"))
    if not lists:
        raise UserError(f"{checkout} is no checkout of Defects4C: it has no defectsc_tpl/projects*/*/bugs_list_new.json")
    entries = {name: entry for path in lists for name, entry in _entries(path)}
    ids = chosen(list(entries), settings)
    clones, hooks = Clones(settings), Hooks(settings.clones)
    return Import(
        name="defects4c",
        version="2025",
        licence="Apache-2.0 (records); the sources keep their projects' licences",
        description="Bugs and vulnerabilities of C and C++ projects with unit tests, from Defects4C",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, entries[name], clones, hooks), strict=settings.clones is None),
    )


def _entries(path: Path) -> Iterator[tuple[str, _Entry]]:
    data = read_json(path)
    if not isinstance(data, list):
        raise UserError(f"{path}: not a list of bugs but {type(data).__name__}")
    for number, bug in enumerate(data, start=1):
        where = f"{path}, entry {number}"
        if not isinstance(bug, dict):
            raise UserError(f"{where}: not a JSON object but {type(bug).__name__}")
        entry = _Entry(where=where, project=path.parent, data=bug)
        yield f"{entry.name}@{field(bug, 'commit_after', str, where)[:_SHORT]}", entry


def _bug(name: str, entry: _Entry, clones: Clones, hooks: Hooks) -> ImportedBug:
    about = _record(entry)
    language_name = _language(about.sources)
    after, before = (field(dict(entry.data), key, str, entry.where) for key in ("commit_after", "commit_before"))
    clone = clones.get(entry.name, _project(entry).get("main_repo"), after)
    for revision in (after, before):
        if not clone.has(revision):
            raise UserError(f"{clone.folder} has no commit {revision}")
    whole = tree_with_submodules(clone, after, clones)
    fixed = {path: whole.files[path] for path in about.sources if path in whole.files}
    old = {path: content for path in about.sources if (content := clone.read(before, path)) is not None}
    buggy = {path: TreeFile(content=content, executable=path in fixed and fixed[path].executable) for path, content in old.items()}
    path = about.sources[0]
    if path not in buggy or path not in fixed:
        raise UserError(f"{path} is not there both before and after the fix")
    fixed, buggy = ({path: as_utf8(path, file, language_name) for path, file in files.items()} for files in (fixed, buggy))
    hook = hooks.get(about.project)
    made = hook_recipe(hook, about, whole.files) if hook else recipe_of(about)(about, whole.files)
    kind = _table(entry.data, "type", entry.where)
    return ImportedBug(
        id=name,
        facts={
            "language": language_name,
            "path": path,
            "target": target_of(language_name, buggy[path].content.decode(), fixed[path].content.decode()),
            "build": {key: value for key, value in made.build.items() if value},
            "test": {key: value for key, value in made.test.items() if value or key in ("trigger", "regression")},
            "limits": {"cpu_s": 20.0, "wall_s": 60.0, "memory_mb": 1024, "processes": 256},
            "labels": {"location": _location(entry), "category": about.category or None},
            "origin": {
                "repository": str(_project(entry).get("main_repo") or "") or None,
                "commit": after,
                "cve": kind.get("id") if _CVE.fullmatch(str(kind.get("id"))) else None,
            },
        },
        # The fix's commit message would say what to do, so it is not the issue.
        title=f"{entry.name}: a defect in {path}",
        description="",
        tree={**{path: file for path, file in whole.files.items() if path not in fixed}, **buggy, **made.added},
        patch=patch_of(buggy, fixed),
        discover=made.discover,
        generous=True,
        unsorted=made.unsorted,
        notes=(*made.notes, *whole.notes),
    )


def _language(sources: Sequence[str]) -> str:
    if not sources:
        raise UserError("no source file is named")
    language = _LANGUAGES.get(PurePosixPath(sources[0]).suffix)
    if language is None:
        raise UserError(f"{sources[0]} is no C or C++ file")
    return language


def _project(entry: _Entry) -> dict[str, Any]:
    path = entry.project / "project.json"
    data = read_json(path)
    if not isinstance(data, dict):
        raise UserError(f"{path}: not a JSON object but {type(data).__name__}")
    return data


def _record(entry: _Entry) -> Record:
    """Return what recipes need: flags of the project, then those of the bug."""
    project, bug, where = _project(entry), dict(entry.data), entry.where
    whole, own = _table(project, "c_compile", str(entry.project / "project.json")), _table(bug, "c_compile", where)
    files = field(bug, "files", dict, where)
    env = dict(text.partition("=")[::2] for text in _texts(project, "env", str(entry.project / "project.json")))
    kind = _table(bug, "type", where)
    return Record(
        project=entry.project.name,
        build=str(own.get("build") or whole.get("build") or ""),
        test=str(own.get("test") or whole.get("test") or ""),
        flags=(*_texts(whole, "build_flags", where), *_texts(own, "build_flags", where)),
        env=tuple((name, value) for name, value in env.items() if name not in ("CC", "CXX")),
        sources=_texts(files, "src", where),
        tests=_texts(files, "test", where),
        named=_texts(_table(bug, "unittest", where), "name", where),
        category=str(kind.get("id") or "") if kind.get("type") == "bug" else "",
        vulnerability=kind.get("type") == "cve",
    )


def _table(entry: Mapping[str, Any], name: str, where: str) -> dict[str, Any]:
    """Return a field that is an object, or nothing."""
    return as_type(entry.get(name) or {}, dict, where, f"the field {name!r}")


def _texts(entry: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    """Return a field that is a list of texts, or nothing."""
    values = as_type(entry.get(name) or [], list, where, f"the field {name!r}")
    return tuple(as_type(value, str, where, f"what the field {name!r} holds") for value in values)


def _location(entry: _Entry) -> str | None:
    place = _table(_table(entry.data, "files", entry.where), "src0_location", entry.where)
    for kind, key in (("line", "line_is_single"), ("hunk", "hunk_is_single"), ("function", "func_is_single")):
        if place.get(key):
            return kind
    return None


@record
class WholeTree:
    """The files of a revision with those of its submodules, and the submodules that could not be found."""

    files: Mapping[str, TreeFile]
    notes: tuple[str, ...]


def tree_with_submodules(clone: Repository, revision: str, clones: Clones) -> WholeTree:
    """Return the tree of a revision; submodules come from clones, found by name or content, and are never fetched."""
    files, notes = dict(clone.tree(revision)), []
    for path, module in clone.submodules(revision).items():
        name = module.url.rstrip("/").removesuffix(".git").rpartition("/")[2]
        try:
            found = clones.get(name, None, module.commit)
            if not found.has(module.commit):
                raise UserError(f"{found.folder} has no commit {module.commit}")
        except UserError as error:
            notes.append(f"submodule {path} stays empty: {error}")
            continue
        inner = tree_with_submodules(found, module.commit, clones)
        files.update({f"{path}/{below}": file for below, file in inner.files.items()})
        notes += inner.notes
    return WholeTree(files=files, notes=tuple(notes))


def as_utf8(path: str, file: TreeFile, language_name: str) -> TreeFile:
    """Return a source as UTF-8; ISO-8859-1 is converted where that can change nothing but comments."""
    try:
        file.content.decode()
        return file
    except UnicodeDecodeError:
        text = file.content.decode("iso-8859-1")
    if not language(language_name).syntax.strip_comments(text).isascii():
        raise UserError(f"{path} is not UTF-8 text, and not in its comments alone: as UTF-8 it would be another program")
    return dataclasses.replace(file, content=text.encode())
