"""What importers of small programs share: names, trees, patches, targets, cases and JUnit classes."""

import dataclasses
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from repairlab.building.importers.importer import Dropped, ImportedBug, Proof, Settings, TreeFile
from repairlab.core.diff import changed_lines, unified_diff
from repairlab.core.errors import UserError, unknown
from repairlab.core.foreign import read_text
from repairlab.core.outcome import Verdict
from repairlab.core.record import record
from repairlab.core.text import Span, line_of
from repairlab.languages.facts import facts
from repairlab.languages.language import Function, language
from repairlab.languages.language import language as language_of
from repairlab.validation.paths import check_path

EXTENSIONS = {".py": "python", ".py3": "python", ".java": "java", ".c": "c", ".cpp": "cpp", ".cc": "cpp", ".cxx": "cpp"}
_FILES = {"python": "main.py", "c": "main.c", "cpp": "main.cpp"}
_BUILDS: Mapping[str, Mapping[str, Any]] = {
    "python": {"tool": "none"},
    "java": {"tool": "javac", "sources": ["**/*.java"]},
    "c": {"tool": "compile", "sources": ["*.c"], "libraries": ["-lm"]},
    "cpp": {"tool": "compile", "sources": ["*.cpp"]},
}
OLD_C = "-fpermissive"
"""Makes gcc 14 accept what compilers of the time only warned of, such as undeclared functions; older ones ignore it for C."""
_CHECKERS = ("tokens", "lines", "exact", "unordered", "float-1e-6", "float-1e-8")
_PACKAGE = re.compile(r"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
_PUBLIC = re.compile(r"\bpublic\s+(?:(?:final|abstract|strictfp)\s+)*(?:class|interface|enum|record)\s+(\w+)")

Cases = Mapping[str, tuple[bytes, bytes]]


@record
class JudgedProgram:
    """A wrong program, a right one, and how a judge tells them apart."""

    id: str
    language: str
    buggy: str
    fixed: str
    cases: Cases
    title: str
    description: str = ""
    verdict: Verdict | None = None
    """What the source's judge said of the wrong one."""
    test: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """More for the table [test], above all the checker."""
    limits: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    flags: Sequence[str] = ()
    """For the compiler."""
    facts: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """More for bug.toml."""
    checker: Mapping[str, bytes] = dataclasses.field(default_factory=dict)
    """Sources of a checker program."""
    proof: Proof = "all cases"
    notes: tuple[str, ...] = ()


def judged_bug(program: JudgedProgram) -> ImportedBug | Dropped:
    """Return the bug of a stdin/stdout program, or why it is not one."""
    if not program.cases:
        return Dropped(id=program.id, reason="there is no test case for it")
    path, start = place(program.language, program.buggy)
    fixed = program.fixed
    if program.language == "java":
        fixed = _renamed(fixed, place("java", fixed)[1].rpartition(".")[2], start.rpartition(".")[2])
    tree = {path: text_file(program.buggy)}
    patch = patch_of(tree, {path: text_file(fixed)})
    if not patch:
        return Dropped(id=program.id, reason="the wrong and the right program are the same")
    facts = {
        "language": program.language,
        "path": path,
        "submission_verdict": program.verdict.value if program.verdict else None,
        "build": {**_BUILDS[program.language], **({"flags": list(program.flags)} if program.flags else {})},
        "test": {"framework": "stdio", "program": start if program.language == "java" else None, **program.test},
        "limits": program.limits,
        **program.facts,
    }
    return ImportedBug(
        id=program.id,
        facts=facts,
        title=program.title,
        description=program.description,
        tree=tree,
        patch=patch,
        cases=program.cases,
        checker=program.checker,
        proof=program.proof,
        notes=program.notes,
    )


def place(language: str, source: str) -> tuple[str, str]:
    """Return where a single-file program belongs and what starts it (Java: the main class)."""
    if language != "java":
        return _FILES[language], ""
    syntax = language_of("java").syntax
    bare = syntax.strip_comments(source)
    package = found[1] + "." if (found := _PACKAGE.search(bare)) else ""
    mains = [function.qualified.split(".")[0] for function in syntax.functions(source) if function.name == "main"]
    public = found[1] if (found := _PUBLIC.search(bare)) else None
    main = mains[0] if mains else public or "Main"
    return f"{package.replace('.', '/')}{public or main}.java", package + main


def program_place(name: str, code: str) -> tuple[str, str]:
    """Return the path of a program and what starts it; without free functions, both depend on its classes."""
    stated = facts(name)
    path, start = (stated.file, "") if stated.has_free_functions else place(name, code)
    check_path(path)
    return path, start


def _renamed(source: str, old: str, new: str) -> str:
    """Return a Java program whose main class has the name of the other program's."""
    return source if old == new else re.sub(rf"(?<![\w.]){re.escape(old)}\b", new, source)


def text_file(text: str) -> TreeFile:
    """Return a text as a file of a tree."""
    return TreeFile(content=text.encode())


def patch_of(buggy: Mapping[str, TreeFile], fixed: Mapping[str, TreeFile]) -> str:
    """Return the diff from one set of text files to the other; a file in only one of them is created or deleted."""
    patches = []
    for path in sorted({*buggy, *fixed}):
        old, new = (files[path].content.decode() if path in files else None for files in (buggy, fixed))
        if old != new:
            patches.append(unified_diff(path, old, new))
    return "".join(patches)


def target_of(language: str, buggy: str, fixed: str) -> str | None:
    """Return the outermost function that holds every change, if its name identifies it."""
    functions = language_of(language).syntax.functions(buggy)
    changes = changed_lines("", buggy, fixed)
    for function in functions:
        first, last = line_of(buggy, function.span.start), line_of(buggy, max(function.span.end - 1, function.span.start))
        holds = all(first <= change.first and change.last <= last for change in changes)
        if changes and holds and sum(other.qualified == function.qualified for other in functions) == 1:
            return function.qualified
    return None


def carried_over(language: str, buggy: str, fixed: str) -> str:
    """Return the buggy file with the functions that differ in the fixed one, so that a new layout is not part of the fix.

    If the two do not have the same functions, or differ outside them, return the fixed file.
    """
    syntax = language_of(language).syntax
    old, new = ([f for f in syntax.functions(text) if not _is_inner(f.span, syntax.functions(text))] for text in (buggy, fixed))
    if [f.qualified for f in old] != [f.qualified for f in new]:
        return fixed
    frames = []
    for text, functions in ((buggy, old), (fixed, new)):
        frame = text
        for function in reversed(functions):
            frame = frame[: function.span.start] + frame[function.span.end :]
        frames.append(syntax.normal_form(frame))
    if frames[0] != frames[1]:
        return fixed
    text = buggy
    for before, after in reversed(list(zip(old, new, strict=True))):
        if syntax.normal_form(before.span.of(buggy)) != syntax.normal_form(after.span.of(fixed)):
            text = text[: before.span.start] + after.span.of(fixed) + text[before.span.end :]
    return text


def _is_inner(span: Span, functions: Iterable[Function]) -> bool:
    return any(other.span != span and other.span.holds(span) for other in functions)


def safe_id(*parts: str) -> str:
    """Return a bug id that is a fine file name everywhere.

    >>> safe_id("hello", "wrong_answer/a b.cc")
    'hello-wrong_answer-a-b.cc'
    """
    return "-".join(filter(None, (re.sub(r"[^A-Za-z0-9._]+", "-", part).strip("-.") for part in parts)))


def pick_language(settings: Settings, known: Iterable[str]) -> str | None:
    """Return the language asked for, after checking that the source has it."""
    names = sorted(known)
    if settings.language is not None and settings.language not in names:
        raise unknown("language", settings.language, names)
    return settings.language


def checker_of(settings: Settings, cases: Cases, default: str | None = None) -> dict[str, Any]:
    """Return how outputs are compared: as requested, else `default`, else with a tolerance if a number has a decimal point."""
    if settings.checker is not None and settings.checker not in _CHECKERS:
        raise unknown("checker", settings.checker, _CHECKERS)
    numbers = any(re.search(rb"\d\.\d", expected) for _, expected in cases.values())
    return {"checker": settings.checker or default or ("float-1e-6" if numbers else "tokens")}


def limits_of(cpu_s: float, memory_mb: int | None = None) -> dict[str, Any]:
    """Return a table of limits; wall time is a back-stop well behind CPU time."""
    return {"cpu_s": float(cpu_s), "wall_s": max(30.0, 4.0 * cpu_s), **({"memory_mb": memory_mb} if memory_mb else {})}


def folders_of(path: Path) -> list[Path]:
    """Return the subfolders of a folder in order of their names, without hidden ones."""
    if not path.is_dir():
        raise UserError(f"{path} is no folder")
    return sorted(entry for entry in path.iterdir() if entry.is_dir() and not entry.name.startswith("."))


def read_case(given: Path, expected: Path) -> tuple[bytes, bytes]:
    """Return input and expected output; both must be UTF-8 text."""
    return read_text(given).encode(), read_text(expected).encode()


def in_out_cases(folder: Path) -> dict[str, tuple[bytes, bytes]]:
    """Return the cases of a folder as AtCoder provides them: in/NAME and out/NAME, with any ending; pairs only."""
    inputs, outputs = ({path.stem: path for path in sorted((folder / name).glob("*")) if path.is_file()} for name in ("in", "out"))
    return {safe_id(name): read_case(path, outputs[name]) for name, path in inputs.items() if name in outputs}


def pair_cases(folder: Path) -> dict[str, tuple[bytes, bytes]]:
    """Return the cases of a folder with NAME.in beside NAME.out or NAME.ans, subfolders included."""
    cases = {}
    for path in sorted(folder.rglob("*.in")):
        answers = [path.with_suffix(ending) for ending in (".out", ".ans") if path.with_suffix(ending).is_file()]
        if answers:
            cases[safe_id(path.relative_to(folder).with_suffix("").as_posix())] = read_case(path, answers[0])
    return cases


_JUNIT_TEST = re.compile(r"@(?:org\.junit\.(?:jupiter\.api\.)?)?(?:Test|ParameterizedTest|RepeatedTest)\b")
_JUNIT_TIMEOUT = re.compile(r"(@(?:org\.junit\.)?Test\s*\([^)]*\btimeout\s*=\s*)(\d+)")
_JUNIT5 = re.compile(r"\borg\.junit\.jupiter\b")
SLACK = 10
"""A JUnit timeout counts wall time: on a busy machine a right program exceeds it."""


def junit_class(path: str, source: str) -> str | None:
    """Return the name of the class in a file if it has tests.

    >>> junit_class("BTest.java", "package a; class BTest { @org.junit.Test(timeout = 3) public void c() { } }")
    'a.BTest'
    """
    bare = language("java").syntax.strip_comments(source)
    package = found[1] + "." if (found := _PACKAGE.search(bare)) else ""
    return f"{package}{PurePosixPath(path).stem}" if _JUNIT_TEST.search(bare) else None


def junit_framework(source: str) -> str:
    """Return the framework that a test class is written for."""
    return "junit5" if _JUNIT5.search(source) else "junit4"


def with_longer_timeouts(source: str) -> str:
    """Return the class with all timeouts of its tests ten times as long.

    >>> with_longer_timeouts("@Test(timeout = 3000) void a() {}")
    '@Test(timeout = 30000) void a() {}'
    """
    return _JUNIT_TIMEOUT.sub(lambda found: f"{found[1]}{int(found[2]) * SLACK}", source)
