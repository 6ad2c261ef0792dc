"""A bug of a Python project with a pytest suite: a fresh copy and `python -m pytest` each, against forks of a warm one."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from side_by_side import Row, compare, main, write_texts

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.candidate import Candidate, Edit, Origin
from repairlab.core.outcome import Verdict
from repairlab.languages.language import default_cache
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.validator import BugValidator, Conditions

N_MODULES = 20
N_TESTS = 8
"""Per module: 160 in all, each over a table of values."""

_MODULE = '''\
"""Series number {number}: what an accountant might do with a list of amounts."""

import collections
import datetime
import decimal
import json
import re
import statistics


def clean(text):
    """Return the amounts in a text."""
    return [decimal.Decimal(word) for word in re.findall(r"-?\\d+(?:\\.\\d+)?", text)]


def total(amounts):
    """Return the sum."""
    return sum(amounts, start=decimal.Decimal({number}) - {number})


def scaled(amounts, factor={number}):
    """Return all amounts times a factor."""
    return [amount * factor for amount in amounts]


def summary(amounts):
    """Return the figures of a report."""
    if not amounts:
        return {{"count": 0, "total": 0, "mean": None}}
    return {{"count": len(amounts), "total": total(amounts), "mean": statistics.mean(amounts)}}


def by_sign(amounts):
    """Return how many amounts are below, at and above zero."""
    return collections.Counter((amount > 0) - (amount < 0) for amount in amounts)


def dated(amounts, first="2024-01-31"):
    """Return each amount with a day, one after the other."""
    day = datetime.date.fromisoformat(first)
    return {{(day + datetime.timedelta(days=index)).isoformat(): amount for index, amount in enumerate(amounts)}}


def dump(amounts):
    """Return JSON."""
    return json.dumps([str(amount) for amount in amounts])


def largest(amounts, n=3):
    """Return the n largest amounts, largest first."""
    return sorted(amounts, reverse=True)[:n]
'''
_BUG = ("return sorted(amounts, reverse=True)[:n]", "return sorted(amounts, reverse=True)[1:n]")
_TESTS = """\
import decimal
import json

import pytest

from ledger import series_{number} as series

AMOUNTS = series.clean("12.50 and -3 and 40, then 0 and 7.25")


@pytest.fixture
def amounts():
    return list(AMOUNTS)


def test_clean():
    assert series.clean("a 1 b -2.5") == [1, decimal.Decimal("-2.5")]


def test_total(amounts):
    assert series.total(amounts) == decimal.Decimal("56.75")


@pytest.mark.parametrize("factor", [0, 1, -1, 10])
def test_scaled(amounts, factor):
    assert series.total(series.scaled(amounts, factor)) == factor * series.total(amounts)


def test_summary(amounts):
    assert series.summary(amounts)["mean"] == decimal.Decimal("11.35") and series.summary([])["count"] == 0


def test_by_sign(amounts):
    assert series.by_sign(amounts) == {{1: 3, 0: 1, -1: 1}}


def test_dated(amounts):
    assert list(series.dated(amounts))[1] == "2024-02-01"


def test_dump(amounts):
    assert json.loads(series.dump(amounts))[0] == "12.50"


def test_largest(amounts):
    assert series.largest(amounts) == [40, decimal.Decimal("12.50"), decimal.Decimal("7.25")]
    assert series.largest(amounts, 1) == [40] and series.largest([], 2) == []
