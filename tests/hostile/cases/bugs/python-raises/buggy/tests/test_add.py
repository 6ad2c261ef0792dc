import pytest

import calc


def test_nothing():
    with pytest.raises(TypeError):
        calc.add(None, 1)


def test_nothing_again():
    pytest.raises(TypeError, calc.add, None, 2)
