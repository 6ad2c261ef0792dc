"""An invoice: lines, an optional discount, and tax."""

from dataclasses import dataclass
from decimal import Decimal

from billing.amounts import CENT, discount_on, line_price, parse_amount, tax_on


@dataclass(frozen=True)
class Line:
    description: str
    unit_price: Decimal
    quantity: Decimal

    @property
    def price(self):
        return line_price(self.unit_price, self.quantity)


class Invoice:
    def __init__(self, number, band="standard"):
        self.number = number
        self.band = band
        self.discount_percent = Decimal(0)
        self._lines = []

    def add(self, description, unit_price, quantity=1):
        quantity = Decimal(str(quantity))
        if quantity <= 0:
            raise ValueError("quantity must be positive")
        self._lines.append(Line(description, parse_amount(unit_price), quantity))

    def subtotal(self):
        return sum((line.price for line in self._lines), Decimal(0))

    def discount(self):
        return discount_on(self.subtotal(), self.discount_percent)

    def net(self):
        return self.subtotal() - self.discount()

    def tax(self):
        return tax_on(self.net(), self.band)

    def gross(self):
        return self.net() + self.tax()

    def render(self):
        """Plain text form, amounts aligned on the right."""
        rows = [(line.description, line.price) for line in self._lines]
        if self.discount_percent:
            rows.append(("discount", -self.discount()))
        rows.append(("tax", self.tax()))
        rows.append(("total", self.gross()))
        body = [f"{name:<24}{amount.quantize(CENT):>10}" for name, amount in rows]
        return "\n".join([f"Invoice {self.number}", *body])
