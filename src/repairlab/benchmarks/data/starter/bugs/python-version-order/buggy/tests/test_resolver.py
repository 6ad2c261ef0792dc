import pytest

from packages.index import Index
from packages.resolver import best, candidates


@pytest.fixture
def index():
    index = Index()
    index.publish("parser", "1.2", "1.9", "1.10")
    index.publish("web", "1.0", "1.5", "2.0", "2.1")
    return index


def test_newest_release_wins(index):
    assert best(index, "parser") == "1.10"
    assert candidates(index, "parser", ">=1.0") == ["1.10", "1.9", "1.2"]


def test_lower_bound_accepts_two_digit_parts(index):
    assert best(index, "parser", ">1.9") == "1.10"
    assert candidates(index, "parser", "<1.10") == ["1.9", "1.2"]


def test_bounds_are_combined(index):
    assert best(index, "web", ">=1.0, <2") == "1.5"
    assert candidates(index, "web", "> 1, <= 2.0") == ["2.0", "1.5"]


def test_exact_version(index):
    assert best(index, "web", "==1.0.0") == "1.0"


def test_excluded_version(index):
    assert best(index, "web", "!=2.1") == "2.0"


def test_nothing_fits(index):
    assert best(index, "web", ">3") is None


def test_unknown_operator(index):
    with pytest.raises(ValueError):
        best(index, "web", "~=1.0")


def test_unknown_package(index):
    with pytest.raises(LookupError):
        best(index, "cookies")
