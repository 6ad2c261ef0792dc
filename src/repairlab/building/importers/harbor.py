"""Tasks of Harbor (https://www.harborframework.com/docs/tasks): their image files, solutions and verifiers.

Images are not built: the tree is what the Dockerfile copies to the working folder. The fix is what the solution makes of that tree
in a sandbox. Tests are the verifier's if they can be listed by name; otherwise the verifier is the only test.
"""

import json
import posixpath
import re
import shlex
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from repairlab.benchmarks.writing import write_file
from repairlab.building.harbor.judge import BUG, TREE
from repairlab.building.importers.importer import Import, ImportedBug, Settings, TreeFile, added_text, bugs_of, chosen, need_sources
from repairlab.building.importers.programs import tree_of
from repairlab.building.importers.small_programs import (
    junit_class,
    junit_framework,
    limits_of,
    patch_of,
    pick_language,
    safe_id,
    target_of,
    text_file,
)
from repairlab.core.diff import apply_edits
from repairlab.core.errors import UserError
from repairlab.core.execution import Command, Limits
from repairlab.core.foreign import read_object, read_text
from repairlab.core.recipe import matching
from repairlab.core.record import record
from repairlab.core.storage.checking import read_toml
from repairlab.languages.facts import names
from repairlab.languages.language import default_cache, language_of_path
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.changes import read_changes

_OURS = "harbor_task"
"""Folder of a tree for what a verifier needs."""
_SOLVING = Limits(cpu_s=120, wall_s=300, memory_mb=4096, disk_mb=1024)
_COPY = re.compile(r"^\s*cp\s+(?:-\w+\s+)*(\S+)\s+(\S+)\s*$", re.MULTILINE)


@record
class _Image:
    """What a Dockerfile copies."""

    folder: str
    """The folder in which agents start."""
    tree: Mapping[str, TreeFile]
    """The files below that folder."""
    elsewhere: Mapping[str, TreeFile]
    """All others."""


@record
class _Tests:
    """What a verifier becomes."""

    files: Mapping[str, TreeFile]
    framework: str
    places: tuple[str, ...]
    """What to list."""
    build: Mapping[str, Any]
    trigger: str = ""
    """The one test, where there is nothing to list."""
    note: str = ""


def read(sources: Sequence[Path], settings: Settings) -> Import:
    """Look at a task, or a folder of tasks."""
    root = need_sources(list(sources), ("a task of Harbor, or a folder of tasks",))[0]
    found = [path.parent for path in sorted(root.rglob("task.toml"))]
    if not found:
        raise UserError(f"{root} holds no task of Harbor: no task.toml is in it")
    tasks = {safe_id(*task.relative_to(root).parts) or safe_id(task.resolve().name): task for task in found}
    pick_language(settings, names())
    ids = chosen(list(tasks), settings)
    return Import(
        name=safe_id(root.resolve().name),
        version="1.0.0",
        licence="unknown",
        description=f"Tasks of Harbor: {root.resolve().name}",
        n_bugs=len(ids),
        bugs=bugs_of(ids, lambda name: _bug(name, tasks[name], settings)),
    )


def _bug(name: str, task: Path, settings: Settings) -> ImportedBug:
    config, _ = read_toml(task / "task.toml")
    image = _image(task)
    own = task / "tests" / BUG
    tree = tree_of(task / "tests" / TREE) if own.is_file() else image.tree
    fixed = _solved(task, image)
    changed = {path: tree.get(path) for path in fixed}
    language = next((found for path in fixed if tree.get(path) and (found := language_of_path(path))), None)
    if language is None:
        made = ", ".join(sorted(fixed)[:3]) or "nothing"
        raise UserError(f"its solution changes no source file that is there, but {made}")
    if settings.language not in (None, language):
        raise UserError(f"it is in {language}, not in {settings.language}")
    patch = patch_of({path: file for path, file in changed.items() if file}, {path: file for path, file in fixed.items() if file})
    if own.is_file():
        return _own_bug(name, task, image, tree, patch)
    path = next(path for path in fixed if tree.get(path) and language_of_path(path) == language)
    tests = _tests(task, image, language)
    old, new = (file.content.decode() if file else "" for file in (tree[path], fixed[path]))
    title, _, description = read_text(task / "instruction.md").strip().partition("\n")
    verifier, environment = (config.get(key) or {} for key in ("verifier", "environment"))
    return ImportedBug(
        id=name,
        facts={
            "language": language,
            "path": path,
            "target": target_of(language, old, new),
            "build": tests.build,
            "test": {
                "framework": tests.framework,
                "files": [f"{_OURS}/**", *sorted(path for path in tests.files if not path.startswith(f"{_OURS}/"))],
                "trigger": [tests.trigger] if tests.trigger else list(tests.places),
            },
            "limits": limits_of(float(verifier.get("timeout_sec", 600.0)), environment.get("memory_mb")),
        },
        title=title.lstrip("# ").strip(),
        description=description.strip(),
        tree={**tree, **tests.files},
        patch=patch,
        discover=tests.places,
        unsorted=bool(tests.places),
        generous=bool(tests.places),
        notes=(tests.note,) if tests.note else (),
    )


