"""A project with a history that is written commit by commit, so that what each stage must leave is known."""

import subprocess
from pathlib import Path

import pytest

from repairlab.core.record import record

PRICE = '''"""Prices."""


def total(prices):
    """Return the sum."""
    return sum(prices[1:])


def label(price):
    return f"{price} EUR"
'''
TESTS = """from shop.price import label, total


def test_label():
    assert label(3) == "3 EUR"
"""
TOTAL_TEST = TESTS + "\n\ndef test_total():\n    assert total([1, 2]) == 3\n"


@record
class History:
    """A clone that grows."""

    folder: Path

    def git(self, *arguments: str) -> str:
        """Run git as somebody, at a time that is always the same."""
        own = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")
        command = ["git", *own, "-C", str(self.folder), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message: str, **files: str | None) -> str:
        """Write files (`__` in a name stands for `/`, `_py` for its ending), delete those that are none, and commit."""
        for name, text in files.items():
            path = self.folder / name.replace("__", "/").replace("_py", ".py").replace("_md", ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.unlink() if text is None else path.write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def history(tmp_path: Path) -> History:
    """Return an empty repository called shop."""
    folder = tmp_path / "shop"
    folder.mkdir()
    made = History(folder=folder)
    made.git("init", "-q")
    return made


@pytest.fixture
def shop(history: History) -> History:
    """Return a history with one fix, and commits that are none, each for a reason of its own."""
    history.commit("Begin", shop__price_py=PRICE, shop__init_py="", tests__test_price_py=TESTS)
    fixed = PRICE.replace("prices[1:]", "prices")
    history.commit("Fix the total: the first price was lost (#1)", shop__price_py=fixed, tests__test_price_py=TOTAL_TEST)
    history.commit(
        "Speed up totals", shop__price_py=fixed.replace("sum(prices)", "sum(iter(prices))"), tests__test_price_py=TOTAL_TEST + "\n"
    )
    quick = fixed.replace("sum(prices)", "sum(iter(prices))")
    history.commit(
        "Fix a word", shop__price_py=quick.replace("Return the sum", "Return their sum"), tests__test_price_py=TOTAL_TEST + "\n\n"
    )
    history.commit("Fix without a test", shop__price_py=quick.replace("iter(prices)", "list(prices)"))
    wide = quick.replace("iter(prices)", "tuple(prices)").replace(" EUR", " €")
    tests = TOTAL_TEST.replace(" EUR", " €")
    history.commit("Fix two bugs", shop__price_py=wide, tests__test_price_py=tests)
    history.commit(
        "Fix labels for more", shop__price_py=wide.replace("label(price)", "label(price, /)"), tests__test_price_py=tests + "\n"
    )
    return history
