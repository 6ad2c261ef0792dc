"""What many tests share: a sandbox that works here, and a tiny benchmark written to disk."""

import contextlib
import gc
import os
import re
import shutil
import signal
from pathlib import Path

import hypothesis
import pytest

from repairlab.benchmarks.catalog import open_benchmark
from repairlab.core.bug import Bug
from repairlab.core.errors import HarnessError, UserError
from repairlab.core.execution import Command
from repairlab.languages.language import default_cache
from repairlab.sandbox.ports import Halt, Port, forward_to, run_with_ports
from repairlab.sandbox.sandbox import Conversing, Sandbox
from repairlab.sandbox.table import open_sandbox
from repairlab.validation.machine import Machine
from tests.builders import write_files
from tests.llm_server.fixtures import llama_server, tiny_model  # noqa: F401  # pytest finds fixtures here

pytest_plugins = ["tests.sampling"]

# The same examples every time: whether a commit passes must not depend on luck. HYPOTHESIS_PROFILE=default looks for new ones.
hypothesis.settings.register_profile("repeatable", derandomize=True, deadline=None, max_examples=50)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))

gc.disable()  # while thousands of tests are collected, of which each is kept


def pytest_collection_finish() -> None:
    """Collect garbage from here on, and look for none among the tests."""
    gc.freeze()
    gc.enable()


if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    # Shells start what runs in their background so, and children inherit it: tests of Ctrl-C would wait for ever.
    signal.signal(signal.SIGINT, signal.default_int_handler)

PROGRAM = """\
def total(numbers):
    result = 1
    for number in numbers:
        result += number
    return result


print(total(int(word) for word in input().split()))
"""


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    """Return the best sandbox of this machine."""
    try:
        return open_sandbox(cache=default_cache())
    except (HarnessError, UserError) as error:
        pytest.skip(f"no sandbox works here: {error}")


@pytest.fixture(scope="session")
def networked(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip the test where programs cannot have ports on a loopback of their own."""
    assert isinstance(sandbox, Conversing)
    tree, port = tmp_path_factory.mktemp("networked"), Port(number=8001, serve=forward_to("127.0.0.1", 9))
    try:
        with contextlib.closing(Halt()) as halt:
            run_with_ports(sandbox, Command(argv=("true",)), tree, [port], halt, cache=default_cache())
    except HarnessError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def machine(sandbox: Sandbox) -> Machine:
    """Return a machine with two workers."""
    return Machine(cache=default_cache(), sandbox=sandbox.name, workers=2, use_verdicts=False)


@pytest.fixture(scope="session")
def _tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("own-cache")
    folder.chmod(0o755)
    return folder


@pytest.fixture
def own_cache(_tools: Path) -> Path:
    """Return a cache that knows no verdict, checker or working tool; the tools in it are made once, which takes seconds."""
    for path in _tools.glob("*.sqlite*"):
        path.unlink()
    for name in ("checkers", "counter-tests", "tools-that-work"):
        shutil.rmtree(_tools / name, ignore_errors=True)
    return _tools


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """Return the folder of a benchmark with two Python bugs: a program (`sum`) and a project (`shop`)."""
    return write_tiny(tmp_path / "tiny")


@pytest.fixture
def bug(tiny: Path) -> Bug:
    """Return the program of the tiny benchmark."""
    return open_benchmark(str(tiny)).bug("sum")


def without_places(text: str) -> str:
    """Return a text without the names of private folders and trees, which are random where they are folders of the host."""
    return re.sub(r"[\w./-]*lab-[\w-]+", "/place", text)  # pytest may have shortened the front of "repairlab-"


def write_tiny(folder: Path) -> Path:
    """Write the tiny benchmark."""
    texts = {
        "benchmark.toml": 'schema = 1\nname = "tiny"\nversion = "1.0.0"\nlicence = "MIT"\ndescription = "for tests"\n',
        "bugs/sum/bug.toml": (
            'schema = 1\nlanguage = "python"\npath = "main.py"\ntarget = "total"\nsubmission_verdict = "WRONG"\n'
            '[test]\nframework = "stdio"\n[limits]\ncpu_s = 2.0\nmemory_mb = 128\n[labels]\nlocation = "line"\n'
        ),
        "bugs/sum/issue.md": "Sum is one too large\n\nThe sum of 1 and 2 is printed as 4.\n",
        "bugs/sum/buggy/main.py": PROGRAM,
        "bugs/sum/fix.patch": (
            "--- a/main.py\n+++ b/main.py\n@@ -1,3 +1,3 @@\n def total(numbers):\n-    result = 1\n+    result = 0\n"
            "     for number in numbers:\n"
        ),
        "bugs/sum/cases/01.in": "1 2\n",
        "bugs/sum/cases/01.out": "3\n",
        "bugs/sum/cases/02.in": "5\n",
        "bugs/sum/cases/02.out": "5\n",
        "bugs/shop/bug.toml": (
            'schema = 1\nlanguage = "python"\npath = "shop/cart.py"\ntarget = "Cart.total"\n'
            '[test]\nframework = "pytest"\nfiles = ["tests/**"]\ntrigger = ["tests/test_cart.py::test_total"]\n'
            'regression = ["tests/test_cart.py::test_empty"]\n'
        ),
        "bugs/shop/issue.md": "# Total ignores the last item\n\nWith two items only the first is counted.\n",
        "bugs/shop/buggy/shop/__init__.py": "",
        "bugs/shop/buggy/shop/cart.py": (
            "class Cart:\n    def __init__(self, prices):\n        self.prices = prices\n\n    def total(self):\n"
            "        # all of them\n        return sum(self.prices[:-1])\n"
        ),
        "bugs/shop/buggy/tests/test_cart.py": (
            "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart([1, 2]).total() == 3\n\n\n"
            "def test_empty():\n    assert Cart([]).total() == 0\n"
        ),
        "bugs/shop/fix.patch": (
            "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -5,3 +5,3 @@\n     def total(self):\n         # all of them\n"
            "-        return sum(self.prices[:-1])\n+        return sum(self.prices)\n"
        ),
    }
    return write_files(folder, texts)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how many pairs of verdicts the differential tests compared."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    pairs = [value for report in reports if report.when == "call" for name, value in report.user_properties if name == "pairs"]
    differences = [
        value for report in reports if report.when == "call" for name, value in report.user_properties if name == "differences"
    ]
    if pairs:
        terminalreporter.write_line(f"warm against fresh: {sum(pairs)} pairs of verdicts, {sum(differences)} differences")
