"""Which files of a bug carry its tests and what they expect, and whether `test.files` keeps candidates from changing them."""

import difflib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.outcome import Verdict
from repairlab.core.recipe import matching
from repairlab.languages.language import language_of_path
from repairlab.validation.apply import protected
from repairlab.validation.test_mutants import EXPECTED_DATA

TEST_FOLDER = re.compile(r"(?:unit_?)?test|suite|regress|spec$|specs$|__tests__")
"""How names of folders with tests begin."""
TEST_NAME = re.compile(r"(?:^|[_.-])[Tt]ests?(?:[_.-]|$)|^[Tt]est|[a-z0-9]Tests?(?:[_.-]|$)|^conftest\.py$|\.spec\.")
"""What names of test files contain."""


def is_test_path(path: str) -> bool:
    """Return whether a file belongs to the tests of a project.

    >>> [is_test_path(path) for path in ("tests/data/a.txt", "src/app_test.go", "src/ParserTest.java", "src/latest.py")]
    [True, True, True, False]
    """
    *folders, name = PurePosixPath(path).parts
    return any(TEST_FOLDER.match(folder) for folder in folders) or TEST_NAME.search(name) is not None


_NEAR = 0.75
"""How alike two folder names are if one is taken for a typo of the other."""
_LARGEST = 2_000_000
"""Size in characters beyond which a file is not written by hand."""
_MOST = 5
"""How many files are named before the rest is implied."""
_PARAMETERS = re.compile(r"\[.*\]$", re.DOTALL)


def need_protected_tests(bug: Bug, files: Mapping[str, str], where: str) -> None:
    """Refuse a bug with a test that candidates may edit; `files` are the texts of its tree, `where` is where it names its tests.

    A test belongs to the file that its name begins with, or else to any that has all words of the name in its path or its code;
    links are followed.
    """
    patterns = bug.oracle.test.files
    if bug.oracle.test.framework == "stdio":
        return
    safe = _protected(files, bug)
    tests = (*bug.oracle.trigger, *bug.oracle.regression)
    homes = _Homes(files, tests, Path(bug.tree.source), bug.problem.path)
    for test in tests:
        found = homes.of(test)
        sure = [path for path in found if homes.is_sure(test, path)]
        if sure and not _protected(found, bug):
            is_fixed = sure[0] == bug.problem.path
            advice = "Leave this test out: it is in the file to fix" if is_fixed else _advice(patterns, files, sure[0])
            raise UserError(
                f"{where}: test.files = {_shown(patterns)} does not protect {sure[0]}, the file of the test {test}, "
                f"so a candidate could edit it. {advice}"
            )
    program = PurePosixPath(bug.oracle.test.program).as_posix()
    if program in files and program not in safe:
        raise UserError(
            f"{where}: test.files = {_shown(patterns)} does not protect {program}, which runs the tests, "
            f"so a candidate could edit it. {_advice(patterns, files, program)}"
        )
    if not matching(files, patterns):
        raise UserError(
            f"{where}: test.files = {_shown(patterns)} matches no file of buggy/, so a candidate could edit the tests. "
            f"{_advice(patterns, files, next(filter(is_test_path, files), ''))}"
        )
    for pattern, meant in _typos(patterns, files):
        bare = [path for path in matching(files, (meant,)) if path not in safe]
        if any(is_test_path(path) or EXPECTED_DATA.search(path) for path in bare):
            raise UserError(
                f"{where}: test.files: {pattern!r} matches no file, and {bare[0]} is not protected. Did you mean {meant!r}?"
            )


