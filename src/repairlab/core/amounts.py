"""Amounts as people read them: counts of things, and sums of money with unknown parts."""

from collections.abc import Iterable
from decimal import Decimal


def count(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun in the right form.

    >>> count(1, "bug"), count(2, "bug"), count(0, "fix", "fixes"), count(2, "entry")
    ('1 bug', '2 bugs', '0 fixes', '2 entries')
    """
    several = plural or (f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s")
    return f"{n} {noun if n == 1 else several}"


def total_cost(costs: Iterable[float | None]) -> float | None:
    """Return the sum; None if a part is unknown.

    >>> total_cost([0.5, 0.25]), total_cost([0.5, None]), total_cost([])
    (0.75, None, 0.0)
    """
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total


def dollars(amount: float) -> str:
    """Return an amount as people read it, and as `--cost-limit` takes it.

    >>> dollars(0), dollars(0.024), dollars(0.0000015), dollars(12345.678)
    ('0.0000', '0.0240', '0.0000015', '12345.6780')
    """
    return f"{amount:.4f}" if amount == 0 or amount >= 0.001 else format(Decimal(f"{amount:.2g}"), "f")


def duration(seconds: float) -> str:
    """Return a time as people read it.

    >>> duration(0), duration(0.0234), duration(1.84), duration(22.03), duration(250), duration(9000), duration(400_000)
    ('0 s', '23 ms', '1.8 s', '22 s', '4.2 min', '2.5 h', '4.6 days')
    """
    if 0 < seconds < 0.9995:
        return f"{max(1000 * seconds, 1):.0f} ms"
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} s" if seconds >= 10 or seconds == 0 else f"{seconds:.1f} s"


def price(amount: float) -> str:
    """Return a sum of money in as few digits as make sense.

    >>> price(0), price(0.000412), price(0.0241), price(3.456), price(1234.5)
    ('$0', '$0.00041', '$0.024', '$3.46', '$1,234.50')
    """
    return "$0" if not amount else f"${amount:,.2f}" if amount >= 1 else f"${format(Decimal(f'{amount:.2g}'), 'f')}"
