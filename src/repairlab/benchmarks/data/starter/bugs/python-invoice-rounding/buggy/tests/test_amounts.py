from decimal import Decimal

import pytest

from billing.amounts import discount_on, line_price, tax_on


def test_tax_rounds_to_the_nearest_cent():
    assert tax_on(Decimal("3.33"), "standard") == Decimal("0.67")
    assert tax_on(Decimal("19.99"), "standard") == Decimal("4.00")


def test_tax_rounds_half_a_cent_up():
    assert tax_on(Decimal("0.125"), "standard") == Decimal("0.03")
    assert tax_on(Decimal("0.50"), "reduced") == Decimal("0.03")
    assert tax_on(Decimal("0.70"), "reduced") == Decimal("0.04")


def test_tax_of_whole_cents_is_exact():
    assert tax_on(Decimal("50.00"), "standard") == Decimal("10.00")
    assert tax_on(Decimal("50.00"), "exempt") == 0


def test_small_fractions_of_tax_are_dropped():
    assert tax_on(Decimal("3.31"), "standard") == Decimal("0.66")
    assert tax_on(Decimal("10.02"), "standard") == Decimal("2.00")


def test_unknown_band_is_refused():
    with pytest.raises(ValueError):
        tax_on(Decimal("1.00"), "luxury")


def test_discount_never_exceeds_the_percentage():
    assert discount_on(Decimal("9.99"), Decimal(15)) == Decimal("1.49")
    assert discount_on(Decimal("0.19"), Decimal(10)) == Decimal("0.01")


def test_line_price_of_weighed_goods():
    assert line_price(Decimal("2.49"), Decimal("0.350")) == Decimal("0.87")
    assert line_price(Decimal("0.50"), Decimal("0.25")) == Decimal("0.13")