def unprotected_expectations(bug: Bug, validate: Callable[[Candidate], Verdict]) -> tuple[str, ...]:
    """Return files by which tests judge and that a candidate may change, as far as trying shows; HarnessError if it cannot be told.

    Tried are files that the tests name or that lie among them: the reference fix must pass with all of them empty, and
    the buggy tree must fail with all of them empty or gone.
    """
    suspects = _suspects(bug)
    if not suspects:
        return ()

    def passes(edits: tuple[Edit, ...], changed: Sequence[str], text: str | None) -> bool:
        candidate = bug.candidate((*edits, *(Edit(path=path, text=text) for path in changed)), "check")
        verdict = validate(candidate)
        if verdict is Verdict.UNDECIDED:
            raise HarnessError("it could not be tried whether candidates can change what tests expect")
        return verdict is Verdict.PLAUSIBLE

    found = _first(suspects, lambda some: passes(bug.oracle.reference, some, ""))
    if not found and any(passes((), suspects, text) for text in ("", None)):
        found = suspects
    return tuple(found[:_MOST])


def advice_for(paths: Sequence[str]) -> str:
    """Say how to protect files, or leave them to candidates on purpose."""
    kept, free = (", ".join(f'"{mark}{path}"' for path in paths) for mark in ("", "!"))
    return f"add {kept} to test.files, or {free} if a fix may change {'it' if len(paths) == 1 else 'them'}"


def _protected(paths: Iterable[str], bug: Bug) -> set[str]:
    """Return the files that no candidate can change."""
    listed = list(paths)
    return {*matching(listed, bug.oracle.test.files), *protected(listed, bug)}


class _Homes:
    """The files of tests, by the words in code files and in their paths."""

    def __init__(self, files: Mapping[str, str], tests: Sequence[str], root: Path, fixed: str) -> None:
        self._root, self._fixed = root.resolve(), fixed
        self._heads = {head for head in set(map(_head, tests)) if _is_file(self._root / head)}
        unplaced = (test for test in tests if _head(test) not in self._heads)
        self._by_word: dict[str, set[str]] = {word: set() for test in unplaced for word in _words(test)}
        for path, text in files.items() if self._by_word else ():
            is_code = language_of_path(path) is not None and len(text) <= _LARGEST
            for word in self._by_word.keys() & re.findall(r"\w+", f"{path}\n{text}" if is_code else path):
                self._by_word[word].add(path)

    def of(self, test: str) -> list[str]:
        """Return the files that may hold a test, in order: those with the name of its folder or class in their paths, if any."""
        if _head(test) in self._heads:
            return [self._followed(_head(test))]
        words = [self._by_word[word] for word in _words(test)]
        found = sorted(set.intersection(*words)) if words else []
        return list(map(self._followed, [path for path in found if _is_in(test, path)] or found))

    def is_sure(self, test: str, path: str) -> bool:
        """Return whether a file of `of` certainly holds a test; a single word may be the name of what is tested."""
        if _head(test) in self._heads or _is_in(test, path):
            return True
        return is_test_path(path) and not (path == self._fixed and len(_words(test)) == 1)

    def _followed(self, path: str) -> str:
        """Return the file of the tree to which a link finally leads; for another file, itself."""
        real = (self._root / path).resolve()
        return real.relative_to(self._root).as_posix() if real.is_relative_to(self._root) else path


def _head(test: str) -> str:
    return test.partition("::")[0]


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # not a possible file name
        return False


def _is_in(test: str, path: str) -> bool:
    """Return whether a path has all words that stand before `::`."""
    return "::" in test and set(re.findall(r"\w+", _head(test))) <= set(re.findall(r"\w+", path))


def _words(test: str) -> list[str]:
    """Return the words of a test's name without its parameters and parts.

    >>> _words("calc/big::TestAdd/one_and_two"), _words("bank.AccountTest::overdraft[1]")
    (['calc', 'big', 'TestAdd'], ['bank', 'AccountTest', 'overdraft'])
    """
    head, _, rest = _PARAMETERS.sub("", test).partition("::")
    return re.findall(r"\w+", f"{head} {rest.partition('/')[0]}")