"""
_NAMES = (
    *("clean", "total", "scaled[0]", "scaled[1]", "scaled[-1]", "scaled[10]"),
    *("summary", "by_sign", "dated", "dump", "largest"),
)
_BROKEN = N_MODULES // 2


def row(*, quick: bool) -> Row:
    """Validate 100 candidates, a fifth of them plausible, for a project of 20 modules and 220 tests."""
    n = 10 if quick else 100
    with tempfile.TemporaryDirectory(prefix="python-project-") as folder:
        bug = open_benchmark(str(write_project(Path(folder) / "validator"))).bug("ledger")
        candidates = [candidate_for(bug, number) for number in range(n)]
        sandbox = open_sandbox(cache=default_cache())

        def naive() -> list[Verdict]:
            return [judge(candidate, bug) for candidate in candidates]

        def ours() -> list[Verdict]:
            with BugValidator(Conditions(bug=bug), sandbox) as validator:
                return [validator.validate(candidate).verdict for candidate in candidates]

        return compare(f"Python project bug, {n} candidates", naive, ours, target=8)


def candidate_for(bug: Bug, number: int) -> Candidate:
    """Return a candidate: the fix in a form of its own, a wrong answer, or code that raises."""
    bodies = (
        f"return sorted(amounts, reverse=True)[{number} + 1 : n]",
        f"return sorted(amounts)[:n] + [{number}]",
        f"return list(reversed(amounts))[: n + {number}]",
        f"return amounts.missing_{number}",
        f"chosen = n + {number} - {number}\n    return sorted(amounts, reverse=True)[:chosen]",
    )
    text = bug.problem.source.replace(_BUG[1], bodies[number % len(bodies)])
    edits = (Edit(path=bug.problem.path, text=text),)
    return Candidate(bug_id=bug.id, edits=edits, rank=number + 1, origin=Origin(repairer="file"))


def judge(candidate: Candidate, bug: Bug) -> Verdict:
    """Copy the project, write the change, run pytest until the first failure, and believe its exit code."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "work"
        shutil.copytree(bug.tree.source, work)
        for edit in candidate.edits:
            (work / edit.path).write_text(edit.text or "", encoding="utf-8")
        # Without this the plugins that happen to be installed would cost the naive way more than a plain pytest does.
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        command = [sys.executable, "-m", "pytest", "-x", "-q"]
        done = subprocess.run(command, cwd=work, env=env, capture_output=True, check=False)
    return Verdict.PLAUSIBLE if done.returncode == 0 else Verdict.WRONG


def write_project(folder: Path) -> Path:
    """Write a benchmark of one bug: a generated project."""
    files = {"ledger/__init__.py": "", "pytest.ini": "[pytest]\npythonpath = .\n"}
    for number in range(N_MODULES):
        files[f"ledger/series_{number}.py"] = _MODULE.format(number=number)
        files[f"tests/test_series_{number}.py"] = _TESTS.format(number=number)
    path = f"ledger/series_{_BROKEN}.py"
    fixed = files[path]
    files[path] = fixed.replace(*_BUG)
    line = fixed.splitlines().index(f"    {_BUG[0]}") + 1
    names = [f"tests/test_series_{number}.py::test_{name}" for number in range(N_MODULES) for name in _NAMES]
    trigger = f"tests/test_series_{_BROKEN}.py::test_largest"
    regression = "".join(f'  "{name}",\n' for name in names if name != trigger)
    texts = {
        "benchmark.toml": 'schema = 1\nname = "generated"\nversion = "1.0.0"\nlicence = "MIT"\n',
        "bugs/ledger/issue.md": "The largest amount is missing\n\nThe list of the largest amounts begins with the second.\n",
        "bugs/ledger/fix.patch": f"--- a/{path}\n+++ b/{path}\n@@ -{line} +{line} @@\n-    {_BUG[1]}\n+    {_BUG[0]}\n",
        "bugs/ledger/bug.toml": (
            f'schema = 1\nlanguage = "python"\npath = "{path}"\ntarget = "largest"\n[test]\nframework = "pytest"\n'
            f'files = ["tests/**", "pytest.ini"]\ntrigger = ["{trigger}"]\nregression = [\n{regression}]\n'
        ),
        **{f"bugs/ledger/buggy/{name}": text for name, text in files.items()},
    }
    write_texts(folder, texts)
    return folder


if __name__ == "__main__":
    main(row)
