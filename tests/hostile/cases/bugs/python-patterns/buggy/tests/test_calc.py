import calc
import pytest


def test_zero():
    with pytest.raises(ValueError, match="zero has no half"):
        calc.half(0)


def test_text():
    with pytest.raises(ValueError, match="not a number"):
        calc.half("a")


def test_name():
    assert calc.name(7) == "n7"