def _own_bug(name: str, task: Path, image: _Image, tree: Mapping[str, TreeFile], patch: str) -> ImportedBug:
    """Return the bug of a task written by `publish --harbor`; its recipe and test names lie among its tests."""
    recipe, _ = read_toml(task / "tests/bug.toml")
    recipe.pop("schema", None)
    bug = read_object(task / "tests" / BUG)
    hidden = set(matching(tree, tuple(recipe["test"].get("files", ())))) - {recipe["path"]}
    if odd := sorted(path for path in {*tree, *image.tree} - hidden if tree.get(path) != image.tree.get(path)):
        raise UserError(f"environment/ and tests/{TREE} differ in {odd[0]}")
    checker = bug["oracle"]["checker"] or {"files": []}
    return ImportedBug(
        id=name,
        facts=recipe,
        title=bug["problem"]["title"],
        description=bug["problem"]["description"],
        tree=tree,
        patch=patch,
        cases={case["id"]: (case["input"].encode(), case["expected"].encode()) for case in bug["oracle"]["cases"]},
        checker={file["path"]: file["text"].encode() for file in checker["files"]},
    )


def _image(task: Path) -> _Image:
    """Return what the Dockerfile copies and where to."""
    dockerfile = task / "environment/Dockerfile"
    if not dockerfile.is_file():
        raise UserError("its environment is no Dockerfile, so what its image holds is not known")
    folder, files = "", dict[str, TreeFile]()
    for word, rest in _instructions(read_text(dockerfile)):
        if word == "WORKDIR":
            folder = posixpath.join("/", folder, rest.strip("\"'"))
        elif word in ("COPY", "ADD") and "--from=" not in rest:
            plain = re.sub(r"^(?:--\S+\s+)+", "", rest)
            *given, target = json.loads(plain) if plain.startswith("[") else shlex.split(plain)
            files |= _copied(task / "environment", given, posixpath.join("/", folder, target), target)
    # Without a WORKDIR it is that of an unknown base image; agents start where files are copied first.
    folder = posixpath.normpath(folder or posixpath.dirname(next(iter(files), "/")))
    below = f"{folder.rstrip('/')}/"
    tree = {path.removeprefix(below): file for path, file in files.items() if path.startswith(below)}
    if not tree:
        instance = task / "tests/config.json"
        known = instance.is_file() and "base_commit" in read_text(instance)
        hint = "; tests/config.json is an instance in SWE-bench's form, which `repairlab import swebench` reads" if known else ""
        raise UserError(f"its Dockerfile copies nothing to {folder}: what the image holds is made while it is built{hint}")
    return _Image(folder=folder, tree=tree, elsewhere={path: files[path] for path in files if not path.startswith(below)})


def _instructions(dockerfile: str) -> Iterator[tuple[str, str]]:
    for line in re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n?", "", dockerfile)).splitlines():
        word, _, rest = line.strip().partition(" ")
        if word:
            yield word.upper(), rest.strip()


def _copied(context: Path, given: Sequence[str], place: str, target: str) -> dict[str, TreeFile]:
    """Return files by their place in the image; of a folder, everything in it is copied but not the folder itself."""
    found = dict[str, TreeFile]()
    for pattern in given:
        sources = sorted(context.glob(pattern.lstrip("/"))) if pattern.strip("./") else [context]
        for source in sources:
            if source.is_dir():
                found |= {posixpath.normpath(f"{place}/{path}"): file for path, file in tree_of(source).items()}
            else:
                into = target.endswith(("/", ".")) or len(given) > 1 or len(sources) > 1
                found[posixpath.normpath(f"{place}/{source.name}" if into else place)] = tree_of(source.parent)[source.name]
    return found


def _solved(task: Path, image: _Image) -> dict[str, TreeFile | None]:
    """Return the text files that the solution changes, as it leaves them; None for those that it deletes."""
    if not (task / "solution/solve.sh").is_file():
        raise UserError("it has no solution/solve.sh, so its fix is not known")
    with tempfile.TemporaryDirectory() as made:
        given, work = Path(made) / "given", Path(made) / "work"
        for path, file in image.tree.items():
            write_file(given, path, file.content, executable=file.executable, link=file.link)
        shutil.copytree(given, work, symlinks=True)
        shutil.copytree(task / "solution", work / _OURS / "solution")
        (work / _OURS / "moved.sh").write_text(added_text("harbor-moved.sh"), encoding="utf-8")
        command = Command(argv=("sh", f"{_OURS}/moved.sh", image.folder, "solution", "solve.sh"), writable=True, limits=_SOLVING)
        Path(made).chmod(0o755)
        done = open_sandbox(cache=default_cache()).run(command, work)
        shutil.rmtree(work / _OURS)
        if not done.succeeded:
            said = (done.stderr or done.stdout).decode(errors="replace").strip()[-200:]
            raise UserError(f"its solution does not work in a sandbox without network: {said or done.ending}")
        edits = read_changes(given, work, lambda _: "").edits
        before = {edit.path: image.tree[edit.path].content.decode() for edit in edits if edit.path in image.tree}
        after = apply_edits(edits, before)
    return {path: None if text is None else text_file(text) for path, text in sorted(after.items())}


