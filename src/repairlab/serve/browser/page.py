"""A page as its parts give it: a template and what fills it. `app` and `exporting` make HTML of it."""

from collections.abc import Mapping
from typing import Any

from repairlab.core.errors import UserError
from repairlab.core.record import record

ROWS = 100
"""Rows of a list on one page."""


@record
class Page:
    """A template of this package and its values."""

    template: str
    values: Mapping[str, Any]


@record
class Pager:
    """Which part of a long list a page shows; pages are counted from 1."""

    page: int
    n: int
    """Rows in all."""
    rows: int = ROWS

    @classmethod
    def at(cls, page: int, n: int, *, rows: int = ROWS) -> "Pager":
        """Return a page that exists."""
        pager = cls(page=page, n=n, rows=rows)
        if not 1 <= page <= pager.n_pages:
            raise UserError(f"there is no page {page}; the last one is {pager.n_pages}")
        return pager

    @property
    def n_pages(self) -> int:
        """Return how many pages there are, at least one."""
        return max(1, -(-self.n // self.rows))

    @property
    def start(self) -> int:
        """Return how many rows come before this page."""
        return (self.page - 1) * self.rows

    @property
    def near(self) -> list[int]:
        """Return the pages to offer: the first, the last, and some around this one."""
        wanted = {1, self.n_pages, *range(self.page - 2, self.page + 3)}
        return sorted(number for number in wanted if 1 <= number <= self.n_pages)
