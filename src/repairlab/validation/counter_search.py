"""Which of its assertions a test fails with the buggy program: a forger may be honest in the others. `counter_tests` calls it."""

from collections.abc import Callable, Mapping, Sequence

from repairlab.languages.counter import Change

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
