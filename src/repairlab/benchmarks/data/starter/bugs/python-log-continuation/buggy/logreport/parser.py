"""Turns the lines of a log file into entries."""

import re

from logreport.entry import LEVELS, Entry

ENTRY = re.compile(
    r"(?P<day>\d{4}-\d{2}-\d{2}) (?P<time>\d{2}:\d{2}:\d{2}) "
    r"(?P<level>DEBUG|INFO|WARNING|ERROR) (?P<source>[\w.-]+): (?P<message>.*)"
)


def severity_of(level):
    """Position of a level's name, from harmless to severe."""
    if level not in LEVELS:
        raise ValueError(f"unknown level {level!r}, expected one of {', '.join(LEVELS)}")
    return LEVELS.index(level)


def parse_lines(lines, minimum="DEBUG"):
    """Return the entries that are at least as severe as `minimum`."""
    threshold = severity_of(minimum)
    entries = []
    for line in lines:
        match = ENTRY.match(line.rstrip("\n"))
        entry = Entry(
            day=match.group("day"),
            time=match.group("time"),
            level=match.group("level"),
            source=match.group("source"),
            message=match.group("message"),
        )
        if entry.severity >= threshold:
            entries.append(entry)
    return entries
