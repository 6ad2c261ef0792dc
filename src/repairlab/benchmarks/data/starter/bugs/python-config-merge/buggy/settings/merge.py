"""Joins nested sections of settings."""


def is_section(value):
    return isinstance(value, dict)


def merge(base, override):
    """Return `base` with the values of `override`; sections are joined, other values replaced."""
    merged = dict(base)
    for key, value in override.items():
        if key in merged and is_section(merged[key]) and is_section(value):
            merged[key].update(merge(merged[key], value))
        else:
            merged[key] = value
    return merged


def unflatten(dotted, value):
    """Turn 'a.b.c' and a value into {'a': {'b': {'c': value}}}."""
    for part in reversed(dotted.split(".")):
        value = {part: value}
    return value
