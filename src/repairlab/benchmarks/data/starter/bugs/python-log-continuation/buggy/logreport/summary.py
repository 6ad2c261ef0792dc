"""Figures about a log file."""

from collections import Counter

from logreport.entry import LEVELS
from logreport.parser import parse_lines


def count_by_level(entries):
    counts = Counter(entry.level for entry in entries)
    return {level: counts[level] for level in LEVELS}


def noisiest_source(entries):
    """The source with most entries; the alphabetically first one on a tie."""
    counts = Counter(entry.source for entry in entries)
    if not counts:
        return None
    return min(counts, key=lambda source: (-counts[source], source))


def summarise(lines, minimum="DEBUG"):
    """One line of text for the daily mail."""
    entries = parse_lines(lines, minimum)
    if not entries:
        return "no entries"
    counts = ", ".join(f"{level.lower()} {n}" for level, n in count_by_level(entries).items() if n)
    return f"{len(entries)} entries ({counts}), most from {noisiest_source(entries)}"
