"""Numbers and names in sentences."""


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the right form.

    >>> count(1, "bug"), count(2, "bug"), count(0, "fix", "fixes"), count(2, "entry")
    ('1 bug', '2 bugs', '0 fixes', '2 entries')
    """
    several = plural or (f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s")
    return f"{n} {noun if n == 1 else several}"
