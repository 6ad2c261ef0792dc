"""Ordering of version numbers such as 2.10.1."""

import re

VERSION = re.compile(r"[0-9]+(\.[0-9]+)*")
TRAILING_ZEROS = re.compile(r"(\.0+)+$")


def version_key(text):
    """Return what versions are sorted and compared by; 1.0 and 1.0.0 are the same version."""
    if not VERSION.fullmatch(text):
        raise ValueError(f"not a version: {text!r}")
    parts = TRAILING_ZEROS.sub("", text).split(".")
    return tuple(parts)
