"""Filling lines with words."""


def wrap(words, width):
    """Return the lines that the words make when each is filled as far as the width allows."""
    lines = []
    line = ""
    for word in words:
        if not line:
            line = word
        elif len(line) + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}"
    if line:
        lines.append(line)
    return lines
