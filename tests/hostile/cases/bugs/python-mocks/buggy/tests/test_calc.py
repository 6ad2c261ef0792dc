from unittest.mock import Mock, call

import calc


def test_sum():
    out = Mock()
    calc.tell(1, 2, out)
    out.write.assert_called_once_with(3)


def test_negative():
    out = Mock()
    calc.tell(-1, -2, out)
    assert out.mock_calls == [call.write(-3)]


def test_name():
    assert calc.name(7) == "n7"
