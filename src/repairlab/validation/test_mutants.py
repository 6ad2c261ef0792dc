"""Drawing what is changed in the test files of a bug, and finding which of its assertions a test fails with the buggy program."""

import dataclasses
import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path

from repairlab.core.bug import Bug
from repairlab.core.recipe import matching
from repairlab.core.text import Span
from repairlab.languages.counter import Change, Kind, TestBody, of_programs, of_tests, other_string, sure_calls, words
from repairlab.languages.facts import facts
from repairlab.languages.language import language, language_of_path
from repairlab.languages.parser import Parsed
from repairlab.validation.worktree import files_below

Key = tuple[str, int]
"""A test file, and the number of a function in it."""
_SEARCHES = 8
"""How often it is halved what may be the assertion."""


def met_by_failures(
    choices: Mapping[str, tuple[Key, Sequence[Change]]], said: Callable[[Mapping[Key, Change]], Mapping[str, str]]
) -> dict[Key, Change]:
    """Return, for functions of tests, the last of their changes that the buggy program meets before its test fails.

    Takes what can be changed in each test, in order, and what says how its tests fail where some of that is changed. What a failure
    says stays the same where only something behind it is changed. Where failures never say anything else, nothing is returned.
    """
    found = dict[Key, Change]()
    before = said({}) if choices else {}
    ends = {test: (0, len(changes) - 1) for test, (_, changes) in choices.items() if test in before}
    for _ in range(_SEARCHES):
        tried = {test: (low + high + 1) // 2 for test, (low, high) in ends.items()}
        after = said({choices[test][0]: choices[test][1][index] for test, index in tried.items()}) if tried else {}
        for test, index in tried.items():
            (key, changes), (low, high) = choices[test], ends.pop(test)
            is_met = after.get(test, before[test]) != before[test]
            if is_met:
                found[key] = changes[index]
            if low < high:
                ends[test] = (index, high) if is_met else (low, index - 1)
    return found


REGRESSION_TESTS = 4
"""How many regression tests are changed, besides all trigger tests."""
_WEIGHTS: Mapping[Kind, int] = {"literal": 500, "negation": 50, "end": 10, "begin": 1}
"""Whoever forges passes can tell an added assertion from the ones that were there, but not a wrong literal from a right one."""
_LEVELS: tuple[tuple[Kind, ...], ...] = (("literal", "negation", "end", "begin"), ("literal", "end"), ("literal",), ())
"""What is changed in a file; where that does not build, less."""
_PREFERRED = 100
"""How much more often an assertion is changed that the buggy program fails than each of the others."""
_SHARE = 0.9
"""How many of the changes of a program are made at once: a test may use any of them. Fewer, where they make up for one another."""
_HALF = 0.5
_ADDED: tuple[Kind, ...] = ("end", "begin")
_LARGEST_FILE = 2_000_000
_EXPECTED = re.compile(r"\.(?:out|exp|expect|expected|gold|golden|ref|ans|answer|stdout|result|ok)\b")
"""Names of files that hold what a test should print."""
EXPECTED_DATA = re.compile(rf"{_EXPECTED.pattern}|(?:^|[/._-])(?:expected|golden|wanted|snapshots?|approved)(?:[/._-]|$)")
"""Paths of files that hold what some test expects. Possible inputs of the code under test are left alone."""
_SCRIPTS = (".sh", ".bash")
"""Endings of scripts; others are known by how they begin. In every language of scripts `exit 1` ends one with a failure."""
_MOST_SHARED = 40
"""How many functions and files that tests share are changed at most."""
_CHECK_LINE = re.compile(r"\b[A-Z]*CHECK[A-Z0-9-]*:[ \t]*(\S.*)")
"""What lit's tests say of the output they want."""


class Draft:
    """One draw: where each test is changed, and the texts of both twins that come of it."""

    def __init__(self, bug: Bug, draw: random.Random, *, regression_tests: int | None = REGRESSION_TESTS) -> None:
        """Take how many regression tests to draw, if not all."""
        self._draw = draw
        regression = [test for test in bug.oracle.regression if test not in bug.oracle.trigger]
        few = regression if regression_tests is None else draw.sample(regression, min(regression_tests, len(regression)))
        self._trigger = frozenset(bug.oracle.trigger)
        self.tests = (*bug.oracle.trigger, *few)
        """Tests that run in the twins."""
        self._sources = dict(test_texts(bug))
        self._levels = dict.fromkeys(self._sources, 0)
        self._tails = {path: _tail(path, draw) for path in self._sources}
        found = {path: _bodies(bug, path, text, draw) for path, text in self._sources.items()}
        named = {path: of_tests(bodies, self.tests) for path, bodies in found.items()}
        names = {name for bodies in named.values() for body in bodies for name in body.names}
        self._bodies = dict(_keyed(named))
        self._programs = dict[Key, TestBody]()
        """What tests depend on that are named after no function: programs, or files of expected output. Drawn from together."""
        self._nameless = frozenset(test for test in self.tests if not words([test]) & names)
        if self._nameless:
            programs = {path: [body for body in of_programs(found[path]) if not names.intersection(body.names)] for path in found}
            if not any(programs.values()) and not names:
                programs = {path: list(_data_bodies(path, text, self.tests, draw)) for path, text in self._sources.items()}
            self._programs = {(path, len(named[path]) + index): body for (path, index), body in _keyed(programs)}
        self._bodies.update(self._programs)
        self._by_word: dict[str, list[Key]] = {}
        for key, body in self._bodies.items():
            for name in set(body.names):
                self._by_word.setdefault(name, []).append(key)
        self._share = _SHARE
        self._left = {key: list(body.changes) for key, body in self._bodies.items()}
        self._drawn: dict[Key, Change] = {}
        self._preferred: dict[Key, Change] = {}
        self._draw_where_none()
        shared = list(_keyed(self._shared(bug, found)))
        few_shared = draw.sample(shared, min(_MOST_SHARED, len(shared)))
        self._of_all = {(path, -1 - index): body for (path, index), body in few_shared}
        """What tests share: functions that assert something for them, and files that say what they expect."""

    @property
    def drawn(self) -> dict[Key, Change]:
        """What is changed by now; nothing where nothing can be."""
        return dict(self._drawn)

    def counter(self) -> dict[str, str]:
        """Return test files in which every test is changed."""
        return self._written(self._drawn)

    def with_changes(self, drawn: Mapping[Key, Change]) -> dict[str, str]:
        """Return test files with these changes."""
        return self._written(drawn)

    def choices(self) -> dict[str, tuple[Key, list[Change]]]:
        """Return what can be changed in trigger tests, in the order of their text, where that is more than one thing."""
        keys = {test: found for test in sorted(self._trigger) if len(found := self._keys(test) - self._programs.keys()) == 1}
        all_changes = {key: sorted(self._possible(key[0], self._left[key]), key=_place) for (key,) in keys.values()}
        return {test: (key, all_changes[key]) for test, (key,) in keys.items() if len(all_changes[key]) > 1}

    def prefer(self, preferred: Mapping[Key, Change]) -> None:
        """Draw again, and rather what stands in the lines of these changes."""
        self._preferred.update(preferred)
        self._drawn.update({key: self._one_of(key, self._possible(key[0], self._left[key])) for key in preferred})

    @property
    def has_programs(self) -> bool:
        """Whether tests depend on changes that no name of a function connects with them."""
        return bool(self._programs)

    def twins(self, drawn: Mapping[Key, Change], *, apart: bool) -> list[dict[str, str]]:
        """Return the test files of two twins: each test is changed in one of them, in which is drawn now.

        With `apart` so is each change that no name connects with a test; else all of these go together.

        What a candidate knows of one test, because it passed that all along, then says nothing of others. Of the trigger tests,
        which it may know to fit together or not, half are changed in each.
        """
        trigger, others = self._groups(drawn, apart=apart)
        self._draw.shuffle(trigger)
        half = len(trigger) // 2 + (len(trigger) % 2) * self._draw.randrange(2)
        first = {key for group in (*trigger[:half], *(group for group in others if self._draw.random() < _HALF)) for key in group}
        sides = ({key: change for key, change in drawn.items() if (key in first) is changed} for changed in (True, False))
        return [self._written(side) for side in sides]

    def shared_twins(self) -> list[dict[str, str]]:
        """Return the test files of up to two more twins, in which not tests are changed but what they share.

        Each part is changed in one of them, so that who replaces one part alone does not hide behind another.
        """
        keys = self._draw.sample(list(self._of_all), len(self._of_all))
        cut = (len(keys) + 1) // 2
        sides = [side for side in (keys[:cut], keys[cut:]) if side]
        return [self._written({key: self._draw.choice(self._of_all[key].changes) for key in side}) for side in sides]

    def _shared(self, bug: Bug, found: Mapping[str, Collection[TestBody]]) -> dict[str, list[TestBody]]:
        """Return functions that are called by tests and assert something, values and files that say what is expected."""
        taken, names = (
            {(path, body.names) for (path, _), body in self._bodies.items()},
            words((*bug.oracle.trigger, *bug.oracle.regression)),
        )
        helpers = {path: [_asserting(body) for body in bodies if (path, body.names) not in taken] for path, bodies in found.items()}
        places, before = {path for path, _ in self._bodies}, set[str]()
        shared = dict[str, list[TestBody]]()
        while places - before:
            before = set(places)
            called = {name for path in sorted(places) for name in _calls(bug, path, self._sources[path])}
            for path, bodies in helpers.items():
                shared[path] = [
                    body
                    for body in bodies
                    if body.changes and not names.intersection(body.names) and (not body.names or called.intersection(body.names))
                ]
            places |= {path for path, bodies in shared.items() if bodies}
        told = "\n".join(self._sources[path] for path in sorted(places))
        for path in sorted(self._sources.keys() - places):
            is_named = any(name in told for name in (Path(path).name, Path(path).stem, Path(path).parent.name) if name)
            shared[path] = [TestBody(names=(), changes=changes)] if is_named and (changes := self._data_changes(path)) else []
        return {path: bodies for path, bodies in sorted(shared.items()) if bodies}

    def _data_changes(self, path: str) -> tuple[Change, ...]:
        """Return changes of a file of expected output, or of a script, which fails then; none of what may be an input."""
        text = self._sources[path]
        if path.endswith(_SCRIPTS) or text.startswith("#!"):
            start = text.find("\n") + 1 if text.startswith("#!") else 0
            return (Change(kind="literal", span=Span(start=start, end=start), neutral="", false="exit 1\n"),)
        if language_of_path(path) is not None or not EXPECTED_DATA.search(path):
            return ()
        return tuple(_spans_changed(text, [match.span() for match in re.finditer(r"\S.*", text)], self._draw))

    def _groups(self, drawn: Collection[Key], *, apart: bool) -> tuple[list[set[Key]], list[set[Key]]]:
        """Return what must be changed together, because a test may depend on all of it: of trigger tests, and of others."""
        groups: list[tuple[set[Key], bool]] = [({key}, True) for key in self._programs if apart and key in drawn]
        for test in self.tests:
            group, is_trigger = set() if apart else {key for key in self._programs if key in drawn}, test in self._trigger
            if test not in self._nameless:
                hits = self._hits(test)
                most = max(hits.values())
                group = {key for key, hit in hits.items() if hit == most}
            for other in [other for other in groups if group.intersection(other[0])]:
                groups.remove(other)
                group, is_trigger = group | other[0], is_trigger or other[1]
            if group:
                groups.append((group, is_trigger))
        return [keys for keys, trigger in groups if trigger], [keys for keys, trigger in groups if not trigger]

    def redraw(self, failing: Collection[str]) -> bool:
        """Draw other changes for tests that did not fail; returns whether there were any."""
        failed = {key for test in failing for key in self._keys(test)}
        useless = [key for key in self._drawn if key not in self._programs and key not in failed]
        for key in useless:
            self._left[key].remove(self._drawn.pop(key))
        again = bool(self._nameless - set(failing))
        if again and self._nameless.isdisjoint(failing):
            self._share /= 2
        if again:
            self._drawn = {key: change for key, change in self._drawn.items() if key not in self._programs}
        self._draw_where_none()
        return again or any(key in self._drawn for key in useless)

    def _keys(self, test: str) -> set[Key]:
        """Return the bodies that a test may be named after; of several, those in files that it names."""
        found, named = set(self._hits(test)), words([test])
        return {key for key in found if Path(key[0]).stem in named} or found

    def _hits(self, test: str) -> Counter[Key]:
        """Return how many words of a test's name each body is called by; those that are called by none are left out."""
        return Counter(key for word in words([test]) for key in self._by_word.get(word, ()))

    def change_less(self, said: str) -> bool:
        """Give up the riskier changes of files that a compiler complains of, or of all; returns whether there is less to change."""
        named = [path for path in self._sources if Path(path).name in said]
        risky = [path for path in named or self._sources if self._levels[path] < len(_LEVELS) - 1]
        for path in risky:
            self._levels[path] += 1
        for key, change in list(self._drawn.items()):
            if change.kind not in _LEVELS[self._levels[key[0]]]:
                del self._drawn[key]
        self._draw_where_none()
        return bool(risky)

    def _draw_where_none(self) -> None:
        possible = {key: self._possible(key[0], left) for key, left in self._left.items() if key not in self._drawn}
        if not any(key in self._drawn for key in self._programs):
            free = [key for key in self._programs if possible[key]]
            # What is added to `main` would fail all its tests, and none of them for what it asserts.
            good = [key for key in free if any(change.kind not in _ADDED for change in possible[key])] or free
            few = self._draw.sample(good, max(round(self._share * len(good)), 1)) if good else []
            possible = {key: changes for key, changes in possible.items() if key in few or key not in self._programs}
        for key, changes in possible.items():
            if changes:
                self._drawn[key] = self._one_of(key, changes)

    def _one_of(self, key: Key, changes: Sequence[Change]) -> Change:
        return self._draw.choices(changes, [self._weight(key, change) for change in changes])[0]

    def _weight(self, key: Key, change: Change) -> int:
        source, preferred = self._sources[key[0]], self._preferred.get(key)
        if preferred is None or change is preferred:
            return _WEIGHTS[change.kind] * (_PREFERRED if preferred else 1)
        is_beside = len({source.count("\n", 0, found.span.start) for found in (change, preferred)}) == 1
        return _WEIGHTS[change.kind] * (_PREFERRED // 4 if is_beside else 1)

    def _possible(self, path: str, left: list[Change]) -> list[Change]:
        """Return those of a body's changes that its file may have; an added assertion only where there is nothing else."""
        allowed = [change for change in left if change.kind in _LEVELS[self._levels[path]]]
        return [change for change in allowed if change.kind not in _ADDED] or allowed

    def _written(self, drawn: Mapping[Key, Change]) -> dict[str, str]:
        bodies = self._bodies | self._of_all
        edits: dict[str, list[tuple[Span, str]]] = {path: [] for path, _ in bodies}
        taken = {path: [change.span for key, change in drawn.items() if key[0] == path] for path in edits}
        for key, body in bodies.items():
            path = key[0]
            for change in body.changes:
                is_other = change.neutral != change.span.of(self._sources[path])
                if change is drawn.get(key):
                    edits[path].append((change.span, change.false))
                elif is_other and change.kind in _LEVELS[self._levels[path]] and not _overlaps(change.span, taken[path]):
                    edits[path].append((change.span, change.neutral))
                    taken[path].append(change.span)
        return {path: _edited(self._sources[path], made) + self._tails[path] for path, made in edits.items()}


def _place(change: Change) -> tuple[int, int]:
    return change.span.start, change.span.end


def _keyed(bodies: Mapping[str, Collection[TestBody]]) -> Iterator[tuple[Key, TestBody]]:
    for path, found in bodies.items():
        for index, body in enumerate(found):
            yield (path, index), body


def test_texts(bug: Bug) -> Iterator[tuple[str, str]]:
    """Yield the test files of a bug that hold text."""
    root = Path(bug.tree.source)
    for path in matching(files_below(root), bug.oracle.test.files):
        file = root / path
        if file.is_symlink() or file.stat().st_size > _LARGEST_FILE:
            continue
        try:
            yield path, file.read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            continue


def language_of_test(bug: Bug, path: str) -> str | None:
    """Return the language of a test file."""
    kind, own = language_of_path(path), facts(bug.problem.language)
    return own.name if kind in own.relatives and path.endswith(own.headers) else kind


def _bodies(bug: Bug, path: str, text: str, draw: random.Random) -> list[TestBody]:
    kind = language_of_test(bug, path)
    return language(kind).test_bodies(text, bug.oracle.test.framework, draw) if kind else []


def _calls(bug: Bug, path: str, text: str) -> Collection[str]:
    kind = language_of_test(bug, path)
    return sure_calls(Parsed(kind, text)) if kind else ()


def _data_bodies(path: str, text: str, tests: Collection[str], draw: random.Random) -> Iterator[TestBody]:
    """Yield the lines of a file that say what a test should print; for tests that are no functions of ours."""
    stems = {part for test in tests for part in (test, Path(test).stem)}
    if not stems.intersection((path, Path(path).name, Path(path).stem, Path(path).name.partition(".")[0])):
        return
    found = list(_CHECK_LINE.finditer(text))
    spans = [match.span(1) for match in found] if found else []
    if _EXPECTED.search(Path(path).name):
        spans += [match.span() for match in re.finditer(r"\S.*", text)]
    changes = list(_spans_changed(text, spans, draw))
    if changes:
        yield TestBody(names=tuple(words(stem for stem in stems if stem in path)), changes=tuple(changes))


def _spans_changed(text: str, spans: Sequence[tuple[int, int]], draw: random.Random) -> Iterator[Change]:
    for start, end in draw.sample(spans, min(20, len(spans))):
        old = text[start:end]
        new = other_string(f'"{old}"', draw)[1:-1]
        yield Change(kind="literal", span=Span(start=start, end=end), neutral=old, false=new)


def _asserting(body: TestBody) -> TestBody:
    """Return a body with those changes alone that need an assertion of its own: what only passes values on is left alone."""
    return dataclasses.replace(body, changes=tuple(change for change in body.changes if change.kind not in _ADDED))


def _tail(path: str, draw: random.Random) -> str:
    """Return a comment of random length for the end of a source file."""
    word = "".join(draw.choice("0123456789abcdef") for _ in range(draw.randrange(8, 64)))
    kind = language_of_path(path)
    return "" if kind is None else f"\n{facts(kind).comments[0]} {word}\n"


def _overlaps(span: Span, others: Collection[Span]) -> bool:
    return any(span.start < other.end and other.start < span.end for other in others)


def _edited(source: str, edits: list[tuple[Span, str]]) -> str:
    for span, text in sorted(edits, key=lambda edit: (edit[0].start, edit[0].end), reverse=True):
        source = source[: span.start] + text + source[span.end :]
    return source
