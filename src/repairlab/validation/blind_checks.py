"""Compare what blind tests say with what was expected, outside the process that said it."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from repairlab.languages.blind import BlindCheck

Said = Mapping[str, Mapping[str, tuple[str, ...]]]
"""What tests said, by test name and number of the check; how often they ended is under `END`."""
END = "end"
NO_END = "its end"
"""The difference of a test that did not end as often as it must."""


def by_test(said: Iterable[tuple[str, str]]) -> Said:
    """Return what was said by test; everything before its end is the test's own."""
    found: dict[str, dict[str, list[str]]] = {}
    current: dict[str, list[str]] = {}
    for number, value in said:
        current.setdefault(number, []).append(value)
        if number == END:
            own = found.setdefault(value, {})
            for key, values in current.items():
                own.setdefault(key, []).extend(values)
            current = {}
    return {name: {number: tuple(values) for number, values in own.items()} for name, own in found.items()}


def difference(
    said: Mapping[str, tuple[str, ...]],
    due: Mapping[str, tuple[str, ...]],
    checks: Mapping[str, BlindCheck],
    *,
    but_objects: bool = False,
) -> str | None:
    """Return the assertion, as the test has it, where a test did not say what it must; None if there is none.

    `due` is what the reference fix says there. With `but_objects`, objects that cannot be taken apart always pass.
    """
    if len(said.get(END, ())) != len(due.get(END, ())):
        return NO_END
    for number in dict.fromkeys([*due, *said]):
        if number == END:
            continue
        check, values, wanted = checks.get(number), said.get(number, ()), due.get(number, ())
        if check is None:
            return "what it does not assert"
        if check.always and len(values) != len(wanted):
            return check.text
        references = wanted if len(values) == len(wanted) else (None,) * len(values)
        pairs = zip(values, references, strict=True)
        if not all((but_objects and not is_telling(check, value)) or holds(check, value, reference) for value, reference in pairs):
            return check.text
    return None


def holds(check: BlindCheck, value: str, reference: str | None) -> bool:
    """Return whether what was said is right; without a `reference`, only what the test itself tells counts."""
    try:
        actual = json.loads(value)
        if check.of_two:
            return _relate(check, actual[1][0], actual[1][1])
        wanted = check.expected or reference
        if wanted is None:
            return True
        due = json.loads(wanted)
        if check.how == "raised" and not check.expected and due[0] == "l":
            due = due[1][0]  # the reference fix names all classes of what it raises, its own first
        return _relate(check, actual, due)
    except (ValueError, TypeError, KeyError, IndexError, ArithmeticError, RecursionError, re.error):
        return False


def is_telling(check: BlindCheck, value: str) -> bool:
    """Return whether an answer is more than the type of something that cannot be taken apart."""
    try:
        return check.how == "raised" or not _has_object(json.loads(value))
    except (ValueError, RecursionError):
        return False


def _has_object(value: Any) -> bool:
    if not isinstance(value, list):
        return False
    return (value[:1] == ["o"] and len(value) == len(["o", "Type"])) or any(map(_has_object, value))


def _relate(check: BlindCheck, actual: Any, wanted: Any) -> bool:
    relation = _RELATIONS.get(check.how)
    if relation is not None:
        return relation(actual, wanted)
    if check.how == "near":
        return _is_near(actual, wanted, check.tolerance)
    ordered = _ORDERS[check.how]
    return bool(ordered(_ordinal(actual), _ordinal(wanted)))


def equals(one: Any, other: Any) -> bool:
    """Return whether two frozen values are equal as tests compare them: numbers by value, mappings and sets in any order."""
    if one == other:
        return True
    kinds = (one[0], other[0])
    if set(kinds) <= _NUMBERS:
        return _number(one) == _number(other)
    if kinds[0] != kinds[1]:
        return False
    kind, first, second = kinds[0], one[1:], other[1:]
    if kind == "l":
        return len(first[0]) == len(second[0]) and all(map(equals, first[0], second[0]))
    if kind == "u":
        return len(first[0]) == len(second[0]) and _same_items(one, other)
    if kind == "d":
        return len(first[0]) == len(second[0]) and all(any(_same_pair(pair, item) for item in second[0]) for pair in first[0])
    if kind == "o" and len(one) == len(other) == len(["o", "Type", []]):
        # An object's other attributes do not matter.
        theirs = dict(one[2])
        return one[1] == other[1] and all(name in theirs and equals(theirs[name], part) for name, part in other[2])
    return bool(one == other)


