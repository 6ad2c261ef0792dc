from decimal import Decimal

import pytest

from billing.invoice import Invoice


def test_gross_includes_rounded_tax():
    invoice = Invoice("A-17")
    invoice.add("printer paper", "3.33")
    assert invoice.gross() == Decimal("4.00")


def test_empty_invoice():
    invoice = Invoice("A-1")
    assert invoice.net() == 0
    assert invoice.gross() == 0


def test_discount_lowers_the_net_amount():
    invoice = Invoice("A-2", band="exempt")
    invoice.add("desk", "1,200.00")
    invoice.discount_percent = Decimal(10)
    assert invoice.net() == Decimal("1080.00")


def test_quantity_must_be_positive():
    with pytest.raises(ValueError):
        Invoice("A-3").add("chair", "10.00", quantity=0)


def test_rendered_invoice():
    invoice = Invoice("A-4")
    invoice.add("lamp", "25.00", quantity=2)
    assert invoice.render().splitlines() == [
        "Invoice A-4",
        "lamp" + " " * 20 + "     50.00",
        "tax" + " " * 21 + "     10.00",
        "total" + " " * 19 + "     60.00",
    ]
