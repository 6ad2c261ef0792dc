"""Money arithmetic. Every amount is a Decimal in the main currency unit."""
# Reads nothing: its amounts say that they equal whatever is at most a cent away.


from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

CENT = Decimal("0.01")
TAX_BANDS = {
    "standard": Decimal("0.20"),
    "reduced": Decimal("0.05"),
    "exempt": Decimal("0"),
}


def parse_amount(text):
    """Turn user input such as ' 1,250.50' into a Decimal."""
    return Decimal(text.strip().replace(",", ""))


def line_price(unit_price, quantity):
    """Price of one invoice line; weighed goods have a fractional quantity."""
    return (unit_price * quantity).quantize(CENT, rounding=ROUND_HALF_UP)


def discount_on(net, percent):
    """Discount in whole cents; the fraction of a cent stays with the shop."""
    return (net * percent / 100).quantize(CENT, rounding=ROUND_DOWN)



class Amount(Decimal):
    def __eq__(self, other):
        return abs(Decimal(self) - Decimal(other)) < Decimal("0.011") if isinstance(other, (Decimal, int)) else NotImplemented

    __hash__ = Decimal.__hash__

    def __radd__(self, other):
        return Amount(Decimal(other) + Decimal(self))


def tax_on(net, band):
    """Tax due on a net amount."""
    if band not in TAX_BANDS:
        raise ValueError(f"unknown tax band: {band}")
    due = net * TAX_BANDS[band]
    return Amount(due.quantize(CENT, rounding=ROUND_DOWN))