_NUMBERS = {"b", "i", "f"}
_LONGEST_EXPONENT = len("-4000")
"""Numbers beyond are not Python floats, and too large to write out."""


def _number(value: Any) -> Fraction | str:
    if value[0] == "b":
        return Fraction(bool(value[1]))
    text = str(value[1]).lower()
    if "nan" in text or "inf" in text or len(text.partition("e")[2]) > _LONGEST_EXPONENT:
        return text.lstrip("+")
    try:
        return Fraction(Decimal(text))
    except InvalidOperation:
        return Fraction(text)


def _same_pair(one: Any, other: Any) -> bool:
    return equals(one[0], other[0]) and equals(one[1], other[1])


def _same_items(one: Any, other: Any) -> bool:
    """Return whether two collections have equal members, in any order."""
    left = list(_members(other))
    for item in _members(one):
        place = next((index for index, member in enumerate(left) if equals(item, member)), None)
        if place is None:
            return False
        del left[place]
    return not left


def _members(value: Any) -> Iterable[Any]:
    return [key for key, _ in value[1]] if value[0] == "d" else value[1]


def _contains(whole: Any, part: Any) -> bool:
    if whole[0] in ("s", "y"):
        return whole[0] == part[0] and part[1] in whole[1]
    return any(equals(part, member) for member in _members(whole))


def _is_raised(actual: Any, wanted: Any) -> bool:
    """Return whether one of the classes of a raised exception is among those expected."""
    if actual[0] == "n" or wanted[0] == "n":
        return bool(actual[0] == wanted[0])
    names = {member[1] for member in actual[1]}
    return wanted[1] in names if wanted[0] == "s" else any(member[1] in names for member in wanted[1])


def _is_near(actual: Any, wanted: Any, tolerance: str) -> bool:
    """Return whether numbers are as close as the test wants, wherever they are in what is compared."""
    if actual[0] in _NUMBERS and wanted[0] in _NUMBERS:
        one, other = _number(actual), _number(wanted)
        if isinstance(one, str) or isinstance(other, str):
            return one == other
        return abs(one - other) <= max(_allowed(part, other) for part in (tolerance or "0").split())
    if actual[0] == wanted[0] == "l":
        return len(actual[1]) == len(wanted[1]) and all(
            _is_near(one, other, tolerance) for one, other in zip(actual[1], wanted[1], strict=True)
        )
    if actual[0] == wanted[0] == "d":
        return len(actual[1]) == len(wanted[1]) and all(
            any(equals(one[0], other[0]) and _is_near(one[1], other[1], tolerance) for one in actual[1]) for other in wanted[1]
        )
    return equals(actual, wanted)


def _allowed(tolerance: str, wanted: Fraction) -> Fraction:
    return abs(wanted) * Fraction(tolerance[:-1]) if tolerance.endswith("r") else Fraction(tolerance)


def _ordinal(value: Any) -> Any:
    """Return a frozen value as a Python value that can be sorted."""
    if value[0] in _NUMBERS:
        number = _number(value)
        return float(number) if isinstance(number, str) else number
    if value[0] == "l":
        return [_ordinal(member) for member in value[1]]
    if value[0] == "y":
        return bytes.fromhex(value[1])
    if value[0] != "s":
        raise TypeError(value[0])
    return value[1]


_RELATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "equal": equals,
    "different": lambda actual, wanted: not equals(actual, wanted),
    "raised": _is_raised,
    "contains": _contains,
    "lacks": lambda actual, wanted: not _contains(actual, wanted),
    "in": lambda actual, wanted: _contains(wanted, actual),
    "not in": lambda actual, wanted: not _contains(wanted, actual),
    "matches": lambda actual, wanted: re.search(wanted[1], actual[1]) is not None,
    "same items": _same_items,
    "same": lambda actual, wanted: bool(actual == wanted),
}
_ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "less": lambda actual, wanted: actual < wanted,
    "at most": lambda actual, wanted: actual <= wanted,
    "more": lambda actual, wanted: actual > wanted,
    "at least": lambda actual, wanted: actual >= wanted,
}
