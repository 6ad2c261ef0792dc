import pytest

from packages.version import version_key


def test_parts_compare_as_numbers():
    assert version_key("1.10") > version_key("1.9")
    assert version_key("10") > version_key("9.9.9")
    assert version_key("2.0.11") > version_key("2.0.2")
    assert version_key("1.02") == version_key("1.2")


def test_trailing_zeros_make_no_difference():
    assert version_key("1.0.0") == version_key("1")
    assert version_key("2.1.0") == version_key("2.1")
    assert version_key("1.0.1") != version_key("1.1")


def test_longer_version_is_newer():
    assert version_key("1.2.1") > version_key("1.2")
    assert version_key("1.3") > version_key("1.2.9")


@pytest.mark.parametrize("text", ["1..2", "1.x", "v1"])
def test_malformed_version(text):
    with pytest.raises(ValueError):
        version_key(text)
