"""From the changes of patterns to edits: sorted, merged where they touch, cut down to what differs, and applied."""

from collections.abc import Sequence

from repairlab.core.candidate import Edit
from repairlab.core.text import Span
from repairlab.repairers.templates.code import Code
from repairlab.repairers.templates.fix_site import Replacement


def tidy(code: Code, replacements: Sequence[Replacement]) -> tuple[Replacement, ...] | None:
    """Return the replacements in order, touching ones as one, each as small as possible; none when they overlap."""
    merged: list[Replacement] = []
    for item in sorted(replacements, key=lambda item: (item.start, item.end)):
        text = item.text.replace("\r\n", "\n").replace("\n", code.newline)
        if merged and item.start < merged[-1].end:
            return None
        if merged and item.start == merged[-1].end:
            last = merged.pop()
            merged.append(Replacement(last.start, item.end, last.text + text))
        else:
            merged.append(Replacement(item.start, item.end, text))
    trimmed = [_trimmed(code, item) for item in merged]
    return tuple(item for item in trimmed if item.start != item.end or item.text)


def _trimmed(code: Code, item: Replacement) -> Replacement:
    old, new = code.source[item.start : item.end], item.text
    if "\r" in old or "\r" in new:
        return item  # cutting between CR and LF would change the line ending
    before = 0
    while before < min(len(old), len(new)) and old[before] == new[before]:
        before += 1
    behind = 0
    while behind < min(len(old), len(new)) - before and old[-1 - behind] == new[-1 - behind]:
        behind += 1
    return Replacement(item.start + before, item.end - behind, new[before : len(new) - behind])


def apply(source: str, replacements: Sequence[Replacement], *, start: int = 0, end: int | None = None) -> str:
    """Return the text from `start` to `end` with the replacements, which must be tidy and lie in there."""
    parts = []
    position = start
    for item in replacements:
        parts += [source[position : item.start], item.text]
        position = item.end
    parts.append(source[position : len(source) if end is None else end])
    return "".join(parts)


def edits(code: Code, replacements: Sequence[Replacement]) -> tuple[Edit, ...]:
    """Return the replacements as edits of the file."""
    return tuple(Edit(path=code.path, text=item.text, span=Span(start=item.start, end=item.end)) for item in replacements)
