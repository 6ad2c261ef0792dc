"""A history to mine, as the tests of mining have it."""

from tests.building.mining.conftest import history, shop  # noqa: F401  # pytest finds fixtures here
