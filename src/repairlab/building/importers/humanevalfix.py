"""HumanEvalFix (OctoPack): 164 functions with a bug written by hand, in each of several languages."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.building.importers.humanevalfix_layouts import LAYOUTS
from repairlab.building.importers.importer import Dropped, Import, ImportedBug, Settings
from repairlab.building.importers.reading import chosen, need_sources
from repairlab.building.importers.small_programs import limits_of, patch_of, pick_language, safe_id, target_of, text_file
from repairlab.core.errors import UserError
from repairlab.core.foreign import field, read_json_lines
from repairlab.languages.facts import title

_LANGUAGES = {"Python": "python", "Java": "java", "JavaScript": "javascript", "Go": "go", "CPP": "cpp"}
_FIELDS = ("prompt", "buggy_solution", "canonical_solution", "test", "entry_point")


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a file of tasks."""
    path = need_sources(list(sources), ("humanevalpack.jsonl",))[0]
    tasks: dict[str, tuple[str, str, dict[str, Any]]] = {}
    others = 0
    for where, entry in read_json_lines(path):
        prefix, _, number = field(entry, "task_id", str, where).partition("/")
        if prefix not in _LANGUAGES or not number:
            others += 1
            continue
        tasks[safe_id(_LANGUAGES[prefix], number)] = (where, _LANGUAGES[prefix], entry)
    if not tasks:
        raise UserError(f"{path}: none of its {others} tasks is in a language at hand: {', '.join(_LANGUAGES)}")
    asked = pick_language(settings, {language for _, language, _ in tasks.values()})
    ids = chosen([name for name, task in tasks.items() if asked in (None, task[1])], settings)
    languages = " and ".join(sorted({title(tasks[name][1]) for name in ids}))
    return Import(
        name="humanevalfix" if " and " in languages else f"humanevalfix-{tasks[ids[0]][1]}",
        version="1.0.0",
        licence="MIT",
        description=f"HumanEvalFix: {len(ids)} {languages} functions with a bug written by hand",
        n_bugs=len(ids),
        bugs=_bugs({name: tasks[name] for name in ids}),
    )


def _bugs(tasks: Mapping[str, tuple[str, str, dict[str, Any]]]) -> Iterator[ImportedBug | Dropped]:
    for name, (where, language, entry) in tasks.items():
        try:
            yield _bug(name, where, language, entry)
        except UserError as error:
            yield Dropped(id=name, reason=str(error))


def _bug(name: str, where: str, language: str, entry: dict[str, Any]) -> ImportedBug:
    texts = {key: field(entry, key, str, where) for key in _FIELDS}
    texts |= {key: entry[key] for key in ("import", "test_setup") if isinstance(entry.get(key), str)}
    laid_out = LAYOUTS[language](texts)
    path, buggy, fixed = laid_out.path, laid_out.buggy, laid_out.fixed
    patch = patch_of({path: text_file(buggy)}, {path: text_file(fixed)})
    if not patch:
        raise UserError(f"{where}: buggy_solution and canonical_solution are the same")
    facts = {
        "language": language,
        "path": path,
        "target": target_of(language, buggy, fixed),
        "build": laid_out.build,
        "test": {"framework": laid_out.framework, "files": sorted(laid_out.tests), "trigger": [laid_out.trigger]},
        "limits": limits_of(10.0, 1024),
        "origin": {"repository": "bigcode-project/octopack", "licence": "MIT"},
    }
    described = entry.get("docstring")
    return ImportedBug(
        id=name,
        facts=facts,
        title=f"{texts['entry_point']} does not do what its description says",
        description=described if isinstance(described, str) else "",
        tree={path: text_file(buggy), **{test: text_file(text) for test, text in laid_out.tests.items()}},
        patch=patch,
    )