def _tests(task: Path, image: _Image, language: str) -> _Tests:
    """Return the verifier's tests if their names can be listed, else one test that runs the verifier."""
    files = tree_of(task / "tests")
    if "test.sh" not in files:
        raise UserError("it has no tests/test.sh")
    script = files["test.sh"].content.decode(errors="replace")
    copies = {posixpath.normpath(given.strip("\"'")): target.strip("\"'") for given, target in _COPY.findall(script)}
    texts = {path: file.content.decode(errors="replace") for path, file in files.items()}
    placed = {path: _place(path, copies, image.folder) for path in files}
    moved = {placed[path]: text_file(_relative(text, image.folder)) for path, text in texts.items()}
    if language == "python" and "pytest" in script:
        places = tuple(placed[path] for path in sorted(files) if re.search(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$", path))
        if places:
            return _Tests(files=moved, framework="pytest", places=places, build={"tool": "none"})
    if language == "java":
        classes = {path: found for path, text in texts.items() if path.endswith(".java") and (found := junit_class(path, text))}
        if classes:
            framework = junit_framework("".join(texts[path] for path in classes))
            build = {"tool": "javac", "sources": ["**/*.java"]}
            return _Tests(files=moved, framework=framework, places=tuple(classes.values()), build=build)
    return _verifier(image, language, files)


def _place(path: str, copies: Mapping[str, str], folder: str) -> str:
    """Return where a verifier's file ends up in the tree: where its script copies it, or in a separate folder."""
    target = copies.get(f"/tests/{path}")
    if target is None:
        return f"{_OURS}/tests/{path}"
    place = posixpath.relpath(posixpath.join(folder, target), folder)
    return f"{place}/{posixpath.basename(path)}" if target.endswith("/") or "." not in posixpath.basename(place) else place


def _relative(text: str, folder: str) -> str:
    """Return a text whose paths below the image's folder are relative to the current one.

    >>> _relative('open("/app/out.txt"), cwd="/app", "/apple"', "/app")
    'open("./out.txt"), cwd=".", "/apple"'
    """
    return re.sub(rf"(?<![\w./-]){re.escape(folder)}(?=[/\"'\s)]|$)", ".", text)


@record
class _Wrapper:
    """How a test of a language runs a verifier."""

    framework: str
    path: str
    test: str
    build: Mapping[str, Any]
    place: str = ""
    """What to list to find it."""


_NATIVE = _Wrapper(
    framework="tap", path="verifier.c", test="verifier", build={"tool": "compile", "sources": [f"{_OURS}/verifier.c"]}
)
_WRAPPERS = {
    "python": _Wrapper(
        framework="pytest",
        path="test_verifier.py",
        test=f"{_OURS}/test_verifier.py::test_verifier",
        build={"tool": "none"},
        place=f"{_OURS}/test_verifier.py",
    ),
    "java": _Wrapper(
        framework="junit4",
        path="VerifierTest.java",
        test="VerifierTest::verifier",
        build={"tool": "javac", "tests": [f"{_OURS}/*.java"]},
        place="VerifierTest",
    ),
    "javascript": _Wrapper(
        framework="node-test", path="verifier.test.cjs", test=f"{_OURS}/verifier.test.cjs::verifier", build={"tool": "none"}
    ),
    "go": _Wrapper(framework="go-test", path="verifier_test.go", test=f"{_OURS}::TestVerifier", build={"tool": "go"}, place=_OURS),
    "c": _NATIVE,
    "cpp": _NATIVE,
}


def _verifier(image: _Image, language: str, files: Mapping[str, TreeFile]) -> _Tests:
    """Return one test that runs the verifier in the tree."""
    if language not in _WRAPPERS:
        raise UserError(f"its tests cannot be listed, and no test in {language} runs a verifier. Possible: {', '.join(_WRAPPERS)}")
    wrapper = _WRAPPERS[language]
    text = added_text(f"harbor-{'c' if wrapper is _NATIVE else language}.in").replace("@FOLDER@", image.folder)
    added = {
        f"{_OURS}/moved.sh": text_file(added_text("harbor-moved.sh")),
        f"{_OURS}/{wrapper.path}": text_file(text),
        **{f"{_OURS}/elsewhere{path}": file for path, file in image.elsewhere.items()},
    }
    return _Tests(
        files={**{f"{_OURS}/tests/{path}": file for path, file in files.items()}, **added},
        framework=wrapper.framework,
        build=wrapper.build,
        places=(wrapper.place,) if wrapper.place else (),
        trigger="" if wrapper.place else wrapper.test,
        note=f"its verifier is its one test, {wrapper.test}: the tests in it cannot be listed by name",
    )
