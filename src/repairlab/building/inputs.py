"""New inputs that look like known ones: words of cases changed for programs, Hypothesis for functions.

What a program may be given is not written down anywhere, so changes stay close: numbers are no smaller and no larger than those
that occur, the first line, which often counts what follows, stays as it is where there are more, and lines come and go only where
no number of the first line counts them.
"""

import random
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_WORD = re.compile(r"\S+")
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_LINE_SHARE = 0.3
"""Of changes that are of whole lines, where these may change."""


def mutated_inputs(known: Sequence[str], n: int, *, seed: int = 0) -> list[str]:
    r"""Return up to `n` new inputs for a program.

    >>> mutated_inputs(["2\n3 4\n", "2\n9 9\n"], 3)
    ['2\n8 9\n', '2\n2 9\n', '2\n3 9\n']
    """
    chance = random.Random(seed)
    words = [word for text in known for word in _WORD.findall(text)]
    numbers = sorted({int(word) for word in words if _INTEGER.fullmatch(word)})
    others = sorted({word for word in words if not _INTEGER.fullmatch(word)})
    seen = set(known)
    made: list[str] = []
    is_counted = _counts_lines(known)
    for _ in range(20 * n if known else 0):
        if len(made) == n:
            break
        text = chance.choice(list(known))
        for _ in range(chance.choice((1, 1, 2, 3))):
            other_lines = not is_counted and chance.random() < _LINE_SHARE
            text = _with_other_lines(text, chance) if other_lines else _changed(text, numbers, others, chance)
        if text not in seen:
            seen.add(text)
            made.append(text)
    return made


def _counts_lines(known: Sequence[str]) -> bool:
    r"""Return whether a number of the first line says in all inputs how many lines follow.

    >>> _counts_lines(["2 9\n1\n2\n", "1 9\n4\n"]), _counts_lines(["9\nab\n\nc\n"])
    (True, False)
    """
    heads = [[int(word) for word in text.partition("\n")[0].split() if _INTEGER.fullmatch(word)] for text in known]
    follow = [len(text.rstrip("\n").split("\n")) - 1 for text in known]
    n = min(map(len, heads), default=0)
    return any(all(head[place] == count for head, count in zip(heads, follow, strict=True)) for place in range(n))


def _with_other_lines(text: str, chance: random.Random) -> str:
    """Double a line behind the first, leave one out, or put an empty one there."""
    first, *lines = text.split("\n")
    if len(lines) < 3:
        return text
    place = chance.randrange(len(lines) - 1)
    lines[place : place + 1] = chance.choice(([lines[place]] * 2, [], ["", lines[place]]))
    return "\n".join((first, *lines))


def _changed(text: str, numbers: Sequence[int], others: Sequence[str], chance: random.Random) -> str:
    """Change one word."""
    start = text.find("\n") + 1
    if not _WORD.search(text, start):
        start = 0
    places = list(_WORD.finditer(text, start))
    if not places:
        return text
    place = chance.choice(places)
    return text[: place.start()] + _other(place[0], numbers, others, chance) + text[place.end() :]


def _other(word: str, numbers: Sequence[int], others: Sequence[str], chance: random.Random) -> str:
    if _INTEGER.fullmatch(word) and numbers:
        near = int(word) + chance.choice((-1, 1))
        chosen = chance.choice((near, numbers[0], numbers[-1], chance.choice(numbers), chance.randint(numbers[0], numbers[-1])))
        return str(min(max(chosen, numbers[0]), numbers[-1]))
    alike = [other for other in others if len(other) == len(word)]
    if chance.random() < 0.5 or len(word) < 2:
        return chance.choice(alike or [word])
    letters = list(word)
    one, two = chance.sample(range(len(letters)), 2)
    letters[one] = letters[two]
    return "".join(letters)


def similar_calls(known: Sequence[tuple[object, ...]], n: int) -> list[tuple[object, ...]]:
    """Return up to `n` new argument tuples for a function, drawn by Hypothesis from values like the known ones."""
    from hypothesis import HealthCheck, Phase, given, settings  # noqa: PLC0415  # an extra
    from hypothesis import strategies as st  # noqa: PLC0415

    by_length: dict[int, list[tuple[object, ...]]] = {}
    for arguments in known:
        by_length.setdefault(len(arguments), []).append(arguments)
    made: dict[str, tuple[object, ...]] = {}
    drawn: SearchStrategy[tuple[Any, ...]] = st.one_of(
        [st.tuples(*(_strategy([call[place] for call in calls]) for place in range(length))) for length, calls in by_length.items()]
    )

    @settings(
        max_examples=n,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(drawn)
    def collect(arguments: tuple[object, ...]) -> None:
        made.setdefault(repr(arguments), arguments)

    if by_length:
        collect()
    given_calls = {repr(arguments) for arguments in known}
    return [arguments for text, arguments in made.items() if text not in given_calls]


def _strategy(values: Sequence[Any]) -> "SearchStrategy[Any]":
    """Return what draws the values themselves and others of their types."""
    from hypothesis import strategies as st  # noqa: PLC0415

    return st.one_of(st.sampled_from(list(values)), *_of_types(values, st))


def _near(text: str, place: int, letter: str, replaces: bool) -> str:
    """Return a text with a letter put in, or another or none in place of one.

    >>> _near("0xa", 1, "X", True), _near("0xa", 3, "L", False), _near("0xa", 0, "", True)
    ('0Xa', '0xaL', 'xa')
    """
    place = min(place, len(text))
    return text[:place] + letter + text[place + replaces :]


def _of_types(values: Sequence[Any], st: Any) -> "Iterator[SearchStrategy[Any]]":
    of: dict[type, list[Any]] = {
        kind: [value for value in values if type(value) is kind] for kind in (bool, int, float, str, bytes, list, tuple, set, dict)
    }
    if of[bool]:
        yield st.booleans()
    for kind, draw in ((int, st.integers), (float, st.floats)):
        if of[kind]:
            low, high = min(of[kind]), max(of[kind])
            yield draw(low - (high - low) - 3, high + (high - low) + 3)
    if of[str]:
        letters = sorted({letter for text in of[str] for letter in (*text, *text.swapcase())}) or ["a"]
        longest = max(map(len, of[str]))
        yield st.text(letters, max_size=longest + 2)
        # Few texts of any letters have a meaning to a function; those near to known ones often do.
        yield st.builds(_near, st.sampled_from(of[str]), st.integers(0, longest), st.sampled_from(["", *letters]), st.booleans())
    if of[bytes]:
        yield st.binary(max_size=max(map(len, of[bytes])) + 2)
    for around, make in ((list, st.lists), (set, st.sets)):
        inner = [value for items in of[around] for value in items]
        if inner:
            yield make(_strategy(inner), max_size=max(map(len, of[around])) + 2)
    for items in of[tuple][:1]:
        yield st.tuples(*(_strategy([value]) for value in items))
    if any(of[dict]):
        keys, inner = [key for item in of[dict] for key in item], [value for item in of[dict] for value in item.values()]
        yield st.dictionaries(_strategy(keys), _strategy(inner), max_size=len(keys) + 2)