def _suspects(bug: Bug) -> list[str]:
    """Return the unprotected texts that tests name or that lie among them, except those that the reference fix changes."""
    root, patterns = Path(bug.tree.source), bug.oracle.test.files
    files = {file.path: file.text for file in bug.problem.context if len(file.text) <= _LARGEST}
    paths = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
    safe = _protected(paths, bug)
    fixed = {bug.problem.path, *(edit.path for edit in bug.oracle.reference)}
    meant = set(matching(files, tuple(pattern[1:] for pattern in patterns if pattern.startswith("!"))))
    named = _named("\n".join(_text(root / path) for path in sorted(safe)))
    homes = {folder for path in safe if (folder := _test_folder(path))}
    ours, program = {_test_folder(path) for path in fixed}, {path.partition("/")[0] for path in fixed}
    found = []
    for path in sorted(files.keys() - safe - fixed - meant):
        if not files[path].strip():
            continue
        if language_of_path(path) is not None:
            if is_test_path(path) and (folder := _test_folder(path)) in homes and folder not in ours:
                found.append(path)
            continue
        folder, name = PurePosixPath(path).parts[-2:] if "/" in path else ("", path)
        is_named = not named.isdisjoint((folder, name)) and path.partition("/")[0] not in program
        if is_test_path(path) or EXPECTED_DATA.search(path) or is_named:
            found.append(path)
    return found


def _test_folder(path: str) -> str:
    """Return the innermost folder around a file that is named as one of tests, if any."""
    folders = PurePosixPath(path).parts[:-1]
    depth = max((depth for depth, folder in enumerate(folders, start=1) if TEST_FOLDER.match(folder)), default=0)
    return "/".join(folders[:depth])


def _named(told: str) -> set[str]:
    """Return what tests may name as files and folders: the parts between slashes or quotes."""
    names = {stripped for name in re.findall(r"[\w.+-]+", told) if "." in (stripped := name.strip("."))}
    return names | set(re.findall(r"[\"'/]([\w.+-]+)(?=[\"'/])", told))


def _text(file: Path) -> str:
    return file.read_bytes().decode("utf-8", "replace") if file.stat().st_size <= _LARGEST else ""


def _first(suspects: list[str], passes: Callable[[Sequence[str]], bool]) -> list[str]:
    """Return suspects without which nothing passes, the first few of them; all, if only together they do that."""
    if not suspects or passes(suspects):
        return []
    if len(suspects) == 1:
        return suspects
    half = len(suspects) // 2
    found = _first(suspects[:half], passes)
    if len(found) < _MOST:
        found += _first(suspects[half:], passes)
    return found or suspects


def _typos(patterns: Sequence[str], paths: Iterable[str]) -> list[tuple[str, str]]:
    """Return the patterns that match nothing for a folder or file that is not there but whose name is near another, and that one.

    >>> _typos(("test/**", "**/conftest.py"), ["tests/a.py", "shop/b.py"])
    [('test/**', 'tests/**')]
    """
    listed = list(paths)
    return [
        (pattern, meant)
        for pattern in patterns
        if not pattern.startswith("!") and not matching(listed, (pattern,)) and (meant := _meant(pattern, listed))
    ]


def _meant(pattern: str, paths: Sequence[str]) -> str:
    parts = pattern.split("/")
    for depth, part in enumerate(parts):
        above = parts[:depth]
        beside = {split[depth] for path in paths if len(split := path.split("/")) > depth and split[:depth] == above}
        if re.search(r"[*?]", part):
            return ""
        if part not in beside:
            near = difflib.get_close_matches(part, sorted(beside), n=1, cutoff=_NEAR)
            return "/".join((*above, near[0], *parts[depth + 1 :])) if near else ""
    return ""


def _advice(patterns: Sequence[str], files: Mapping[str, str], path: str) -> str:
    """Say what to write instead."""
    if near := [(pattern, meant) for pattern, meant in _typos(patterns, files) if path in matching(files, (meant,))]:
        pattern, meant = near[0]
        return f"{pattern!r} matches nothing. Did you mean {meant!r}?"
    if not path:
        return "Name the files of the tests and all that they expect"
    folder = _test_folder(path)
    return f'Add "{folder}/**"' if folder else f'Add "{path}"'


def _shown(patterns: Iterable[str]) -> str:
    return "[" + ", ".join(f'"{pattern}"' for pattern in patterns) + "]"
